import type { Params } from "@galley/core/protocol/requests.ts"
import { joinLines, splitLines } from "@galley/core/text/lines.ts"
import type { ProofEditor } from "../editor/proof-editor.ts"
import { AskError, type Client } from "../wire/client.ts"
import { keepDraft, readDraft } from "./drafts.ts"
import { proofOf, proofOfTyped, type ShownFile, shownFile, type Surroundings, whatMoved } from "./shown-file.ts"
import { editorTextOf, linesOfEditor, reconcile } from "./typed-text.ts"

/** How long after the last key the text is sent, and how long typing without a pause may go unsent (ms). */
const restBeforeWrite = 500
const longestUnsent = 3000
const restBeforeRedraw = 90
const mostTries = 6

export type Saving = "saved" | "typing" | "saving" | "unsent"

export type FileState =
  | { readonly kind: "loading" }
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "settled"; readonly file: ShownFile | null }
  | {
      readonly kind: "shown"
      readonly file: ShownFile
      readonly saving: Saving
      readonly overlaps: readonly { readonly typed: string; readonly theirs: string }[]
    }

/**
 * One file on the screen: what the server has, what the person has typed over it, and how the two are brought together. Typed
 * text is in the browser's session storage until the server has acknowledged it; whatever the file becomes meanwhile is merged under it.
 */
export class FileSession {
  readonly path: string
  private readonly client: Client
  private readonly storage: Storage
  private readonly tell: (state: FileState) => void
  private readonly say: (text: string) => void
  private around: Surroundings = { alike: new Map(), drafts: [], message: null }
  private editor: ProofEditor | null = null
  private shown: ShownFile | null = null
  private saving: Saving = "saved"
  private overlaps: FileState extends infer S ? (S extends { overlaps: infer O } ? O : never) : never = []
  private writing: Promise<boolean> | null = null
  private firstUnsent: number | null = null
  private timers = { write: 0, redraw: 0, draft: 0 }
  private closed = false
  private loading: Promise<void> | null = null
  private loadAgain = false

  constructor(options: {
    readonly path: string
    readonly client: Client
    readonly storage: Storage
    readonly tell: (state: FileState) => void
    readonly say: (text: string) => void
  }) {
    this.path = options.path
    this.client = options.client
    this.storage = options.storage
    this.tell = options.tell
    this.say = options.say
  }

  file(): ShownFile | null {
    return this.shown
  }

  /** Gives the editor that shows it. A draft of before a reload is typed again. */
  attach(editor: ProofEditor): void {
    this.editor = editor
    const draft = readDraft(this.storage, this.path)
    if (draft === null || this.shown === null) return
    const merged = reconcile(splitLines(draft.origin), splitLines(draft.text), this.shown.current)
    if (joinLines(merged.lines) === joinLines(this.shown.current)) return void keepDraft(this.storage, this.path, null)
    editor.show({ ...proofOfTyped(this.shown, merged.lines, this.around), current: merged.lines }, true)
    this.overlaps = merged.overlaps
    this.say("What you had typed here was kept and is back.")
    this.typed()
  }

  detach(): void {
    this.editor = null
  }

  surround(around: Surroundings): void {
    const before = this.around
    this.around = around
    const hunks = this.shown?.result.file.hunks ?? []
    const countOf = (one: Surroundings, name = ""): number => one.alike.get(name)?.count ?? 0
    if (before.message !== around.message && this.shown !== null) void this.load()
    const unmoved =
      before.drafts === around.drafts && hunks.every(({ same }) => countOf(before, same) === countOf(around, same))
    if (!unmoved) this.draw()
  }

  /** Asks for the file as it is now, and brings it together with what is typed. Calls during one are joined into one more. */
  async load(): Promise<void> {
    if (this.loading !== null) {
      this.loadAgain = true
      return this.loading
    }
    this.loading = (async () => {
      do {
        this.loadAgain = false
        await this.loadOnce()
      } while (this.loadAgain)
    })()
    try {
      await this.loading
    } finally {
      this.loading = null
    }
  }

  typed(): void {
    if (this.shown === null || this.editor === null) return
    this.firstUnsent ??= performance.now()
    this.setSaving("typing")
    this.after("draft", 60, () => this.keep())
    this.after("redraw", restBeforeRedraw, () => this.draw())
    const waited = performance.now() - this.firstUnsent
    this.after("write", Math.max(0, Math.min(restBeforeWrite, longestUnsent - waited)), () => void this.flush())
  }

  /** Sends what is typed; true when nothing is unsent any more. */
  async flush(): Promise<boolean> {
    this.clear("write")
    this.writing ??= this.write().finally(() => {
      this.writing = null
    })
    const done = await this.writing
    return done && !this.isDirty() ? true : done && this.isDirty() ? this.flush() : false
  }

  /** Puts the typed text into storage now; for a page that is being left. False if it would be lost. */
  keep(): boolean {
    this.clear("draft")
    if (this.shown === null || this.editor === null || !this.isDirty()) return true
    return keepDraft(this.storage, this.path, {
      origin: joinLines(this.shown.current),
      text: joinLines(this.typedLines()),
    })
  }

  dismissOverlaps(): void {
    this.overlaps = []
    this.publish()
  }

