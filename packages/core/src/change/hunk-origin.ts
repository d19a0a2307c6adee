import { diffLines } from "../diff/line-diff.ts"
import type { Hunk } from "../diff/hunk.ts"
import type { Line } from "../text/lines.ts"

/** What one call did to a text. */
export interface TextStep {
  readonly before: readonly Line[]
  readonly after: readonly Line[]
}

/**
 * Tells which hunks of the text as it is now hold what these calls did. A call's lines are followed to where they are now: where
 * somebody wrote over them since, the place counts. What was wholly taken back since is in no hunk.
 */
export function hunksOfSteps(
  steps: readonly TextStep[],
  current: readonly Line[],
  hunks: readonly Hunk[],
): readonly Hunk[] {
  const found = new Set<Hunk>()
  for (const { before, after } of steps) {
    const since = diffLines(after, current).hunks
    for (const made of diffLines(before, after).hunks) {
      const place = { from: follow(made.fromCurrent, since, "start"), to: follow(made.toCurrent, since, "end") }
      for (const hunk of hunks) if (meets(hunk, place)) found.add(hunk)
    }
  }
  return hunks.filter(hunk => found.has(hunk))
}

/** Where a boundary between lines is after more changes; one that was written over goes to that change's edge. */
function follow(line: number, since: readonly Hunk[], edge: "start" | "end"): number {
  let shift = 0
  for (const { fromBase, toBase, fromCurrent, toCurrent } of since) {
    // What was put in exactly at a boundary is outside of what was made.
    if (line < fromBase || (line === fromBase && edge === "end")) break
    if (line < toBase) return edge === "start" ? fromCurrent : toCurrent
    shift = toCurrent - toBase
  }
  return line + shift
}

/** Sharing a line, or, where one of them has none, a place. */
function meets(hunk: Hunk, place: { readonly from: number; readonly to: number }): boolean {
  if (hunk.fromCurrent < hunk.toCurrent && place.from < place.to)
    return hunk.fromCurrent < place.to && place.from < hunk.toCurrent
  return hunk.fromCurrent <= place.to && place.from <= hunk.toCurrent
}
