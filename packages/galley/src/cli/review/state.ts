import type { FileView, StatusResult, WaitingView } from "@galley/core/protocol/results.ts"
import { splitLines } from "@galley/core/text/lines.ts"
import type { DecideEffect } from "./effect.ts"
import { partsOf } from "./parts.ts"
import { type Content, keyOfSpot, type Place, placeOf, type Spot, spotsOf } from "./spots.ts"

/** A review as far as it has come: plain data, changed by `press.ts` (keys) and `told.ts` (answers) alone, drawn by `draw.ts`. */
export interface ReviewState {
  readonly waiting: readonly WaitingView[]
  readonly files: readonly FileView[]
  readonly notices: readonly string[]
  /** By file id; may be of an older revision than `files` until the newer one is loaded. */
  readonly contents: ReadonlyMap<string, Content>
  /** Only what a message changed. */
  readonly message: { readonly id: string; readonly title: string; readonly paths: readonly string[] } | null
  /** Index of the spot that is shown. */
  readonly at: number
  /** The spot is shown part by part. */
  readonly part: number | null
  readonly mode: Mode
  /** First row of the body that is seen; null: so that the change is. */
  readonly scroll: number | null
  /** The row that was drawn first. */
  readonly seen: number
  readonly note: Note | null
  readonly tally: Tally
  readonly lastSearch: string
  /** After a decision about lines: where in which file to go on. */
  readonly resume: { readonly file: string; readonly fromCurrent: number } | null
  readonly undo: string | null
  readonly redo: string | null
}

export interface Note {
  readonly kind: "said" | "trouble"
  readonly text: string
}

export interface Tally {
  readonly accepted: number
  readonly rejected: number
  readonly undone: number
}

export type Mode =
  | { readonly kind: "browse" }
  /** Rows of the hunk's changed lines are chosen; `anchor` is the other end, where there is one. */
  | { readonly kind: "lines"; readonly cursor: number; readonly anchor: number | null }
  | { readonly kind: "typing"; readonly purpose: "comment" | "search" | "deny"; readonly typed: string }
  /** Both sides changed the same lines; whose text stays? */
  | { readonly kind: "choosing"; readonly effect: DecideEffect; readonly reason: string }
  | {
      readonly kind: "picking"
      readonly what: "file" | "message"
      readonly options: readonly Option[]
      readonly at: number
    }
  | { readonly kind: "help" }

export interface Option {
  readonly label: string
  /** A spot's key, or a message's id. */
  readonly value: string
  readonly paths: readonly string[]
}

export function newReview(status: StatusResult): ReviewState {
  return {
    waiting: status.waiting,
    files: status.files,
    notices: status.notices ?? [],
    contents: new Map(),
    message: null,
    at: 0,
    part: null,
    mode: { kind: "browse" },
    scroll: null,
    seen: 0,
    note: null,
    tally: { accepted: 0, rejected: 0, undone: 0 },
    lastSearch: "",
    resume: null,
    undo: status.undo?.title ?? null,
    redo: status.redo?.title ?? null,
  }
}

export function spotsIn(state: ReviewState): readonly Spot[] {
  const { message, files, waiting } = state
  if (message === null) return spotsOf(waiting, files)
  return spotsOf(
    [],
    files.filter(file => message.paths.includes(file.path)),
  )
}

export function currentSpot(state: ReviewState): Spot | null {
  return spotsIn(state)[state.at] ?? null
}

/** What is known of the file of a spot, where it is of the revision that the spot is of. */
export function contentOfSpot(state: ReviewState, spot: Spot | null): Content | null {
  if (spot === null || spot.kind === "call") return null
  const content = state.contents.get(spot.file.id)
  return content !== undefined && isSame(content.file, spot.file) ? content : null
}

function isSame(a: FileView, b: FileView): boolean {
  return a.revision === b.revision && a.parked === b.parked && a.hunks.length === b.hunks.length
}

/** The parts of the hunk that is shown; empty where it is none, or not loaded. */
export function partsIn(state: ReviewState): readonly Place[] {
  const spot = currentSpot(state)
  const content = contentOfSpot(state, spot)
  if (spot?.kind !== "hunk" || content === null) return []
  return partsOf(splitLines(content.base ?? ""), splitLines(content.current ?? ""), placeOf(spot.hunk))
}

/** The lines that a decision would be about: the part, or the whole hunk. Null where no hunk is shown. */
export function shownPlace(state: ReviewState): Place | null {
  const spot = currentSpot(state)
  if (spot?.kind !== "hunk") return null
  return (state.part === null ? undefined : partsIn(state)[state.part]) ?? placeOf(spot.hunk)
}

/** Moves to a spot; the one after the last is "nothing left". */
export function goTo(state: ReviewState, at: number): ReviewState {
  const last = Math.max(0, spotsIn(state).length - 1)
  return { ...state, at: Math.max(0, Math.min(at, last)), part: null, scroll: null, mode: { kind: "browse" } }
}

export function goToKey(state: ReviewState, key: string): ReviewState | null {
  const at = spotsIn(state).findIndex(spot => keyOfSpot(spot) === key)
  return at < 0 ? null : goTo(state, at)
}

export function say(state: ReviewState, text: string): ReviewState {
  return { ...state, note: { kind: "said", text } }
}

export function complainOf(state: ReviewState, text: string): ReviewState {
  return { ...state, note: { kind: "trouble", text } }
}
