import * as fc from "fast-check"
import { expect, test } from "vitest"
import { eolStyle, fitLineEndings, neighbourEol, textStyle, withEol } from "../../src/text/eol.ts"
import { splitLines } from "../../src/text/lines.ts"
import { edgeTexts, someLines } from "./texts.ts"

for (const [text, style] of [
  ["", "none"],
  ["a", "none"],
  ["a\rb\r", "none"],
  ["\n", "lf"],
  ["a\nb", "lf"],
  ["\r\n", "crlf"],
  ["a\r\nb", "crlf"],
  ["a\r\r\n", "crlf"],
  ["a\nb\r\n", "mixed"],
  ["a\r\nb\n", "mixed"],
  ["\u2028\u0085", "none"],
] as const)
  test(`${JSON.stringify(text)} is ${style}`, () => {
    expect(eolStyle(text)).toBe(style)
    expect(textStyle(splitLines(text))).toBe(style)
  })

function checkFit(text: string, like: string, expected: string): void {
  test(`${JSON.stringify(text)} fitted to ${JSON.stringify(like)} is ${JSON.stringify(expected)}`, () => {
    expect(fitLineEndings(text, like)).toBe(expected)
  })
}

checkFit("a\nb\n", "x\r\ny", "a\r\nb\r\n")
checkFit("a\r\nb", "x\n", "a\nb")
checkFit("a\nb\r\n", "x\r\n", "a\r\nb\r\n")
checkFit("a\nb\r\n", "x\ny\r\n", "a\nb\r\n")
checkFit("a\nb\r\n", "x", "a\nb\r\n")
checkFit("a\rb\n", "x\r\n", "a\rb\r\n")
checkFit("", "x\r\n", "")
checkFit("no end", "x\r\n", "no end")

function checkNeighbour(text: string, boundary: number, expected: "\n" | "\r\n"): void {
  test(`text inserted before line ${boundary} of ${JSON.stringify(text)} ends in ${JSON.stringify(expected)}`, () => {
    expect(neighbourEol(splitLines(text), boundary)).toBe(expected)
  })
}

checkNeighbour("", 0, "\n")
checkNeighbour("a", 0, "\n")
checkNeighbour("a", 1, "\n")
checkNeighbour("a\r\n", 0, "\r\n")
checkNeighbour("a\r\n", 1, "\r\n")
checkNeighbour("a\r\nb\n", 1, "\r\n")
checkNeighbour("a\nb\r\n", 1, "\n")
checkNeighbour("a\nb\r\n", 2, "\r\n")
checkNeighbour("a\nb\r\n", 0, "\n")
checkNeighbour("a\r\nb", 2, "\r\n")
checkNeighbour("a\n\r\nb", 3, "\r\n")

test("fitting changes line ends only, twice is once, and a fitted text has the style", () => {
  fc.assert(
    fc.property(someLines, someLines, (lines, likeLines) => {
      const [text, like] = [lines.join(""), likeLines.join("")]
      // A line that ends in a carriage return of its own reads as CRLF once its end is LF: no fitting can help that.
      fc.pre(!text.includes("\r\r\n"))
      const fitted = fitLineEndings(text, like)
      expect(withEol(fitted, "\n")).toBe(withEol(text, "\n"))
      expect(fitLineEndings(fitted, like)).toBe(fitted)
      const style = eolStyle(like)
      if (style !== "mixed" && style !== "none" && text.includes("\n")) expect(eolStyle(fitted)).toBe(style)
      expect(textStyle(lines)).toBe(eolStyle(text))
    }),
  )
})

test("the edge texts have a style and fit each other", () => {
  for (const text of edgeTexts.filter(edge => !edge.includes("\r\r\n")))
    for (const like of edgeTexts) expect(withEol(fitLineEndings(text, like), "\n")).toBe(withEol(text, "\n"))
})
