import { diffLines } from "../diff/line-diff.ts"
import type { Hunk } from "../diff/hunk.ts"
import { contentOf, type Line, terminatorOf } from "../text/lines.ts"
import { terminateInner } from "./inner-terminators.ts"
import { pairLines } from "./line-pairs.ts"
import { merge3, settleMerge } from "./merge3.ts"

/**
 * Folds in what somebody else wrote where the disk holds current: current becomes the disk's text, and base follows wherever
 * the change lies outside the pending hunks.
 *
 * A write is taken apart, and each part judged alone: a replacement in which lines can be recognised (formatter, rename, caret
 * in many places) is one part per line. The edges, on current's lines:
 *
 * - an insertion directly above or below a hunk that has new lines is outside, before or behind it;
 * - an insertion between a hunk's new lines is inside;
 * - an insertion that may as well be read a few equal lines up or down is outside if any reading is;
 * - whatever touches a hunk that only removes lines is inside: above or below what is gone cannot be told;
 * - a replacement or deletion with any line of a hunk is inside, whole, also when it spans several hunks;
 * - a replacement or deletion that ends where a hunk begins, or begins where one ends, is outside;
 * - a hunk's line that leaves it and stands elsewhere was moved: it is not agreed on by that, and pending where it stands.
 *
 * Inside, only current changes: the hunk becomes mixed, or goes where the person put back base's own text. A change of all line
 * endings is the file's, so base's lines in hunks take part in it.
 */
export function foldApply(texts: {
  readonly base: readonly Line[]
  readonly current: readonly Line[]
  readonly disk: readonly Line[]
}): { readonly base: Line[]; readonly current: Line[] } {
  const { disk } = texts
  const flip = terminatorChange(texts.current, disk)
  const base = flipped(texts.base, flip)
  const current = flipped(texts.current, flip)
  const hunks = diffLines(base, current).hunks
  const folded: Line[] = []
  let done = 0
  const parts = partsOf(current, disk, hunks)
  const moved = leftHunks(current, parts, hunks)
  for (const part of parts) {
    if (isInside(part, hunks)) continue
    const shift = shiftAt(part.from, hunks)
    append(folded, base, done, part.from + shift)
    for (const line of part.lines) if (!takeOne(moved, contentOf(line))) folded.push(line)
    done = part.to + shift
  }
  append(folded, base, done, base.length)
  return { base: terminateInner(folded), current: [...disk] }
}

/**
 * Folds in what somebody else wrote where the disk holds base: base becomes the disk's text, and current the proposal made
 * anew on it by a three-way merge. Where both changed the same lines the proposal keeps the agent's and `conflict` is true: the
 * caller keeps the old base, from which {@link conflictRegions} derives where.
 */
export function foldHold(texts: {
  readonly base: readonly Line[]
  readonly current: readonly Line[]
  readonly disk: readonly Line[]
}): { readonly base: Line[]; readonly current: Line[]; readonly conflict: boolean } {
  const flip = terminatorChange(texts.base, texts.disk)
  const merge = merge3(flipped(texts.base, flip), flipped(texts.current, flip), texts.disk)
  return { base: [...texts.disk], current: terminateInner(settleMerge(merge, "ours")), conflict: !merge.clean }
}

/**
 * Folds in a person's edit of the proposal itself. Where current is on disk that is {@link foldApply}. Where base is, nothing
 * may reach the disk before it is accepted, so only current changes: text outside the agent's hunks is a pending change of
 * the person's own, told apart by authorship.
 */
export function foldWrite(texts: {
  readonly base: readonly Line[]
  readonly current: readonly Line[]
  readonly next: readonly Line[]
  readonly disk: "base" | "current"
}): { readonly base: Line[]; readonly current: Line[] } {
  const { base, current, next } = texts
  return texts.disk === "current" ? foldApply({ base, current, disk: next }) : { base: [...base], current: [...next] }
}

/** Where a proposal and the base that moved under it overlap. */
export interface ConflictRegion {
  /** Half-open, lines from 0. */
  readonly at: {
    readonly origin: { readonly from: number; readonly to: number }
    readonly current: { readonly from: number; readonly to: number }
    readonly base: { readonly from: number; readonly to: number }
  }
  readonly origin: readonly Line[]
  /** The agent's text. */
  readonly current: readonly Line[]
  /** The text of whoever wrote the file. */
  readonly base: readonly Line[]
  /** The hunks between base and current that the region touches. */
  readonly hunks: readonly Hunk[]
}

/** Derives what is in conflict; `origin` is the base the proposal was made from. Empty once the two no longer overlap. */
export function conflictRegions(
  origin: readonly Line[],
  current: readonly Line[],
  base: readonly Line[],
): ConflictRegion[] {
  const hunks = diffLines(base, current).hunks
  const regions: ConflictRegion[] = []
  for (const region of merge3(origin, current, base).regions) {
    if (region.kind === "agreed") continue
    const { ours, theirs } = region.at
    regions.push({
      at: { origin: region.at.origin, current: ours, base: theirs },
      origin: region.origin,
      current: region.ours,
      base: region.theirs,
      hunks: hunks.filter(
        hunk =>
          hunk.fromCurrent <= ours.to &&
          hunk.toCurrent >= ours.from &&
          hunk.fromBase <= theirs.to &&
          hunk.toBase >= theirs.from,
      ),
    })
  }
  return regions
}

