import { diffLines } from "../diff/line-diff.ts"
import type { Hunk } from "../diff/hunk.ts"
import type { Line } from "../text/lines.ts"
import { isIn, isPersons, type Mover, type Side, type WeaveEntry } from "./weave-entry.ts"
import { moveSide } from "./weave.ts"

/**
 * Every line of base and of current in one order that both texts agree with, each with its author, and lines that left both.
 *
 * It is derived: replay the moves of a path in the log, from the base its pending change began with. (The idea is SCCS's
 * weave, as darcs and Codeville revived it: deletions are marks, so a line that comes back is the same line.)
 */
export interface Weave {
  readonly entries: readonly WeaveEntry[]
  /** What the entries were before each of the last moves, oldest first: an undo leads back to one of them. */
  readonly past: readonly (readonly WeaveEntry[])[]
}

/** What one operation did to the lines of a path. A side that did not move may be left out. */
export interface TextMove {
  readonly base?: { readonly before: readonly Line[]; readonly after: readonly Line[] }
  readonly current?: { readonly before: readonly Line[]; readonly after: readonly Line[] }
  readonly actor: Mover
}

/**
 * Whose a line of current is. Outside the hunks `base`: both texts have it. In a hunk one of the others, `altered` being a
 * person's text over an agent's line.
 */
export type LineAuthor = "base" | "agent" | "person" | "altered"

/** A person's line that an agent took out of current. Rejecting what the agent did there brings it back. */
export interface LostLine {
  readonly line: Line
  /** The agent's line of which the person had made it. */
  readonly original: Line | null
  /** The hunk that shows what the agent did there, null where none does. */
  readonly hunk: Hunk | null
  /** As in {@link Authorship.places}. */
  readonly place: number
}

/** Whose line is it: for every line of a base and a current, aligned to their hunks. Lines count from 0. */
export interface Authorship {
  readonly current: readonly LineAuthor[]
  /** Lines of base that a person, not the agent, took out of current. */
  readonly removedByPerson: ReadonlySet<number>
  /** By line of current, for altered ones: the agent's line. */
  readonly originals: ReadonlyMap<number, Line>
  readonly lost: readonly LostLine[]
  /** A line's place in the weave: old and new lines of one hunk in the order in which they belong. */
  readonly places: { readonly base: readonly number[]; readonly current: readonly number[] }
}

const pastMoves = 64

/** More lines than this that stand in no text are forgotten; an undo that brings one back then makes it a person's. */
const remembered = 20_000

export function emptyWeave(base: readonly Line[]): Weave {
  return { entries: base.map(baseEntry), past: [] }
}

/**
 * Replays one operation. A move may change either side or both: an agent's edit moves current, an accept base, a reject
 * current, a fold both.
 *
 * Where the log has a gap (a `before` that is not what the weave holds) the difference counts as a person's, whose lines are
 * never removed unasked.
 */
export function applyMove(weave: Weave, move: TextMove): Weave {
  let entries = weave.entries
  for (const side of ["current", "base"] as const) {
    const moved = move[side]
    if (moved !== undefined) entries = moveSide(entries, side, moved.before, "person")
  }
  if (move.actor === "history") {
    const base = move.base?.after ?? linesAt(weave, "base").lines
    const current = move.current?.after ?? linesAt(weave, "current").lines
    const been = weave.past.findLast(past => holds(past, base, current))
    if (been !== undefined) entries = withMemoryOf(been, entries)
  }
  for (const side of ["current", "base"] as const) {
    const moved = move[side]
    if (moved !== undefined) entries = moveSide(entries, side, moved.after, move.actor)
  }
  if (entries === weave.entries) return weave
  return { entries: forgetOldest(entries), past: [...weave.past.slice(1 - pastMoves), weave.entries] }
}

/**
 * Tells whose every line is, as the hunks between the two texts show them.
 *
 * Of two equal lines a diff may call the other one new than the weave does. Authors then follow the diff: from the line it
 * calls new along "same line by the weave", "same line by the diff", to one that is new by the weave.
 */
export function authorsOf(weave: Weave, hunks?: readonly Hunk[]): Authorship {
  const base = linesAt(weave, "base")
  const current = linesAt(weave, "current")
  const shown = hunks ?? diffLines(base.lines, current.lines).hunks
  const partners = partnersOf(shown, base.lines.length, current.lines.length)
  const currentAt = new Map(current.places.map((place, line) => [place, line]))
  const baseAt = new Map(base.places.map((place, line) => [place, line]))
  const hunkAt = new Map<number, Hunk>()
  const follow = (from: number, side: Side, hunk: Hunk): WeaveEntry => {
    const own = side === "base" ? base.places : current.places
    const otherLines = side === "base" ? currentAt : baseAt
    const back = side === "base" ? partners.ofCurrent : partners.ofBase
    let line = from
    for (;;) {
      const place = own[line]
      const next = back[otherLines.get(place ?? -1) ?? -1] ?? -1
      if (next < 0) {
        hunkAt.set(place ?? -1, hunk)
        return weave.entries[place ?? -1] ?? missing()
      }
      line = next
    }
  }

  const authors: LineAuthor[] = current.lines.map(() => "base")
  const removedByPerson = new Set<number>()
  const originals = new Map<number, Line>()
  for (const hunk of shown) {
    for (let line = hunk.fromCurrent; line < hunk.toCurrent; line++) {
      const entry = follow(line, "current", hunk)
      authors[line] = authorOf(entry)
      if (entry.original !== null && !entry.inBase) originals.set(line, entry.original)
    }
    for (let line = hunk.fromBase; line < hunk.toBase; line++) {
      const entry = follow(line, "base", hunk)
      if (!entry.inCurrent && entry.removedBy === "person") removedByPerson.add(line)
    }
  }
  return {
    current: authors,
    removedByPerson,
    originals,
    lost: lostLines(weave, hunkAt),
    places: { base: base.places, current: current.places },
  }
}

