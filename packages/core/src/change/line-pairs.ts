import { diffLines } from "../diff/line-diff.ts"
import { contentOf, type Line } from "../text/lines.ts"

/** An old line and the line that took its place; both are indices into the lists given. */
export interface LinePair {
  readonly old: number
  readonly now: number
}

/** Lines whose words agree by less than this share are two lines, not one that was altered. */
const alike = 0.5

/** Beyond this many cells the best pairing of a block is not searched; lines are then paired by place. */
const cellLimit = 4_000

/**
 * Pairs old lines with the new lines that took their places, in order on both sides.
 *
 * First lines that differ in blanks only (a formatter, another terminator), then, between those, the pairing in order with
 * the most words in common. What is left over on either side was removed or inserted.
 */
export function pairLines(old: readonly Line[], now: readonly Line[]): LinePair[] {
  if (old.length === 0 || now.length === 0) return []
  const pairs: LinePair[] = []
  let fromOld = 0
  let fromNow = 0
  for (const block of diffLines(old.map(withoutBlanks), now.map(withoutBlanks)).hunks) {
    while (fromOld < block.fromBase) pairs.push({ old: fromOld++, now: fromNow++ })
    pairs.push(...pairBlock(old, now, block.fromBase, block.toBase, block.fromCurrent, block.toCurrent))
    fromOld = block.toBase
    fromNow = block.toCurrent
  }
  while (fromOld < old.length) pairs.push({ old: fromOld++, now: fromNow++ })
  return pairs
}

/**
 * Pairs as {@link pairLines} does, then by place where a stretch between two pairs has as many old lines as new ones: somebody
 * who puts three lines in the place of three has altered them, whatever the words.
 */
export function pairReplaced(old: readonly Line[], now: readonly Line[]): LinePair[] {
  const pairs: LinePair[] = []
  let last: LinePair = { old: -1, now: -1 }
  for (const pair of [...pairLines(old, now), { old: old.length, now: now.length }]) {
    const between = pair.old - last.old
    if (between === pair.now - last.now)
      for (let at = 1; at < between; at++) pairs.push({ old: last.old + at, now: last.now + at })
    if (pair.old < old.length) pairs.push(pair)
    last = pair
  }
  return pairs
}

/** Whether two lines differ in blanks or terminator at most. */
export function sameButBlanks(a: Line, b: Line): boolean {
  return a === b || withoutBlanks(a) === withoutBlanks(b)
}

/** How much two lines have in common, from 0 to 1: words, or the ends of a line that was continued in place. */
export function likeness(a: Line, b: Line): number {
  return likenessOf(sketchOf(a), sketchOf(b))
}

interface Sketch {
  readonly text: string
  readonly words: readonly string[]
}

function pairBlock(
  old: readonly Line[],
  now: readonly Line[],
  fromOld: number,
  toOld: number,
  fromNow: number,
  toNow: number,
): LinePair[] {
  const rows = toOld - fromOld
  const columns = toNow - fromNow
  if (rows === 0 || columns === 0) return []
  const olds = old.slice(fromOld, toOld).map(sketchOf)
  const nows = now.slice(fromNow, toNow).map(sketchOf)
  const found = rows * columns > cellLimit ? pairByPlace(olds, nows) : pairBest(olds, nows)
  return found.map(pair => ({ old: pair.old + fromOld, now: pair.now + fromNow }))
}

function pairByPlace(old: readonly Sketch[], now: readonly Sketch[]): LinePair[] {
  if (old.length !== now.length) return []
  const pairs: LinePair[] = []
  for (const [at, sketch] of old.entries()) {
    const other = now[at]
    if (other !== undefined && likenessOf(sketch, other) >= alike) pairs.push({ old: at, now: at })
  }
  return pairs
}

/** The heaviest common subsequence, weights being likeness, by dynamic programming from the ends. */
function pairBest(old: readonly Sketch[], now: readonly Sketch[]): LinePair[] {
  const width = now.length + 1
  const best = new Float64Array((old.length + 1) * width)
  const weights = new Float64Array(old.length * now.length)
  const cell = (o: number, n: number): number => best[o * width + n] ?? 0
  const weight = (o: number, n: number): number => weights[o * now.length + n] ?? 0
  for (let o = old.length - 1; o >= 0; o--) {
    for (let n = now.length - 1; n >= 0; n--) {
      const mine = old[o]
      const other = now[n]
      const measured = mine === undefined || other === undefined ? 0 : likenessOf(mine, other)
      weights[o * now.length + n] = measured >= alike ? measured : 0
      const paired = measured >= alike ? measured + cell(o + 1, n + 1) : 0
      best[o * width + n] = Math.max(paired, cell(o + 1, n), cell(o, n + 1))
    }
  }
  const pairs: LinePair[] = []
  let o = 0
  let n = 0
  while (o < old.length && n < now.length) {
    if (weight(o, n) > 0 && cell(o, n) === weight(o, n) + cell(o + 1, n + 1)) pairs.push({ old: o++, now: n++ })
    else if (cell(o + 1, n) >= cell(o, n + 1)) o++
    else n++
  }
  return pairs
}

function sketchOf(line: Line): Sketch {
  const text = contentOf(line).trim()
  return { text, words: text.match(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [] }
}

function likenessOf(a: Sketch, b: Sketch): number {
  if (a.text === b.text) return 1
  if (a.text.length === 0 || b.text.length === 0) return 0
  const shorter = a.text.length < b.text.length ? a.text : b.text
  const longer = shorter === a.text ? b.text : a.text
  // "AGENT" → "AGENT (but see below)": continued in place. A lone bracket continues nothing.
  if (/[\p{L}\p{N}]/u.test(shorter) && (longer.startsWith(shorter) || longer.endsWith(shorter))) return 0.9
  return Math.max(sharedWords(a.words, b.words), sharedEnds(shorter, longer))
}

/** Sørensen–Dice over the words as bags. */
function sharedWords(a: readonly string[], b: readonly string[]): number {
  const counts = new Map<string, number>()
  for (const word of a) counts.set(word, (counts.get(word) ?? 0) + 1)
  let shared = 0
  for (const word of b) {
    const left = counts.get(word) ?? 0
    if (left > 0) shared++
    counts.set(word, left - 1)
  }
  return (2 * shared) / (a.length + b.length)
}

function sharedEnds(shorter: string, longer: string): number {
  let head = 0
  while (head < shorter.length && shorter[head] === longer[head]) head++
  let tail = 0
  while (tail < shorter.length - head && shorter[shorter.length - 1 - tail] === longer[longer.length - 1 - tail]) tail++
  return (head + tail) / longer.length
}

function withoutBlanks(line: Line): string {
  return line.replace(/\s+/g, "")
}
