import { expect, test } from "vitest"
import { alteredSpans, applyMove, authorsOf, emptyWeave, isMixed } from "../../src/change/authorship.ts"
import { rejectLines } from "../../src/change/decide.ts"
import type { Line } from "../../src/text/lines.ts"
import {
  accept,
  agentWrites,
  authors,
  begin,
  goBack,
  hunksOf,
  move,
  personProposes,
  personSaves,
  type Play,
  reject,
} from "./review-play.ts"

/** One word a line; `_` stands for a blank within a line. */
function lines(text: string): Line[] {
  return text
    .split(" ")
    .filter(word => word !== "")
    .map(word => `${word.replaceAll("_", " ")}\n`)
}

type Happening = ["agent" | "person" | "proposes", string]

function play(base: string, happenings: Happening[]): Play {
  return happenings.reduce(
    (now, [who, text]) => {
      switch (who) {
        case "agent":
          return agentWrites(now, lines(text))
        case "person":
          return personSaves(now, lines(text))
        case "proposes":
          return personProposes(now, lines(text))
      }
    },
    begin(lines(base)),
  )
}

/** What is left after rejecting everything; where that is refused, what the person is told. */
function check(name: string, base: string, happenings: Happening[], expected: string): void {
  test(name, () => {
    const after = reject(play(base, happenings))
    if (typeof after === "string") expect(after).toBe(expected)
    else expect(after).toMatchObject({ base: lines(expected), current: lines(expected) })
  })
}

check("the agent's lines go, base's come back", "a b c", [["agent", "a B C c"]], "a b c")
check(
  "a person's line between the agent's stays",
  "a c",
  [
    ["agent", "a A1 A2 c"],
    ["person", "a A1 P A2 c"],
  ],
  "a P c",
)
check(
  "two inside, above and below",
  "a c",
  [
    ["agent", "a A1 A2 c"],
    ["person", "a P A1 Q A2 R c"],
  ],
  "a P Q R c",
)
check(
  "where the agent replaced lines one by one, a person's line keeps its place",
  "one(1) two(2) three(3)",
  [
    ["agent", "one(9) two(9) three(9)"],
    ["person", "one(9) two(9) P three(9)"],
  ],
  "one(1) two(2) P three(3)",
)
check(
  "a line a person removed stays away",
  "a b c d",
  [
    ["agent", "a b C d"],
    ["person", "a d"],
  ],
  "a c d",
)
check(
  "an agent's line a person removed stays away",
  "a c",
  [
    ["agent", "a A1 A2 c"],
    ["person", "a A2 c"],
  ],
  "a c",
)
check(
  "a line of the agent's that a person altered: refused",
  "a b c",
  [
    ["agent", "a limit=20 c"],
    ["person", "a limit=25 c"],
  ],
  "A person altered the agent's line 2.",
)
check(
  "one put in the place of the agent's is altered too",
  "a b c",
  [
    ["agent", "a B c"],
    ["person", "a other c"],
  ],
  "A person altered the agent's line 2.",
)
check(
  "two altered",
  "a b c",
  [
    ["agent", "a x=1 y=1 c"],
    ["person", "a x=2 y=2 c"],
  ],
  "A person altered the agent's lines 2, 3.",
)
check(
  "altered and put back as the agent had it",
  "a b c",
  [
    ["agent", "a x=1 c"],
    ["person", "a x=2 c"],
    ["person", "a x=1 c"],
  ],
  "a b c",
)
check(
  "altered and put back as base had it",
  "a b c",
  [
    ["agent", "a B c"],
    ["person", "a b c"],
  ],
  "a b c",
)
check(
  "indented by a formatter: still the agent's",
  "a b c",
  [
    ["agent", "a x=1 c"],
    ["person", "a __x_=_1 c"],
  ],
  "a b c",
)
check(
  "a formatter over all",
  "f() g() h()",
  [
    ["agent", "f() A() g() h()"],
    ["person", "_f() _A() _g() _h()"],
  ],
  "_f() _g() _h()",
)
check(
  "the agent moves its own line away from a person's",
  "a c",
  [
    ["agent", "a A c"],
    ["person", "a A P c"],
    ["agent", "a P A c"],
  ],
  "a P c",
)
check(
  "the agent rewrites its lines around a person's",
  "a d",
  [
    ["agent", "a A1 A2 d"],
    ["person", "a A1 P A2 d"],
    ["agent", "a X1 P X2 d"],
  ],
  "a P d",
)
check(
  "the agent takes out a person's line: it comes back",
  "a d",
  [
    ["agent", "a A1 A2 d"],
    ["person", "a A1 Person A2 d"],
    ["agent", "a A1 Q A2 d"],
  ],
  "a Person d",
)
check(
  "the agent takes out a person's line that was agreed on: it comes back",
  "a d",
  [
    ["person", "a P d"],
    ["agent", "a Q d"],
  ],
  "a P d",
)
check(
  "the agent indents a person's line: still theirs",
  "a d",
  [
    ["agent", "a A1 A2 d"],
    ["person", "a A1 P() A2 d"],
    ["agent", "a A1 __P() A2 d"],
  ],
  "a __P() d",
)
check(
  "the agent moves a person's line: still theirs",
  "a b c",
  [
    ["agent", "a A b c"],
    ["proposes", "a A Person b c"],
    ["agent", "a A b Person c"],
  ],
  "a b Person c",
)
check(
  "the agent replaces a line a person altered: refused",
  "a b c",
  [
    ["agent", "a x=1 c"],
    ["person", "a x=2 c"],
    ["agent", "a z c"],
  ],
  "The agent replaced a line that a person had altered.",
)
check(
  "a person types the agent's rejected line elsewhere: theirs",
  "a b c d",
  [
    ["agent", "a Line b c d"],
    ["person", "a b c d"],
    ["agent", "a b C1 C2 d"],
    ["person", "a b C1 Line C2 d"],
  ],
  "a b c Line d",
)
check(
  "a person moves the agent's line: still the agent's",
  "a b c d",
  [
    ["agent", "a b Agent c d"],
    ["person", "a Agent b c d"],
  ],
  "a b c d",
)
check(
  "the agent puts base's line back",
  "a b c",
  [
    ["agent", "a B c"],
    ["agent", "a b c"],
  ],
  "a b c",
)
check(
  "edits, then edits back: nothing is pending",
  "a b c",
  [
    ["agent", "a c"],
    ["agent", "a b c"],
  ],
  "a b c",
)
check(
  "hold: a person's own line in the proposal",
  "a b c d",
  [
    ["agent", "a B c d"],
    ["proposes", "a B c P d"],
  ],
  "a b c P d",
)
check(
  "a person empties the file",
  "a b",
  [
    ["agent", "a b C"],
    ["person", ""],
  ],
  "",
)

