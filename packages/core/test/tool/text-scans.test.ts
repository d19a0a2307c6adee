import * as fc from "fast-check"
import { expect, test } from "vitest"
import { occurrences } from "../../src/tool/occurrences.ts"
import { expandTabs } from "../../src/tool/tabs.ts"

const few = fc.string({ unit: fc.constantFrom("a", "b", "\n"), maxLength: 40 })

test("occurrences are exactly the places where the pattern stands, short or long", () => {
  fc.assert(
    fc.property(
      few,
      fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 3 }),
      fc.boolean(),
      (text, part, long) => {
        const repeat = long ? 300 : 1
        const pattern = part.repeat(repeat)
        const whole = text.replaceAll("a", part.repeat(200))
        const searched = long ? whole : text
        const naive = Array.from({ length: searched.length }, (_, at) => at).filter(at =>
          searched.startsWith(pattern, at),
        )
        expect(occurrences(searched, pattern, Number.POSITIVE_INFINITY)).toEqual(naive)
      },
    ),
    { numRuns: 60 },
  )
})

test("occurrences stop at the limit", () => {
  expect(occurrences("aaaa", "a", 2)).toEqual([0, 1])
  expect(occurrences("a".repeat(1000), "a".repeat(400), 3)).toEqual([0, 1, 2])
})

test("a pattern made to be slow is found in one pass", () => {
  const pattern = `${"a".repeat(100_000)}b`
  expect(occurrences(`${"a".repeat(2_000_000)}${pattern}`, pattern, 2)).toEqual([2_000_000])
})

const expansions: readonly (readonly [string, string])[] = [
  ["\tx", "        x"],
  ["ab\tx", "ab      x"],
  ["1234567\tx", "1234567 x"],
  ["12345678\tx", "12345678        x"],
  ["\t\t", " ".repeat(16)],
  ["a\n\tb", "a\n        b"],
  ["a\r\tb", "a\r        b"],
  ["a\r\n\tb", "a\r\n        b"],
  ["😀\tx", "😀       x"],
  ["none", "none"],
]
test.each(expansions)("%j expands to %j", (text, expected) => expect(expandTabs(text)).toBe(expected))
