import { isCommon, type Pass, type WeaveEntry } from "./weave-entry.ts"
import { matchInOrder } from "./weave-match.ts"

/**
 * Makes one entry of a line that stands in base only and an equal one in current only, wherever nothing common stands between
 * them.
 */
export function joinEqual(entries: readonly WeaveEntry[], pass: Pass): WeaveEntry[] {
  const joined: WeaveEntry[] = []
  let gap: WeaveEntry[] = []
  for (const entry of entries) {
    if (isCommon(entry)) {
      joinGap(joined, gap, pass)
      joined.push(entry)
      gap = []
    } else gap.push(entry)
  }
  joinGap(joined, gap, pass)
  return joined
}

function joinGap(joined: WeaveEntry[], gap: readonly WeaveEntry[], { fresh }: Pass): void {
  const olds: number[] = []
  const nows: number[] = []
  for (const [at, entry] of gap.entries()) {
    if (entry.inBase) olds.push(at)
    else if (entry.inCurrent) nows.push(at)
  }
  const known = new Set(olds.map(at => gap[at]?.line))
  if (!nows.some(at => known.has(gap[at]?.line))) {
    for (const entry of gap) joined.push(entry)
    return
  }
  // Old and new lines of a gap are bound to no order among each other, so a pair may meet at its new line's place.
  const matches = matchInOrder(
    olds.map(at => gap[at] ?? missing()),
    nows.map(at => gap[at]?.line ?? ""),
    () => true,
  )
  const others = [...gap.keys()].filter(at => !gap[at]?.inBase)
  let old = 0
  let other = 0
  /** Emits what stands before the old line and before the new one, by place. */
  const emitUntil = (endOld: number, endOther: number): void => {
    for (;;) {
      const nextOld = olds[old] ?? gap.length
      const nextOther = others[other] ?? gap.length
      if (nextOld < endOld && (nextOld < nextOther || nextOther >= endOther)) push(joined, gap[olds[old++] ?? 0])
      else if (nextOther < endOther) push(joined, gap[others[other++] ?? 0])
      else return
    }
  }
  for (const match of matches) {
    emitUntil(olds[match.entry] ?? 0, nows[match.line] ?? 0)
    const inBase = gap[olds[match.entry] ?? 0] ?? missing()
    const inCurrent = gap[nows[match.line] ?? 0] ?? missing()
    // One that this move put there is the other one, seen from the side it came to.
    joined.push({ ...(fresh.has(inBase) ? inCurrent : inBase), inBase: true, inCurrent: true, lost: false })
    old++
    other++
  }
  emitUntil(gap.length, gap.length)
}

function push(to: WeaveEntry[], entry: WeaveEntry | undefined): void {
  if (entry !== undefined) to.push(entry)
}

function missing(): never {
  throw new Error("BUG: a gap has no such entry")
}
