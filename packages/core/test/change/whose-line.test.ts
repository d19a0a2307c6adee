import * as fc from "fast-check"
import { expect, test } from "vitest"
import { takeHunks } from "../../src/diff/hunk.ts"
import { contentOf, joinLines, type Line, splitLines, terminatorOf } from "../../src/text/lines.ts"
import {
  accept,
  agentWrites,
  anyBase,
  anyStep,
  authors,
  begin,
  chooseHunks,
  contents,
  decidePart,
  edited,
  goBack,
  hunksOf,
  marked,
  personProposes,
  personSaves,
  type Play,
  reject,
  runs,
  type Step,
} from "./review-play.ts"

type Mode = "apply" | "hold"

function step(play: Play, { kind, picks }: Step, number: number, mode: Mode, past: readonly Play[]): Play | string {
  const saves = mode === "apply" ? personSaves : personProposes
  switch (kind) {
    case "agent":
      return agentWrites(play, edited(play.current, `A${number}`, picks))
    case "person":
      return saves(play, edited(play.current, `P${number}`, picks))
    case "alter":
      return saves(play, altered(play.current, number, picks))
    case "accept":
      return accept(play, chooseHunks(play, picks))
    case "reject":
      return reject(play, chooseHunks(play, picks))
    case "acceptLines":
      return decidePart(play, picks, "accept")
    case "rejectLines":
      return decidePart(play, picks, "reject")
    case "undo":
      return goBack(play, past.at(-1) ?? play)
  }
}

/** One of the agent's lines continued by a person. */
function altered(current: readonly Line[], number: number, picks: readonly number[]): Line[] {
  const agents = current.flatMap((line, at) => (line.startsWith("A") ? [at] : []))
  const chosen = agents[(picks[0] ?? 0) % Math.max(1, agents.length)]
  return current.map((line, at) => (at === chosen ? `${contentOf(line)} by P${number}${terminatorOf(line)}` : line))
}

function walk(
  mode: Mode,
  base: readonly Line[],
  steps: readonly Step[],
  check: (before: Play, after: Play, step: Step) => void,
): Play {
  let play = begin(base)
  const past: Play[] = []
  for (const [number, next] of steps.entries()) {
    const after = step(play, next, number, mode, past)
    if (typeof after === "string") continue
    check(play, after, next)
    past.push(play)
    play = after
  }
  return play
}

function law(name: string, holds: (mode: Mode, base: readonly Line[], steps: readonly Step[]) => void): void {
  test(name, () => {
    const property = fc.property(
      fc.constantFrom<Mode>("apply", "hold"),
      anyBase,
      fc.array(anyStep, { maxLength: 12 }),
      holds,
    )
    fc.assert(property, { numRuns: runs })
  })
}

law("base and hunks give current, and the weave holds both texts", (mode, base, steps) => {
  walk(mode, base, steps, (_, after) => {
    expect(takeHunks(after.base, after.current, hunksOf(after))).toEqual(after.current)
    for (const text of [after.base, after.current]) expect(splitLines(joinLines(text))).toEqual(text)
    const { entries } = after.weave
    expect(entries.filter(entry => entry.inBase).map(entry => entry.line)).toEqual(after.base)
    expect(entries.filter(entry => entry.inCurrent).map(entry => entry.line)).toEqual(after.current)
  })
})

law("no decision takes a person's line out of both texts", (mode, base, steps) => {
  const wrote = new Set<Line>()
  walk(mode, base, steps, (before, after, { kind }) => {
    if (kind === "person" || kind === "alter") for (const line of after.current) wrote.add(line)
    if (kind === "agent" || kind === "person" || kind === "alter" || kind === "undo") return
    const left = contents([...after.base, ...after.current])
    for (const line of before.current)
      if (wrote.has(line) && (line.startsWith("P") || line.includes("by P"))) expect(left).toContain(contentOf(line))
  })
})

law("rejecting all leaves no agent's line that was never accepted, and both texts the same", (mode, base, steps) => {
  const accepted = new Set<string>()
  const wrote = new Set<Line>()
  const play = walk(mode, base, steps, (_, after, { kind }) => {
    for (const line of marked(after.base, "A")) accepted.add(line)
    if (kind === "person" || kind === "alter") for (const line of after.current) wrote.add(line)
  })
  const after = reject(play)
  if (typeof after === "string") {
    expect(steps.some(({ kind }) => kind === "person" || kind === "alter")).toBe(true)
    return
  }
  expect(after.base).toEqual(after.current)
  for (const line of marked(after.current, "A")) if (!line.includes("by P")) expect(accepted).toContain(line)
  for (const line of play.current)
    if (wrote.has(line) && line.startsWith("P")) expect(contents(after.current)).toContain(contentOf(line))
})

law("rejecting all brings back every line of base that no person took out", (mode, base, steps) => {
  const taken = new Set<string>()
  const play = walk(mode, base, steps, (before, after, { kind }) => {
    if (kind !== "person" && kind !== "alter") return
    for (const line of contents(before.current)) if (!after.current.includes(line)) taken.add(line)
  })
  const after = reject(play)
  if (typeof after === "string") return
  for (const line of marked(play.base, "B")) if (!taken.has(line)) expect(contents(after.current)).toContain(line)
})

law(
  "rejecting all, told to take base's, leaves none of the agent's text that was never accepted",
  (mode, base, steps) => {
    const accepted = new Set<string>()
    const play = walk(mode, base, steps, (_, after) => {
      for (const line of marked(after.base, "A")) accepted.add(line.replace(/( by P\d+)*$/, ""))
    })
    const after = reject(play, hunksOf(play), "take-theirs")
    if (typeof after === "string") throw new Error("It was told which side to take")
    expect(after.base).toEqual(after.current)
    for (const line of marked(after.current, "A")) expect(accepted).toContain(line.replace(/( by P\d+)*$/, ""))
  },
)

law("rejecting all, told to keep the person's, keeps every altered line", (mode, base, steps) => {
  const play = walk(mode, base, steps, () => {})
  const after = reject(play, hunksOf(play), "keep-mine")
  if (typeof after === "string") throw new Error("It was told which side to take")
  expect(after.base).toEqual(after.current)
  for (const line of contents(play.current)) if (line.includes("by P")) expect(contents(after.current)).toContain(line)
})

law("accepting all leaves both texts as current was", (mode, base, steps) => {
  const play = walk(mode, base, steps, () => {})
  const after = accept(play)
  expect(after.base).toEqual(play.current)
  expect(after.current).toEqual(play.current)
})

law("undoing any decision gives every line its author again", (mode, base, steps) => {
  const play = walk(mode, base, steps, () => {})
  for (const after of [accept(play), reject(play, hunksOf(play), "take-theirs")]) {
    if (typeof after === "string") continue
    const back = goBack(after, play)
    expect(authors(back).current).toEqual(authors(play).current)
    expect(authors(back).removedByPerson).toEqual(authors(play).removedByPerson)
  }
})

law("every decision leaves fewer changed lines than there were", (mode, base, steps) => {
  const changed = (play: Play): number =>
    hunksOf(play).reduce((sum, hunk) => sum + hunk.toBase - hunk.fromBase + hunk.toCurrent - hunk.fromCurrent, 0)
  walk(mode, base, steps, (before, after, { kind, picks }) => {
    if (kind === "agent" || kind === "person" || kind === "alter" || kind === "undo") return
    const decided = kind === "acceptLines" || kind === "rejectLines" ? hunksOf(before) : chooseHunks(before, picks)
    if (decided.length === 0) return
    expect(changed(after)).toBeLessThan(changed(before))
  })
})
