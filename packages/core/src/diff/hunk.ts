import type { Line } from "../text/lines.ts"

/**
 * A maximal run of changed lines between a base and a current text.
 *
 * Ranges are half-open and count lines from 0. One side may be empty (insertion, deletion), never both.
 */
export interface Hunk {
  readonly fromBase: number
  readonly toBase: number
  readonly fromCurrent: number
  readonly toCurrent: number
}

/**
 * Returns `base` with the given hunks taken over from `current`.
 *
 * `hunks` must be an ordered subset of one diff of the two. No hunk gives `base` back, all of them give `current`.
 * Rejecting is the same function with the hunks to *keep*.
 */
export function takeHunks(base: readonly Line[], current: readonly Line[], hunks: readonly Hunk[]): Line[] {
  const taken: Line[] = []
  let done = 0
  for (const hunk of hunks) {
    if (hunk.fromBase < done) throw new RangeError(`Hunk at line ${hunk.fromBase} starts before line ${done}`)
    append(taken, base, done, hunk.fromBase)
    append(taken, current, hunk.fromCurrent, hunk.toCurrent)
    done = hunk.toBase
  }
  append(taken, base, done, base.length)
  return taken
}

function append(to: Line[], from: readonly Line[], start: number, end: number): void {
  // Not push(...slice): a spread of a very long file overflows the stack.
  for (let at = start; at < end; at++) to.push(from[at] ?? "")
}
