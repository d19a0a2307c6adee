import { diffLines } from "@galley/core/diff/line-diff.ts"
import { unifiedDiff } from "@galley/core/diff/unified.ts"
import { splitLines } from "@galley/core/text/lines.ts"
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { patched, sectionsOf } from "../src/review/patched.ts"

test("a diff applied to its text gives the other, whatever the endings", () => {
  const line = fc.constantFrom("a\n", "b\n", "-- c\n", "@@ -1 +1 @@\n", "d\r\n", "\n", "+++ e\n")
  const whole = fc.tuple(fc.array(line, { maxLength: 12 }), fc.constantFrom("", "open end"))
  const textOf = ([lines, end]: readonly [readonly string[], string]): string => lines.join("") + end
  fc.assert(
    fc.property(whole, whole, (one, other) => {
      const [base, current] = [textOf(one), textOf(other)]
      const diff = unifiedDiff({
        oldName: "x",
        newName: "x",
        base: splitLines(base),
        current: splitLines(current),
        hunks: diffLines(splitLines(base), splitLines(current)).hunks,
      })
      expect(patched(base, diff)).toBe(current)
    }),
    { numRuns: 300 },
  )
})

test("a diff that was made from another text is not applied", () => {
  expect(patched("one\n", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-two\n+three\n")).toBeNull()
  expect(patched("", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-two\n+three\n")).toBeNull()
})

test("a new file comes from nothing, a deleted one leaves nothing", () => {
  expect(patched("", "--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+a\n+b\n")).toBe("a\nb\n")
  expect(patched("a\nb\n", "--- a/x\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n")).toBe("")
})

test("the sections of a diff can be shown without its text", () => {
  const diff = "--- a/x\n+++ b/x\n@@ -3,2 +3,2 @@ head\n same\n-old\n+new\n@@ -9 +9 @@\n-- x\n+@@ y\n"
  expect(sectionsOf(diff)).toEqual({ before: "same\nold\n- x\n", after: "same\nnew\n@@ y\n" })
})
