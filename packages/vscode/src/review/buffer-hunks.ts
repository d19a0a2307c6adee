import { diffLines } from "@galley/core/diff/line-diff.ts"
import type { Hunk } from "@galley/core/diff/hunk.ts"
import type { HunkView } from "@galley/core/protocol/results.ts"
import { type Line, splitLines } from "@galley/core/text/lines.ts"

/** A block as it stands in a buffer now. */
export interface BufferHunk extends Hunk {
  /** What is taken away and what is added, without terminators. */
  readonly removed: readonly string[]
  readonly added: readonly string[]
  /** The program's block with the same text; null where unsaved typing has changed it. */
  readonly view: HunkView | null
}

/** What the program knows of a pending file. */
export interface KnownTexts {
  readonly base: string
  readonly current: string
  readonly hunks: readonly HunkView[]
}

/**
 * The blocks between base and current where one of them is a buffer, which may hold unsaved text.
 *
 * Never remembered, always derived: so marks stay on their lines through typing, undo, formatting and writes by others. Lines are
 * counted as the editor counts them, which takes a lone `\r` for the end of one and knows no mixed terminators.
 */
export function bufferHunks(
  known: KnownTexts,
  buffer: { readonly side: "base" | "current"; readonly text: string },
): BufferHunk[] {
  const base = editorLines(buffer.side === "base" ? buffer.text : known.base)
  const current = editorLines(buffer.side === "current" ? buffer.text : known.current)
  const views = viewsByPlace(known, buffer.side)
  return diffLines(base, current).hunks.map(hunk => {
    const removed = contents(base, hunk.fromBase, hunk.toBase)
    const added = contents(current, hunk.fromCurrent, hunk.toCurrent)
    return { ...hunk, removed, added, view: views.get(placeOf(hunk, buffer.side, removed, added)) ?? null }
  })
}

/** The lines of a hunk in the buffer; an empty range for text that the other side alone has. */
export function linesInBuffer(hunk: Hunk, side: "base" | "current"): { readonly from: number; readonly to: number } {
  return side === "base" ? { from: hunk.fromBase, to: hunk.toBase } : { from: hunk.fromCurrent, to: hunk.toCurrent }
}

/** The hunk that covers or touches a line of the buffer (from 0). */
export function hunkAt(hunks: readonly BufferHunk[], side: "base" | "current", line: number): BufferHunk | null {
  return (
    hunks.find(hunk => {
      const { from, to } = linesInBuffer(hunk, side)
      return line >= from && line < Math.max(to, from + 1)
    }) ?? null
  )
}

/** The block of a fresh reading that is the one which was meant: in the same place of the base, else the only one that meets it. */
export function sameHunk(hunks: readonly BufferHunk[], meant: Hunk): BufferHunk | null {
  const exact = hunks.find(hunk => hunk.fromBase === meant.fromBase && hunk.toBase === meant.toBase)
  if (exact !== undefined) return exact
  const meeting = hunks.filter(hunk => hunk.fromBase <= meant.toBase && meant.fromBase <= hunk.toBase)
  return meeting.length === 1 ? (meeting[0] ?? null) : null
}

/** Terminators are evened out: the editor shows one kind for a whole document. A missing final newline stays a difference. */
export function editorLines(text: string): Line[] {
  return splitLines(text.replace(/\r\n?/g, "\n").replace(/^\ufeff/, ""))
}

function viewsByPlace(known: KnownTexts, side: "base" | "current"): Map<string, HunkView> {
  const base = editorLines(known.base)
  const current = editorLines(known.current)
  return new Map(
    known.hunks.map(view => {
      const hunk = hunkOf(view)
      const removed = contents(base, hunk.fromBase, hunk.toBase)
      const added = contents(current, hunk.fromCurrent, hunk.toCurrent)
      return [placeOf(hunk, side, removed, added), view]
    }),
  )
}

/** A hunk keeps its place on the side that is not the buffer, whatever is typed above it. */
function placeOf(hunk: Hunk, side: "base" | "current", removed: readonly string[], added: readonly string[]): string {
  const range = side === "current" ? [hunk.fromBase, hunk.toBase] : [hunk.fromCurrent, hunk.toCurrent]
  return JSON.stringify([range, removed, added])
}

/** A unified diff's counting (from 1; an empty side names the line before it) as half-open ranges from 0. */
export function hunkOf(view: HunkView): Hunk {
  const fromBase = view.oldLines === 0 ? view.oldStart : view.oldStart - 1
  const fromCurrent = view.newLines === 0 ? view.newStart : view.newStart - 1
  return { fromBase, toBase: fromBase + view.oldLines, fromCurrent, toCurrent: fromCurrent + view.newLines }
}

function contents(lines: readonly Line[], from: number, to: number): string[] {
  return lines.slice(from, to).map(line => line.replace(/\n$/, ""))
}
