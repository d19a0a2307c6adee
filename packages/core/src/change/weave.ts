import { diffLines } from "../diff/line-diff.ts"
import type { Hunk } from "../diff/hunk.ts"
import { contentOf, type Line } from "../text/lines.ts"
import { pairReplaced, sameButBlanks } from "./line-pairs.ts"

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

/** Takes one side of the weave from the text it has to `after`. Returns the same entries where nothing changes. */
export function moveSide(
  entries: readonly WeaveEntry[],
  side: Side,
  after: readonly Line[],
  mover: Mover,
): readonly WeaveEntry[] {
  const changed = changedWindow(entries, side, after)
  if (changed === null) return entries
  const pass: Pass = { side, mover, fresh: new Set(), taken: new Set() }
  let { from, to } = changed
  const moved = replaceWindow(entries.slice(from, to), changed.lines, pass)
  const last = to
  while (from > 0 && !isCommon(entries[from - 1])) from--
  while (to < entries.length && !isCommon(entries[to])) to++
  const joined = joinEqual([...entries.slice(from, changed.from), ...moved, ...entries.slice(last, to)], pass)
  return recognise(entries.slice(0, from).concat(joined, entries.slice(to)), pass)
}

/**
 * The part of the weave between what the side and `after` begin and end with alike, and the lines that are to stand there; null
 * where the two are equal. In a long file a move changes little.
 */
function changedWindow(entries: readonly WeaveEntry[], side: Side, after: readonly Line[]) {
  let head = 0
  let from = 0
  for (let at = 0; at < entries.length; at++) {
    const entry = entries[at]
    if (entry === undefined || !isIn(entry, side)) continue
    if (head === after.length || entry.line !== after[head]) break
    head++
    from = at + 1
  }
  let tail = 0
  let to = entries.length
  let isEqual = head === after.length
  for (let at = entries.length - 1; at >= from; at--) {
    const entry = entries[at]
    if (entry === undefined || !isIn(entry, side)) continue
    isEqual = false
    if (tail === after.length - head || entry.line !== after[after.length - 1 - tail]) break
    tail++
    to = at
  }
  return isEqual ? null : { from, to, lines: after.slice(head, after.length - tail) }
}

/** Takes a part of the weave to new lines of one side, stretch by stretch. */
function replaceWindow(entries: readonly WeaveEntry[], lines: readonly Line[], pass: Pass): WeaveEntry[] {
  const before: Line[] = []
  for (const entry of entries) if (isIn(entry, pass.side)) before.push(entry.line)
  const moved: WeaveEntry[] = []
  let passed = 0
  let at = 0
  for (const hunk of diffLines(before, lines).hunks) {
    for (; passed < hunk.fromBase; at++) {
      const entry = entries[at] ?? missing()
      moved.push(entry)
      if (isIn(entry, pass.side)) passed++
    }
    const stretch: WeaveEntry[] = []
    for (; at < entries.length; at++) {
      const entry = entries[at] ?? missing()
      if (isIn(entry, pass.side) && passed === hunk.toBase) break
      stretch.push(entry)
      if (isIn(entry, pass.side)) passed++
    }
    append(moved, replaceStretch(stretch, lines.slice(hunk.fromCurrent, hunk.toCurrent), pass))
  }
  append(moved, entries.slice(at))
  return moved
}

export function isIn(entry: WeaveEntry, side: Side): boolean {
  return side === "base" ? entry.inBase : entry.inCurrent
}

/** Whether an entry has words of a person that stand nowhere else: their own line, or the agent's which they altered. */
export function isPersons(entry: WeaveEntry): boolean {
  return entry.author === "person" || entry.original !== null
}

/** One side being taken to a new text. */
interface Pass {
  readonly side: Side
  readonly mover: Mover
  /** Lines that were recognised as none of the weave's, so far. */
  readonly fresh: Set<WeaveEntry>
  /** Lines this move took out, as they are now. */
  readonly taken: Set<WeaveEntry>
}

/** A place of the stretch that an inserted line takes over: the line was there, on the other side or formerly. */
interface Match {
  readonly entry: number
  readonly line: number
}

