import { joinLines, splitLines } from "@galley/core/text/lines.ts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { editorChanges, editorTextOf, linesOfEditor, reconcile } from "../../src/model/typed-text.ts"

const text = fc
  .array(fc.constantFrom("a\n", "b\r\n", "c\n", "\n", "\r\n", "x\ry\n", "end"), { maxLength: 12 })
  .map(parts => parts.join(""))

/** What a file becomes when its text, as an editor shows it, is edited. */
function check(file: string, edit: (shown: string) => string, expected: string): void {
  const known = splitLines(file)
  expect(joinLines(linesOfEditor(edit(editorTextOf(known)), known))).toBe(expected)
}

describe("text between a file and an editor", () => {
  it("comes back byte for byte when nothing was typed", () => {
    fc.assert(fc.property(text, file => check(file, shown => shown, file)))
  })
  it("gives a new line the line end of its neighbours", () =>
    check("a\r\nb\r\n", shown => shown.replace("a\n", "a\nnew\n"), "a\r\nnew\r\nb\r\n"))
  it("keeps the ends of lines that were not touched in a mixed file", () =>
    check("a\r\nb\nc\r\n", shown => shown.replace("c", "d"), "a\r\nb\nd\r\n"))
  it("keeps a lone carriage return as text", () => check("x\ry\n", shown => `${shown}z\n`, "x\ry\nz\n"))
  it("keeps a missing last line end", () => check("a\r\nb", shown => shown.replace("a", "c"), "c\r\nb"))

  it("replaces the least: the changes lead from one text to the other", () => {
    fc.assert(
      fc.property(text, text, (one, other) => {
        const [from, to] = [editorTextOf(splitLines(one)), editorTextOf(splitLines(other))]
        let made = from
        for (const change of editorChanges(from, to).toReversed())
          made = made.slice(0, change.from) + change.insert + made.slice(change.to)
        expect(made).toBe(to)
      }),
    )
  })
})

describe("typed text over a file that moved", () => {
  const lines = splitLines("one\ntwo\nthree\nfour\nfive\n")
  it("is merged in where it is elsewhere", () => {
    const merged = reconcile(
      lines,
      splitLines("ONE\ntwo\nthree\nfour\nfive\n"),
      splitLines("one\ntwo\nthree\nfour\nFIVE\n"),
    )
    expect([joinLines(merged.lines), merged.overlaps]).toEqual(["ONE\ntwo\nthree\nfour\nFIVE\n", []])
  })
  it("stands where both changed a line, and the other's is told", () => {
    const merged = reconcile(
      lines,
      splitLines("one\nMINE\nthree\nfour\nfive\n"),
      splitLines("one\nTHEIRS\nthree\nfour\nfive\n"),
    )
    expect(joinLines(merged.lines)).toContain("MINE\n")
    expect(merged.overlaps).toEqual([{ typed: "MINE\n", theirs: "THEIRS\n" }])
  })
  it("is never lost: with nothing changed by others it is what was typed", () => {
    fc.assert(
      fc.property(text, text, (file, typed) => {
        expect(joinLines(reconcile(splitLines(file), splitLines(typed), splitLines(file)).lines)).toBe(typed)
      }),
    )
  })
})
