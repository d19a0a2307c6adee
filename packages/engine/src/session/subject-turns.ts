import { sameLoaded, type Loaded } from "@galley/core/change/loaded.ts"
import type { Decision } from "@galley/core/change/sides-decision.ts"
import type { Turn } from "./commit.ts"
import type { Standing } from "./drift.ts"
import type { SubjectView } from "./file-view.ts"
import type { Subject } from "./subject.ts"

/**
 * What a decision on a subject makes of its item or, for a rename, of both. Accepting any part of a renamed file accepts its
 * new name; rejecting all of it brings the old name back, with what a person wrote meanwhile.
 */
export function turnsOfSubject(
  subject: Subject,
  standings: { readonly own: Standing; readonly partner: Standing | null },
  decided: SubjectView,
  decision: Decision,
): Turn[] {
  const { own, partner } = standings
  const settled = subject.item.conflictOrigin !== undefined && decided.conflicting.length === 0
  const plain = { disk: subject.item.disk, ...(settled ? { settled: true } : {}) }
  const { base, current } = decided.sides
  if (partner === null) return [{ standing: own, sides: decided.sides, ...plain }]
  const gone: Loaded = { kind: "absent" }
  if (decision === "accept") {
    const touched = !sameLoaded(base, partner.sides.base) || sameLoaded(base, current)
    if (!touched) return []
    return [
      { standing: partner, sides: { base: gone, current: gone }, disk: subject.item.disk },
      { standing: own, sides: { base, current }, ...plain },
    ]
  }
  if (!sameLoaded(base, current)) return [{ standing: own, sides: { base: own.sides.base, current }, ...plain }]
  return [
    { standing: own, sides: { base: gone, current: gone }, ...plain },
    { standing: partner, sides: { base: current, current }, disk: subject.item.disk },
  ]
}