/** Takes every line of the side out of a stretch of the weave and puts `lines` in. */
function replaceStretch(stretch: readonly WeaveEntry[], lines: readonly Line[], pass: Pass): WeaveEntry[] {
  const { side, mover } = pass
  const justTaken = stretch.map(entry => isIn(entry, side))
  let taken = stretch.map(entry => (isIn(entry, side) ? takeOut(entry, pass) : entry))
  const onOther = matchOther(taken, lines, side, mover)
  if (side === "base" && takesAgentsWork(stretch, onOther)) taken = taken.map(settled)
  const matches = matchBetween(taken, lines, onOther, entry => mayReturn(entry, mover))

  const woven: WeaveEntry[] = []
  let last: Match = { entry: -1, line: -1 }
  for (const match of [...matches, { entry: taken.length, line: lines.length }]) {
    append(
      woven,
      weaveIn(
        taken.slice(last.entry + 1, match.entry),
        justTaken.slice(last.entry + 1, match.entry),
        lines.slice(last.line + 1, match.line),
        pass,
      ),
    )
    const entry = taken[match.entry]
    if (entry !== undefined) woven.push(putIn(entry, side))
    last = match
  }
  return woven
}

function takeOut(entry: WeaveEntry, { side, mover, taken }: Pass): WeaveEntry {
  const out =
    side === "base"
      ? { ...entry, inBase: false, lost: false }
      : {
          ...entry,
          inCurrent: false,
          removedBy: mover === "history" ? (entry.removedBy ?? "agent") : mover,
          lost: mover === "agent" && !entry.inBase && isPersons(entry),
        }
  taken.add(out)
  return out
}

/** Whether a move of base makes the agent's lines or removals there agreed; a person's own lines folded in do not. */
function takesAgentsWork(stretch: readonly WeaveEntry[], matches: readonly Match[]): boolean {
  return (
    matches.some(match => stretch[match.entry]?.author === "agent") ||
    stretch.some(entry => entry.inBase && !entry.inCurrent && entry.removedBy === "agent")
  )
}

/** What the agent did around the line was accepted, so the line no longer waits to come back. */
function settled(entry: WeaveEntry): WeaveEntry {
  return entry.lost ? { ...entry, lost: false } : entry
}

function putIn(entry: WeaveEntry, side: Side): WeaveEntry {
  return side === "base" ? { ...entry, inBase: true, lost: false } : { ...entry, inCurrent: true, lost: false }
}

/** Which former lines an equal new line is: for a person none, as what they type is theirs even if an agent once wrote it. */
function mayReturn(entry: WeaveEntry, mover: Mover): boolean {
  if (entry.inBase || entry.inCurrent) return false
  switch (mover) {
    case "history":
      return true
    case "agent":
      return entry.lost
    case "person":
      return false
  }
}

/** Matches the other side's lines; of equal ones a person who folds their own lines into base means their own. */
function matchOther(entries: readonly WeaveEntry[], lines: readonly Line[], side: Side, mover: Mover): Match[] {
  const isOther = (entry: WeaveEntry): boolean => isIn(entry, otherOf(side))
  if (mover !== "person") return matchInOrder(entries, lines, isOther)
  const own = matchInOrder(entries, lines, entry => isOther(entry) && entry.author === "person")
  return matchBetween(entries, lines, own, isOther)
}

function matchInOrder(
  entries: readonly WeaveEntry[],
  lines: readonly Line[],
  eligible: (entry: WeaveEntry) => boolean,
): Match[] {
  if (lines.length === 0) return []
  const places: number[] = []
  for (const [at, entry] of entries.entries()) if (eligible(entry)) places.push(at)
  if (places.length === 0) return []
  const matches: Match[] = []
  const candidates = places.map(place => entries[place]?.line ?? "")
  let candidate = 0
  let line = 0
  const end: Hunk = {
    fromBase: candidates.length,
    toBase: candidates.length,
    fromCurrent: lines.length,
    toCurrent: lines.length,
  }
  for (const hunk of [...diffLines(candidates, lines).hunks, end]) {
    for (; candidate < hunk.fromBase; candidate++, line++) matches.push({ entry: places[candidate] ?? 0, line })
    candidate = hunk.toBase
    line = hunk.toCurrent
  }
  return matches
}

/** Adds matches between those already made, so that the whole stays in order. */
function matchBetween(
  entries: readonly WeaveEntry[],
  lines: readonly Line[],
  made: readonly Match[],
  eligible: (entry: WeaveEntry) => boolean,
): Match[] {
  const all: Match[] = []
  let last: Match = { entry: -1, line: -1 }
  for (const match of [...made, { entry: entries.length, line: lines.length }]) {
    const fromEntry = last.entry + 1
    const fromLine = last.line + 1
    for (const found of matchInOrder(
      entries.slice(fromEntry, match.entry),
      lines.slice(fromLine, match.line),
      eligible,
    ))
      all.push({ entry: found.entry + fromEntry, line: found.line + fromLine })
    if (match.entry < entries.length) all.push(match)
    last = match
  }
  return all
}

