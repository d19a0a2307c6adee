import type { Effect } from "./effect.ts"
import { type Mode, type ReviewState } from "./state.ts"

/** What a key led to: another state, and what must be asked of the world. */
export interface Pressed {
  readonly state: ReviewState
  readonly effect: Effect | null
}

export function only(state: ReviewState): Pressed {
  return { state, effect: null }
}

export function doing(state: ReviewState, effect: Effect): Pressed {
  return { state, effect }
}

export function typing(state: ReviewState, purpose: Extract<Mode, { kind: "typing" }>["purpose"]): ReviewState {
  return { ...state, mode: { kind: "typing", purpose, typed: "" } }
}
