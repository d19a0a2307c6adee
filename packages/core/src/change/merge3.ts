import { scriptLikeGit } from "../diff/edit-script.ts"
import type { Hunk } from "../diff/hunk.ts"
import { hunksOf } from "../diff/line-diff.ts"
import { slideGroups } from "../diff/slider.ts"
import { internLines, type Symbols } from "../diff/symbols.ts"
import { neighbourEol } from "../text/eol.ts"
import { type Line, terminatorOf } from "../text/lines.ts"

/** Half-open, counts lines from 0. */
export interface LineRange {
  readonly from: number
  readonly to: number
}

export type MergeRegion =
  | { readonly kind: "agreed"; readonly lines: readonly Line[] }
  | {
      readonly kind: "conflict"
      readonly origin: readonly Line[]
      readonly ours: readonly Line[]
      readonly theirs: readonly Line[]
      /** Where the region stands in each of the three texts. */
      readonly at: { readonly origin: LineRange; readonly ours: LineRange; readonly theirs: LineRange }
    }

/** A three-way merge: regions in order, neighbours of kind `agreed` joined. */
export interface Merge {
  readonly clean: boolean
  readonly regions: readonly MergeRegion[]
}

/**
 * Merges two changes of one text, clean where `git merge-file` is (git 2.39, `xdiff/xmerge.c`), with the same result.
 *
 * Changes that touch conflict, even where they do not overlap; the same change on both sides does not. A conflict keeps what both
 * sides begin or end with alike outside of it (as git's `zdiff3`), but is not torn apart further: its origin stays whole.
 */
export function merge3(origin: readonly Line[], ours: readonly Line[], theirs: readonly Line[]): Merge {
  const [originSymbols, oursSymbols, theirsSymbols] = internLines([origin, ours, theirs])
  if (originSymbols === undefined || oursSymbols === undefined || theirsSymbols === undefined)
    throw new Error("BUG: three texts make three lists")
  const steps = planSteps(
    changesLikeGit(originSymbols, oursSymbols),
    changesLikeGit(originSymbols, theirsSymbols),
    oursSymbols,
    theirsSymbols,
  )

  const regions: MergeRegion[] = []
  let agreed: Line[] = []
  let clean = true
  let done = 0
  for (const step of steps) {
    append(agreed, ours, done, step.ours.from)
    done = step.ours.to
    if (step.from === "ours" || sameLines(oursSymbols, step.ours, theirsSymbols, step.theirs)) {
      append(agreed, ours, step.ours.from, step.ours.to)
    } else if (step.from === "theirs") {
      append(agreed, theirs, step.theirs.from, step.theirs.to)
    } else {
      clean = false
      const { head, tail } = commonEnds(oursSymbols, step.ours, theirsSymbols, step.theirs)
      append(agreed, ours, step.ours.from, step.ours.from + head)
      if (agreed.length > 0) regions.push({ kind: "agreed", lines: agreed })
      const at = {
        origin: step.origin,
        ours: { from: step.ours.from + head, to: step.ours.to - tail },
        theirs: { from: step.theirs.from + head, to: step.theirs.to - tail },
      }
      regions.push({
        kind: "conflict",
        origin: origin.slice(at.origin.from, at.origin.to),
        ours: ours.slice(at.ours.from, at.ours.to),
        theirs: theirs.slice(at.theirs.from, at.theirs.to),
        at,
      })
      agreed = []
      append(agreed, ours, step.ours.to - tail, step.ours.to)
    }
  }
  append(agreed, ours, done, ours.length)
  if (agreed.length > 0) regions.push({ kind: "agreed", lines: agreed })
  return { clean, regions }
}

/**
 * Takes one side in every conflict, or both: ours, then theirs. What is agreed stays. Ours gets a line ending where it ends the
 * text without one and theirs follows.
 */
export function settleMerge(merge: Merge, side: "ours" | "theirs" | "both"): Line[] {
  const lines: Line[] = []
  for (const region of merge.regions) {
    if (region.kind === "agreed") append(lines, region.lines, 0, region.lines.length)
    else {
      if (side !== "theirs") append(lines, region.ours, 0, region.ours.length)
      const last = lines.at(-1)
      if (side === "both" && region.theirs.length > 0 && last !== undefined && terminatorOf(last) === "")
        lines[lines.length - 1] = last + neighbourEol(lines, lines.length)
      if (side !== "ours") append(lines, region.theirs, 0, region.theirs.length)
    }
  }
  return lines
}

/** The merged text, or null where there is a conflict. */
export function mergedLines(merge: Merge): Line[] | null {
  return merge.clean ? settleMerge(merge, "ours") : null
}

/** A stretch that at least one side changed, in all three texts. */
interface Step {
  readonly from: "ours" | "theirs" | "both"
  readonly origin: LineRange
  readonly ours: LineRange
  readonly theirs: LineRange
}

