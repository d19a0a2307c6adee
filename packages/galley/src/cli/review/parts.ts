import { pairLines } from "@galley/core/change/line-pairs.ts"
import type { Selection } from "@galley/core/protocol/requests.ts"
import { contentOf, type Line } from "@galley/core/text/lines.ts"
import type { Place } from "./spots.ts"

/**
 * Splits a hunk into groups of lines that can be decided one by one: an old line and what took its place, and what was put or taken
 * between those; long insertions and removals at their blank lines, or else line by line.
 */
export function partsOf(base: readonly Line[], current: readonly Line[], place: Place): readonly Place[] {
  const old = base.slice(place.fromBase, place.toBase)
  const now = current.slice(place.fromCurrent, place.toCurrent)
  const parts: Place[] = []
  const add = (fromOld: number, toOld: number, fromNow: number, toNow: number): void => {
    if (fromOld === toOld && fromNow === toNow) return
    parts.push({
      fromBase: place.fromBase + fromOld,
      toBase: place.fromBase + toOld,
      fromCurrent: place.fromCurrent + fromNow,
      toCurrent: place.fromCurrent + toNow,
    })
  }
  let last = { old: -1, now: -1 }
  for (const pair of [...pairLines(old, now), { old: old.length, now: now.length }]) {
    const removed = paragraphs(old, last.old + 1, pair.old)
    const added = paragraphs(now, last.now + 1, pair.now)
    if (removed.length > 0 && added.length > 0) add(last.old + 1, pair.old, last.now + 1, pair.now)
    else {
      for (const [from, to] of removed) add(from, to, last.now + 1, last.now + 1)
      for (const [from, to] of added) add(last.old + 1, last.old + 1, from, to)
    }
    if (pair.old < old.length) add(pair.old, pair.old + 1, pair.now, pair.now + 1)
    last = pair
  }
  if (parts.length > 1) return parts
  return byLine(place)
}

/** What `accept` and `reject` take for some lines of a hunk: counted from 1, both ends included. */
export function linesOfPlace(place: Place): NonNullable<Selection["lines"]> {
  const range = (from: number, to: number) => ({ from: from + 1, to })
  return {
    ...(place.toBase > place.fromBase ? { old: range(place.fromBase, place.toBase) } : {}),
    ...(place.toCurrent > place.fromCurrent ? { new: range(place.fromCurrent, place.toCurrent) } : {}),
  }
}

/** Rows `from` to `to` (both included) of a hunk as it is shown, removed lines first, then added ones. */
export function placeOfRows(place: Place, from: number, to: number): Place {
  const removed = place.toBase - place.fromBase
  const clamp = (value: number, most: number): number => Math.max(0, Math.min(value, most))
  const added = place.toCurrent - place.fromCurrent
  return {
    fromBase: place.fromBase + clamp(from, removed),
    toBase: place.fromBase + clamp(to + 1, removed),
    fromCurrent: place.fromCurrent + clamp(from - removed, added),
    toCurrent: place.fromCurrent + clamp(to + 1 - removed, added),
  }
}

/** Ranges between blank lines; a blank line ends the range that it stands in. */
function paragraphs(lines: readonly Line[], from: number, to: number): [number, number][] {
  const found: [number, number][] = []
  let start = from
  for (let at = from; at < to; at++) {
    const ends = at + 1 === to || (isBlank(lines[at]) && !isBlank(lines[at + 1]))
    if (!ends) continue
    found.push([start, at + 1])
    start = at + 1
  }
  return found
}

function isBlank(line: Line | undefined): boolean {
  return line !== undefined && contentOf(line).trim() === ""
}

function byLine(place: Place): Place[] {
  const { fromBase, toBase, fromCurrent, toCurrent } = place
  const count = Math.max(toBase - fromBase, toCurrent - fromCurrent)
  return Array.from({ length: count }, (_, at) => ({
    fromBase: Math.min(fromBase + at, toBase),
    toBase: Math.min(fromBase + at + 1, toBase),
    fromCurrent: Math.min(fromCurrent + at, toCurrent),
    toCurrent: Math.min(fromCurrent + at + 1, toCurrent),
  }))
}
