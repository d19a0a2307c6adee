import { expect, test } from "vitest"
import { merge3, settleMerge } from "../../src/change/merge3.ts"
import { type RegionChoice, settleRegions } from "../../src/change/settle.ts"
import type { Line } from "../../src/text/lines.ts"

function lines(text: string): Line[] {
  return text
    .split(" ")
    .filter(word => word !== "")
    .map(word => (word.endsWith("~") ? word.slice(0, -1) : `${word}\n`))
}

const merge = merge3(lines("a b c d e f g"), lines("a B c d E f g"), lines("a X c d Y f G"))

/** Two conflicts, `b` and `e`, and a change of one side only. */
function check(choices: RegionChoice[], clean: boolean, expected: string): void {
  test(`${JSON.stringify(choices)} gives ${expected}`, () => {
    const settled = settleRegions(merge, choices)
    expect(settled.clean).toBe(clean)
    expect(settleMerge(settled, "ours")).toEqual(lines(expected))
  })
}

check(["ours", "ours"], true, "a B c d E f G")
check(["theirs", "ours"], true, "a X c d E f G")
check(["both", "theirs"], true, "a B X c d Y f G")
check(["theirs"], false, "a X c d E f G")
check([null, "theirs"], false, "a B c d Y f G")

test("nothing chosen settles nothing", () => {
  expect(settleRegions(merge, [])).toEqual(merge)
})

test("what is settled is agreed text, joined to its neighbours", () => {
  expect(settleRegions(merge, ["ours", "theirs"])).toEqual({
    clean: true,
    regions: [{ kind: "agreed", lines: lines("a B c d Y f G") }],
  })
})

test("both sides where the first has no final newline are two lines", () => {
  const atEnd = merge3(lines("a b~"), lines("a B~"), lines("a X~"))
  expect(settleMerge(settleRegions(atEnd, ["both"]), "ours")).toEqual(lines("a B X~"))
})

test("a choice too many is a mistake of the caller", () => {
  expect(() => settleRegions(merge, ["ours", "ours", "ours"])).toThrow(RangeError)
})
