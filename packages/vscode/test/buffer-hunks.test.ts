import { diffLines } from "@galley/core/diff/line-diff.ts"
import type { HunkView } from "@galley/core/protocol/results.ts"
import { splitLines } from "@galley/core/text/lines.ts"
import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { type BufferSide, bufferHunks, hunkAt, hunkOf, sameHunk } from "../src/review/buffer-hunks.ts"

/** `a|b|c` is three lines. */
const text = (notation: string): string => notation.replaceAll("|", "\n")

/** As the program words its blocks. */
function viewsOf(base: string, current: string): HunkView[] {
  return diffLines(splitLines(base), splitLines(current)).hunks.map((hunk, index) => ({
    id: `h${index + 1}`,
    index: index + 1,
    oldStart: hunk.fromBase === hunk.toBase ? hunk.fromBase : hunk.fromBase + 1,
    oldLines: hunk.toBase - hunk.fromBase,
    newStart: hunk.fromCurrent === hunk.toCurrent ? hunk.fromCurrent : hunk.fromCurrent + 1,
    newLines: hunk.toCurrent - hunk.fromCurrent,
    mixed: false,
    conflict: false,
  }))
}

/** Each block as `line: −removed +added id`, `?` where the program does not know it. */
function shown(base: string, current: string, buffer: string, side: BufferSide = "current"): string[] {
  const known = { base: text(base), current: text(current), hunks: viewsOf(text(base), text(current)) }
  return bufferHunks(known, { side, text: text(buffer) }).map(hunk => {
    const line = side === "base" ? hunk.fromBase : hunk.fromCurrent
    const parts = [...hunk.removed.map(one => `-${one}`), ...hunk.added.map(one => `+${one}`)]
    return `${line}: ${parts.join(" ")} ${hunk.view?.id ?? "?"}`
  })
}

describe("blocks in a buffer", () => {
  const check = (name: string, base: string, current: string, buffer: string, expected: readonly string[]): void =>
    test(name, () => expect(shown(base, current, buffer)).toEqual(expected))

  check("are the program's where nothing is typed", "a|b|c|", "a|B|c|", "a|B|c|", ["1: -b +B h1"])
  check("move with lines typed above", "a|b|c|", "a|B|c|", "new|x|a|B|c|", ["3: -b +B h1"])
  check("stay where lines are typed below", "a|b|c|d|", "a|B|c|d|", "a|B|c|d|e|", ["1: -b +B h1"])
  check("do not grow by lines typed right above", "a|b|c|", "a|B|c|", "a|x|B|c|", ["2: -b +B h1"])
  check("do not grow by lines typed right below", "a|b|c|", "a|B|c|", "a|B|x|c|", ["1: -b +B h1"])
  check("of new lines do not grow above", "a|c|", "a|b|c|", "a|x|b|c|", ["2: +b h1"])
  check("of new lines do not grow below", "a|c|", "a|b|c|", "a|b|x|c|", ["1: +b h1"])
  check("stay where other lines are taken away", "a|b|c|d|", "a|B|c|d|", "a|B|d|", ["1: -b +B h1"])
  check("are told apart by place where they are alike", "b|k|b|", "B|k|B|", "Bee|k|B|", ["0: -b +Bee ?", "2: -b +B h2"])
  check("are unknown once their own text is another", "a|b|c|", "a|B|c|", "a|Bee|c|", ["1: -b +Bee ?"])
  check("are gone where the old text is typed back", "a|b|c|", "a|B|c|", "a|b|c|", [])
  check("of removed lines have a place and no line", "a|b|c|", "a|c|", "a|c|", ["1: -b h1"])
  check("of a new file are all of it", "", "a|b|", "a|b|", ["0: +a +b h1"])
  check("know a lost final newline", "a|b|", "a|b", "a|b", ["1: -b +b h1"])
  check("see through the editor's line endings", "a\r|b\r|c\r|", "a\r|B\r|c\r|", "a|B|c|", ["1: -b +B h1"])
  check("see through a byte order mark", "\ufeffa|b|", "\ufeffa|B|", "a|B|", ["1: -b +B h1"])
  check("count a lone CR as the editor does", "a\rx|b|", "a\rx|B|", "a\rx|B|", ["2: -b +B ?"])

  test("in a proposal are what the person typed too: it is only proposed", () => {
    expect(shown("a|b|c|", "a|B|c|", "new|a|B|c|", "proposal")).toEqual(["0: +new ?", "2: -b +B h1"])
  })

  test("with the base in the buffer, say what would come", () => {
    expect(shown("a|b|c|", "a|B|c|", "a|b|c|", "base")).toEqual(["1: -b +B h1"])
    expect(shown("a|b|c|", "a|B|c|", "zero|a|b|c|", "base")).toEqual(["2: -b +B h1"])
  })

  test("whatever is typed elsewhere, an untouched block keeps its id", () => {
    const line = fc.constantFrom("p", "q", "r", "s")
    fc.assert(
      fc.property(fc.array(line, { maxLength: 6 }), fc.array(line, { maxLength: 6 }), (above, below) => {
        const page = (middle: string): string => ["top", middle, "end"].map(one => `${one}\n`).join("")
        const typed = [...above.map(one => `${one}\n`), page("agent"), ...below.map(one => `${one}\n`)].join("")
        const known = { base: page("old"), current: page("agent"), hunks: viewsOf(page("old"), page("agent")) }
        const hunks = bufferHunks(known, { side: "current", text: typed })
        expect(hunks.filter(hunk => hunk.view?.id === "h1")).toHaveLength(1)
      }),
    )
  })
})

describe("the block that is meant", () => {
  const known = { base: "a\nb\nc\nd\n", current: "a\nB\nc\n", hunks: viewsOf("a\nb\nc\nd\n", "a\nB\nc\n") }
  const hunks = bufferHunks(known, { side: "current", text: "a\nB\nc\n" })

  test("is the one the line is in", () => expect(hunkAt(hunks, "current", 1)?.view?.id).toBe("h1"))
  test("is the one whose lines are missing there", () => expect(hunkAt(hunks, "current", 3)?.view?.id).toBe("h2"))
  test("is none where nothing changed", () => expect(hunkAt(hunks, "current", 0)).toBeNull())
  test("is found again by its place in the base", () => {
    const meant = { fromBase: 1, toBase: 2, fromCurrent: 40, toCurrent: 41 }
    expect(sameHunk(hunks, meant)?.view?.id).toBe("h1")
  })
  test("is not guessed among several", () => {
    const meant = { fromBase: 0, toBase: 4, fromCurrent: 0, toCurrent: 3 }
    expect(sameHunk(hunks, meant)).toBeNull()
  })
  test("counts as a unified diff does", () => {
    const view = viewsOf("a\n", "a\nb\n")[0]
    expect(view === undefined ? null : hunkOf(view)).toEqual({ fromBase: 1, toBase: 1, fromCurrent: 1, toCurrent: 2 })
  })
})
