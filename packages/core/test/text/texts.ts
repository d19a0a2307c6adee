import * as fc from "fast-check"
import { splitLines, type Line } from "../../src/text/lines.ts"

/** Texts that every operation on text has to survive. */
export const edgeTexts: readonly string[] = [
  "",
  "\n",
  "\r\n",
  "\r",
  "a",
  "a\n",
  "a\r\n",
  "a\rb\rc",
  "a\nb\r\nc\r",
  "a\r\r\nb\n\n",
  "no final\nnewline",
  "\u2028\u2029\u0085\n\v\f\n",
  "😀 e\u0301 👨‍👩‍👧\n🇨🇭🇦🇹\r\n",
  "\ufeffmark\n",
  "\ud800 half a pair\n",
  "\t\tx\n  \n\n}\n\n}\n",
  `${"long ".repeat(1_000_000)}\nshort\n`,
]

const contents = ["a", "b", "c", "  a", "\tb", "", "}", "  }", "x\r", "\u2028", "😀"]

/** A line of few kinds, so that texts of them have much in common. */
const line: fc.Arbitrary<Line> = fc
  .tuple(fc.constantFrom(...contents), fc.constantFrom("\n", "\n", "\n", "\r\n"))
  .map(([content, end]) => content + end)

/** Some texts end without a newline. */
function finished(lines: readonly Line[], bare: boolean): Line[] {
  return splitLines(bare ? lines.join("").replace(/\r?\n$/, "") : lines.join(""))
}

export const someLines: fc.Arbitrary<Line[]> = fc
  .tuple(fc.array(line, { maxLength: 30 }), fc.boolean())
  .map(([lines, bare]) => finished(lines, bare))

interface Splice {
  readonly at: number
  readonly remove: number
  readonly insert: readonly Line[]
}

const splices: fc.Arbitrary<Splice[]> = fc.array(
  fc.record({ at: fc.nat(40), remove: fc.nat(3), insert: fc.array(line, { maxLength: 3 }) }),
  { maxLength: 6 },
)

function edited(lines: readonly Line[], edits: readonly Splice[], bare: boolean): Line[] {
  const copy = [...lines]
  for (const edit of edits) copy.splice(Math.min(edit.at, copy.length), edit.remove, ...edit.insert)
  return finished(copy, bare)
}

const editedFrom = (base: Line[]): fc.Arbitrary<Line[]> =>
  fc.tuple(splices, fc.boolean()).map(([edits, bare]) => edited(base, edits, bare))

/** Two rewrites of few shared lines among many of their own: where lines are set aside before the search. */
const rewrites: fc.Arbitrary<[Line[], Line[]]> = fc
  .tuple(fc.array(fc.nat(9), { minLength: 16, maxLength: 120 }), fc.array(fc.nat(9), { minLength: 16, maxLength: 120 }))
  .map(([a, b]) => [a.map((kind, at) => rewritten("a", kind, at)), b.map((kind, at) => rewritten("b", kind, at))])

function rewritten(side: string, kind: number, at: number): Line {
  if (kind < 2) return "}\n"
  return kind === 2 ? `shared ${at % 20}\n` : `${side} ${at}\n`
}

export const twoTexts: fc.Arbitrary<[Line[], Line[]]> = fc.oneof(
  fc.tuple(someLines, someLines),
  someLines.chain(base => fc.tuple(fc.constant(base), editedFrom(base))),
  rewrites,
)

/** An origin and two edits of it; sometimes the second is made from the first, sometimes one is a rewrite. */
export const threeTexts: fc.Arbitrary<[Line[], Line[], Line[]]> = fc.oneof(
  {
    weight: 3,
    arbitrary: someLines.chain(origin => fc.tuple(fc.constant(origin), editedFrom(origin), editedFrom(origin))),
  },
  {
    weight: 1,
    arbitrary: rewrites.chain(([origin, ours]) => fc.tuple(fc.constant(origin), fc.constant(ours), editedFrom(origin))),
  },
  {
    weight: 1,
    arbitrary: someLines.chain(origin =>
      editedFrom(origin).chain(ours => fc.tuple(fc.constant(origin), fc.constant(ours), editedFrom(ours))),
    ),
  },
)
