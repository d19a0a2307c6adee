import type { Hunk } from "../diff/hunk.ts"
import type { Encoding } from "../text/document.ts"
import type { Line } from "../text/lines.ts"
import type { Authorship } from "./authorship.ts"
import { acceptHunks, decideLines, rejectHunks, rejectLines, type LineRanges } from "./decide.ts"
import { fileOfLines, type Charset, type Loaded, type LoadedSides } from "./loaded.ts"
import { viewSides, type PropertyName, type SidesView, type TextView } from "./sides-view.ts"
import type { OnOverlap } from "./state-merge.ts"

/** What a decision is about, resolved against the hunks of one revision. */
export type Chosen =
  | { readonly kind: "all" }
  | { readonly kind: "hunks"; readonly hunks: readonly Hunk[] }
  | { readonly kind: "lines"; readonly hunk: Hunk; readonly ranges: LineRanges }
  | { readonly kind: "properties"; readonly names: readonly PropertyName[] }

export type Decision = "accept" | "reject"

export type DecisionOutcome =
  | { readonly kind: "done"; readonly sides: LoadedSides }
  | { readonly kind: "conflict"; readonly reason: string; readonly hunks: readonly Hunk[] }

/** What the decision must respect beyond the two sides. */
export interface DecisionFacts {
  readonly charset: Charset | undefined
  /** Whose lines they are; null where the log has no text. */
  readonly authorship: Authorship | null
  /** Hunks whose base moved under them (hold); accepting one needs a choice. */
  readonly conflicting: readonly Hunk[]
  /** The base moved under a proposal that has no lines to compare; accepting it needs a choice. */
  readonly movedWhole?: boolean
}

/**
 * Accepts or rejects part or all of the difference between two sides.
 *
 * Accept writes the chosen part into base, reject writes base's into current; a person's lines in a rejected hunk stay, in both.
 * What is not chosen stays as it was in both. With `"stop"` a choice that the person must make is a conflict and nothing
 * is decided; `keep-mine` keeps the person's text, `take-theirs` gives it up for the agent's (accept) or base's (reject).
 */
export function decideSides(
  sides: LoadedSides,
  chosen: Chosen,
  decision: Decision,
  onOverlap: OnOverlap,
  facts: DecisionFacts,
): DecisionOutcome {
  const view = viewSides(sides, facts.charset)
  switch (chosen.kind) {
    case "all":
      return decideAll(sides, view, decision, onOverlap, facts)
    case "hunks":
      return view.text === null
        ? decideWhole(sides, decision, onOverlap, facts)
        : decideHunks(sides, view.text, chosen.hunks, decision, onOverlap, facts)
    case "lines": {
      if (view.text === null) return { kind: "conflict", reason: "It has no lines to choose from.", hunks: [] }
      if (decision === "accept" && onOverlap === "stop" && facts.conflicting.some(hunk => sameHunk(hunk, chosen.hunk)))
        return movedUnder([chosen.hunk])
      const { base, current } = view.text
      if (decision === "accept") {
        const texts = decideLines(base, current, chosen.hunk, chosen.ranges, decision)
        return withTexts(sides, view.text, texts.base, texts.current, facts.charset)
      }
      const outcome = rejectLines({ base, current }, chosen.hunk, chosen.ranges, facts.authorship, onOverlap)
      if (outcome.kind === "conflict") return { kind: "conflict", reason: outcome.reason, hunks: outcome.hunks }
      return withTexts(sides, view.text, outcome.base, outcome.current, facts.charset)
    }
    case "properties":
      return view.text === null && facts.movedWhole === true && chosen.names.some(name => name !== "mode")
        ? decideWhole(sides, decision, onOverlap, facts)
        : decideProperties(sides, view, chosen.names, decision, facts)
  }
}

function decideAll(
  sides: LoadedSides,
  view: SidesView,
  decision: Decision,
  onOverlap: OnOverlap,
  facts: DecisionFacts,
): DecisionOutcome {
  if (view.text === null) return decideWhole(sides, decision, onOverlap, facts)
  if (decision === "accept" && facts.conflicting.length === 0) return done(sides.current, sides.current)
  const texts = decideHunks(sides, view.text, view.text.diff.hunks, decision, onOverlap, facts)
  if (texts.kind === "conflict") return texts
  const names = viewSides(texts.sides, facts.charset).properties.map(property => property.name)
  const kept = texts.sides
  // A created file whose lines are all rejected goes; one in which a person's lines remain stays, theirs.
  if (decision === "reject" && sides.base.kind === "absent") {
    const gone = kept.current.kind === "file" && kept.current.bytes.length === 0
    return gone ? done(sides.base, sides.base) : done(kept.current, kept.current)
  }
  return decideProperties(kept, viewSides(kept, facts.charset), names, decision, facts)
}

function decideWhole(
  sides: LoadedSides,
  decision: Decision,
  onOverlap: OnOverlap,
  facts: DecisionFacts,
): DecisionOutcome {
  if (decision === "accept" && facts.movedWhole === true && onOverlap !== "take-theirs")
    return onOverlap === "stop" ? movedUnder([]) : done(sides.base, sides.base)
  return decision === "accept" ? done(sides.current, sides.current) : done(sides.base, sides.base)
}

