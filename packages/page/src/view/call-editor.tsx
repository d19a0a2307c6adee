import { keymap } from "@codemirror/view"
import { joinLines } from "@galley/core/text/lines.ts"
import { useImperativeHandle, useLayoutEffect, useRef, useState } from "preact/hooks"
import type { Proof } from "../editor/proof.ts"
import { openProofEditor, type ProofEditor } from "../editor/proof-editor.ts"
import { keepDraft, readDraft } from "../model/drafts.ts"
import { proofOfTyped, type ShownFile, shownFile } from "../model/shown-file.ts"
import { linesOfEditor, reconcile } from "../model/typed-text.ts"
import type { Client } from "../wire/client.ts"

/** What the buttons beside it do with the edited proposal. */
export interface CallEditorHandle {
  /**
   * The file as the person wants it and the revision it was made from, or null where it became another meanwhile: that is merged
   * in, for the person to look at again before it is sent.
   */
  settle(): Promise<EditedProposal | null>
  /** Forgets what was typed. */
  drop(): void
}

export interface EditedProposal {
  readonly content: string
  readonly revision: number
}

/** The proposal of a waiting call as the diff that it is, to be edited before it is allowed. What is typed survives a reload. */
export function CallEditor(props: {
  readonly client: Client
  readonly path: string
  readonly call: string
  readonly handle: { current: CallEditorHandle | null }
  readonly failed: (text: string) => void
}) {
  const { client, path, call } = props
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<ProofEditor | null>(null)
  const file = useRef<ShownFile | null>(null)
  const revision = useRef(0)
  const [ready, setReady] = useState(false)
  const place = `call ${call}`

  useLayoutEffect(() => {
    let live = true
    const open = async (): Promise<void> => {
      const answer = await client.ask("file", { path })
      const shown = shownFile(answer)
      const parent = host.current
      if (!live || parent === null) return
      const draft = readDraft(sessionStorage, place)
      const first = draft === null ? shown.current : linesOfEditor(draft.text, shown.current)
      let drawing = 0
      const typed = (): void => {
        clearTimeout(drawing)
        drawing = setTimeout(() => {
          const now = editor.current
          if (now === null || file.current === null) return
          now.redraw(proofOf(file.current, now.text()))
          keepDraft(sessionStorage, place, { origin: file.current.editorText, text: now.text() })
        }, 90)
      }
      const made = await openProofEditor(
        {
          parent,
          path,
          nonce: document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? "",
          sideBySide: false,
          folded: true,
          decides: false,
          active: 0,
          actions: {
            accept: nothing,
            reject: nothing,
            settle: nothing,
            alike: nothing,
            oldLines: nothing,
            dropComment: nothing,
          },
          typed,
          moved: nothing,
          keys: keymap.of([{ key: "Escape", run: view => (view.contentDOM.blur(), true) }]),
        },
        { ...proofOfTyped(shown, first, quiet), comments: [] },
        true,
      )
      if (!live) return made.destroy()
      file.current = shown
      revision.current = answer.file.revision
      editor.current = made
      made.focus()
      setReady(true)
    }
    open().catch((error: Error) => props.failed(error.message))
    return () => {
      live = false
      editor.current?.destroy()
      editor.current = null
    }
  }, [client, path, call])

  useImperativeHandle<CallEditorHandle | null, CallEditorHandle>(props.handle, () => ({
    async settle() {
      const before = file.current
      const now = editor.current
      if (before === null || now === null) return null
      const answer = await client.ask("file", { path })
      const fresh = shownFile(answer)
      const typed = linesOfEditor(now.text(), before.current)
      const isSame = fresh.editorText === before.editorText && answer.file.revision === revision.current
      if (isSame) return { content: joinLines(typed), revision: revision.current }
      const merged = reconcile(before.current, typed, fresh.current)
      file.current = fresh
      revision.current = answer.file.revision
      now.show({ ...proofOfTyped(fresh, merged.lines, quiet), comments: [] }, true)
      return null
    },
    drop: () => void keepDraft(sessionStorage, place, null),
  }))

  return (
    <div class="call-edit">
      {ready ? null : <p class="nothing">Loading {path}…</p>}
      <div class="proof call-proof" ref={host} data-testid="call-proof" />
    </div>
  )
}

/** Nothing else is drawn around a proposal. */
const quiet = { alike: new Map(), drafts: [], message: null }

function proofOf(shown: ShownFile, text: string): Proof {
  return { ...proofOfTyped(shown, linesOfEditor(text, shown.current), quiet), comments: [] }
}

function nothing(): void {}
