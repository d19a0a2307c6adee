import { Facet } from "@codemirror/state"
import type { ProofActions } from "./proof.ts"

export const proofActions = Facet.define<ProofActions, ProofActions | null>({ combine: given => given[0] ?? null })
/** Removed lines are drawn in the text; in the side-by-side view they are on the other side. */
export const drawsRemoved = Facet.define<boolean, boolean>({ combine: given => given[0] ?? true })

/** Each change has its buttons; not where the text is decided as a whole (a call that waits). */
export const decides = Facet.define<boolean, boolean>({ combine: given => given[0] ?? true })

/** Pixels; the style sheet has the same. */
export const barHeight = 28
export const rowHeight = 20
