import type { Line } from "../text/lines.ts"
import { terminateInner } from "./inner-terminators.ts"
import type { Merge, MergeRegion } from "./merge3.ts"

/** The text to take in a conflict: one side's, or ours and behind it theirs. Null leaves the conflict as it is. */
export type RegionChoice = "ours" | "theirs" | "both" | null

/**
 * Settles conflicts of a merge, one choice for each in order; choices left out settle nothing. The result is clean once all
 * are settled.
 */
export function settleRegions(merge: Merge, choices: readonly RegionChoice[]): Merge {
  const regions: MergeRegion[] = []
  let clean = true
  let conflict = 0
  for (const region of merge.regions) {
    const choice = region.kind === "agreed" ? null : (choices[conflict++] ?? null)
    if (region.kind === "agreed") agree(regions, region.lines)
    else if (choice === null) {
      clean = false
      regions.push(region)
    } else agree(regions, chosenLines(region, choice))
  }
  if (choices.length > conflict) throw new RangeError(`There are ${conflict} conflicts, not ${choices.length}`)
  return { clean, regions }
}

function chosenLines(region: Extract<MergeRegion, { kind: "conflict" }>, choice: "ours" | "theirs" | "both"): Line[] {
  switch (choice) {
    case "ours":
      return [...region.ours]
    case "theirs":
      return [...region.theirs]
    case "both":
      return terminateInner([...region.ours, ...region.theirs])
  }
}

/** Adds agreed lines, joined to those before. */
function agree(regions: MergeRegion[], lines: readonly Line[]): void {
  if (lines.length === 0) return
  const last = regions.at(-1)
  if (last?.kind === "agreed") regions[regions.length - 1] = { kind: "agreed", lines: [...last.lines, ...lines] }
  else regions.push({ kind: "agreed", lines })
}
