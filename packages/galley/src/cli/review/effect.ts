import type { FileView, HunkView } from "@galley/core/protocol/results.ts"
import type { OnConflict, Selection } from "@galley/core/protocol/requests.ts"

/** What a key asks of the world; carried out by `loop.ts`, which then tells the state how it went. */
export type Effect =
  | DecideEffect
  | { readonly kind: "answer"; readonly id: string; readonly decision: "allow" | "deny"; readonly reason: string }
  | { readonly kind: "comment"; readonly file: FileView; readonly line: number | null; readonly text: string }
  | { readonly kind: "edit"; readonly file: FileView; readonly hunk: HunkView }
  | { readonly kind: "mark"; readonly file: FileView }
  | { readonly kind: "find"; readonly text: string }
  | { readonly kind: "listMessages" }
  | { readonly kind: "redraw" }
  | { readonly kind: "suspend" }
  | { readonly kind: "quit" }

/** Decisions that a conflict may stop, and that can then be made again with a choice. */
export type DecideEffect =
  | {
      readonly kind: "decide"
      readonly decision: "accept" | "reject"
      readonly selection: Selection
      /** Hunks, or files, that it is about; for the count at the end. */
      readonly count: number
      /** Where to go on, when only lines were decided. */
      readonly resume: { readonly file: string; readonly fromCurrent: number } | null
    }
  | { readonly kind: "undo"; readonly onConflict: OnConflict | null }
  | { readonly kind: "redo"; readonly onConflict: OnConflict | null }
