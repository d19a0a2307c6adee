import type { Hunk } from "../diff/hunk.ts"
import { diffLines } from "../diff/line-diff.ts"
import { contentOf, type Line } from "../text/lines.ts"
import { isIn, type Mover, otherOf, type Pass, type Side, type WeaveEntry } from "./weave-entry.ts"

/** A place of the stretch that an inserted line takes over: the line was there, on the other side or formerly. */
export interface Match {
  readonly entry: number
  readonly line: number
}

/** Matches the other side's lines; of equal ones a person who folds their own lines into base means their own. */
export function matchOther(entries: readonly WeaveEntry[], lines: readonly Line[], side: Side, mover: Mover): Match[] {
  const isOther = (entry: WeaveEntry): boolean => isIn(entry, otherOf(side))
  if (mover !== "person") return matchInOrder(entries, lines, isOther)
  const own = matchInOrder(entries, lines, entry => isOther(entry) && entry.author === "person")
  return matchBetween(entries, lines, own, isOther)
}

/** The most lines, in order, that equal eligible entries. */
export function matchInOrder(
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
export function matchBetween(
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

/** Which former lines an equal new line is: for a person none, as what they type is theirs even if an agent once wrote it. */
export function mayReturn(entry: WeaveEntry, mover: Mover): boolean {
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

/**
 * Finds the new lines that were in the weave elsewhere: what the history brings back, as among equal lines a diff may choose
 * another one than it did on the way there, and lines that a person or an agent only moved. Each gets the author of the
 * nearest equal line that is gone; a line of the history that none is left for is whose its like is.
 */
export function recognise(entries: readonly WeaveEntry[], pass: Pass): readonly WeaveEntry[] {
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
