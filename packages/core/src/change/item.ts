import type { WorkspacePath } from "../path.ts"
import { sameState, type State } from "../state.ts"

/**
 * All that is stored of a path under Galley's eye: two states and which of them is on disk. Hunks, counts and kinds are
 * derived from it, never stored. While base and current are equal nothing is pending and the row only remembers what we last
 * saw, so that somebody else's write can be told from ours.
 */
export interface Item {
  readonly path: WorkspacePath
  readonly base: State
  readonly current: State
  /** Which side the disk holds. Fixed when the pending item is made: `base` in hold and ask, `current` in apply. */
  readonly disk: "base" | "current"
  /** Grows by one with every change of this row. A request names the revision it saw. */
  readonly revision: number
  /** The old path of a rename that is pending. */
  readonly renamedFrom?: WorkspacePath
  /**
   * Set while base moved under a pending change so that the two overlap (hold): the base the proposal was made from. The
   * overlapping regions are derived: merge3(origin, current, base).
   */
  readonly conflictOrigin?: State
  /** Conversations with pending work in the item; for display and for accept by message. */
  readonly conversations: readonly string[]
}

/** Whether something waits for a decision. Two unknown sides are not pending. */
export function isPending(item: Item): boolean {
  if (item.base.kind === "unknown" && item.current.kind === "unknown") return false
  return !sameState(item.base, item.current)
}

/** What the disk should hold by our last knowledge. */
export function diskState(item: Item): State {
  return item.disk === "base" ? item.base : item.current
}
