/**
 * A set of code points: inclusive ranges, alternately first and last, ascending and never touching.
 *
 * A newline is in no line, so whether a set contains it never matters.
 */
export type CharSet = readonly number[]

export const lastCodePoint = 0x10ffff

export const anyChar: CharSet = [0, lastCodePoint]

export function charSet(...points: readonly number[]): CharSet {
  return points.map(point => [point, point]).reduce<CharSet>(union, [])
}

export function union(a: CharSet, b: CharSet): CharSet {
  if (a.length === 0) return b
  const out: number[] = []
  let i = 0
  let j = 0
  while (i < a.length || j < b.length) {
    const fromA = a[i] ?? Number.POSITIVE_INFINITY
    const fromB = b[j] ?? Number.POSITIVE_INFINITY
    const takeA = fromA <= fromB
    const from = takeA ? fromA : fromB
    const to = (takeA ? a[i + 1] : b[j + 1]) ?? from
    if (takeA) i += 2
    else j += 2
    const last = out.at(-1)
    if (last !== undefined && from <= last + 1) out[out.length - 1] = Math.max(last, to)
    else out.push(from, to)
  }
  return out
}

export function complement(set: CharSet): CharSet {
  const out: number[] = []
  let next = 0
  for (let at = 0; at < set.length; at += 2) {
    const from = set[at] ?? 0
    if (from > next) out.push(next, from - 1)
    next = (set[at + 1] ?? from) + 1
  }
  if (next <= lastCodePoint) out.push(next, lastCodePoint)
  return out
}
