import type { Hunk } from "../diff/hunk.ts"
import type { Line } from "../text/lines.ts"

export interface IdentifiedHunk {
  readonly hunk: Hunk
  /** `h` and seven digits of base 36. Not the hunk's number, which is its place at one revision. */
  readonly id: string
}

/**
 * Gives every hunk a name that holds while the hunk does: it is made of the old and the new lines, of the unchanged lines
 * directly above and below, and of which place it is among how many that are the same in all that.
 *
 * The lines above and below are always unchanged ones (hunks are maximal runs), so no growth or decision of a neighbour reaches
 * them; a person's new line there does. Places are counted so that a decided one still counts, where it leaves a trace: deciding
 * one of several equal hunks then renames none. Rejecting one of several equal insertions, or accepting one of several
 * equal removals, leaves none, and renames the others. A name is never handed on: the number of places is part of it.
 */
export function identifyHunks(
  base: readonly Line[],
  current: readonly Line[],
  hunks: readonly Hunk[],
): readonly IdentifiedHunk[] {
  const shapes = hunks.map(hunk => shapeOf(base, current, hunk))
  const places = { base: findPlaces(base, shapes, "base"), current: findPlaces(current, shapes, "current") }
  const used = new Set<string>()
  return shapes.map(({ key, countedIn, from, hunk }) => {
    const all = places[countedIn].get(key) ?? []
    const named = `${key}${countBelow(all, from)}/${all.length}`
    let id = `h${shortHash(named)}`
    // Two different hunks with equal hashes: one in 10⁷ for a hundred hunks.
    while (used.has(id)) id = `h${shortHash(`${id}${named}`)}`
    used.add(id)
    return { hunk, id }
  })
}

/** The hunk of that name, or undefined: it was decided or changed, and none is guessed. */
export function findHunk(identified: readonly IdentifiedHunk[], id: string): Hunk | undefined {
  return identified.find(one => one.id === id)?.hunk
}

interface Shape {
  readonly hunk: Hunk
  /** Equal for hunks with the same text between the same lines. */
  readonly key: string
  /** The text in which most decisions leave a trace of the hunk: for a removal base, else current. */
  readonly countedIn: "base" | "current"
  /** The line above the hunk in that text. */
  readonly from: number
  /** How the place reads there: as it does now and, of a replacement, once it is rejected. */
  readonly readings: readonly (readonly Line[])[]
}

/** Stands for the line above the first and below the last; no line holds a NUL behind its terminator. */
const edge = "\n\u0000"

function shapeOf(base: readonly Line[], current: readonly Line[], hunk: Hunk): Shape {
  const above = current[hunk.fromCurrent - 1] ?? edge
  const below = current[hunk.toCurrent] ?? edge
  const old = base.slice(hunk.fromBase, hunk.toBase)
  const now = current.slice(hunk.fromCurrent, hunk.toCurrent)
  const key = [[above], old, now, [below]].map(keyOf).join("")
  const oldReading = [above, ...old, below]
  const newReading = [above, ...now, below]
  if (now.length === 0) return { hunk, key, countedIn: "base", from: hunk.fromBase - 1, readings: [oldReading] }
  const readings = old.length === 0 ? [newReading] : [newReading, oldReading]
  return { hunk, key, countedIn: "current", from: hunk.fromCurrent - 1, readings }
}

function keyOf(lines: readonly Line[]): string {
  return `${lines.length}:${lines.map(line => `${line.length}:${line}`).join("")}`
}

/** By key, the lines of the text (−1 for the edge above) at which a reading of its hunks begins, ascending. */
function findPlaces(
  text: readonly Line[],
  shapes: readonly Shape[],
  countedIn: "base" | "current",
): ReadonlyMap<string, readonly number[]> {
  const distinct = new Map(shapes.filter(shape => shape.countedIn === countedIn).map(shape => [shape.key, shape]))
  const wanted = new Map<Line, number[]>()
  for (const shape of distinct.values())
    for (const reading of shape.readings) for (const line of reading) wanted.set(line, [])
  const lineAt = (at: number): Line => text[at] ?? edge
  for (let at = -1; at <= text.length; at++) wanted.get(lineAt(at))?.push(at)

  const places = new Map<string, readonly number[]>()
  for (const [key, shape] of distinct) {
    const starts = new Set<number>()
    for (const reading of shape.readings) {
      // Only where the rarest of its lines is can the reading be.
      let rarest = 0
      const rarity = (at: number): number => wanted.get(reading[at] ?? edge)?.length ?? 0
      for (let at = 1; at < reading.length; at++) if (rarity(at) < rarity(rarest)) rarest = at
      for (const place of wanted.get(reading[rarest] ?? edge) ?? []) {
        const start = place - rarest
        if (start >= -1 && reading.every((line, offset) => lineAt(start + offset) === line)) starts.add(start)
      }
    }
    places.set(
      key,
      [...starts].sort((a, b) => a - b),
    )
  }
  return places
}

/** How many of the ascending numbers are below the limit. */
function countBelow(numbers: readonly number[], limit: number): number {
  let from = 0
  let to = numbers.length
  while (from < to) {
    const middle = (from + to) >> 1
    if ((numbers[middle] ?? limit) < limit) from = middle + 1
    else to = middle
  }
  return from
}

/** 36 bits of two FNV-1a lanes with murmur3's finish, as seven digits of base 36. Names, not security. */
export function shortHash(text: string): string {
  let a = 0x811c9dc5
  let b = 0x9747b28c
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    a = Math.imul(a ^ unit, 0x01000193)
    b = Math.imul(b ^ unit, 0x85ebca6b) ^ (b >>> 13)
  }
  a = finish(a ^ (b >>> 7))
  b = finish(b ^ text.length)
  return ((a >>> 0) * 16 + (b >>> 28)).toString(36).padStart(7, "0").slice(-7)
}

function finish(lane: number): number {
  let mixed = Math.imul(lane ^ (lane >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}
