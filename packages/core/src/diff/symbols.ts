import type { Line } from "../text/lines.ts"

/** A text as numbers: equal lines have equal numbers. */
export type Symbols = Int32Array

/** One flag per line, 1 for changed. One longer than the text: the last flag is always 0. */
export interface Marks {
  readonly base: Uint8Array
  readonly current: Uint8Array
}

/** Gives equal lines equal numbers, counting from 0, over all texts together. */
export function internLines(texts: readonly (readonly Line[])[]): Symbols[] {
  const known = new Map<Line, number>()
  const [first = [], ...others] = texts
  const symbols = new Int32Array(first.length)
  /** By symbol: its line in the first text, -1 where there are several. */
  const lineOf = new Int32Array(first.length)
  for (let at = 0; at < first.length; at++) {
    const line = first[at] ?? ""
    const symbol = known.get(line)
    lineOf[symbol ?? known.size] = symbol === undefined ? at : -1
    symbols[at] = symbol ?? known.size
    if (symbol === undefined) known.set(line, known.size)
  }
  return [symbols, ...others.map(lines => internLike(lines, first, symbols, lineOf, known))]
}

/** Walks along the first text, so that most lines cost a comparison and no look-up. */
function internLike(
  lines: readonly Line[],
  first: readonly Line[],
  firstSymbols: Symbols,
  lineOf: Int32Array,
  known: Map<Line, number>,
): Symbols {
  const symbols = new Int32Array(lines.length)
  let next = 0
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ""
    if (next < first.length && first[next] === line) {
      symbols[at] = firstSymbols[next++] as number
      continue
    }
    const symbol = known.get(line) ?? known.size
    if (symbol === known.size) known.set(line, symbol)
    else if ((lineOf[symbol] ?? -1) >= 0) next = (lineOf[symbol] as number) + 1
    symbols[at] = symbol
  }
  return symbols
}
