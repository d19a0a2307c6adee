import { splitLines } from "../text/lines.ts"

/**
 * The line, from 1, where the text comes nearest to `wanted` taken as a block of lines; null if nothing is alike.
 *
 * First lines that are equal but for blanks at their ends vote for the place of the block, long ones more. If none are
 * equal, the longest lines of `wanted` are compared with every line by their trigrams (Dice's coefficient). Both are single
 * passes whatever the texts hold.
 */
export function nearestLine(text: string, wanted: string): number | null {
  const block = splitLines(wanted.slice(0, comparedLines * comparedUnits))
    .slice(0, comparedLines)
    .map(line => line.slice(0, comparedUnits).trim())
  return byEqualLines(text, block) ?? byTrigrams(text, block)
}

const comparedLines = 200
const comparedUnits = 500
/** Units that equal lines must have together: a lone brace says nothing. */
const leastVotes = 4
const leastAlike = 0.45

/** Calls `visit` with the edges of each line, blanks at both ends left off and no more than `comparedUnits`; blank lines are passed over. */
function eachLine(text: string, visit: (from: number, to: number, line: number) => void): void {
  let start = 0
  for (let line = 0; start < text.length; line++) {
    const newline = text.indexOf("\n", start)
    const end = newline < 0 ? text.length : newline
    let from = start
    while (from < end && text.charCodeAt(from) <= 0x20) from++
    let to = Math.min(end, from + comparedUnits)
    while (to > from && text.charCodeAt(to - 1) <= 0x20) to--
    if (to > from) visit(from, to, line)
    start = end + 1
  }
}

function byEqualLines(text: string, block: readonly string[]): number | null {
  const places = new Map<string, number[]>()
  for (const [at, line] of block.entries())
    if (line !== "") {
      const known = places.get(line)
      if (known === undefined) places.set(line, [at])
      // A line that the block repeats votes for few places: the cost stays that of one pass.
      else if (known.length < 4) known.push(at)
    }
  const lengths = new Set([...places.keys()].map(line => line.length))
  const votes = new Map<number, number>()
  eachLine(text, (from, to, line) => {
    if (!lengths.has(to - from)) return
    for (const place of places.get(text.slice(from, to)) ?? [])
      votes.set(line - place, (votes.get(line - place) ?? 0) + Math.min(to - from, 40))
  })
  let best: number | null = null
  let most = leastVotes - 1
  for (const [start, count] of votes)
    if (count > most) {
      best = start
      most = count
    }
  return best === null ? null : Math.max(best, 0) + 1
}

function byTrigrams(text: string, block: readonly string[]): number | null {
  const longest = [...new Map(block.map((line, at) => [line, at]))]
    .filter(([line]) => line.length >= 3)
    .toSorted(([a], [b]) => b.length - a.length)
    .slice(0, 3)
  let best: number | null = null
  let most = leastAlike
  for (const [wanted, place] of longest) {
    const known = new Uint8Array(tableSize)
    for (let at = 0; at + 2 < wanted.length; at++) known[trigram(wanted, at)] = 1
    eachLine(text, (from, to, line) => {
      // Dice's coefficient of two lengths that differ much cannot be large.
      const own = to - from - 2
      const length = wanted.length - 2
      if (own < 1 || (2 * Math.min(own, length)) / (own + length) <= most) return
      let hits = 0
      for (let at = from; at + 2 < to; at++) hits += known[trigram(text, at)] ?? 0
      const alike = (2 * Math.min(hits, length)) / (own + length)
      if (alike <= most) return
      best = Math.max(line - place, 0) + 1
      most = alike
    })
  }
  return best
}

/** A power of two; trigrams that share a place are taken for equal. */
const tableSize = 1 << 16

function trigram(text: string, at: number): number {
  return (text.charCodeAt(at) * 961 + text.charCodeAt(at + 1) * 31 + text.charCodeAt(at + 2)) & (tableSize - 1)
}
