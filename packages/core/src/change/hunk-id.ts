import type { Hunk } from "../diff/hunk.ts"
import type { Line } from "../text/lines.ts"

export interface IdentifiedHunk {
  readonly hunk: Hunk
  /** `h` and seven digits of base 36. Not the hunk's number, which is its place at one revision. */
  readonly id: string
}

/**
 * Gives every hunk a name that holds while the hunk does: it is made of the old and the new lines, of the unchanged lines
 * directly above and below, and, where another place is the same in all that, of how many such places come before.
 *
 * The lines above and below are always unchanged ones (hunks are maximal runs), so no growth or decision of a neighbour reaches
 * them. Places are counted in current, and a place counts with the new lines as with the old ones, so that deciding one of
 * several equal hunks neither renames the others nor hands its name on: a name that was used means nothing else.
 */
export function identifyHunks(
  base: readonly Line[],
  current: readonly Line[],
  hunks: readonly Hunk[],
): readonly IdentifiedHunk[] {
  const shapes = hunks.map(hunk => shapeOf(base, current, hunk))
  const starts = findPlaces(current, shapes)
  const used = new Set<string>()
  return hunks.map((hunk, at) => {
    const shape = shapes[at]
    if (shape === undefined) throw new Error("BUG: every hunk has a shape")
    const before = (starts.get(shape.key) ?? []).filter(start => start < hunk.fromCurrent - 1).length
    let id = `h${shortHash(`${shape.key}${before}`)}`
    // Two different hunks with equal hashes: one in 10⁸ for a hundred hunks.
    while (used.has(id)) id = `h${shortHash(`${id}${shape.key}`)}`
    used.add(id)
    return { hunk, id }
  })
}

/** The hunk of that name, or undefined: it was decided or changed, and none is guessed. */
export function findHunk(identified: readonly IdentifiedHunk[], id: string): Hunk | undefined {
  return identified.find(one => one.id === id)?.hunk
}

interface Shape {
  /** Equal for hunks with the same text between the same lines. */
  readonly key: string
  /** How the place reads in current while the hunk is pending or accepted, and once it is rejected. */
  readonly readings: readonly (readonly Line[])[]
}

/** Stands for the line above the first and below the last; no line holds a NUL behind its terminator. */
const edge = "\n\u0000"

function shapeOf(base: readonly Line[], current: readonly Line[], hunk: Hunk): Shape {
  const above = current[hunk.fromCurrent - 1] ?? edge
  const below = current[hunk.toCurrent] ?? edge
  const old = base.slice(hunk.fromBase, hunk.toBase)
  const now = current.slice(hunk.fromCurrent, hunk.toCurrent)
  return {
    key: [[above], old, now, [below]]
      .map(lines => `${lines.length}:${lines.map(line => `${line.length}:${line}`).join("")}`)
      .join(""),
    readings: [
      [above, ...now, below],
      [above, ...old, below],
    ],
  }
}

/** For every key, the lines of current (−1 for the edge above) at which a reading of its hunks begins. */
function findPlaces(current: readonly Line[], shapes: readonly Shape[]): ReadonlyMap<string, readonly number[]> {
  const distinct = new Map(shapes.map(shape => [shape.key, shape]))
  const wanted = new Map<Line, number[]>()
  for (const shape of distinct.values())
    for (const reading of shape.readings) for (const line of reading) wanted.set(line, [])
  const lineAt = (at: number): Line => (at < 0 || at >= current.length ? edge : (current[at] ?? edge))
  for (let at = -1; at <= current.length; at++) wanted.get(lineAt(at))?.push(at)

  const places = new Map<string, readonly number[]>()
  for (const [key, shape] of distinct) {
    const starts = new Set<number>()
    for (const reading of shape.readings) {
      // Only the rarest line's places can be the reading's.
      let rarest = 0
      const rarity = (at: number): number => wanted.get(reading[at] ?? edge)?.length ?? 0
      for (let at = 1; at < reading.length; at++) if (rarity(at) < rarity(rarest)) rarest = at
      for (const place of wanted.get(reading[rarest] ?? edge) ?? []) {
        const start = place - rarest
        if (start >= -1 && reading.every((line, offset) => lineAt(start + offset) === line)) starts.add(start)
      }
    }
    places.set(key, [...starts])
  }
  return places
}

/** 36 bits of two FNV-1a lanes with murmur3's finish, as seven digits of base 36. Names, not security. */
function shortHash(text: string): string {
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
