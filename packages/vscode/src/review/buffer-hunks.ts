import { foldApply, foldHold } from "@galley/core/change/fold.ts"
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

/** Which text a document is, and what saving it does. */
export type BufferSide =
  /** The file, where it holds the change. */
  | "current"
  /** The file, where the change is only proposed. */
  | "base"
  /** The proposal itself. */
  | "proposal"

/**
 * The blocks between base and current where one of them is a buffer, which may hold unsaved text of the person's.
 *
 * What they typed is folded in as the program will fold it in when it is saved (core/change/fold.ts), so that only the agent's blocks
 * are blocks. Never remembered, always derived: marks stay on their lines through typing, undo, formatting and writes by others.
 * Lines are counted as the editor counts them, which takes a lone `\r` for the end of one and knows no mixed terminators.
 */
export function bufferHunks(
  known: KnownTexts,
  buffer: { readonly side: BufferSide; readonly text: string },
): BufferHunk[] {
  const old = { base: editorLines(known.base), current: editorLines(known.current) }
  const now = folded(old, editorLines(buffer.text), buffer.side)
  const other = buffer.side === "base" ? "current" : "base"
  const views = viewsByPlace(known.hunks, old, now[other], other)
  return diffLines(now.base, now.current).hunks.map(hunk => {
    const removed = contents(now.base, hunk.fromBase, hunk.toBase)
    const added = contents(now.current, hunk.fromCurrent, hunk.toCurrent)
    return { ...hunk, removed, added, view: views.get(placeOf(rangeOn(hunk, other), removed, added)) ?? null }
  })
}

interface Texts {
  readonly base: readonly Line[]
  readonly current: readonly Line[]
}

function folded(old: Texts, text: readonly Line[], side: BufferSide): Texts {
  switch (side) {
    case "current":
      return sameLines(old.current, text) ? old : foldApply({ ...old, disk: text })
    case "base":
      return sameLines(old.base, text) ? old : foldHold({ ...old, disk: text })
    case "proposal":
      return { base: old.base, current: text }
  }
}

/** The lines of a hunk in the buffer; an empty range for text that the other side alone has. */
export function linesInBuffer(hunk: Hunk, side: BufferSide): { readonly from: number; readonly to: number } {
  return side === "base" ? { from: hunk.fromBase, to: hunk.toBase } : { from: hunk.fromCurrent, to: hunk.toCurrent }
}

/** The hunk that covers or touches a line of the buffer (from 0). */
export function hunkAt(hunks: readonly BufferHunk[], side: BufferSide, line: number): BufferHunk | null {
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

/**
 * The program's blocks by where they are on the side that is not the buffer, and by their text. What the fold put in above them has
 * moved them; where it put something in right at a block without lines on that side, both readings of its place are taken.
 */
function viewsByPlace(
  views: readonly HunkView[],
  old: Texts,
  now: readonly Line[],
  other: "base" | "current",
): Map<string, HunkView> {
  const moves = sameLines(old[other], now) ? [] : diffLines(old[other], now).hunks
  const shift = (at: number, reaches: (end: number) => boolean): number =>
    moves
      .filter(move => reaches(move.toBase) && move.toBase <= at)
      .reduce((sum, move) => sum + (move.toCurrent - move.fromCurrent) - (move.toBase - move.fromBase), 0)
  return new Map(
    views.flatMap(view => {
      const hunk = hunkOf(view)
      const removed = contents(old.base, hunk.fromBase, hunk.toBase)
      const added = contents(old.current, hunk.fromCurrent, hunk.toCurrent)
      const [from, to] = rangeOn(hunk, other)
      const shifts = new Set([shift(from, () => true), ...(from === to ? [shift(from, end => end < from)] : [])])
      return [...shifts].map(by => [placeOf([from + by, to + by], removed, added), view] as const)
    }),
  )
}

function rangeOn(hunk: Hunk, side: "base" | "current"): readonly [number, number] {
  return side === "base" ? [hunk.fromBase, hunk.toBase] : [hunk.fromCurrent, hunk.toCurrent]
}

function placeOf(range: readonly [number, number], removed: readonly string[], added: readonly string[]): string {
  return JSON.stringify([range, removed, added])
}

function sameLines(a: readonly Line[], b: readonly Line[]): boolean {
  return a.length === b.length && a.every((line, at) => line === b[at])
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