function decideHunks(
  sides: LoadedSides,
  text: TextView,
  hunks: readonly Hunk[],
  decision: Decision,
  onOverlap: OnOverlap,
  facts: DecisionFacts,
): DecisionOutcome {
  if (decision === "reject") {
    const outcome = rejectHunks({ base: text.base, current: text.current }, hunks, facts.authorship, onOverlap)
    if (outcome.kind === "conflict") return { kind: "conflict", reason: outcome.reason, hunks: outcome.hunks }
    return withTexts(sides, text, outcome.base, outcome.current, facts.charset)
  }
  const moved = hunks.filter(hunk => facts.conflicting.some(other => sameHunk(other, hunk)))
  if (moved.length > 0 && onOverlap === "stop") return movedUnder(moved)
  if (moved.length === 0 || onOverlap === "take-theirs")
    return withTexts(sides, text, acceptHunks(text.base, text.current, hunks), text.current, facts.charset)
  // keep-mine: the person's text on disk stands in the moved hunks; the others are accepted.
  const others = hunks.filter(hunk => !moved.includes(hunk))
  const accepted = acceptHunks(text.base, text.current, others)
  const kept = acceptHunks(text.current, text.base, moved.map(swapped))
  return withTexts(sides, text, accepted, kept, facts.charset)
}

/** Existence, mode, encoding or a content that is no text, each alone. */
function decideProperties(
  sides: LoadedSides,
  view: SidesView,
  names: readonly PropertyName[],
  decision: Decision,
  facts: DecisionFacts,
): DecisionOutcome {
  let now = sides
  for (const name of names) {
    const next = withProperty(now, name, view, decision, facts.charset)
    if (next === null) return { kind: "conflict", reason: "Its text cannot be written in that encoding.", hunks: [] }
    now = decision === "accept" ? { base: next, current: now.current } : { base: now.base, current: next }
  }
  return done(now.base, now.current)
}

/** The deciding side (`base` for accept, `current` for reject) with one property of the other. */
function withProperty(
  sides: LoadedSides,
  name: PropertyName,
  view: SidesView,
  decision: Decision,
  charset?: Charset,
): Loaded | null {
  const [to, from] = decision === "accept" ? [sides.base, sides.current] : [sides.current, sides.base]
  switch (name) {
    case "existence":
    case "content":
      return from
    case "mode":
      return (from.kind === "file" || from.kind === "folder") && (to.kind === "file" || to.kind === "folder")
        ? { ...to, mode: from.mode }
        : to
    case "encoding": {
      const text = view.text
      if (text === null || to.kind !== "file") return to
      return decision === "accept"
        ? fileOfLines(text.base, text.currentEncoding, to.mode, charset)
        : fileOfLines(text.current, text.baseEncoding, to.mode, charset)
    }
  }
}

/** The sides with new texts; existence follows where a side's text became the other's. */
function withTexts(
  sides: LoadedSides,
  text: TextView,
  base: readonly Line[],
  current: readonly Line[],
  charset?: Charset,
): DecisionOutcome {
  const newBase = writeSide(sides.base, sides.current, text.base, base, current, text.baseEncoding, charset)
  const newCurrent = writeSide(sides.current, sides.base, text.current, current, base, text.currentEncoding, charset)
  if (newBase === null || newCurrent === null)
    return {
      kind: "conflict",
      reason: "The chosen text cannot be written in the file's encoding; decide the encoding first.",
      hunks: [],
    }
  return done(newBase, newCurrent)
}

function writeSide(
  own: Loaded,
  other: Loaded,
  was: readonly Line[],
  now: readonly Line[],
  otherNow: readonly Line[],
  encoding: Encoding,
  charset?: Charset,
): Loaded | null {
  if (was === now || sameLines(was, now)) {
    // Nothing of this side's text moved; with both sides now equal and one absent, the other's existence was decided.
    return own
  }
  if (other.kind === "absent" && now.length === 0 && otherNow.length === 0) return other
  const mode = own.kind === "file" ? own.mode : other.kind === "file" ? other.mode : 0o644
  return fileOfLines(now, encoding, mode, charset)
}

function sameLines(a: readonly Line[], b: readonly Line[]): boolean {
  return a.length === b.length && a.every((line, at) => line === b[at])
}

function sameHunk(a: Hunk, b: Hunk): boolean {
  return (
    a.fromBase === b.fromBase && a.toBase === b.toBase && a.fromCurrent === b.fromCurrent && a.toCurrent === b.toCurrent
  )
}

function swapped(hunk: Hunk): Hunk {
  return { fromBase: hunk.fromCurrent, toBase: hunk.toCurrent, fromCurrent: hunk.fromBase, toCurrent: hunk.toBase }
}

function movedUnder(hunks: readonly Hunk[]): DecisionOutcome {
  return { kind: "conflict", reason: "The file was changed on disk where the agent changed it too.", hunks }
}

function done(base: Loaded, current: Loaded): DecisionOutcome {
  return { kind: "done", sides: { base, current } }
}
