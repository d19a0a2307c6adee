import { showPath } from "@galley/core/path.ts"
import type { FileView } from "@galley/core/protocol/results.ts"
import {
  commands,
  Range,
  TabInputText,
  TextEditorRevealType,
  type TextEditor,
  type Uri,
  window,
  workspace,
} from "vscode"
import { linesInBuffer } from "../review/buffer-hunks.ts"
import type { Hunk } from "@galley/core/diff/hunk.ts"
import type { Session } from "../session.ts"
import type { Sessions } from "../sessions.ts"
import { proposalUri, sideUri } from "./virtual-texts.ts"

/** The two documents of a pending file's diff: the real file is on the right where it holds the change, the proposal where not. */
export function reviewSides(session: Session, file: FileView): { readonly left: Uri; readonly right: Uri } {
  const real = session.uriOf(file.path)
  const left = sideUri(real, { kind: file.kinds.includes("create") ? "empty" : "base" })
  if (file.kinds.includes("delete")) return { left, right: sideUri(real, { kind: "empty" }) }
  return { left, right: file.disk === "current" ? real : proposalUri(real) }
}

/** Opens the inline diff of one file. */
export async function openReview(session: Session, file: FileView, at: Hunk | null = null): Promise<void> {
  if (file.kinds.includes("binary") || file.summary !== undefined || file.kinds.includes("symlink")) {
    if (file.summary === undefined && file.disk === "current" && !file.kinds.includes("delete"))
      await commands.executeCommand("vscode.open", session.uriOf(file.path))
    return
  }
  await session.loadTexts(file.path)
  const { left, right } = reviewSides(session, file)
  // Opened first, so that it has its struck language before the diff draws it.
  await workspace.openTextDocument(left)
  const selection = at === null ? {} : { selection: rangeAt(linesInBuffer(at, "current").from) }
  await commands.executeCommand("vscode.diff", left, right, titleOf(file), { preview: true, ...selection })
}

/** Opens the ordinary editor at a hunk. */
export async function openFile(session: Session, file: FileView, at: Hunk | null): Promise<void> {
  const line = at === null ? 0 : linesInBuffer(at, file.disk).from
  const editor = await window.showTextDocument(
    session.uriOf(file.path),
    at === null ? {} : { selection: rangeAt(line) },
  )
  if (at !== null) editor.revealRange(rangeAt(line), TextEditorRevealType.InCenterIfOutsideViewport)
}

/** All of these files as one multi-file diff. */
export async function openReviews(title: string, session: Session, files: readonly FileView[]): Promise<void> {
  const parts = files
    .filter(file => !file.kinds.includes("binary") && file.summary === undefined)
    .map(file => {
      const { left, right } = reviewSides(session, file)
      // In a diff of several files an absent side is none; as an empty text it would show a line.
      const [created, deleted] = [file.kinds.includes("create"), file.kinds.includes("delete")]
      return [session.uriOf(file.path), created ? undefined : left, deleted ? undefined : right] as const
    })
  await commands.executeCommand("vscode.changes", title, parts)
}

/**
 * Whether this editor is a half of a diff, which draws its changes itself: all but the text of a group's active tab. Told this way
 * round because a diff of several files has no public type of tab.
 */
export function isInDiff(editor: TextEditor): boolean {
  const shown = editor.document.uri.toString()
  return !window.tabGroups.all.some(({ activeTab, viewColumn }) => {
    const input = activeTab?.input
    return viewColumn === editor.viewColumn && input instanceof TabInputText && input.uri.toString() === shown
  })
}

/** The pending file of the editor that has the focus, or of the diff's other half. */
export function activePending(sessions: Sessions): { readonly session: Session; readonly file: FileView } | null {
  const uri = window.activeTextEditor?.document.uri
  const found = uri === undefined ? null : sessions.of(uri.with({ scheme: "file", query: "" }))
  const file = found?.session.fileAt(found.path) ?? null
  return found === null || file === null ? null : { session: found.session, file }
}

function titleOf(file: FileView): string {
  const name = showPath(file.path.slice(file.path.lastIndexOf("/") + 1))
  return file.disk === "base" ? `${name} (proposed)` : `${name} (review)`
}

function rangeAt(line: number): Range {
  return new Range(line, 0, line, 0)
}
