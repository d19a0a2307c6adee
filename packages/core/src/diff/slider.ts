import type { Line } from "../text/lines.ts"
import type { Symbols } from "./symbols.ts"

/**
 * Moves groups of changed lines to where `git diff` shows them.
 *
 * A group whose last line equals the line before it can be moved up without changing what the script does, and the other way
 * round. Of all such places git takes, in this order: the last one that lines up with a group of the other side; the one with the best
 * score for indentation and blank lines (`diff.indentHeuristic`, on by default); the last one. Groups that meet are joined.
 * By the algorithm and the constants of git 2.39, `xdiff/xdiffi.c` (Michael Haggerty's indent heuristic, git 2.11).
 *
 * Changes `marks` in place. Call it for base, then for current. Without `lines` indentation is not looked at, as in `git merge-file`.
 */
export function slideGroups(
  marks: Uint8Array,
  otherMarks: Uint8Array,
  text: Symbols,
  lines: readonly Line[] | null,
): void {
  const here: Side = { marks, text, length: text.length, start: 0, end: 0 }
  const there: Side = { marks: otherMarks, text, length: otherMarks.length - 1, start: 0, end: 0 }
  toFirst(here)
  toFirst(there)
  for (;;) {
    if (here.end > here.start) slideGroup(here, there, lines)
    if (!toNext(here)) return
    toNext(there)
  }
}

/**
 * A place in one side: the possibly empty group of changed lines between two unchanged ones, [start, end). Both sides have
 * the same number of unchanged lines, so the n-th group of one belongs to the n-th of the other.
 */
interface Side {
  readonly marks: Uint8Array
  readonly text: Symbols
  readonly length: number
  start: number
  end: number
}

function slideGroup(here: Side, there: Side, lines: readonly Line[] | null): void {
  let size: number
  let earliest: number
  let linedUp: boolean
  do {
    size = here.end - here.start
    linedUp = false
    while (slideUp(here)) toPrevious(there)
    earliest = here.end
    if (there.end > there.start) linedUp = true
    while (slideDown(here)) {
      toNext(there)
      if (there.end > there.start) linedUp = true
    }
  } while (size !== here.end - here.start)

  if (here.end === earliest) return
  if (linedUp) {
    while (there.end === there.start) {
      slideUp(here)
      toPrevious(there)
    }
  } else if (lines !== null) {
    const best = bestEnd(lines, earliest, here.end, size)
    while (here.end > best) {
      slideUp(here)
      toPrevious(there)
    }
  }
}

function toFirst(side: Side): void {
  side.start = 0
  side.end = 0
  while (side.marks[side.end] === 1) side.end++
}

function toNext(side: Side): boolean {
  if (side.end === side.length) return false
  side.start = side.end + 1
  side.end = side.start
  while (side.marks[side.end] === 1) side.end++
  return true
}

function toPrevious(side: Side): void {
  side.end = side.start - 1
  side.start = side.end
  while (side.start > 0 && side.marks[side.start - 1] === 1) side.start--
}

function slideUp(side: Side): boolean {
  if (side.start === 0 || side.text[side.start - 1] !== side.text[side.end - 1]) return false
  side.marks[--side.start] = 1
  side.marks[--side.end] = 0
  while (side.start > 0 && side.marks[side.start - 1] === 1) side.start--
  return true
}

function slideDown(side: Side): boolean {
  if (side.end === side.length || side.text[side.start] !== side.text[side.end]) return false
  side.marks[side.start++] = 0
  side.marks[side.end++] = 1
  while (side.marks[side.end] === 1) side.end++
  return true
}

// ---- the indent heuristic

const maxSliding = 100
const maxIndent = 200
const maxBlanks = 20
/** How much more a group's indentation counts than its penalties. */
const indentWeight = 60

/** Which end, from `earliest` to `latest`, gives a group of `size` lines the best edges. Of equals the last. */
function bestEnd(lines: readonly Line[], earliest: number, latest: number, size: number): number {
  let best = -1
  let bestIndent = 0
  let bestPenalty = 0
  for (let end = Math.max(earliest, latest - size - 1, latest - maxSliding); end <= latest; end++) {
    const below = edgeScore(lines, end)
    const above = edgeScore(lines, end - size)
    const indent = below.indent + above.indent
    const penalty = below.penalty + above.penalty
    const worse = indentWeight * Math.sign(indent - bestIndent) + (penalty - bestPenalty)
    if (best !== -1 && worse > 0) continue
    best = end
    bestIndent = indent
    bestPenalty = penalty
  }
  return best
}

/** Judges a cut before line `at`. Less is better. */
function edgeScore(lines: readonly Line[], at: number): { readonly indent: number; readonly penalty: number } {
  const atEnd = at >= lines.length
  const own = atEnd ? blank : indentOf(lines[at] ?? "")
  const above = indentBeyond(lines, at - 1, -1)
  const below = indentBeyond(lines, at + 1, 1)

  let penalty = 0
  if (above.indent === blank && above.blanks === 0) penalty += 1
  if (atEnd) penalty += 21
  const blanksBelow = own === blank ? 1 + below.blanks : 0
  const blanks = above.blanks + blanksBelow
  penalty += -30 * blanks + 6 * blanksBelow

  const indent = own === blank ? below.indent : own
  if (indent === blank || above.indent === blank || indent === above.indent) return { indent, penalty }
  if (indent > above.indent) penalty += blanks > 0 ? 10 : -4
  else if (below.indent !== blank && below.indent > indent) penalty += blanks > 0 ? 17 : 24
  else penalty += blanks > 0 ? 17 : 23
  return { indent, penalty }
}

/** The indent of a line of white space only, and of no line. */
const blank = -1

/** The first line from `at` on that is not blank, and the blank ones passed. */
function indentBeyond(
  lines: readonly Line[],
  at: number,
  step: 1 | -1,
): { readonly indent: number; readonly blanks: number } {
  let blanks = 0
  for (let line = at; line >= 0 && line < lines.length; line += step) {
    const indent = indentOf(lines[line] ?? "")
    if (indent !== blank) return { indent, blanks }
    if (++blanks === maxBlanks) return { indent: 0, blanks }
  }
  return { indent: blank, blanks }
}

/** Columns of leading white space, a tab to the next multiple of 8. White space as C's locale has it. */
function indentOf(line: Line): number {
  let columns = 0
  for (let at = 0; at < line.length; at++) {
    const unit = line.charCodeAt(at)
    if (unit === 0x20) columns++
    else if (unit === 0x09) columns += 8 - (columns % 8)
    else if (unit < 0x09 || unit > 0x0d) return columns
    if (columns >= maxIndent) return maxIndent
  }
  return blank
}