test("keep-mine keeps the altered line in the place of base's, take-theirs base's", () => {
  const altered = play("a limit=10 c", [
    ["agent", "a limit=20 A c"],
    ["person", "a limit=25 A c"],
  ])
  expect(reject(altered, hunksOf(altered), "keep-mine")).toMatchObject({
    base: lines("a limit=25 c"),
    current: lines("a limit=25 c"),
  })
  expect(reject(altered, hunksOf(altered), "take-theirs")).toMatchObject({
    base: lines("a limit=10 c"),
    current: lines("a limit=10 c"),
  })
})

test("a refusal is of the altered hunk only; the others can be rejected", () => {
  const two = play("a b c d e", [
    ["agent", "a x=1 c D e"],
    ["person", "a x=2 c D e"],
  ])
  const [altered, other] = hunksOf(two)
  if (altered === undefined || other === undefined) throw new Error("Two hunks are pending")
  expect(reject(two, [altered])).toBe("A person altered the agent's line 2.")
  expect(reject(two, [other])).toMatchObject({ base: lines("a b c d e"), current: lines("a x=2 c d e") })
})

test("authors, mixed hunks and the agent's own text", () => {
  const mixed = play("a b c d", [
    ["agent", "a B1 B2 c D"],
    ["person", "a B1 P B2_more c D"],
  ])
  const found = authors(mixed)
  expect(found.current).toEqual(["base", "agent", "person", "altered", "base", "agent"])
  expect([...found.originals]).toEqual([[3, "B2\n"]])
  expect(hunksOf(mixed).map(hunk => isMixed(hunk, found))).toEqual([true, false])
})

test("a hunk in which a person only took lines out is mixed", () => {
  const found = play("aa bb cc dd", [
    ["agent", "aa bb CC dd"],
    ["person", "aa dd"],
  ])
  expect([...authors(found).removedByPerson]).toEqual([1])
  expect(hunksOf(found).map(hunk => isMixed(hunk, authors(found)))).toEqual([true])
})

test("chosen lines of a mixed hunk: the person's stay in both", () => {
  const mixed = play("a b c", [
    ["agent", "a A1 A2 c"],
    ["person", "a A1 P A2 c"],
  ])
  const [hunk] = hunksOf(mixed)
  if (hunk === undefined) throw new Error("A hunk is pending")
  expect(rejectLines(mixed, hunk, { new: [1, 3] }, authors(mixed), "stop")).toEqual({
    kind: "done",
    base: lines("a b P c"),
    current: lines("a P A2 c"),
  })
  const altered = play("a b c", [
    ["agent", "a x=1 A2 c"],
    ["person", "a x=2 A2 c"],
  ])
  const [other] = hunksOf(altered)
  if (other === undefined) throw new Error("A hunk is pending")
  expect(rejectLines(altered, other, { new: [1, 2] }, authors(altered), "stop")).toMatchObject({ kind: "conflict" })
  expect(rejectLines(altered, other, { new: [2, 3] }, authors(altered), "stop")).toMatchObject({ kind: "done" })
})

