import type { CharSet } from "./charset.ts"
import { Declined } from "./outcome.ts"

/**
 * Code points sorted into the classes that a pattern can tell apart. Class 0 is the end of the line; the others count from 1.
 */
export interface Alphabet {
  /** How many classes there are, the end of line included. */
  readonly size: number
  /** Class of a UTF-16 unit; `highSurrogate` for the first half of a pair. */
  readonly ofUnit: Uint8Array
  /** First code points of the runs above the basic plane, ascending, and their classes. */
  readonly astralFrom: readonly number[]
  readonly astralClass: readonly number[]
  /** For each set, in the order given: 1 where it holds the class. */
  readonly members: readonly Uint8Array[]
}

export const highSurrogate = 255

/** Sorts all code points by which of the sets they are in. */
export function alphabetOf(sets: readonly CharSet[]): Alphabet {
  const starts = new Set<number>([0, 0x10000])
  for (const set of sets) {
    for (let at = 0; at < set.length; at += 2) {
      starts.add(set[at] ?? 0)
      starts.add((set[at + 1] ?? 0) + 1)
    }
  }
  const sorted = [...starts].filter(point => point <= 0x10ffff).sort((a, b) => a - b)
  const cursors = sets.map(() => 0)
  const classes = new Map<string, number>()
  const signatures: string[] = []
  const ofUnit = new Uint8Array(0x10000)
  const astralFrom: number[] = []
  const astralClass: number[] = []
  sorted.forEach((from, index) => {
    let signature = ""
    for (const [which, set] of sets.entries()) {
      let at = cursors[which] ?? 0
      while (at < set.length && (set[at + 1] ?? 0) < from) at += 2
      cursors[which] = at
      signature += at < set.length && (set[at] ?? 0) <= from ? "1" : "0"
    }
    let number = classes.get(signature)
    if (number === undefined) {
      number = signatures.push(signature)
      classes.set(signature, number)
    }
    if (number >= highSurrogate) throw new Declined("pattern", "The pattern tells too many kinds of characters apart.")
    if (from < 0x10000) ofUnit.fill(number, from, sorted[index + 1] ?? 0x10000)
    else {
      astralFrom.push(from)
      astralClass.push(number)
    }
  })
  ofUnit.fill(highSurrogate, 0xd800, 0xdc00)
  const members = sets.map((_, which) =>
    Uint8Array.from(["0", ...signatures.map(signature => signature[which] ?? "0")], Number),
  )
  return { size: signatures.length + 1, ofUnit, astralFrom, astralClass, members }
}

/** Class of a code point above the basic plane. */
export function astralClassOf(alphabet: Alphabet, point: number): number {
  const { astralFrom, astralClass } = alphabet
  let low = 0
  let high = astralFrom.length
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((astralFrom[middle] ?? 0) <= point) low = middle
    else high = middle
  }
  return astralClass[low] ?? 1
}