/**
 * Puts new lines among entries none of which stands on this side. A new line follows the line in whose place it came; one
 * that came in no line's place follows the lines just taken out before it, or stands first.
 */
function weaveIn(
  entries: readonly WeaveEntry[],
  justTaken: readonly boolean[],
  lines: readonly Line[],
  pass: Pass,
): WeaveEntry[] {
  if (lines.length === 0) return [...entries]
  const places: number[] = []
  for (const [at, just] of justTaken.entries()) if (just) places.push(at)
  const pairs = pairReplaced(
    places.map(place => entries[place]?.line ?? ""),
    lines,
  )
  const woven: WeaveEntry[] = []
  let at = 0
  let line = 0
  for (const pair of [...pairs, { old: places.length, now: lines.length }]) {
    const place = places[pair.old] ?? entries.length
    const insertAt = Math.max(at, (places[pair.old - 1] ?? -1) + 1)
    for (; at < insertAt; at++) push(woven, entries[at])
    for (; line < pair.now; line++) woven.push(newEntry(lines[line] ?? "", null, pass))
    for (; at < place; at++) push(woven, entries[at])
    const replaced = entries[place]
    if (replaced === undefined || pair.now >= lines.length) continue
    const successor = newEntry(lines[pair.now] ?? "", replaced, pass)
    // An agent that only reformats a person's line has not taken it out.
    woven.push(isPersons(successor) && replaced.lost ? { ...replaced, lost: false } : replaced, successor)
    at = place + 1
    line = pair.now + 1
  }
  for (; at < entries.length; at++) push(woven, entries[at])
  return woven
}

function newEntry(line: Line, replaced: WeaveEntry | null, pass: Pass): WeaveEntry {
  const entry = {
    ...authorship(line, replaced, pass),
    line,
    inBase: pass.side === "base",
    inCurrent: pass.side === "current",
    lost: false,
  }
  pass.fresh.add(entry)
  return entry
}

/** Whose a new line is, `replaced` being the line in whose place it came. */
function authorship(
  line: Line,
  replaced: WeaveEntry | null,
  { side, mover }: Pass,
): Pick<WeaveEntry, "author" | "original" | "removedBy"> {
  const own = { author: mover === "agent" ? "agent" : "person", original: null, removedBy: null } as const
  if (replaced === null) return own
  const { author, original: altered, removedBy } = replaced
  const same = sameButBlanks(line, replaced.line)
  // History writes no text, but a last line may lose or get its terminator.
  if (mover === "history") return same ? { author, original: altered, removedBy } : own
  if (side === "base") return same ? { ...own, author, removedBy } : own
  if (replaced.inBase) return own
  if (mover === "agent") return same && isPersons(replaced) ? { ...own, author, original: altered } : own
  if (author !== "agent") return own
  const original = altered ?? replaced.line
  return { ...own, author: "agent", original: sameButBlanks(line, original) ? null : original }
}

/**
 * Finds the new lines that were in the weave elsewhere: what the history brings back, as among equal lines a diff may choose
 * another one than it did on the way there, and lines that a person or an agent only moved. Each gets the author of the
 * nearest equal line that is gone; a line of the history that none is left for is whose its like is.
 */
function recognise(entries: readonly WeaveEntry[], pass: Pass): readonly WeaveEntry[] {
  const { mover, fresh } = pass
  const wanted = new Set(
    [...fresh].map(entry => contentOf(entry.line)).filter(line => mover === "history" || hasWords(line)),
  )
  if (wanted.size === 0) return entries
  const gone = placesOf(entries, wanted, entry => mayHaveMoved(entry, pass))
  const there =
    mover === "history" ? placesOf(entries, wanted, entry => !fresh.has(entry)) : new Map<string, number[]>()
  if (gone.size === 0 && there.size === 0) return entries
  const used = new Set<number>()
  const known = entries.map((entry, at) => {
    if (!fresh.has(entry)) return entry
    const place = takeNearest(gone.get(contentOf(entry.line)) ?? [], at)
    if (place !== undefined) used.add(place)
    const alike = entries[place ?? nearest(there.get(contentOf(entry.line)) ?? [], at) ?? -1]
    if (alike === undefined) return entry
    const { author, original, removedBy } = alike
    return { ...entry, author, original: place === undefined ? null : original, removedBy }
  })
  return used.size === 0 ? known : known.filter((_, at) => !used.has(at))
}

/**
 * Whether the line may be one that is there again elsewhere. What a person types is theirs, even if an agent once wrote the
 * same: only a line taken out in the same move was moved.
 */
