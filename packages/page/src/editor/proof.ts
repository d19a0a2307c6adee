import type { Hunk } from "@galley/core/diff/hunk.ts"
import type { Result } from "@galley/core/protocol/requests.ts"
import type { HunkView } from "@galley/core/protocol/results.ts"
import type { Line } from "@galley/core/text/lines.ts"
import type { Alike } from "../model/changes.ts"

export type Author = Result<"file">["authors"][number]
export type Conflict = Result<"file">["conflicts"][number]

/** A hunk as it is drawn. `view` is what the server calls it; null while it holds text that is still being typed. */
export interface ProofHunk {
  readonly hunk: Hunk
  readonly view: HunkView | null
  readonly mixed: boolean
  readonly conflict: Conflict | null
  /** Of another message than the one that is looked at: shown, not decided here. */
  readonly aside: boolean
  /** In how many places the same substitution is pending. */
  readonly alike: Alike | null
}

/** All that is drawn around the text of one file. */
export interface Proof {
  readonly base: readonly Line[]
  readonly current: readonly Line[]
  readonly hunks: readonly ProofHunk[]
  /** By line of current; empty where nobody asked. */
  readonly authors: readonly Author[]
  readonly comments: readonly LineComment[]
}

export interface LineComment {
  readonly id: string
  /** From 1. */
  readonly line: number
  readonly text: string
  readonly state: "draft" | "sent" | "delivered"
}

/** What buttons in the text ask for. */
export interface ProofActions {
  readonly accept: (hunk: ProofHunk) => void
  readonly reject: (hunk: ProofHunk) => void
  readonly settle: (hunk: ProofHunk, how: "keep-mine" | "take-theirs") => void
  readonly alike: (hunk: ProofHunk, what: "accept" | "reject") => void
  readonly oldLines: (range: { readonly from: number; readonly to: number } | null) => void
  readonly dropComment: (id: string) => void
}

export const noProof: Proof = { base: [], current: [], hunks: [], authors: [], comments: [] }

/** The hunks as a person counts them: `lines 3–7`, or the place of something removed. */
export function placeOf({ hunk }: ProofHunk): string {
  const { fromBase, toBase, fromCurrent, toCurrent } = hunk
  const [from, to] = fromCurrent === toCurrent ? [fromBase + 1, toBase] : [fromCurrent + 1, toCurrent]
  return from === to ? `line ${from}` : `lines ${from}–${to}`
}

export function kindOf({ hunk }: ProofHunk): "added" | "removed" | "changed" {
  if (hunk.fromBase === hunk.toBase) return "added"
  return hunk.fromCurrent === hunk.toCurrent ? "removed" : "changed"
}
