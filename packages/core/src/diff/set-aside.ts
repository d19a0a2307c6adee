import type { Marks, Symbols } from "./symbols.ts"

/** What is left to search: symbols and, for each, its line in the whole text. */
export interface Core {
  readonly a: Symbols
  readonly b: Symbols
  readonly lineOfA: Int32Array
  readonly lineOfB: Int32Array
}

/**
 * Cuts common ends off and marks lines that have no partner; also lines with very many partners (a blank line, a brace) that stand
 * between such. The latter can make a script longer by a few lines, and it is what keeps a rewritten stretch in one piece instead
 * of tearing it apart at every brace.
 */
export function setAside(base: Symbols, current: Symbols, marks: Marks): Core {
  const shorter = Math.min(base.length, current.length)
  let start = 0
  while (start < shorter && base[start] === current[start]) start++
  let tail = 0
  while (tail < shorter - start && base[base.length - 1 - tail] === current[current.length - 1 - tail]) tail++

  let symbols = 0
  for (const symbol of base) if (symbol >= symbols) symbols = symbol + 1
  for (const symbol of current) if (symbol >= symbols) symbols = symbol + 1
  const inBase = occurrences(base, symbols)
  const inCurrent = occurrences(current, symbols)
  const a = keepPromising(base, start, base.length - tail, inCurrent, marks.base)
  const b = keepPromising(current, start, current.length - tail, inBase, marks.current)
  return { a: a.symbols, b: b.symbols, lineOfA: a.lines, lineOfB: b.lines }
}

function occurrences(text: Symbols, symbols: number): Int32Array {
  const times = new Int32Array(symbols)
  for (const symbol of text) times[symbol] = (times[symbol] as number) + 1
  return times
}

const hopeless = 0
const promising = 1
const crowded = 2

function keepPromising(
  text: Symbols,
  start: number,
  end: number,
  inOther: Int32Array,
  marks: Uint8Array,
): { readonly symbols: Symbols; readonly lines: Int32Array } {
  const tooMany = Math.min(roughRoot(text.length), 1024)
  const grades = new Uint8Array(text.length)
  for (let line = start; line < end; line++) {
    const partners = inOther[text[line] as number] as number
    grades[line] = partners === 0 ? hopeless : partners >= tooMany ? crowded : promising
  }
  const symbols = new Int32Array(end - start)
  const lines = new Int32Array(end - start)
  let kept = 0
  for (let line = start; line < end; line++) {
    const grade = grades[line] as number
    if (grade === promising || (grade === crowded && !amongHopeless(grades, line, start, end))) {
      symbols[kept] = text[line] as number
      lines[kept] = line
      kept++
    } else marks[line] = 1
  }
  return { symbols: symbols.subarray(0, kept), lines: lines.subarray(0, kept) }
}

/** Whether a crowded line stands in a run where lines without partners are more than three times as many as crowded ones. */
function amongHopeless(grades: Uint8Array, line: number, start: number, end: number): boolean {
  const above = unpromisingRun(grades, line - 1, Math.max(start, line - 100), -1)
  if (above.hopeless === 0) return false
  const below = unpromisingRun(grades, line + 1, Math.min(end - 1, line + 100), 1)
  if (below.hopeless === 0) return false
  const crowdedLines = above.crowded + below.crowded + 2 // The line itself counts once for each direction.
  return crowdedLines * 4 < crowdedLines + above.hopeless + below.hopeless
}

/** Counts lines from `from` towards `last`, both included, up to the first promising one. */
function unpromisingRun(
  grades: Uint8Array,
  from: number,
  last: number,
  step: 1 | -1,
): { readonly hopeless: number; readonly crowded: number } {
  const run = { hopeless: 0, crowded: 0 }
  for (let at = from; at * step <= last * step && grades[at] !== promising; at += step) {
    if (grades[at] === hopeless) run.hopeless++
    else run.crowded++
  }
  return run
}

/** A power of two near the square root. */
export function roughRoot(value: number): number {
  let root = 1
  for (let rest = value; rest > 0; rest >>= 2) root *= 2
  return root
}
