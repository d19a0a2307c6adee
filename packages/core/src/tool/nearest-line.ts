import { splitLines } from "../text/lines.ts"

/**
 * The line, from 1, where the text comes nearest to `wanted` taken as a block of lines; null if nothing is alike.
 *
 * First lines that are equal but for blanks at their ends vote for the place of the block, long ones more. If none are
 * equal, the longest lines of `wanted` are compared with every line by their trigrams (Dice's coefficient). Both are single
 * passes whatever the texts hold.
 */
export function nearestLine(text: string, wanted: string): number | null {
  const lines = splitLines(text)
  const block = splitLines(wanted)
    .slice(0, comparedLines)
    .map(line => line.slice(0, comparedUnits).trim())
  return byEqualLines(lines, block) ?? byTrigrams(lines, block)
}

const comparedLines = 200
const comparedUnits = 500
/** Units that equal lines must have together: a lone brace says nothing. */
const leastVotes = 4
const leastAlike = 0.45

function byEqualLines(lines: readonly string[], block: readonly string[]): number | null {
  const places = new Map<string, number[]>()
  for (const [at, line] of block.entries())
    if (line !== "") {
      const known = places.get(line)
      if (known === undefined) places.set(line, [at])
      // A line that the block repeats votes for few places: the cost stays that of one pass.
      else if (known.length < 4) known.push(at)
    }
  const votes = new Map<number, number>()
  for (const [at, line] of lines.entries()) {
    const key = line.length > 2 * comparedUnits ? line.slice(0, comparedUnits).trim() : line.trim()
    for (const place of places.get(key) ?? [])
      votes.set(at - place, (votes.get(at - place) ?? 0) + Math.min(key.length, 40))
  }
  let best: number | null = null
  let most = leastVotes - 1
  for (const [start, count] of votes)
    if (count > most) {
      best = start
      most = count
    }
  return best === null ? null : Math.max(best, 0) + 1
}

function byTrigrams(lines: readonly string[], block: readonly string[]): number | null {
  const longest = [...block.entries()].toSorted(([, a], [, b]) => b.length - a.length).slice(0, 3)
  let best: number | null = null
  let most = leastAlike
  for (const [place, line] of longest) {
    if (line.length < 3) continue
    const known = new Uint8Array(tableSize)
    for (let at = 0; at + 2 < line.length; at++) known[trigram(line, at)] = 1
    for (const [at, other] of lines.entries()) {
      const alike = likeness(other, known, line.length - 2)
      if (alike > most) {
        best = Math.max(at - place, 0) + 1
        most = alike
      }
    }
  }
  return best
}

/** A power of two; trigrams that share a place are taken for equal. */
const tableSize = 1 << 16

function trigram(text: string, at: number): number {
  return (text.charCodeAt(at) * 961 + text.charCodeAt(at + 1) * 31 + text.charCodeAt(at + 2)) & (tableSize - 1)
}

function likeness(line: string, known: Uint8Array, wanted: number): number {
  let from = 0
  while (from < line.length && line.charCodeAt(from) <= 0x20) from++
  const to = Math.min(line.trimEnd().length, from + 4 * comparedUnits)
  const own = to - from - 2
  if (own < 1) return 0
  let hits = 0
  for (let at = from; at + 2 < to; at++) hits += known[trigram(line, at)] ?? 0
  return (2 * Math.min(hits, wanted)) / (own + wanted)
}
