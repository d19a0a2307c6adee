import * as fc from "fast-check"
import { expect, test } from "vitest"
import { conflictRegions, foldApply, foldHold, foldWrite } from "../../src/change/fold.ts"
import { diffLines } from "../../src/diff/line-diff.ts"
import { contentOf, joinLines, type Line, splitLines } from "../../src/text/lines.ts"
import { anyBase, asSaved, edited, runs } from "./review-play.ts"

/** One word a line; `_` stands for a blank within a line, `~` for a missing last terminator. */
function lines(text: string, terminator = "\n"): Line[] {
  const words = text.split(" ").filter(word => word !== "")
  return words.map(word => (word.endsWith("~") ? word.slice(0, -1) : word + terminator).replaceAll("_", " "))
}

/** The agent's change is base → current, the person's current → disk; the base that the fold leaves is expected. */
function check(name: string, base: string, current: string, disk: string, expected: string): void {
  test(name, () => {
    const folded = foldApply({ base: lines(base), current: lines(current), disk: lines(disk) })
    expect(folded).toEqual({ base: lines(expected), current: lines(disk) })
  })
}

// With new lines in the hunk.
check("a line far from the hunk", "a b c d e", "a B c d e", "a B c d P e", "a b c d P e")
check("a line directly above the hunk is outside, above", "a b c", "a B c", "a P B c", "a P b c")
check("a line directly below the hunk is outside, below", "a b c", "a B c", "a B P c", "a b P c")
check("above and below an insertion", "a c", "a B c", "a P B Q c", "a P Q c")
check("a line between the hunk's lines is inside", "a b c", "a B C c", "a B P C c", "a b c")
check("replacing the line above is outside", "aaa b c", "aaa B c", "Paa B c", "Paa b c")
check("replacing the line below is outside", "a b ccc", "a B ccc", "a B ccP", "a b ccP")
check("deleting the line above is outside", "a b c", "a B c", "B c", "b c")
check("deleting the line below is outside", "a b c", "a B c", "a B", "a b")
check("replacing one of the hunk's lines is inside", "a b c", "a one_two four c", "a one_three four c", "a b c")
check("deleting one of the hunk's lines is inside", "a b c", "a B C c", "a C c", "a b c")
check("deleting the whole hunk is inside", "a b c", "a b X Y c", "a b c", "a b c")
check("putting base's own line back ends the hunk", "a b c", "a B c", "a b c", "a b c")
check("a replacement over the hunk's edge is inside, whole", "a b c d", "a B c d", "a P Q R d", "a b c d")
check(
  "over the edge, with lines that can be recognised: each alone",
  "a b call(x) d",
  "a new(x) call(x) d",
  "a new(y) call(y) d",
  "a b call(y) d",
)
check("one part over two hunks is inside, whole", "a b c d e", "a B c D e", "a P e", "a b c d e")
check(
  "two parts, one inside and one outside",
  "a b c d e f",
  "a one_two three c d e f",
  "a one_2 three c d P f",
  "a b c d P f",
)

// With removed lines only.
check("above a removal is inside: it cannot be told from below", "a b c", "a c", "a P c", "a b c")
check("replacing the line above a removal is inside", "aaa b c", "aaa c", "aaP c", "aaa b c")
check("one line off a removal is outside", "x a b c", "x a c", "x P a c", "x P a b c")

// Equal lines: several readings of one insertion.
check("a block pasted below an equal one", "a", "a x } ", "a x } x }", "a x }")
check("an equal line added below the agent's", "a c", "a x c", "a x x c", "a x c")

// Ends of the text.
check(
  "a line at the end, behind the agent's, where the last line had no terminator",
  "a b~",
  "a b c",
  "a b c P",
  "a b P",
)
check("a first line above the agent's first line", "a", "A a", "P A a", "P a")
check("all the person's, in an empty file", "", "A", "A P", "P")

test("a formatter over everything: base follows line by line, the hunk stays what it was", () => {
  const base = ["a {\n", "one();\n", "two();\n", "}\n"]
  const current = ["a {\n", "one();\n", "agent();\n", "two();\n", "}\n"]
  const disk = ["a {\n", "  one();\n", "  agent();\n", "  two();\n", "}\n"]
  expect(foldApply({ base, current, disk })).toEqual({
    base: ["a {\n", "  one();\n", "  two();\n", "}\n"],
    current: disk,
  })
})

test("a rename across the file: each line alone", () => {
  const base = lines("let_old=1 f(old) g() h(old)")
  const current = lines("let_old=1 f(old) G(old) h(old)")
  const disk = lines("let_fresh=1 f(fresh) G(fresh) h(fresh)")
  expect(foldApply({ base, current, disk })).toEqual({
    base: lines("let_fresh=1 f(fresh) g() h(fresh)"),
    current: disk,
  })
})

test("all line endings changed, with an edit: base's lines in hunks take part", () => {
  const folded = foldApply({ base: lines("a b c d"), current: lines("a B c d"), disk: lines("a B c P d", "\r\n") })
  expect(folded).toEqual({ base: lines("a b c P d", "\r\n"), current: lines("a B c P d", "\r\n") })
})

