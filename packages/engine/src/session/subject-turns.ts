import { sameLoaded, type Loaded } from "@galley/core/change/loaded.ts"
import type { Decision } from "@galley/core/change/sides-decision.ts"
import type { Turn } from "./commit.ts"
import type { Standing } from "./drift.ts"
import { isInConflict, type SubjectView } from "./file-view.ts"
import type { Subject } from "./subject.ts"

/** Whether a decision is about a rename's new name too, or about the text alone. */
export type NamePart = "name" | "text"

/**
 * What a decision on a subject makes of its item or, for a rename, of both. Accepting any part of a renamed file accepts its new name,
 * without which the text has no place. Rejecting text leaves the name pending; rejecting the name brings the old one back, with the text that
 * is not rejected and what a person wrote meanwhile.
 */
export function turnsOfSubject(
  subject: Subject,
  standings: { readonly own: Standing; readonly partner: Standing | null },
  decided: SubjectView,
  decision: Decision,
  part: NamePart,
): Turn[] {
  const { own, partner } = standings
  const settled = subject.item.conflictOrigin !== undefined && !isInConflict(decided)
  const plain = { disk: subject.item.disk, ...(settled ? { settled: true } : {}) }
  const { base, current } = decided.sides
  if (partner === null) return [{ standing: own, sides: decided.sides, ...plain }]
  const gone: Loaded = { kind: "absent" }
  const disk = subject.item.disk
  switch (decision) {
    case "accept":
      if (part === "text" && sameLoaded(base, partner.sides.base)) return []
      return [
        { standing: partner, sides: { base: gone, current: gone }, disk },
        { standing: own, sides: { base, current }, ...plain },
      ]
    case "reject":
      if (part === "text") return [{ standing: own, sides: { base: own.sides.base, current }, ...plain }]
      return [
        { standing: own, sides: { base: gone, current: gone }, ...plain },
        { standing: partner, sides: { base, current }, disk },
      ]
  }
}
