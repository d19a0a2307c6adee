import { keymap } from "@codemirror/view"
import type { Selection } from "@galley/core/protocol/requests.ts"
import type { FileView } from "@galley/core/protocol/results.ts"
import { useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from "preact/hooks"
import type { LineComment, ProofHunk } from "../editor/proof.ts"
import { openProofEditor, type ProofEditor } from "../editor/proof-editor.ts"
import { linesChosen, linesTouchHunks, touches, wordLines } from "../model/chosen-lines.ts"
import { type FileState, FileSession } from "../model/file-session.ts"
import type { Alike } from "../model/changes.ts"
import { inertText } from "../model/inert.ts"
import { type Property, propertiesOf } from "../model/properties.ts"
import { hunkOf, partingOf, type Parting, proofOf, whatMoved } from "../model/shown-file.ts"
import type { Client } from "../wire/client.ts"
import { CommentBox } from "./comment-box.tsx"
import { LinesBar, OverlapsBanner } from "./file-banners.tsx"
import { FileHead } from "./file-head.tsx"
import { OtherKinds } from "./other-kinds.tsx"
import { PartingDialog } from "./parting-dialog.tsx"
import { PropertyBar } from "./property-bar.tsx"

/** What the page's keys do with the open file. */
export interface FileHandle {
  /** To the next or previous change; false at the end of the file. */
  step(by: 1 | -1): boolean
  decide(kind: "accept" | "reject"): void
  decideFile(kind: "accept" | "reject"): void
  comment(): void
  edit(): void
  keep(): boolean
  refresh(): void
}

export interface FilePaneProps {
  readonly client: Client
  readonly path: string
  readonly hunk: string | null
  readonly alike: ReadonlyMap<string, Alike>
  readonly drafts: readonly LineComment[]
  /** The one message that is looked at. */
  readonly message: { readonly id: string; readonly title: string } | null
  readonly sideBySide: boolean
  readonly folded: boolean
  readonly stamp: number
  readonly handle: { current: FileHandle | null }
  /** Carries a decision out; true when it was done. */
  readonly decide: (kind: "accept" | "reject", selection: Selection) => Promise<boolean>
  readonly say: (text: string) => void
  readonly nextFile: () => void
  readonly at: (index: number, count: number, id: string | null) => void
  readonly seen: (file: FileView) => void
  readonly addComment: (line: number, text: string) => void
  readonly dropComment: (id: string) => void
  readonly mark: (file: FileView) => void
  readonly setSideBySide: (on: boolean) => void
  readonly setFolded: (on: boolean) => void
  readonly showAll: () => void
  readonly openFile: (path: string) => void
  readonly pageKey: (what: "next" | "previous") => void
}

/** The open file: its text with the diff in it, and what can be decided about it. */
export function FilePane(props: FilePaneProps) {
  const { client, path, stamp, sideBySide, folded } = props
  const message = props.message?.id ?? null
  const [state, setState] = useState<FileState>({ kind: "loading" })
  const [commenting, setCommenting] = useState<number | null>(null)
  const [parting, setParting] = useState<{ hunk: ProofHunk; parting: Parting } | null>(null)
  const [lines, setLines] = useState<{ from: number; to: number } | null>(null)
  const [old, setOld] = useState<{ from: number; to: number } | null>(null)
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<ProofEditor | null>(null)
  const session = useRef<FileSession | null>(null)
  const now = useRef(props)
  now.current = props

  useEffect(() => {
    const opened = new FileSession({
      path,
      client,
      storage: sessionStorage,
      tell: setState,
      say: text => now.current.say(text),
    })
    session.current = opened
    setState({ kind: "loading" })
    setCommenting(null)
    setLines(null)
    setOld(null)
    opened.surround(around())
    void opened.load()
    return () => {
      opened.close()
      session.current = null
    }
  }, [path, client])
  useEffect(() => {
    if (stamp > 0) void session.current?.load()
  }, [stamp])
  useEffect(
    () => session.current?.surround({ alike: props.alike, drafts: props.drafts, message }),
    [props.alike, props.drafts, message, path],
  )
  useEffect(() => editor.current?.fold(folded), [folded])

  const shown = state.kind === "shown" || state.kind === "settled" ? state.file : null
  const hasText = shown !== null && shown.isText
  // In the frame that has the data, not one later.
  useLayoutEffect(() => {
    const parent = host.current
    const opened = session.current
    const file = opened?.file() ?? null
    if (!hasText || parent === null || opened === null || file === null) return
    let live = true
    let made: ProofEditor | null = null
    const proof = proofOf(file, around())
    const wanted = proof.hunks.findIndex(hunk => hunk.view?.id === now.current.hunk)
    const nonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? ""
    void openProofEditor(
      {
        parent,
        path,
        nonce,
        sideBySide,
        folded,
        decides: true,
        active: Math.max(0, wanted < 0 ? proof.hunks.findIndex(hunk => !hunk.aside) : wanted),
        typed: () => opened.typed(),
        moved: () => tellPlace(),
        keys: keymap.of([
          { key: "Escape", run: () => focusPane(parent) },
          { key: "Alt-Enter", run: () => did(() => decideHere("accept")) },
          { key: "Alt-Backspace", run: () => did(() => decideHere("reject")) },
          { key: "Alt-n", run: () => did(() => now.current.pageKey("next")) },
          { key: "Alt-p", run: () => did(() => now.current.pageKey("previous")) },
          { key: "Alt-c", run: () => did(() => startComment()) },
        ]),
        actions: {
          accept: hunk => void decideHunk("accept", hunk),
          reject: hunk => void decideHunk("reject", hunk),
          settle: (hunk, how) => void decideHunk("accept", hunk, how),
          alike: (hunk, kind) => void decideAlike(kind, hunk),
          oldLines: setOld,
          dropComment: id => now.current.dropComment(id),
        },
      },
      proof,
      opened.editable(),
    ).then(
      opening => {
        if (!live) return opening.destroy()
        made = opening
        editor.current = opening
        opened.attach(opening)
        performance.mark("galley-file-shown")
        // What else the page notes of it can wait until it is on the screen.
        requestAnimationFrame(() => {
          if (!live) return
          tellPlace()
          now.current.seen(file.result.file)
        })
      },
      () => now.current.say("The editor could not be loaded: the server is away. Reload when it is back."),
    )
    return () => {
      live = false
      opened.keep()
      opened.detach()
      editor.current = null
      made?.destroy()
    }
    // Opened anew for another file, another arrangement, or when it becomes text.
  }, [path, client, sideBySide, sideBySide && folded, hasText])

  useImperativeHandle<FileHandle | null, FileHandle>(props.handle, () => ({
    step(by) {
      const next = editor.current?.beside(by) ?? null
      if (next !== null) editor.current?.activate(next, { scroll: true })
      return next !== null
    },
    decide: decideHere,
    decideFile: kind => void decideFile(kind),
    comment: startComment,
    edit: () => editor.current?.focus(),
    keep: () => session.current?.keep() ?? true,
    refresh: () => void session.current?.load(),
  }))

  function around() {
    return { alike: now.current.alike, drafts: now.current.drafts, message: now.current.message?.id ?? null }
  }

  /** Places of the hunks that are looked at, among all of the file. */
  function ownHunks(): number[] {
    const file = session.current?.file()
    return file === null || file === undefined
      ? []
      : proofOf(file, around()).hunks.flatMap((hunk, at) => (hunk.aside ? [] : [at]))
  }

  function tellPlace(): void {
    const index = editor.current?.active() ?? 0
    const hunks = session.current?.file()?.result.file.hunks ?? []
    const own = ownHunks()
    now.current.at(Math.max(0, own.indexOf(index)), own.length, hunks[index]?.id ?? null)
    setLines(editor.current?.selectedLines() ?? null)
  }

  function startComment(): void {
    if (editor.current !== null) setCommenting(editor.current.cursorLine())
  }

  /** The chosen lines where there are some, else the active hunk, else (a file without hunks) the file. */
  function decideHere(kind: "accept" | "reject"): void {
    const file = session.current?.file()
    if (file === null || file === undefined) return
    if (lines !== null || old !== null) return void decideLines(kind)
    const shownHunk = proofOf(file, around()).hunks[editor.current?.active() ?? 0]
    if (shownHunk === undefined) return void decideFile(kind)
    if (shownHunk.aside) return now.current.say("That change is of another message. Show all changes to decide it.")
    void decideHunk(kind, shownHunk)
  }

  async function decideHunk(
    kind: "accept" | "reject",
    hunk: ProofHunk,
    how?: "keep-mine" | "take-theirs",
  ): Promise<void> {
    const opened = session.current
    if (opened === null) return
    const index = indexOf(hunk)
    editor.current?.activate(index, { scroll: false })
    // A hunk that is being typed in has no name before the server has the text; then the one in its place is meant.
    if (!(await opened.flush())) return
    const file = opened.file()
    const view = hunk.view ?? file?.result.file.hunks.find(one => touches(hunkOf(one), hunk.hunk)) ?? null
    if (file === null || view === null) return now.current.say("That change is gone: the text is as it was.")
    if (kind === "reject" && view.mixed && how === undefined) {
      setParting({ hunk: { ...hunk, view }, parting: partingOf(file, view) })
      return
    }
    await carryOut(kind, { hunks: [view.id], ...(how === undefined ? {} : { onConflict: how }) }, index)
  }

  function indexOf(hunk: ProofHunk): number {
    const hunks = session.current?.file()?.result.file.hunks ?? []
    const at = hunks.findIndex(one => one.id === hunk.view?.id)
    return at < 0 ? (editor.current?.active() ?? 0) : at
  }

  async function decideLines(kind: "accept" | "reject"): Promise<void> {
    const range = linesChosen(session.current?.file() ?? null, lines, old)
    if (range === null) return
    if (await carryOut(kind, { lines: range }, editor.current?.active() ?? 0)) {
      setOld(null)
      setLines(null)
    }
  }

  async function decideFile(kind: "accept" | "reject"): Promise<void> {
    await carryOut(kind, message === null ? {} : { message }, 0)
  }

  /** Rejecting a file's new name brings it back to its old one. */
  async function decideProperty(kind: "accept" | "reject", property: Property): Promise<void> {
    const from = session.current?.file()?.result.file.from
    const done = await carryOut(kind, { properties: [property.name] }, editor.current?.active() ?? 0)
    if (done && kind === "reject" && property.name === "existence" && from !== undefined) now.current.openFile(from)
  }

  async function decideAlike(kind: "accept" | "reject", hunk: ProofHunk): Promise<void> {
    const name = hunk.view?.same
    if (name === undefined) return
    await now.current.decide(kind, { hunks: [name] })
    await afterDecision(editor.current?.active() ?? 0)
  }

  async function carryOut(
    kind: "accept" | "reject",
    selection: Omit<Selection, "path">,
    index: number,
  ): Promise<boolean> {
    const opened = session.current
    if (opened === null || !(await opened.flush())) return false
    const file = opened.file()?.result.file
    // Hunks have names, which say all; whole files and lines are meant as they were seen.
    const seen = selection.hunks === undefined && file !== undefined ? { revision: file.revision } : {}
    const done = await now.current.decide(kind, { path, ...seen, ...selection })
    await afterDecision(index)
    const after = opened.file()?.result.file
    if (!done && file !== undefined && after !== undefined && after.revision !== file.revision)
      now.current.say(`${inertText(path)} was changed meanwhile: ${whatMoved(file, after)}. Look again.`)
    return done
  }

  /** The next change comes into view; after the last one of the file, the next file's. */
  async function afterDecision(index: number): Promise<void> {
    const opened = session.current
    if (opened === null) return
    await opened.load()
    const left = ownHunks()
    if (opened !== session.current) return
    const kinds = opened.file()?.result.file.kinds ?? []
    const next = left.find(at => at >= index) ?? left.at(-1)
    if (next !== undefined) editor.current?.activate(next, { scroll: true })
    else if (kinds.length === 0 || now.current.message !== null) now.current.nextFile()
    // The button that was pressed is gone; keys and screen readers go on from the text.
    if (document.activeElement === document.body) host.current?.focus({ preventScroll: true })
  }

  if (state.kind === "loading") return <p class="nothing">Loading {inertText(path)}…</p>
  if (state.kind === "failed") return <p class="nothing problem">{inertText(state.message)}</p>
  if (shown === null)
    return (
      <div class="nothing">
        <p>{inertText(path)} is not there any more.</p>
      </div>
    )
  const file = shown.result.file
  return (
    <article class="file-pane" aria-label={inertText(path)}>
      <FileHead
        path={path}
        sideBySide={sideBySide}
        setSideBySide={props.setSideBySide}
        folded={folded}
        setFolded={props.setFolded}
        message={props.message?.title ?? null}
        showAll={props.showAll}
        mark={props.mark}
        shown={shown}
        saving={state.kind === "shown" ? state.saving : "saved"}
        decideFile={kind => void decideFile(kind)}
        comment={startComment}
      />
      {state.kind === "shown" && state.overlaps.length > 0 ? (
        <OverlapsBanner overlaps={state.overlaps} dismiss={() => session.current?.dismissOverlaps()} />
      ) : null}
      <PropertyBar
        properties={message === null ? propertiesOf(file) : []}
        decide={(kind, property) => void decideProperty(kind, property)}
      />
      {file.kinds.length === 0 && !file.parked ? (
        <p class="settled" role="status">
          Everything here is decided. This is the file as it is on disk.
        </p>
      ) : null}
      {(lines !== null && linesTouchHunks(shown, lines)) || old !== null ? (
        <LinesBar
          words={wordLines(linesChosen(session.current?.file() ?? null, lines, old))}
          decide={kind => void decideLines(kind)}
        />
      ) : null}
      {hasText ? (
        <div class={sideBySide ? "proof sides" : "proof"} ref={host} data-testid="proof" tabIndex={-1} />
      ) : (
        <OtherKinds client={client} file={file} />
      )}
      {commenting === null ? null : (
        <CommentBox
          path={path}
          line={commenting}
          close={() => setCommenting(null)}
          add={text => {
            props.addComment(commenting, text)
            setCommenting(null)
          }}
        />
      )}
      {parting === null ? null : (
        <PartingDialog
          parting={parting.parting}
          close={() => setParting(null)}
          reject={how => {
            const { hunk } = parting
            setParting(null)
            void carryOut(
              "reject",
              { hunks: [hunk.view?.id ?? ""], ...(how === null ? {} : { onConflict: how }) },
              editor.current?.active() ?? 0,
            )
          }}
        />
      )}
    </article>
  )
}

function focusPane(parent: HTMLElement): true {
  parent.focus()
  return true
}

function did(act: () => void): true {
  act()
  return true
}