/** Whether a person's text stands in the hunk beside the agent's: a line of theirs, one they altered, or one they took out. */
export function isMixed(hunk: Hunk, authorship: Authorship): boolean {
  for (let line = hunk.fromCurrent; line < hunk.toCurrent; line++) {
    const author = authorship.current[line]
    if (author === "person" || author === "altered") return true
  }
  for (let line = hunk.fromBase; line < hunk.toBase; line++) if (authorship.removedByPerson.has(line)) return true
  return false
}

/** Half-open, in UTF-16 units. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** Which parts of an altered line are the person's: those that the agent's line does not have, whole words where it can be. */
export function alteredSpans(original: Line, now: Line): Span[] {
  const words = wordsOf(now)
  const starts = [0]
  for (const word of words) starts.push((starts.at(-1) ?? 0) + word.length)
  const spans: Span[] = []
  for (const hunk of diffLines(wordsOf(original), words).hunks) {
    const from = starts[hunk.fromCurrent] ?? 0
    const to = starts[hunk.toCurrent] ?? from
    if (to > from) spans.push({ from, to })
  }
  return spans
}

interface LinesAt {
  readonly lines: Line[]
  /** Index of the entry, by line. */
  readonly places: number[]
}

function linesAt(weave: Weave, side: Side): LinesAt {
  const lines: Line[] = []
  const places: number[] = []
  for (const [place, entry] of weave.entries.entries()) {
    if (!isIn(entry, side)) continue
    lines.push(entry.line)
    places.push(place)
  }
  return { lines, places }
}

/** The line of the other text that a diff shows as the same, or −1. */
function partnersOf(hunks: readonly Hunk[], baseLength: number, currentLength: number) {
  const ofBase = new Int32Array(baseLength).fill(-1)
  const ofCurrent = new Int32Array(currentLength).fill(-1)
  let base = 0
  let current = 0
  const end: Hunk = { fromBase: baseLength, toBase: baseLength, fromCurrent: currentLength, toCurrent: currentLength }
  for (const hunk of [...hunks, end]) {
    for (; base < hunk.fromBase; base++, current++) {
      ofBase[base] = current
      ofCurrent[current] = base
    }
    base = hunk.toBase
    current = hunk.toCurrent
  }
  return { ofBase, ofCurrent }
}

/** Of a line in a hunk. One that the weave, unlike the diff, has in both texts goes and comes with the agent's. */
function authorOf(entry: WeaveEntry): LineAuthor {
  if (entry.original !== null && !entry.inBase) return "altered"
  return entry.author === "person" ? "person" : "agent"
}

/** Earlier entries, and at their end, gone, what later ones know besides: a redo may bring it back. */
function withMemoryOf(been: readonly WeaveEntry[], later: readonly WeaveEntry[]): WeaveEntry[] {
  const keyOf = (entry: WeaveEntry): string => `${entry.author} ${entry.original ?? ""} ${entry.line}`
  const known = new Set(been.map(keyOf))
  const gone = later.filter(entry => !known.has(keyOf(entry)))
  return [...been, ...gone.map(entry => ({ ...entry, inBase: false, inCurrent: false, lost: false }))]
}

/** Whether entries are what a move leads to, so that even among equal lines each is the one it was. */
function holds(entries: readonly WeaveEntry[], base: readonly Line[], current: readonly Line[]): boolean {
  let inBase = 0
  let inCurrent = 0
  for (const entry of entries) {
    if (entry.inBase && entry.line !== base[inBase++]) return false
    if (entry.inCurrent && entry.line !== current[inCurrent++]) return false
  }
  return inBase === base.length && inCurrent === current.length
}

/** A lost line belongs to the hunk of the nearest pending line with nothing common between. */
function lostLines(weave: Weave, hunkAt: ReadonlyMap<number, Hunk>): LostLine[] {
  const lost: LostLine[] = []
  for (const [place, entry] of weave.entries.entries()) {
    if (!entry.lost) continue
    const hunk = hunkTowards(weave, hunkAt, place, -1) ?? hunkTowards(weave, hunkAt, place, 1)
    lost.push({ line: entry.line, original: entry.original, hunk, place })
  }
  return lost
}

function hunkTowards(weave: Weave, hunkAt: ReadonlyMap<number, Hunk>, place: number, step: -1 | 1): Hunk | null {
  for (let at = place + step; ; at += step) {
    const hunk = hunkAt.get(at)
    if (hunk !== undefined) return hunk
    const entry = weave.entries[at]
    if (entry === undefined || (entry.inBase && entry.inCurrent)) return null
  }
}

function forgetOldest(entries: readonly WeaveEntry[]): readonly WeaveEntry[] {
  let gone = 0
  for (const entry of entries) if (!entry.inBase && !entry.inCurrent) gone++
  if (gone <= remembered || gone <= entries.length - gone) return entries
  return entries.filter(entry => entry.inBase || entry.inCurrent || (entry.lost && isPersons(entry)))
}

function baseEntry(line: Line): WeaveEntry {
  return { line, inBase: true, inCurrent: true, author: "base", original: null, removedBy: null, lost: false }
}

/** Words, blanks and signs; a code point is never torn. */
function wordsOf(line: Line): string[] {
  return line.match(/[\p{L}\p{N}_]+|\s+|./gsu) ?? []
}

function missing(): never {
  throw new Error("BUG: a line has no place in the weave")
}