function mayHaveMoved(entry: WeaveEntry, { mover, taken }: Pass): boolean {
  if (entry.inBase || entry.inCurrent) return false
  switch (mover) {
    case "history":
      return true
    case "agent":
      return entry.lost
    case "person":
      return taken.has(entry)
  }
}

function placesOf(
  entries: readonly WeaveEntry[],
  wanted: ReadonlySet<string>,
  eligible: (entry: WeaveEntry) => boolean,
): Map<string, number[]> {
  const places = new Map<string, number[]>()
  for (const [at, entry] of entries.entries()) {
    if (!eligible(entry)) continue
    const content = contentOf(entry.line)
    if (!wanted.has(content)) continue
    const known = places.get(content)
    if (known === undefined) places.set(content, [at])
    else known.push(at)
  }
  return places
}

function nearest(places: readonly number[], at: number): number | undefined {
  let best = places[0]
  for (const place of places) if (best === undefined || Math.abs(place - at) < Math.abs(best - at)) best = place
  return best
}

function takeNearest(places: number[], at: number): number | undefined {
  const place = nearest(places, at)
  if (place !== undefined) places.splice(places.indexOf(place), 1)
  return place
}

/** A bracket or a blank line may be there twice by chance; only with a word in it is an equal line the same one, moved. */
function hasWords(line: Line): boolean {
  return /[\p{L}\p{N}]/u.test(line)
}

/**
 * Makes one entry of a line that stands in base only and an equal one in current only, wherever nothing common stands between
 * them.
 */
function joinEqual(entries: readonly WeaveEntry[], pass: Pass): WeaveEntry[] {
  const joined: WeaveEntry[] = []
  let gap: WeaveEntry[] = []
  for (const entry of entries) {
    if (isCommon(entry)) {
      joinGap(joined, gap, pass)
      joined.push(entry)
      gap = []
    } else gap.push(entry)
  }
  joinGap(joined, gap, pass)
  return joined
}

function joinGap(joined: WeaveEntry[], gap: readonly WeaveEntry[], { fresh }: Pass): void {
  const olds: number[] = []
  const nows: number[] = []
  for (const [at, entry] of gap.entries()) {
    if (entry.inBase) olds.push(at)
    else if (entry.inCurrent) nows.push(at)
  }
  const known = new Set(olds.map(at => gap[at]?.line))
  if (!nows.some(at => known.has(gap[at]?.line))) {
    for (const entry of gap) joined.push(entry)
    return
  }
  // Old and new lines of a gap are bound to no order among each other, so a pair may meet at its new line's place.
  const matches = matchInOrder(
    olds.map(at => gap[at] ?? missing()),
    nows.map(at => gap[at]?.line ?? ""),
    () => true,
  )
  const others = [...gap.keys()].filter(at => !gap[at]?.inBase)
  let old = 0
  let other = 0
  /** Emits what stands before the old line and before the new one, by place. */
  const emitUntil = (endOld: number, endOther: number): void => {
    for (;;) {
      const nextOld = olds[old] ?? gap.length
      const nextOther = others[other] ?? gap.length
      if (nextOld < endOld && (nextOld < nextOther || nextOther >= endOther)) push(joined, gap[olds[old++] ?? 0])
      else if (nextOther < endOther) push(joined, gap[others[other++] ?? 0])
      else return
    }
  }
  for (const match of matches) {
    emitUntil(olds[match.entry] ?? 0, nows[match.line] ?? 0)
    const inBase = gap[olds[match.entry] ?? 0] ?? missing()
    const inCurrent = gap[nows[match.line] ?? 0] ?? missing()
    // One that this move put there is the other one, seen from the side it came to.
    joined.push({ ...(fresh.has(inBase) ? inCurrent : inBase), inBase: true, inCurrent: true, lost: false })
    old++
    other++
  }
  emitUntil(gap.length, gap.length)
}

function isCommon(entry: WeaveEntry | undefined): boolean {
  return entry !== undefined && entry.inBase && entry.inCurrent
}

function otherOf(side: Side): Side {
  return side === "base" ? "current" : "base"
}

function append(to: WeaveEntry[], from: readonly WeaveEntry[]): void {
  // Not push(...from): a spread of a very long file overflows the stack.
  for (const entry of from) to.push(entry)
}

function push(to: WeaveEntry[], entry: WeaveEntry | undefined): void {
  if (entry !== undefined) to.push(entry)
}

function missing(): never {
  throw new Error("BUG: a gap has no such entry")
}
