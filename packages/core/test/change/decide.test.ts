import * as fc from "fast-check"
import { expect, test } from "vitest"
import { acceptHunks, decideLines, type LineRanges, rejectHunks } from "../../src/change/decide.ts"
import { diffLines } from "../../src/diff/line-diff.ts"
import { joinLines, type Line, splitLines } from "../../src/text/lines.ts"
import { chooseLines, runs } from "./review-play.ts"

/** `"a b"` is two lines, `"a b~"` the same without a final newline. */
function lines(text: string): Line[] {
  const words = text
    .replace("~", "")
    .split(" ")
    .filter(word => word !== "")
  return words.map((word, at) => (at === words.length - 1 && text.endsWith("~") ? word : `${word}\n`))
}

/** Decides the hunks numbered in `chosen` (from 1), nothing known of authors. */
function check(decision: "accept" | "reject", base: string, current: string, chosen: number[], expected: string): void {
  test(`${decision} ${chosen.join()} of ${base} → ${current}`, () => {
    const texts = { base: lines(base), current: lines(current) }
    const hunks = diffLines(texts.base, texts.current).hunks.filter((_, at) => chosen.includes(at + 1))
    if (decision === "accept") {
      expect(acceptHunks(texts.base, texts.current, hunks)).toEqual(lines(expected))
      return
    }
    expect(rejectHunks(texts, hunks, null, "stop")).toEqual({
      kind: "done",
      base: texts.base,
      current: lines(expected),
    })
  })
}

check("accept", "a b c", "a B c", [1], "a B c")
check("accept", "a b c d", "A b C d", [2], "a b C d")
check("accept", "a b", "a b c", [], "a b")
check("accept", "a", "", [1], "")
check("accept", "a b~", "a b c~", [1], "a b c~")
check("reject", "a b c d", "A b C d", [2], "A b c d")
check("reject", "a b~", "a b c", [1], "a b~")
check("reject", "", "a b", [1], "")
check("reject", "a b", "", [1], "a b")

/** Decides lines of the one hunk; the expectation is the side that changes. */
function checkLines(
  decision: "accept" | "reject",
  base: string,
  current: string,
  ranges: LineRanges,
  expected: string,
): void {
  test(`${decision} ${JSON.stringify(ranges)} of ${base} → ${current}`, () => {
    const texts = { base: lines(base), current: lines(current) }
    const [hunk] = diffLines(texts.base, texts.current).hunks
    if (hunk === undefined) throw new Error("The two texts are the same")
    const after = decideLines(texts.base, texts.current, hunk, ranges, decision)
    expect(decision === "accept" ? after : { base: after.current, current: after.base }).toEqual({
      base: lines(expected),
      current: decision === "accept" ? texts.current : texts.base,
    })
  })
}

checkLines("accept", "x b c y", "x B C D y", { old: [1, 2], new: [1, 2] }, "x c B y")
checkLines("accept", "x b c y", "x B C D y", { new: [2, 4] }, "x b c C D y")
checkLines("accept", "x b c y", "x B C D y", { old: [1, 3] }, "x y")
checkLines("accept", "x b y", "x B y", {}, "x b y")
checkLines("reject", "x b c y", "x B C D y", { old: [1, 2], new: [1, 2] }, "x b C D y")
checkLines("reject", "x b c y", "x B C D y", { new: [2, 4] }, "x B y")
checkLines("reject", "x b c y", "x B C D y", { old: [2, 3] }, "x c B C D y")
// A last line without terminator: kept above new ones it gets one; brought back it stays the last.
checkLines("accept", "a b~", "a B C", { new: [1, 2] }, "a b B")
checkLines("accept", "a b~", "a B~", { new: [1, 2] }, "a b B~")
checkLines("reject", "a b~", "a B C", { old: [1, 2] }, "a B C b~")
checkLines("reject", "a b~", "a B~", { old: [1, 2] }, "a B b~")

test("lines outside the hunk are refused", () => {
  const hunk = { fromBase: 1, toBase: 2, fromCurrent: 1, toCurrent: 2 }
  for (const ranges of [{ old: [0, 1] }, { new: [1, 3] }, { old: [2, 1] }] as const)
    expect(() => decideLines(lines("a b c"), lines("a B c"), hunk, ranges, "accept")).toThrow(RangeError)
})