  close(): void {
    this.keep()
    this.closed = true
    for (const name of ["write", "redraw", "draft"] as const) this.clear(name)
    if (this.isDirty()) void this.write()
    this.editor = null
  }

  private async write(): Promise<boolean> {
    for (let tries = 0; tries < mostTries; tries++) {
      if (this.shown === null || !this.isDirty()) {
        this.settle()
        return true
      }
      const lines = this.typedLines()
      const { revision } = this.shown.result.file
      this.setSaving("saving")
      try {
        const params: Params<"write"> = { path: this.path, text: joinLines(lines), revision }
        await this.client.ask("write", params)
        // What was sent is the server's text now; what was typed since is over it.
        this.shown = { ...this.shown, current: lines, editorText: editorTextOf(lines) }
        await this.adoptFresh()
        if (!this.isDirty()) this.settle()
        return true
      } catch (error) {
        if (!(error instanceof AskError)) throw error
        if (error.code !== "STALE_REVISION") {
          this.setSaving("unsent")
          if (error.code !== "UNREACHABLE" && error.code !== "UNTRUSTED") this.say(`Not written: ${error.message}`)
          return false
        }
        const before = this.shown
        await this.adoptFresh()
        if (this.shown !== null && this.shown !== before)
          this.say(
            `Somebody else changed this file while you typed: ${whatMoved(before.result.file, this.shown.result.file)}. Your text is merged in.`,
          )
      }
    }
    this.setSaving("unsent")
    return false
  }

  private settle(): void {
    keepDraft(this.storage, this.path, null)
    this.firstUnsent = null
    this.setSaving("saved")
  }

  private async loadOnce(): Promise<void> {
    try {
      await this.adoptFresh()
      if (this.saving === "unsent") void this.flush()
    } catch (error) {
      if (!(error instanceof AskError) || this.closed) return
      if (error.code === "NOT_FOUND") {
        this.shown = null
        this.tell({ kind: "settled", file: null })
      } else if (this.shown === null) this.tell({ kind: "failed", message: error.message })
    }
  }

  private async adoptFresh(): Promise<void> {
    const { message } = this.around
    const fresh = shownFile(
      await this.client.ask("file", { path: this.path, ...(message === null ? {} : { message }) }),
    )
    if (this.closed && this.editor !== null) return
    const before = this.shown
    if (before !== null && fresh.result.file.revision < before.result.file.revision) return
    if (before !== null && sameResult(before.result, fresh.result)) return
    const typed = this.editor === null ? null : this.typedLines()
    const dirty = this.isDirty()
    this.shown = fresh
    if (this.editor === null || before === null || typed === null) return this.publish()
    if (!dirty) this.editor.show(proofOf(fresh, this.around), this.editable())
    else {
      const merged = reconcile(before.current, typed, fresh.current)
      if (merged.overlaps.length > 0) this.overlaps = merged.overlaps
      this.editor.show(proofOfTyped(fresh, merged.lines, this.around), this.editable())
      this.after("write", restBeforeWrite, () => void this.flush())
    }
    this.publish()
  }

  private draw(): void {
    if (this.shown === null || this.editor === null) return
    this.editor.redraw(
      this.isDirty() ? proofOfTyped(this.shown, this.typedLines(), this.around) : proofOf(this.shown, this.around),
    )
    this.publish()
  }

  editable(): boolean {
    const file = this.shown?.result.file
    return (
      file !== undefined &&
      this.shown?.isText === true &&
      !file.parked &&
      !isGone(file.kinds, this.shown.result.current)
    )
  }

  private isDirty(): boolean {
    return this.editor !== null && this.shown !== null && this.editor.text() !== this.shown.editorText
  }

  private typedLines() {
    return this.shown === null || this.editor === null ? [] : linesOfEditor(this.editor.text(), this.shown.current)
  }

  private setSaving(saving: Saving): void {
    if (this.saving === saving) return
    this.saving = saving
    this.publish()
  }

  private publish(): void {
    if (this.closed || this.shown === null) return
    if (this.shown.result.file.kinds.length === 0 && this.saving === "saved")
      this.tell({ kind: "settled", file: this.shown })
    else this.tell({ kind: "shown", file: this.shown, saving: this.saving, overlaps: this.overlaps })
  }

  private after(name: "write" | "redraw" | "draft", ms: number, act: () => void): void {
    this.clear(name)
    this.timers[name] = setTimeout(act, ms)
  }

  private clear(name: "write" | "redraw" | "draft"): void {
    clearTimeout(this.timers[name])
  }
}

/** Whether nothing of what is drawn differs; texts follow from the revision and the hunks' names. */
function sameResult(a: ShownFile["result"], b: ShownFile["result"]): boolean {
  return (
    JSON.stringify([a.file, a.comments, a.conflicts, a.ofMessage]) ===
      JSON.stringify([b.file, b.comments, b.conflicts, b.ofMessage]) &&
    a.current === b.current &&
    a.base === b.base &&
    a.authors.length === b.authors.length &&
    a.authors.every((author, at) => author === b.authors[at])
  )
}

function isGone(kinds: readonly string[], current: string | null): boolean {
  return kinds.includes("delete") && (current === null || current === "")
}
