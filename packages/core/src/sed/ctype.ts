import { type CharSet, charSet, union } from "./charset.ts"
import { classRanges, lowerRuns, upperRuns } from "./ctype-table.ts"

/**
 * The C library's character classes and case mappings. JavaScript's own (`\p{Alphabetic}`, `toUpperCase`) differ in some
 * 14,000 and 157 code points, so they are never asked.
 */
export type ClassName = keyof typeof classRanges

export function isClassName(name: string): name is ClassName {
  return Object.hasOwn(classRanges, name)
}

export function classOf(name: ClassName): CharSet {
  const numbers = decode(classRanges[name])
  const out: number[] = []
  let end = 0
  for (let at = 0; at < numbers.length; at += 2) {
    const from = end + (numbers[at] ?? 0)
    end = from + (numbers[at + 1] ?? 0)
    out.push(from, end)
  }
  return out
}

/** What `\w` matches and what the word anchors look at. */
export function wordChars(): CharSet {
  return union(classOf("alnum"), charSet(0x5f))
}

/** Maps a code point to its simple upper or lower case; absent means itself. */
export type CaseMap = ReadonlyMap<number, number>

export function caseMap(to: "upper" | "lower"): CaseMap {
  const numbers = decode(to === "upper" ? upperRuns : lowerRuns)
  const map = new Map<number, number>()
  let end = 0
  for (let at = 0; at < numbers.length; at += 4) {
    const [gap = 0, more = 0, stride = 1, distance = 0] = numbers.slice(at, at + 4)
    const from = end + gap
    end = from + more * stride
    for (let point = from; point <= end; point += stride) map.set(point, point + distance)
  }
  return map
}

function decode(text: string): number[] {
  return text.split(" ").map(word => Number.parseInt(word, 36))
}
