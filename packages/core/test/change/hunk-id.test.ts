import * as fc from "fast-check"
import { expect, test } from "vitest"
import { acceptHunks, rejectHunks } from "../../src/change/decide.ts"
import { findHunk, identifyHunks } from "../../src/change/hunk-id.ts"
import type { Hunk } from "../../src/diff/hunk.ts"
import { diffLines } from "../../src/diff/line-diff.ts"
import type { Line } from "../../src/text/lines.ts"
import { anyBase, edited, runs } from "./review-play.ts"

function lines(text: string): Line[] {
  return text.split(" ").map(word => `${word}\n`)
}

function idsOf(base: readonly Line[], current: readonly Line[]): string[] {
  return identifyHunks(base, current, diffLines(base, current).hunks).map(({ id }) => id)
}

/** `before` and `after` are base and current; hunks of the first are found again in the second, or (`null`) are not. */
function check(name: string, before: [string, string], after: [string, string], expected: (number | null)[]): void {
  test(name, () => {
    const was = idsOf(lines(before[0]), lines(before[1]))
    const now = idsOf(lines(after[0]), lines(after[1]))
    expect(was.map(id => (now.includes(id) ? now.indexOf(id) : null))).toEqual(expected)
  })
}

check("a hunk above is accepted", ["a b c d e", "a B c D e"], ["a B c d e", "a B c D e"], [null, 0])
check("a hunk above is rejected", ["a b c d e", "a B c D e"], ["a b c d e", "a b c D e"], [null, 0])
check("a hunk above grows up to the line between", ["a b c d e", "a B c D e"], ["a b c d e", "A X B c D e"], [null, 1])
check("lines come in far above, in both texts", ["a b c d e", "a b c D e"], ["x y a b c d e", "x y a b c D e"], [0])
check("the hunk itself grows", ["a b c", "a B c"], ["a b c", "a B B c"], [null])
check("two hunks become one", ["a b c d e", "a B c D e"], ["a b c d e", "a B C D e"], [null, null])
check(
  "the first of two equal insertions is accepted",
  ["{ a } { a }", "{ x a } { x a }"],
  ["{ x a } { a }", "{ x a } { x a }"],
  [null, 0],
)
check(
  "the first of two equal insertions is rejected: no trace, and no name handed on",
  ["{ a } { a }", "{ x a } { x a }"],
  ["{ a } { a }", "{ a } { x a }"],
  [null, null],
)
check(
  "the second of two equal changes is accepted",
  ["{ a } { a }", "{ b } { b }"],
  ["{ a } { b }", "{ b } { b }"],
  [0, null],
)
check(
  "the first of three equal changes is rejected",
  ["a } a } a }", "b } b } b }"],
  ["a } a } a }", "a } b } b }"],
  [null, 0, 1],
)
check(
  "the first of two equal removals is rejected",
  ["{ x a } { x a }", "{ a } { a }"],
  ["{ x a } { x a }", "{ x a } { a }"],
  [null, 0],
)
check(
  "the first of two equal removals is accepted: no trace, and no name handed on",
  ["{ x a } { x a }", "{ a } { a }"],
  ["{ a } { x a }", "{ a } { a }"],
  [null, null],
)
check(
  "an insertion elsewhere between such lines is rejected",
  ["} ; } ;", "} x ; } y ;"],
  ["} ; } ;", "} ; } y ;"],
  [null, 0],
)

test("an id is short, and a number is none", () => {
  const [id] = idsOf(lines("a b c"), lines("a B c"))
  expect(id).toMatch(/^h[0-9a-z]{7}$/)
})

test("the id of one text is pinned: people and scripts keep it between two calls of two versions", () => {
  expect(idsOf(lines("a b c d e"), lines("a B c d e f"))).toEqual(["hihd8cub", "hclxgarp"])
})

test("an unknown id finds nothing", () => {
  const base = lines("a b c")
  const current = lines("a B c")
  const identified = identifyHunks(base, current, diffLines(base, current).hunks)
  expect(findHunk(identified, "h0000000")).toBe(undefined)
  expect(findHunk(identified, identified[0]?.id ?? "")).toEqual(identified[0]?.hunk)
})

const anyPicks = fc.array(fc.nat(9_999), { minLength: 12, maxLength: 12 })

test("ids of one diff are distinct", () => {
  fc.assert(
    fc.property(anyBase, anyPicks, (base, picks) => {
      const ids = idsOf(base, edited(base, "A", picks))
      expect(new Set(ids).size).toBe(ids.length)
    }),
    { numRuns: runs },
  )
})

test("a decision renames no other hunk that stays what it was, and hands no name on", () => {
  fc.assert(
    fc.property(anyRepeating, fc.nat(99), fc.boolean(), ({ base, current }, pick, accepts) => {
      const hunks = diffLines(base, current).hunks
      const decided = hunks[pick % Math.max(1, hunks.length)]
      if (decided === undefined) return
      const named = identifyHunks(base, current, hunks)
      const outcome = rejectHunks({ base, current }, [decided], null, "stop")
      if (outcome.kind === "conflict") throw new Error("Nobody altered a line")
      const after = accepts ? { base: acceptHunks(base, current, [decided]), current } : outcome
      // These leave no trace of the decided hunk, so its twins are named anew.
      const isTraceless = accepts ? decided.fromCurrent === decided.toCurrent : decided.fromBase === decided.toBase
      const rest = identifyHunks(after.base, after.current, diffLines(after.base, after.current).hunks)
      const shift = (decided.toCurrent - decided.fromCurrent - decided.toBase + decided.fromBase) * (accepts ? 1 : -1)
      for (const { hunk, id } of named) {
        if (hunk === decided) expect(rest.map(one => one.id)).not.toContain(id)
        else if (!isTraceless || !isTwin(hunk, decided, base, current))
          expect(findHunk(rest, id)).toEqual(moved(hunk, decided, shift, accepts))
        else expect([undefined, moved(hunk, decided, shift, accepts)]).toContainEqual(findHunk(rest, id))
      }
    }),
    { numRuns: runs },
  )
})

/** Many places, some of them changed and among those some alike, so that there are twins. */
const anyRepeating = fc
  .array(
    fc.constantFrom<[string, string]>(
      ["{", "{"],
      ["{ a", "{ b"],
      ["{ c", "{"],
      ["{", "{ d"],
      ["{ e", "{ e"],
      ["{ f g", "{ h i"],
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map(places => ({
    base: places.flatMap(([old]) => lines(`${old} } wall`)),
    current: places.flatMap(([, now]) => lines(`${now} } wall`)),
  }))

function moved(hunk: Hunk, decided: Hunk, shift: number, inBase: boolean): Hunk {
  if (hunk.fromBase < decided.fromBase) return hunk
  return inBase
    ? { ...hunk, fromBase: hunk.fromBase + shift, toBase: hunk.toBase + shift }
    : { ...hunk, fromCurrent: hunk.fromCurrent + shift, toCurrent: hunk.toCurrent + shift }
}

function isTwin(a: Hunk, b: Hunk, base: readonly Line[], current: readonly Line[]): boolean {
  const textOf = (hunk: Hunk): string =>
    JSON.stringify([base.slice(hunk.fromBase, hunk.toBase), current.slice(hunk.fromCurrent - 1, hunk.toCurrent + 1)])
  return textOf(a) === textOf(b)
}
