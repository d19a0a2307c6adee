import { pairReplaced } from "@galley/core/change/line-pairs.ts"
import { type BufferHunk, type BufferSide, linesInBuffer } from "./buffer-hunks.ts"

/** Text of the side that is not in the buffer, shown behind a line of the buffer. */
export interface Ghost {
  /** Of the buffer, from 0. */
  readonly line: number
  readonly text: string
}

/** Columns of a ghost; the whole is in the hover and in the diff. */
const widest = 64
/** Stands between two lines of a ghost: an attachment is one line, whatever it is given. */
const lineMark = " ⏎ "

/**
 * Spreads the lines that a hunk has on its other side over its lines in the buffer: each behind the one that took its place, the rest
 * behind the last before it. A hunk with no line in the buffer is shown behind the line above it.
 *
 * Attachments because they are not text: nothing that a save, an undo or a language server could meet.
 */
export function ghosts(hunk: BufferHunk, side: BufferSide): Ghost[] {
  const [hidden, shown] = side === "base" ? [hunk.added, hunk.removed] : [hunk.removed, hunk.added]
  if (hidden.length === 0) return []
  const first = linesInBuffer(hunk, side).from
  if (shown.length === 0) return [{ line: Math.max(0, first - 1), text: clipped(hidden) }]
  const partner = new Map(pairReplaced(hidden, shown).map(pair => [pair.old, pair.now]))
  const behind = new Map<number, string[]>()
  let at = 0
  hidden.forEach((text, index) => {
    at = partner.get(index) ?? at
    behind.set(at, [...(behind.get(at) ?? []), text])
  })
  return [...behind].map(([line, texts]) => ({ line: first + line, text: clipped(texts) }))
}

function clipped(lines: readonly string[]): string {
  const trimmed = lines.map(line => line.trim()).filter(line => line !== "")
  let text = trimmed[0] ?? (lines.length === 1 ? "(empty line)" : `(${lines.length} empty lines)`)
  let taken = 1
  while (taken < trimmed.length && text.length + (trimmed[taken]?.length ?? 0) + lineMark.length <= widest)
    text += lineMark + (trimmed[taken++] ?? "")
  if (text.length > widest) text = `${text.slice(0, widest - 1)}…`
  const left = trimmed.length - taken
  return left > 0 ? `${text}  … +${left} more` : text
}
