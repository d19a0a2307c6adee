import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { foldable, type Stretch } from "../../src/model/folds.ts"

/** `3-5 9-9`: half-open stretches of lines. */
function check(lines: number, changes: string, kept: string, expected: string): void {
  const found = foldable(lines, read(changes), read(kept))
  expect(found.map(({ from, to }) => `${from}-${to}`).join(" ")).toBe(expected)
}

function read(text: string): Stretch[] {
  return (text.match(/\d+-\d+/g) ?? []).map(one => {
    const [from = 0, to = 0] = one.split("-").map(Number)
    return { from, to }
  })
}

describe("unchanged text that can be folded", () => {
  it("is what is further than three lines from a change", () => check(100, "50-52", "", "0-47 55-100"))
  it("is nothing where nothing is pending", () => check(100, "", "", ""))
  it("is nothing in a short file", () => check(12, "5-6", "", ""))
  it("is nothing between changes that are near", () => check(40, "10-11 22-23", "", "26-40"))
  it("stands between changes that are far", () => check(40, "1-2 30-31", "", "5-27"))
  it("reaches to a removal at the end", () => check(40, "40-40", "", "0-37"))
  it("leaves what the person opened", () => check(100, "50-51", "10-20", "0-10 20-47 54-100"))
  it("leaves a commented line, and what is long enough beside it", () => check(100, "0-1", "50-51", "4-50 51-100"))
  it("takes nothing for kept where nothing is", () => check(100, "0-1", "50-50", "4-100"))

  it("never holds a changed line nor one that is kept, and is in order", () => {
    const stretch = fc.tuple(fc.nat(60), fc.nat(10)).map(([from, length]) => ({ from, to: from + length }))
    const some = fc.array(stretch, { maxLength: 6 })
    fc.assert(
      fc.property(some, some, (changes, kept) => {
        const found = foldable(80, changes, kept)
        let done = 0
        for (const fold of found) {
          expect(fold.from).toBeGreaterThanOrEqual(done)
          expect(fold.to).toBeGreaterThan(fold.from)
          for (const one of [...changes, ...kept]) {
            const apart = one.to <= fold.from || fold.to <= one.from || one.from === one.to
            expect(apart).toBe(true)
          }
          done = fold.to
        }
      }),
    )
  })
})