const anyText = fc
  .tuple(fc.array(fc.constantFrom("}\n", "\n", "a\n", "b\n", "c\r\n", "b\r\n"), { maxLength: 12 }), fc.boolean())
  .map(([all, open]) => (open ? splitLines(joinLines(all).replace(/\r?\n$/, "")) : all))

function changedLines(base: readonly Line[], current: readonly Line[]): number {
  return diffLines(base, current).hunks.reduce(
    (sum, { fromBase, toBase, fromCurrent, toCurrent }) => sum + toBase - fromBase + toCurrent - fromCurrent,
    0,
  )
}

test("no hunk accepted is base, all are current; none rejected is current, all are base", () => {
  fc.assert(
    fc.property(anyText, anyText, (base, current) => {
      const { hunks } = diffLines(base, current)
      expect(acceptHunks(base, current, [])).toEqual(base)
      expect(acceptHunks(base, current, hunks)).toEqual(current)
      expect(rejectHunks({ base, current }, [], null, "stop")).toEqual({ kind: "done", base, current })
      expect(rejectHunks({ base, current }, hunks, null, "stop")).toEqual({ kind: "done", base, current: base })
    }),
    { numRuns: runs },
  )
})

test("a decision changes one side, inside the chosen hunks only, and no line is torn or glued", () => {
  fc.assert(
    fc.property(anyText, anyText, fc.nat(255), fc.boolean(), (base, current, bits, accepts) => {
      const { hunks } = diffLines(base, current)
      const chosen = hunks.filter((_, at) => ((bits >> (at % 8)) & 1) === 1)
      const rest = hunks.filter(hunk => !chosen.includes(hunk))
      const outcome = rejectHunks({ base, current }, chosen, null, "stop")
      if (outcome.kind === "conflict") throw new Error("Nobody altered a line")
      const after = accepts ? { base: acceptHunks(base, current, chosen), current } : outcome
      expect(accepts ? after.current : after.base).toEqual(accepts ? current : base)
      for (const hunk of rest) {
        const shift = accepts
          ? chosen
              .filter(({ toBase }) => toBase <= hunk.fromBase)
              .reduce(
                (sum, { fromBase, toBase, fromCurrent, toCurrent }) =>
                  sum + toCurrent - fromCurrent - toBase + fromBase,
                0,
              )
          : chosen
              .filter(({ toCurrent }) => toCurrent <= hunk.fromCurrent)
              .reduce(
                (sum, { fromBase, toBase, fromCurrent, toCurrent }) =>
                  sum + toBase - fromBase - toCurrent + fromCurrent,
                0,
              )
        if (accepts)
          expect(after.base.slice(hunk.fromBase + shift, hunk.toBase + shift)).toEqual(
            base.slice(hunk.fromBase, hunk.toBase),
          )
        else
          expect(after.current.slice(hunk.fromCurrent + shift, hunk.toCurrent + shift)).toEqual(
            current.slice(hunk.fromCurrent, hunk.toCurrent),
          )
      }
      expect(changedLines(after.base, after.current)).toBe(changedLines(base, current) - changedIn(chosen))
      for (const side of [after.base, after.current]) expect(splitLines(joinLines(side))).toEqual(side)
    }),
    { numRuns: runs },
  )
})

function changedIn(
  hunks: readonly { fromBase: number; toBase: number; fromCurrent: number; toCurrent: number }[],
): number {
  return hunks.reduce((sum, hunk) => sum + hunk.toBase - hunk.fromBase + hunk.toCurrent - hunk.fromCurrent, 0)
}

test("any run of decisions on lines ends with both texts the same, in no more steps than there were changed lines", () => {
  const picks = fc.array(fc.array(fc.nat(999), { minLength: 6, maxLength: 6 }), { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(anyText, anyText, picks, (first, second, all) => {
      let texts = { base: first, current: second }
      const limit = changedLines(first, second)
      for (let step = 0; step < limit; step++) {
        const pick = all[step % all.length] ?? []
        const choice = chooseLines({ ...texts, weave: { entries: [], past: [] } }, pick)
        if (choice === null) break
        const decision = (pick[5] ?? 0) % 2 === 0 ? "accept" : "reject"
        texts = decideLines(texts.base, texts.current, choice.hunk, choice.ranges, decision)
        for (const side of [texts.base, texts.current]) expect(splitLines(joinLines(side))).toEqual(side)
      }
      expect(texts.base).toEqual(texts.current)
    }),
    { numRuns: runs },
  )
})