/** `lines` in the place of current's lines `from` to `to` (half-open). */
interface Part {
  readonly from: number
  readonly to: number
  readonly lines: readonly Line[]
}

function partsOf(current: readonly Line[], disk: readonly Line[], hunks: readonly Hunk[]): Part[] {
  const changes = diffLines(current, disk).hunks
  return changes.flatMap((change, at) => {
    const part = {
      from: change.fromBase,
      to: change.toBase,
      lines: disk.slice(change.fromCurrent, change.toCurrent),
    }
    if (part.from < part.to) return takeApart(current, part)
    const room = { from: changes[at - 1]?.toBase ?? 0, to: changes[at + 1]?.fromBase ?? current.length }
    return [readOutside(current, part, room, hunks)]
  })
}

/** Splits a replacement at the lines that can be recognised on both sides. */
function takeApart(current: readonly Line[], part: Part): Part[] {
  const parts: Part[] = []
  let old = 0
  let now = 0
  const length = part.to - part.from
  const pairs = pairLines(current.slice(part.from, part.to), part.lines)
  for (const pair of [...pairs, { old: length, now: part.lines.length }]) {
    if (pair.old > old || pair.now > now)
      parts.push({ from: part.from + old, to: part.from + pair.old, lines: part.lines.slice(now, pair.now) })
    if (pair.old === length) break
    const line = part.lines[pair.now] ?? ""
    const at = part.from + pair.old
    if (current[at] !== line) parts.push({ from: at, to: at + 1, lines: [line] })
    old = pair.old + 1
    now = pair.now + 1
  }
  return parts
}

/** Lines that the parts take out of hunks, counted, without their ends. What has neither letter nor digit (a bracket, a blank line) is not told from others. */
function leftHunks(current: readonly Line[], parts: readonly Part[], hunks: readonly Hunk[]): Map<string, number> {
  const left = new Map<string, number>()
  for (const part of parts) {
    if (!isInside(part, hunks)) continue
    const staying = new Map<string, number>()
    for (const line of part.lines.map(contentOf)) staying.set(line, (staying.get(line) ?? 0) + 1)
    for (let at = part.from; at < part.to; at++) {
      const line = contentOf(current[at] ?? "")
      const inHunk = hunks.some(hunk => hunk.fromCurrent <= at && at < hunk.toCurrent)
      if (inHunk && /[\p{L}\p{N}]/u.test(line) && !takeOne(staying, line)) left.set(line, (left.get(line) ?? 0) + 1)
    }
  }
  return left
}

function takeOne(counts: Map<string, number>, line: string): boolean {
  const count = counts.get(line) ?? 0
  if (count > 0) counts.set(line, count - 1)
  return count > 0
}

/** An insertion beside equal lines has several readings with the same result; returns the nearest one outside, if any. */
function readOutside(
  current: readonly Line[],
  part: Part,
  room: { readonly from: number; readonly to: number },
  hunks: readonly Hunk[],
): Part {
  if (!isInside(part, hunks)) return part
  let up = part
  while (up.from > room.from && current[up.from - 1] === up.lines.at(-1)) {
    up = { from: up.from - 1, to: up.to - 1, lines: [up.lines.at(-1) ?? "", ...up.lines.slice(0, -1)] }
    if (!isInside(up, hunks)) return up
  }
  let down = part
  while (down.to < room.to && current[down.to] === down.lines[0]) {
    down = { from: down.from + 1, to: down.to + 1, lines: [...down.lines.slice(1), down.lines[0] ?? ""] }
    if (!isInside(down, hunks)) return down
  }
  return part
}

function isInside(part: Part, hunks: readonly Hunk[]): boolean {
  return hunks.some(hunk => {
    if (hunk.fromCurrent === hunk.toCurrent) return part.from <= hunk.fromCurrent && hunk.fromCurrent <= part.to
    return part.from < hunk.toCurrent && part.to > hunk.fromCurrent
  })
}

/** Line of base minus line of current, at a line of current outside the hunks; a hunk that ends there is passed. */
function shiftAt(line: number, hunks: readonly Hunk[]): number {
  const passed = hunks.findLast(hunk => hunk.toCurrent <= line)
  return passed === undefined ? 0 : passed.toBase - passed.toCurrent
}

interface TerminatorChange {
  readonly from: string
  readonly to: string
}

/** The change of line endings, where both texts have one kind each and not the same. */
function terminatorChange(before: readonly Line[], after: readonly Line[]): TerminatorChange | null {
  const from = onlyTerminator(before)
  const to = onlyTerminator(after)
  return from === null || to === null || from === to ? null : { from, to }
}

function onlyTerminator(lines: readonly Line[]): string | null {
  let only: string | null = null
  for (const line of lines) {
    const terminator = terminatorOf(line)
    if (terminator === "" || terminator === only) continue
    if (only !== null) return null
    only = terminator
  }
  return only
}

function flipped(lines: readonly Line[], change: TerminatorChange | null): readonly Line[] {
  if (change === null) return lines
  return lines.map(line => (terminatorOf(line) === change.from ? contentOf(line) + change.to : line))
}

function append(to: Line[], from: readonly Line[], start: number, end: number): void {
  for (let at = start; at < end; at++) to.push(from[at] ?? "")
}