test("undo of a reject: the agent's lines are the agent's again, also with other things between", () => {
  const before = play("a b c d e f", [["agent", "a B c d e f"]])
  const rejected = reject(before)
  if (typeof rejected === "string") throw new Error(rejected)
  const between = personSaves(rejected, lines("a b c d P e f"))
  const back = goBack(between, { ...between, base: lines("a b c d P e f"), current: lines("a B c d P e f") })
  expect(authors(back).current.slice(0, 3)).toEqual(["base", "agent", "base"])
  expect(reject(back)).toMatchObject({ current: lines("a b c d P e f") })
})

test("undo of an accept, then reject", () => {
  const before = play("a b c", [
    ["agent", "a B1 B2 c"],
    ["person", "a B1 P B2 c"],
  ])
  expect(reject(goBack(accept(before), before))).toMatchObject({ current: lines("a b P c") })
})

test("what the agent took out before an accept does not come back with a later reject", () => {
  const took = play("a d", [
    ["agent", "a A1 A2 d"],
    ["person", "a A1 Person A2 d"],
    ["agent", "a A1 A2 d"],
  ])
  const next = agentWrites(accept(took), lines("a A1 A3 d"))
  expect(reject(next)).toMatchObject({ current: lines("a A1 A2 d") })
})

test("a gap in the log: what it does not tell is a person's", () => {
  const weave = applyMove(emptyWeave(lines("a b c")), {
    current: { before: lines("a b Unseen c"), after: lines("a B Unseen c") },
    actor: "agent",
  })
  expect(authorsOf(weave).current).toEqual(["base", "agent", "person", "base"])
})

test("a history that brings what nobody knows: a person's", () => {
  const unknown = move(begin(lines("a b")), lines("a b"), lines("a Unknown b"), "history")
  expect(authors(unknown).current).toEqual(["base", "person", "base"])
})

test("of equal lines, the one that the diff shows as new has the author", () => {
  // The agent adds a closing bracket above base's; the diff shows the lower one as new.
  const twins = play("a }", [["agent", "a } }"]])
  expect(authors(twins).current).toEqual(["base", "base", "agent"])
  const three = personSaves(twins, lines("a } } }"))
  expect(three.base).toEqual(lines("a } }"))
  expect(reject(three)).toMatchObject({ current: lines("a } }") })
})

test("two agents' edits, a person's and a commit between: all in one weave", () => {
  const story = play("fn() { old } end", [
    ["agent", "fn() { first } end"],
    ["person", "fn() { first } end note"],
    ["agent", "fn() { first second } end note"],
    ["person", "fn() { first mine second } end note"],
  ])
  expect(story.base).toEqual(lines("fn() { old } end note"))
  expect(reject(story)).toMatchObject({ current: lines("fn() { old mine } end note") })
})

test("which characters of an altered line are the person's", () => {
  const now = "const limit = 25 // not more\n"
  const spans = alteredSpans("const limit = 20\n", now)
  expect(spans.map(({ from, to }) => now.slice(from, to))).toEqual(["25 // not more"])
  expect(alteredSpans("same\n", "same\n")).toEqual([])
  expect(alteredSpans("a 😀 b", "a 😁 b")).toEqual([{ from: 2, to: 4 }])
})

test("all line endings changed under a pending hunk: what is brought back, and what stays away, is as before", () => {
  const crlf = (text: string): Line[] => lines(text).map(line => line.replace("\n", "\r\n"))
  const mixed = play("aa bb cc dd", [
    ["agent", "aa BB1 BB2 dd"],
    ["person", "aa BB1 P BB2 dd"],
  ])
  expect(reject(personSaves(mixed, crlf("aa BB1 P BB2 dd")))).toMatchObject({ current: crlf("aa bb P cc dd") })
  const thinned = play("aa bb cc dd", [
    ["agent", "aa bb CC dd"],
    ["person", "aa dd"],
  ])
  expect(reject(personSaves(thinned, crlf("aa dd")))).toMatchObject({ current: crlf("aa cc dd") })
})

test("a file without a final newline, to which the agent and then the person add lines", () => {
  const base = ["a\n", "b"]
  const added = agentWrites(begin(base), ["a\n", "b\n", "Agent\n"])
  expect(reject(added)).toMatchObject({ base, current: base })
  const both = personSaves(added, ["a\n", "b\n", "Agent\n", "Person"])
  expect(reject(both)).toMatchObject({ base: ["a\n", "b\n", "Person"], current: ["a\n", "b\n", "Person"] })
})

test("a hundred thousand lines replaced at once overflow no stack", () => {
  const old = Array.from({ length: 130_000 }, (_, at) => `old ${at % 1_000}\n`)
  const now = old.map((_, at) => `now ${at % 999}\n`)
  const replaced = agentWrites(begin(old), now)
  const after = reject(replaced)
  if (typeof after === "string") throw new Error(after)
  expect(after.current.join("") === old.join("")).toBe(true)
})
