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
import { hunkOf, partingOf, type Parting, proofOf, whatMoved } from "../model/shown-file.ts"
import type { Client } from "../wire/client.ts"
import { CommentBox } from "./comment-box.tsx"
import { FileHead } from "./file-head.tsx"
import { OtherKinds } from "./other-kinds.tsx"
import { PartingDialog } from "./parting-dialog.tsx"

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
  readonly sideBySide: boolean
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
  readonly pageKey: (what: "next" | "previous") => void
}

/** The open file: its text with the diff in it, and what can be decided about it. */
export function FilePane(props: FilePaneProps) {
  const { client, path, stamp, sideBySide } = props
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
    () => session.current?.surround({ alike: props.alike, drafts: props.drafts }),
    [props.alike, props.drafts, path],
  )

  const shown = state.kind === "shown" || state.kind === "settled" ? state.file : null
  const hasText = shown !== null && shown.isText && shown.result.file.summary === undefined
  // In the frame that has the data, not one later.
  useLayoutEffect(() => {
    const parent = host.current
    const opened = session.current
    const file = opened?.file() ?? null
    if (!hasText || parent === null || opened === null || file === null) return
    let live = true
    let made: ProofEditor | null = null
    const around = { alike: now.current.alike, drafts: now.current.drafts }
    const nonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? ""
    void openProofEditor(
      {
        parent,
        path,
        nonce,
        sideBySide,
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
      proofOf(file, around),
      opened.editable(),
    ).then(
      opening => {
        if (!live) return opening.destroy()
        made = opening
        editor.current = opening
        opened.attach(opening)
        const wanted = file.result.file.hunks.findIndex(hunk => hunk.id === now.current.hunk)
        if (file.result.file.hunks.length > 0) opening.activate(Math.max(0, wanted), { scroll: true })
        tellPlace()
        now.current.seen(file.result.file)
        performance.mark("galley-file-shown")
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
  }, [path, client, sideBySide, hasText])

  useImperativeHandle<FileHandle | null, FileHandle>(props.handle, () => ({
    step(by) {
      const index = editor.current?.active() ?? 0
      const count = hunkCount()
      if (index + by < 0 || index + by >= count) return false
      editor.current?.activate(index + by, { scroll: true })
      return true
    },
    decide: decideHere,
    decideFile: kind => void decideFile(kind),
    comment: startComment,
    edit: () => editor.current?.focus(),
    keep: () => session.current?.keep() ?? true,
    refresh: () => void session.current?.load(),
  }))

  function hunkCount(): number {
    return session.current?.file()?.result.file.hunks.length ?? 0
  }

  function tellPlace(): void {
    const index = editor.current?.active() ?? 0
    const hunks = session.current?.file()?.result.file.hunks ?? []
    now.current.at(index, hunks.length, hunks[index]?.id ?? null)
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
    const view = file.result.file.hunks[editor.current?.active() ?? 0]
    if (view === undefined) return void decideFile(kind)
    void decideHunk(kind, { hunk: hunkOf(view), view, mixed: view.mixed, conflict: null, alike: null })
  }

  async function decideHunk(
    kind: "accept" | "reject",
    hunk: ProofHunk,
    how?: "keep-mine" | "take-theirs",
  ): Promise<void> {
    const opened = session.current
    if (opened === null) return
    const index = indexOf(hunk)
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
    await carryOut(kind, {}, 0)
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
    const left = hunkCount()
    if (opened !== session.current) return
    const kinds = opened.file()?.result.file.kinds ?? []
    if (left > 0) editor.current?.activate(Math.min(index, left - 1), { scroll: true })
    else if (kinds.length === 0) now.current.nextFile()
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
        mark={props.mark}
        shown={shown}
        saving={state.kind === "shown" ? state.saving : "saved"}
        decideFile={kind => void decideFile(kind)}
        comment={startComment}
      />
      {state.kind === "shown" && state.overlaps.length > 0 ? (
        <div class="banner" role="alert">
          <p>
            The file was changed in {state.overlaps.length === 1 ? "a place" : `${state.overlaps.length} places`} where
            you were typing. Your text stands; the other was:
          </p>
          {state.overlaps.slice(0, 5).map((one, at) => (
            <pre key={at}>{one.theirs === "" ? "(removed)" : one.theirs.slice(0, 2000)}</pre>
          ))}
          <button type="button" onClick={() => session.current?.dismissOverlaps()}>
            Understood
          </button>
        </div>
      ) : null}
      {file.kinds.length === 0 && !file.parked ? (
        <p class="settled" role="status">
          Everything here is decided. This is the file as it is on disk.
        </p>
      ) : null}
      {(lines !== null && linesTouchHunks(shown, lines)) || old !== null ? (
        <div class="lines-bar" role="group" aria-label="Chosen lines">
          <span>{wordLines(linesChosen(session.current?.file() ?? null, lines, old))}</span>
          <button
            type="button"
            class="accept"
            onMouseDown={event => event.preventDefault()}
            onClick={() => void decideLines("accept")}
          >
            Accept lines
          </button>
          <button
            type="button"
            class="reject"
            onMouseDown={event => event.preventDefault()}
            onClick={() => void decideLines("reject")}
          >
            Reject lines
          </button>
        </div>
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
