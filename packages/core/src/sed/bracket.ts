import { type CharSet, charSet, complement, union } from "./charset.ts"
import { classOf, isClassName } from "./ctype.ts"
import { Declined } from "./outcome.ts"

/**
 * Ranges by what a language's order of characters does to them: `letters` lie inside `0-9`, `A-Z` or `a-z` and are the same among
 * ASCII characters everywhere, though `[a-z]` holds an é in en_US.UTF-8; `other` (`[A-z]`, `[+--]`) may be anything or refused.
 */
export type Ranges = "none" | "letters" | "other"

/** The ranges of two parts of a pattern together. */
export function worse(a: Ranges, b: Ranges): Ranges {
  return a === "other" || b === "none" ? a : b
}

/** A bracket expression such as `[^]a-z[:alpha:]]`. */
export interface Bracket {
  readonly set: CharSet
  /** Whether glibc can match it byte by byte in UTF-8; see `Pattern.bytewise`. */
  readonly bytewise: boolean
  readonly ranges: Ranges
  /** Index in the pattern just past the closing bracket. */
  readonly end: number
}

interface Item {
  readonly set: CharSet
  /** The code point, if the item is a single character and may bound a range. */
  readonly point: number | undefined
  readonly end: number
}

/**
 * Parses the bracket expression that opens at `from`.
 *
 * A backslash is an ordinary character, except that GNU sed has put control characters in place of `\n`, `\t` and the like
 * before the pattern is parsed. Collating elements are declined, and ranges that end above ASCII, which sed refuses.
 */
export function parseBracket(source: string, from: number): Bracket {
  let at = from + 1
  const negated = source[at] === "^"
  if (negated) at++
  const opened = at
  let set: CharSet = []
  let bytewise = !negated
  let ranges: Ranges = "none"
  while (at === opened || source[at] !== "]") {
    const item = itemAt(source, at)
    at = item.end
    if (source[at] === "-" && source[at + 1] !== "]") {
      const last = itemAt(source, at + 1)
      at = last.end
      const range = rangeOf(item.point, last.point)
      set = union(set, range)
      ranges = worse(ranges, sameAlphabet(range) ? "letters" : "other")
      bytewise = false
    } else {
      set = union(set, item.set)
      if (item.point === undefined || item.point > 0x7f) bytewise = false
    }
  }
  const content = source.slice(opened, at)
  if (content.startsWith(":") && content.endsWith(":")) {
    throw new Declined(
      "pattern",
      "sed would refuse the pattern: a class is written [:name:] without its outer brackets.",
    )
  }
  return { set: negated ? complement(set) : set, bytewise, ranges, end: at + 1 }
}

function itemAt(source: string, at: number): Item {
  const point = source.codePointAt(at)
  if (point === undefined) throw new Declined("pattern", "sed would refuse the pattern: a bracket is not closed.")
  const next = source[at + 1]
  if (point === 0x5b && (next === "." || next === "=" || next === ":")) return classAt(source, at, next)
  if (point === 0x5c && next !== undefined) {
    const control = bracketEscapes[next]
    if (control !== undefined) return single(control, at + 2)
    if (/[cdox]/.test(next)) throw new Declined("pattern", `The escape \\${next} in a bracket is not simulated.`)
    // A pair stays a pair, so the second backslash does not begin an escape.
    if (next === "\\") return single(0x5c, at + 2)
  }
  return single(point, at + (point > 0xffff ? 2 : 1))
}

const bracketEscapes: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 }

function single(point: number, end: number): Item {
  return { set: charSet(point), point, end }
}

function classAt(source: string, at: number, delimiter: string): Item {
  const close = source.indexOf(`${delimiter}]`, at + 2)
  const name = source.slice(at + 2, Math.max(close, at + 2))
  if (close < 0 || delimiter !== ":" || !isClassName(name)) {
    throw new Declined("pattern", "The pattern has a collating element or an unknown character class.")
  }
  return { set: classOf(name), point: undefined, end: close + 2 }
}

function rangeOf(first: number | undefined, last: number | undefined): CharSet {
  if (first === undefined || last === undefined || last < first) {
    throw new Declined("pattern", "sed would refuse the pattern: a range ends before it begins.")
  }
  if (last > 0x7f) throw new Declined("pattern", "The pattern has a range of characters outside ASCII.")
  return [first, last]
}

function sameAlphabet(range: CharSet): boolean {
  const [first = 0, last = 0] = range
  return [0x30, 0x41, 0x61].some(from => first >= from && last <= from + (from === 0x30 ? 9 : 25))
}
