import type { Line } from "../text/lines.ts"

export type Side = "base" | "current"

/**
 * Who moved a text. `history` is a move that only brings back or takes away what the log already holds (undo, redo, rewind,
 * accept, reject): a line that stood there before has its author again.
 */
export type Mover = "agent" | "person" | "history"

/** A line and where it stands. In neither text: it once stood there, and a move of the history may bring it back. */
export interface WeaveEntry {
  readonly line: Line
  readonly inBase: boolean
  readonly inCurrent: boolean
  /** `base`: it was there before anything was pending. */
  readonly author: "base" | "agent" | "person"
  /** The agent's line of which a person made this one; null for a line nobody altered. */
  readonly original: Line | null
  /** Who last took it out of current. */
  readonly removedBy: "agent" | "person" | null
  /** A person's line that an agent took out, while what the agent did there is undecided. */
  readonly lost: boolean
}

/** One side being taken to a new text. */
export interface Pass {
  readonly side: Side
  readonly mover: Mover
  /** Lines that were recognised as none of the weave's, so far. */
  readonly fresh: Set<WeaveEntry>
  /** Lines this move took out, as they are now. */
  readonly taken: Set<WeaveEntry>
}

export function isIn(entry: WeaveEntry, side: Side): boolean {
  return side === "base" ? entry.inBase : entry.inCurrent
}

/** Whether an entry has words of a person that stand nowhere else: their own line, or the agent's which they altered. */
export function isPersons(entry: WeaveEntry): boolean {
  return entry.author === "person" || entry.original !== null
}

export function isCommon(entry: WeaveEntry | undefined): boolean {
  return entry !== undefined && entry.inBase && entry.inCurrent
}

export function otherOf(side: Side): Side {
  return side === "base" ? "current" : "base"
}
