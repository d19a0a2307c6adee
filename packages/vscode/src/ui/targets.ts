import type { Hunk } from "@galley/core/diff/hunk.ts"
import type { FileView } from "@galley/core/protocol/results.ts"
import { Uri, window } from "vscode"
import { hunkAt, hunkOf, linesInBuffer } from "../review/buffer-hunks.ts"
import type { Session } from "../session.ts"
import type { Sessions } from "../sessions.ts"
import { activePending, reviewSides } from "./review-tabs.ts"
import { realUri } from "./virtual-texts.ts"

/**
 * What a command is about. Commands are called from lenses, trees, the gutter's peek, source control, links in hovers and keys, each
 * with arguments of its own; here they become one thing.
 */
export interface HunkTarget {
  /** The document that the block is decided in. */
  readonly uri: Uri
  readonly hunk: Hunk
}

export interface FileTarget {
  readonly session: Session
  readonly file: FileView
  readonly hunk: Hunk | null
}

/** The block that is meant: by a lens or link (uri, hunk), a tree's node, the peek (uri, changes, index), or the cursor. */
export function hunkTarget(sessions: Sessions, args: readonly unknown[]): HunkTarget | FileTarget | null {
  const [first, second, third] = args
  const node = nodeOf(first)
  if (node !== null && node.hunk !== null) {
    if (node.file.kinds.includes("delete")) return { ...node, hunk: null }
    return { uri: reviewSides(node.session, node.file).right, hunk: node.hunk }
  }
  const uri = uriOf(first)
  if (uri !== null && Array.isArray(second) && typeof third === "number") {
    const change = (second as readonly LineChange[])[third]
    return change === undefined ? null : { uri: realUri(uri), hunk: hunkOfChange(change) }
  }
  if (uri !== null && isHunk(second)) return { uri, hunk: second }
  return atCursor(sessions)
}

/** The pending file that is meant: by a tree's node, source control, an address, or the editor. */
export function fileTarget(sessions: Sessions, args: readonly unknown[]): FileTarget | null {
  const [first, second] = args
  const node = nodeOf(first)
  if (node !== null) return node
  const uri = uriOf(first)
  if (uri === null) {
    const active = activePending(sessions)
    return active === null ? null : { ...active, hunk: null }
  }
  const found = sessions.of(realUri(uri))
  const file = found?.session.fileAt(found.path) ?? null
  return found === null || file === null ? null : { session: found.session, file, hunk: isHunk(second) ? second : null }
}

function atCursor(sessions: Sessions): HunkTarget | null {
  const editor = window.activeTextEditor
  const pending = editor === undefined ? null : sessions.pendingIn(editor.document)
  if (editor === undefined || pending === null) return null
  const hunks = sessions.hunksIn(editor.document)
  const line = editor.selection.active.line
  // A block without lines in the buffer stands between two lines: the cursor below or above it means it.
  const hunk =
    hunkAt(hunks, pending.side, line) ??
    hunks.find(
      one => linesInBuffer(one, pending.side).from === line + 1 && linesInBuffer(one, pending.side).to === line + 1,
    )
  return hunk === undefined || hunk === null ? null : { uri: editor.document.uri, hunk }
}

/** What the gutter's peek gives: the editor's own shape, which its typings leave out. */
interface LineChange {
  readonly originalStartLineNumber: number
  readonly originalEndLineNumber: number
  readonly modifiedStartLineNumber: number
  readonly modifiedEndLineNumber: number
}

/** The editor counts lines from 1; an empty side ends at 0 and names the line before it. */
function hunkOfChange(change: LineChange): Hunk {
  const range = (start: number, end: number): readonly [number, number] =>
    end === 0 ? [start, start] : [start - 1, end]
  const [fromBase, toBase] = range(change.originalStartLineNumber, change.originalEndLineNumber)
  const [fromCurrent, toCurrent] = range(change.modifiedStartLineNumber, change.modifiedEndLineNumber)
  return { fromBase, toBase, fromCurrent, toCurrent }
}

function nodeOf(value: unknown): FileTarget | null {
  if (typeof value !== "object" || value === null || !("kind" in value) || !("session" in value) || !("file" in value))
    return null
  const node = value as { kind: unknown; session: Session; file: FileView; hunk?: FileView["hunks"][number] }
  if (node.kind !== "file" && node.kind !== "hunk") return null
  return { session: node.session, file: node.file, hunk: node.hunk === undefined ? null : hunkOf(node.hunk) }
}

function uriOf(value: unknown): Uri | null {
  if (value instanceof Uri) return value
  if (typeof value !== "object" || value === null) return null
  const resource: unknown = Reflect.get(value, "resourceUri")
  if (resource instanceof Uri) return resource
  // An address in a link's arguments comes back as plain parts.
  return typeof Reflect.get(value, "scheme") === "string" ? Uri.from(value as Parameters<typeof Uri.from>[0]) : null
}

function isHunk(value: unknown): value is Hunk {
  return (
    typeof value === "object" &&
    value !== null &&
    ["fromBase", "toBase", "fromCurrent", "toCurrent"].every(key => Number.isInteger(Reflect.get(value, key)))
  )
}
