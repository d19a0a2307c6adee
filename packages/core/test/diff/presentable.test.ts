import * as fc from "fast-check"
import { expect, test } from "vitest"
import { type Mark, wordMarks } from "../../src/diff/presentable.ts"
import { contentOf, type Line, splitLines } from "../../src/text/lines.ts"
import { edgeTexts } from "../text/texts.ts"

const runs = Number(process.env["DIFF_RUNS"] ?? 500)

/** Writes marks into the lines as `[…]`, terminators as "|". */
function marked(lines: readonly Line[], marks: readonly (readonly Mark[])[]): string {
  return lines
    .map((line, at) => {
      let text = ""
      let done = 0
      for (const mark of marks[at] ?? []) {
        text += `${line.slice(done, mark.from)}[${line.slice(mark.from, mark.to)}]`
        done = mark.to
      }
      return text + line.slice(done)
    })
    .join("")
    .replaceAll("\n", "|")
}

/** Both sides with their marks. */
function check(name: string, oldMarked: string, newMarked: string): void {
  test(name, () => {
    const [before, after] = [oldMarked, newMarked].map(text =>
      splitLines(text.replaceAll(/[[\]]/g, "").replaceAll("|", "\n")),
    )
    const marks = wordMarks(before ?? [], after ?? [])
    expect(marked(before ?? [], marks.old)).toBe(oldMarked)
    expect(marked(after ?? [], marks.new)).toBe(newMarked)
  })
}

check("a word changed", "const [a] = foo(1)|", "const [b] = foo(1)|")
check("an argument added", "call(one)|", "call(one[, two])|")
check("a word is marked whole", "let [counter] = 1 + other|", "let [counters] = 1 + other|")
check("indentation added", "some text here|", "[  ]some text here|")
check("two words side by side are one mark", "x = [alpha beta] gamma delta|", "x = [one two] gamma delta|")
check("little in common is marked whole", "[the quick brown fox]|", "[if (x) return 1]|")
check("nothing is marked where one side has no lines", "", "anything|")
check("a joined line", "first line here|[second] line here|", "first line here|[third] line here|")
check(
  "a letter keeps its combining mark",
  "the caf[e\u0301] is open today|".replace("caf[e\u0301]", "[cafe\u0301]"),
  "the [cafe] is open today|",
)
check("a mark alone on a blank", "one two[ \u0301]three four|", "one two[ ]three four|")
check("emoji joined to a family", "we are [👨‍👩‍👧] together again|", "we are [👨‍👩‍👦] together again|")
check("skin tones", "some [👍🏽] here for you|", "some [👍🏿] here for you|")
check("flags", "flags 🇨🇭[🇦🇹] of the alps|", "flags 🇨🇭[🇦🇺] of the alps|")
check("Chinese by the character", "今天天气很[好]我们走|", "今天天气很[坏]我们走|")
check("a terminator alone is not marked", "same text\r|", "same text|")

const fragment = fc.constantFrom(
  "foo",
  "bar",
  " ",
  "  ",
  "(",
  ")",
  "😀",
  "e\u0301",
  "👨‍👩‍👧",
  "\u200d",
  "\u0301",
  "\ud83d",
  "\n",
  "\r\n",
  "字",
  "\t",
  "🇨🇭",
)
const text = fc.array(fragment, { maxLength: 40 }).map(parts => parts.join(""))
const textAndEdit = fc.oneof(
  fc.tuple(text, text),
  text.chain(old =>
    fc.tuple(
      fc.constant(old),
      fc
        .tuple(fc.nat(60), fc.nat(8), text)
        .map(([at, cut, add]) => old.slice(0, at) + add.slice(0, 9) + old.slice(at + cut)),
    ),
  ),
)

function bare(lines: readonly Line[], marks: readonly (readonly Mark[])[]): string {
  return marked(
    lines,
    marks.map(own => own),
  )
    .replaceAll(/\[[^\]]*\]/g, "")
    .replaceAll(/[\r|]/g, "")
}

function eachMark(
  lines: readonly Line[],
  marks: readonly (readonly Mark[])[],
  look: (content: string, mark: Mark) => void,
): void {
  expect(marks.length).toBe(lines.length)
  lines.forEach((line, at) => {
    let behind = 0
    for (const mark of marks[at] ?? []) {
      expect(mark.from).toBeGreaterThanOrEqual(behind)
      expect(mark.to).toBeGreaterThan(mark.from)
      behind = mark.to
      look(contentOf(line), mark)
    }
    expect(behind).toBeLessThanOrEqual(contentOf(line).length)
  })
}

test("what is not marked reads the same on both sides", () => {
  fc.assert(
    fc.property(textAndEdit, ([before, after]) => {
      const [oldLines, newLines] = [splitLines(before), splitLines(after)]
      if (oldLines.length === 0 || newLines.length === 0) return
      const marks = wordMarks(oldLines, newLines)
      expect(bare(oldLines, marks.old)).toBe(bare(newLines, marks.new))
    }),
    { numRuns: runs },
  )
})

test("no mark cuts what a reader sees as one character", () => {
  const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" })
  fc.assert(
    fc.property(textAndEdit, ([before, after]) => {
      const [oldLines, newLines] = [splitLines(before), splitLines(after)]
      const marks = wordMarks(oldLines, newLines)
      for (const [lines, own] of [
        [oldLines, marks.old],
        [newLines, marks.new],
      ] as const)
        eachMark(lines, own, (content, mark) => {
          const edges = new Set([...segmenter.segment(content)].map(part => part.index).concat(content.length))
          expect(edges.has(mark.from), JSON.stringify([content, mark])).toBe(true)
          expect(edges.has(mark.to), JSON.stringify([content, mark])).toBe(true)
        })
    }),
    { numRuns: runs },
  )
})

test("a line of 5 MB is marked from its first to its last difference", () => {
  const long = "lorem ipsum dolor ".repeat(290_000)
  const changed = `${long.slice(0, 101)}X${long.slice(101, 4_000_000)}zz${long.slice(4_000_000)}`
  const marks = wordMarks([long], [changed])
  expect(marks.old).toHaveLength(1)
  expect(marks.old[0]).toHaveLength(1)
  expect(marks.old[0]?.[0]?.from).toBeLessThanOrEqual(101)
  expect(marks.old[0]?.[0]?.from).toBeGreaterThan(80)
  expect(marks.new[0]?.[0]?.to).toBeLessThan(4_000_030)
  const near = `${long.slice(0, 101)}X${long.slice(101)}`
  expect(marked([near], wordMarks([long], [near]).new).slice(85, 120)).toMatch(/\[.{1,12}\]/)
})

test("the edge texts can be marked", () => {
  for (const before of edgeTexts)
    for (const after of edgeTexts) {
      const [oldLines, newLines] = [splitLines(before), splitLines(after)]
      const marks = wordMarks(oldLines, newLines)
      eachMark(oldLines, marks.old, () => {})
      eachMark(newLines, marks.new, () => {})
    }
})
