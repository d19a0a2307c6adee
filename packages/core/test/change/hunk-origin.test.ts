import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { hunksOfSteps } from "../../src/change/hunk-origin.ts"
import { diffLines } from "../../src/diff/line-diff.ts"

/** One letter is one line. Texts in order, the first being base; `mine` are the steps (from 0) asked about. */
function check(texts: string, mine: readonly number[], expected: string): void {
  const states = texts.split(" ").map(lines)
  const current = states.at(-1) ?? []
  const hunks = diffLines(states[0] ?? [], current).hunks
  const steps = mine.map(at => ({ before: states[at] ?? [], after: states[at + 1] ?? [] }))
  const found = hunksOfSteps(steps, current, hunks)
  expect(found.map(hunk => `${hunk.fromCurrent}-${hunk.toCurrent}`).join(" ")).toBe(expected)
}

function lines(text: string): string[] {
  return text === "." ? [] : text.split("").map(letter => `${letter}\n`)
}

describe("the hunks of a message", () => {
  it("are those that hold its lines", () => check("abcdef aXcdef aXcdeY", [0], "1-2"))
  it("and not those of another message", () => check("abcdef aXcdef aXcdeY", [1], "5-6"))
  it("move with what others write above", () => check("abcdef abcdY 123abcdY", [0], "7-8"))
  it("hold what it took out", () => check("abcdef abdef Xbdef", [0], "2-2"))
  it("hold what it took out at the end", () => check("abcdef abcde Xbcde", [0], "5-5"))
  it("are found where its lines were written over", () => check("abcdef abXdef abYdef", [0], "2-3"))
  it("are none where all of it was taken back", () => check("abcdef abXdef abcdeY abcdeZ", [0], ""))
  it("of several calls are all of theirs, in order", () => check("abcdef abcdeY XbcdeY XbZdeY", [0, 1], "0-1 5-6"))
  it("of a created file are its lines", () => check(". ab abc", [0], "0-3"))
  it("are shared where lines of two stand together", () => check("abcdef abXdef abXNdef", [1], "2-4"))

  it("of all calls are all hunks, where no two lines are alike", () => {
    const text = fc.subarray("abcdefghij".split("")).map(letters => letters.map(letter => `${letter}\n`))
    fc.assert(
      fc.property(fc.array(text, { minLength: 2, maxLength: 5 }), states => {
        const current = states.at(-1) ?? []
        const hunks = diffLines(states[0] ?? [], current).hunks
        const steps = states.slice(1).map((after, at) => ({ before: states[at] ?? [], after }))
        expect(hunksOfSteps(steps, current, hunks)).toEqual(hunks)
      }),
    )
  })
})