test("the person puts back the line endings that the agent changed: those hunks end", () => {
  const base = lines("a b c", "\r\n")
  const folded = foldApply({ base, current: lines("a B c"), disk: lines("a B c", "\r\n") })
  expect(folded.base).toEqual(base)
})

test("hold: base is the disk, the proposal is made anew on it", () => {
  const folded = foldHold({ base: lines("a b c d e"), current: lines("a B c d e"), disk: lines("a b c d P e") })
  expect(folded).toEqual({ base: lines("a b c d P e"), current: lines("a B c d P e"), conflict: false })
})

test("hold: where both changed a line the proposal keeps the agent's, and the place is known", () => {
  const origin = lines("a b c d e f")
  const folded = foldHold({ base: origin, current: lines("a B c d e F"), disk: lines("a P c d e f") })
  expect(folded).toEqual({ base: lines("a P c d e f"), current: lines("a B c d e F"), conflict: true })
  expect(conflictRegions(origin, folded.current, folded.base)).toEqual([
    {
      at: { origin: { from: 1, to: 2 }, current: { from: 1, to: 2 }, base: { from: 1, to: 2 } },
      origin: lines("b"),
      current: lines("B"),
      base: lines("P"),
      hunks: [{ fromBase: 1, toBase: 2, fromCurrent: 1, toCurrent: 2 }],
    },
  ])
})

test("hold: a conflict is over once the two agree there", () => {
  expect(conflictRegions(lines("a b c"), lines("a P c"), lines("a P c"))).toEqual([])
  expect(conflictRegions(lines("a b c"), lines("a B c"), lines("a b c"))).toEqual([])
})

test("hold: the person typed what the agent proposes: nothing is pending", () => {
  const folded = foldHold({ base: lines("a b c"), current: lines("a B c"), disk: lines("a B c") })
  expect(folded).toEqual({ base: lines("a B c"), current: lines("a B c"), conflict: false })
})

test("hold: all line endings changed is no conflict", () => {
  const folded = foldHold({ base: lines("a b c"), current: lines("a B c"), disk: lines("a b c", "\r\n") })
  expect(folded).toEqual({ base: lines("a b c", "\r\n"), current: lines("a B c", "\r\n"), conflict: false })
})

test("an edited proposal in hold touches nothing that is on disk", () => {
  const base = lines("a b c d")
  const next = lines("a B c P d")
  expect(foldWrite({ base, current: lines("a B c d"), next, disk: "base" })).toEqual({ base, current: next })
})

test("an edited proposal in apply is folded as a save is", () => {
  const folded = foldWrite({
    base: lines("a b c d"),
    current: lines("a B c d"),
    next: lines("a B c P d"),
    disk: "current",
  })
  expect(folded.base).toEqual(lines("a b c P d"))
})

const anyPicks = fc.array(fc.nat(9_999), { minLength: 12, maxLength: 12 })

test("with nothing pending, what the person writes is agreed on", () => {
  fc.assert(
    fc.property(anyBase, anyPicks, (base, picks) => {
      const disk = edited(base, "P", picks)
      expect(foldApply({ base, current: base, disk })).toEqual({ base: disk, current: disk })
      expect(foldHold({ base, current: base, disk })).toEqual({ base: disk, current: disk, conflict: false })
    }),
    { numRuns: runs },
  )
})

test("a person's edit away from the hunks leaves every hunk as it was", () => {
  fc.assert(
    fc.property(anyBase, anyPicks, anyPicks, (base, agent, person) => {
      const text = asSaved(base, false)
      // Two texts one behind the other with a wall between: the agent works above, the person below.
      const wall = ["wall 1\n", "wall 2\n", "wall 3\n"]
      const above = asSaved(edited(text, "A", agent), false)
      const below = edited(text, "P", person)
      const folded = foldApply({
        base: [...text, ...wall, ...text],
        current: [...above, ...wall, ...text],
        disk: [...above, ...wall, ...below],
      })
      expect(folded.base).toEqual([...text, ...wall, ...below])
    }),
    { numRuns: runs },
  )
})

test("no fold tears or glues lines, and hold without conflict has both changes", () => {
  fc.assert(
    fc.property(anyBase, anyPicks, anyPicks, (base, agent, person) => {
      const current = edited(base, "A", agent)
      const folded = foldApply({ base, current, disk: edited(current, "P", person) })
      const saved = edited(base, "P", person)
      const held = foldHold({ base, current, disk: saved })
      for (const text of [folded.base, folded.current, held.base, held.current])
        expect(splitLines(joinLines(text))).toEqual(text)
      if (held.conflict) return
      const added = diffLines(base, saved).hunks.flatMap(hunk => saved.slice(hunk.fromCurrent, hunk.toCurrent))
      for (const line of added) expect(held.current.map(contentOf)).toContain(contentOf(line))
    }),
    { numRuns: runs },
  )
})