function changesLikeGit(origin: Symbols, side: Symbols): Hunk[] {
  const { marks } = scriptLikeGit(origin, side)
  slideGroups(marks.base, marks.current, origin, null)
  slideGroups(marks.current, marks.base, side, null)
  return hunksOf(marks)
}

/** Walks both lists of changes along the origin. Steps that touch in either side's text become one. */
function planSteps(ours: readonly Hunk[], theirs: readonly Hunk[], oursText: Symbols, theirsText: Symbols): Step[] {
  const steps: Step[] = []
  let o = 0
  let t = 0
  /** Line of the side's text minus line of the origin, behind the changes passed so far. */
  let oursShift = 0
  let theirsShift = 0
  for (;;) {
    const mine = ours[o]
    const other = theirs[t]
    if (mine === undefined && other === undefined) return steps
    if (mine !== undefined && (other === undefined || mine.toBase < other.fromBase)) {
      addStep(steps, {
        from: "ours",
        origin: { from: mine.fromBase, to: mine.toBase },
        ours: { from: mine.fromCurrent, to: mine.toCurrent },
        theirs: { from: mine.fromBase + theirsShift, to: mine.toBase + theirsShift },
      })
      oursShift = mine.toCurrent - mine.toBase
      o++
    } else if (other !== undefined && (mine === undefined || other.toBase < mine.fromBase)) {
      addStep(steps, {
        from: "theirs",
        origin: { from: other.fromBase, to: other.toBase },
        ours: { from: other.fromBase + oursShift, to: other.toBase + oursShift },
        theirs: { from: other.fromCurrent, to: other.toCurrent },
      })
      theirsShift = other.toCurrent - other.toBase
      t++
    } else if (mine !== undefined && other !== undefined) {
      if (!sameChange(mine, other, oursText, theirsText)) addStep(steps, overlap(mine, other))
      // The one that ends later may meet the other side's next change.
      if (mine.toBase >= other.toBase) {
        theirsShift = other.toCurrent - other.toBase
        t++
      }
      if (other.toBase >= mine.toBase) {
        oursShift = mine.toCurrent - mine.toBase
        o++
      }
    }
  }
}

function addStep(steps: Step[], step: Step): void {
  const last = steps.at(-1)
  if (last === undefined || (step.ours.from > last.ours.to && step.theirs.from > last.theirs.to)) {
    steps.push(step)
    return
  }
  steps[steps.length - 1] = {
    from: last.from === step.from ? last.from : "both",
    origin: { from: last.origin.from, to: step.origin.to },
    ours: { from: last.ours.from, to: step.ours.to },
    theirs: { from: last.theirs.from, to: step.theirs.to },
  }
}

/** Two changes that meet, each stretched over the unchanged lines of its side that the other one changed. */
function overlap(mine: Hunk, other: Hunk): Step {
  const from = Math.min(mine.fromBase, other.fromBase)
  const to = Math.max(mine.toBase, other.toBase)
  return {
    from: "both",
    origin: { from, to },
    ours: { from: mine.fromCurrent - (mine.fromBase - from), to: mine.toCurrent + (to - mine.toBase) },
    theirs: { from: other.fromCurrent - (other.fromBase - from), to: other.toCurrent + (to - other.toBase) },
  }
}

function sameChange(mine: Hunk, other: Hunk, oursText: Symbols, theirsText: Symbols): boolean {
  return (
    mine.fromBase === other.fromBase &&
    mine.toBase === other.toBase &&
    sameLines(oursText, { from: mine.fromCurrent, to: mine.toCurrent }, theirsText, {
      from: other.fromCurrent,
      to: other.toCurrent,
    })
  )
}

function sameLines(a: Symbols, inA: LineRange, b: Symbols, inB: LineRange): boolean {
  const length = inA.to - inA.from
  if (length !== inB.to - inB.from) return false
  for (let at = 0; at < length; at++) if (a[inA.from + at] !== b[inB.from + at]) return false
  return true
}

/** How many lines two stretches begin and end with alike, not overlapping. */
function commonEnds(
  a: Symbols,
  inA: LineRange,
  b: Symbols,
  inB: LineRange,
): { readonly head: number; readonly tail: number } {
  const shorter = Math.min(inA.to - inA.from, inB.to - inB.from)
  let head = 0
  while (head < shorter && a[inA.from + head] === b[inB.from + head]) head++
  let tail = 0
  while (tail < shorter - head && a[inA.to - 1 - tail] === b[inB.to - 1 - tail]) tail++
  return { head, tail }
}

function append(to: Line[], from: readonly Line[], start: number, end: number): void {
  for (let at = start; at < end; at++) to.push(from[at] ?? "")
}
