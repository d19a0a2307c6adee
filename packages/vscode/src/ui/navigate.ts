import { Range, Selection, TextEditorRevealType, window } from "vscode"
import { linesInBuffer, hunkOf } from "../review/buffer-hunks.ts"
import type { Session } from "../session.ts"
import { hunksOf, type Sessions } from "../sessions.ts"
import type { FileView } from "@galley/core/protocol/results.ts"
import { activePending, isInDiff, openFile, openReview } from "./review-tabs.ts"

/** Goes to the next (+1) or previous (−1) block: in this editor, then in the next pending file, round and round. */
export async function goToHunk(sessions: Sessions, step: 1 | -1): Promise<void> {
  if (moveInEditor(sessions, step)) return
  const files = sessions.all.flatMap(session =>
    session.pending.filter(file => file.hunks.length > 0).map(file => ({ session, file })),
  )
  if (files.length === 0) {
    void window.setStatusBarMessage("$(pass) Nothing is pending", 3000)
    return
  }
  const active = activePending(sessions)
  const at = files.findIndex(one => one.session === active?.session && one.file.path === active.file.path)
  const next = files[(at + step + files.length) % files.length] ?? files[0]
  if (next !== undefined) await openAt(next.session, next.file, step)
}

function moveInEditor(sessions: Sessions, step: 1 | -1): boolean {
  const editor = window.activeTextEditor
  const pending = editor === undefined ? null : sessions.pendingIn(editor.document)
  if (editor === undefined || pending === null) return false
  const line = editor.selection.active.line
  const starts = hunksOf(pending, editor.document.getText()).map(hunk => linesInBuffer(hunk, pending.side).from)
  const target = step === 1 ? starts.find(start => start > line) : starts.findLast(start => start < line)
  if (target === undefined) return false
  const range = editor.document.validateRange(new Range(target, 0, target, 0))
  editor.selection = new Selection(range.start, range.start)
  editor.revealRange(range, TextEditorRevealType.InCenterIfOutsideViewport)
  return true
}

/** Stays in the kind of editor that the person is in. */
async function openAt(session: Session, file: FileView, step: 1 | -1): Promise<void> {
  const view = step === 1 ? file.hunks[0] : file.hunks.at(-1)
  const hunk = view === undefined ? null : hunkOf(view)
  const editor = window.activeTextEditor
  const isPlain = editor !== undefined && editor.document.uri.scheme === "file" && !isInDiff(editor)
  if (isPlain && !file.kinds.includes("delete")) await openFile(session, file, hunk)
  else await openReview(session, file, hunk)
}
