import { expect, test } from "vitest"
import { substitutionIds, substitutionsOf } from "../../src/change/substitution.ts"
import { diffLines } from "../../src/diff/line-diff.ts"
import { splitLines } from "../../src/text/lines.ts"

function ids(base: string, current: string): readonly (string | null)[] {
  const [old, now] = [splitLines(base), splitLines(current)]
  return substitutionIds(old, now, diffLines(old, now).hunks)
}

const [first] = ids("use(oldName)\n", "use(newName)\n")

test.each([
  ["other words around", "  if (oldName) {\n", "  if (newName) {\n", true],
  ["several times in a line", "oldName + oldName\n", "newName + newName\n", true],
  ["in several lines", "oldName\nx oldName\n", "newName\nx newName\n", true],
  ["another new word", "oldName\n", "newerName\n", false],
  ["another old word", "olderName\n", "newName\n", false],
  ["the other way round", "newName\n", "oldName\n", false],
  ["a part of a longer word", "oldNames\n", "newNames\n", false],
])("%s: the same substitution is %s", (_, base, current, same) => {
  const [id] = ids(base, current)
  expect(id).toMatch(/^s[0-9a-z]{7}$/)
  expect(id === first).toBe(same)
})

test.each([
  ["a line put in", "a\n", "a\noldName\n"],
  ["a line taken out", "a\noldName\n", "a\n"],
  ["something only put in", "use()\n", "use(newName)\n"],
  ["two substitutions", "oldName = 1\n", "newName = 2\n"],
  ["another line ending", "oldName\n", "newName\r\n"],
])("%s is none", (_, base, current) => {
  expect(ids(base, current)).toEqual([null])
})

test("it is told in words", () => {
  const [old, now] = [splitLines("if (oldName) {\n"), splitLines("if (newName) {\n")]
  expect(substitutionsOf(old, now, diffLines(old, now).hunks)).toEqual([{ id: first, text: "oldName → newName" }])
})
