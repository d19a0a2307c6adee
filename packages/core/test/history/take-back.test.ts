import { expect, test } from "vitest"
import type { Loaded } from "../../src/change/loaded.ts"
import type { OnOverlap } from "../../src/change/state-merge.ts"
import { rewindPath, type Move } from "../../src/history/take-back.ts"

/** `"a|b"`: a file of lines a and b; `"-"`: absent; `"?"`: unknown. */
function loaded(text: string): Loaded {
  if (text === "-") return { kind: "absent" }
  if (text === "?") return { kind: "unknown" }
  const lines = text === "" ? "" : `${text.replaceAll("|", "\n")}\n`
  return { kind: "file", bytes: new TextEncoder().encode(lines), mode: 0o644 }
}

function shown(state: Loaded): string {
  if (state.kind === "unknown") return "?"
  return state.kind === "file" ? new TextDecoder().decode(state.bytes).replace(/\n$/, "").replaceAll("\n", "|") : "-"
}

/** `"m: base,current > base,current"`: a move of message m's agent; with `person:` and the like somebody else's. */
function moves(...words: readonly string[]): Move[] {
  return words.map((word, at): Move => {
    const [, who = "", before = "", after = ""] = /^(\w+): (\S+) > (\S+)$/.exec(word) ?? []
    const sides = (text: string): Move["before"] => {
      const [base = "", current = ""] = text.split(",")
      return { base: loaded(base), current: loaded(current) }
    }
    const agent = who !== "person" && who !== "external"
    return {
      operation: String(at),
      actor: agent ? "agent" : who === "person" ? "person" : "external",
      message: agent ? who : null,
      before: sides(before),
      after: sides(after),
    }
  })
}

function check(
  story: readonly string[],
  back: readonly string[],
  expected: string,
  onOverlap: OnOverlap = "stop",
): void {
  const all = moves(...story)
  const now = all.at(-1)?.after ?? { base: loaded("-"), current: loaded("-") }
  const { sides, conflicts } = rewindPath(all, now, { back, forward: [] }, onOverlap)
  const trouble = conflicts.length === 0 ? "" : ` ${conflicts[0]?.kind ?? ""}`
  expect(`${shown(sides.base)},${shown(sides.current)}${trouble}`).toBe(expected)
}

test("pending moves are taken back from current, accepted ones from base too", () => {
  check(["m: a,a > a,b"], ["m"], "a,a")
  check(["m: a,a > a,b", "person: a,b > b,b"], ["m"], "a,a")
  check(["m: a|z,a|z > a|z,b|y", "person: a|z,b|y > b|z,b|y"], ["m"], "a|z,a|z")
})

test("what only passed through the proposal does not come into base", () => {
  check(["m: x,x > x,1|2|x", "m: x,1|2|x > x,2|x"], ["m"], "x,x")
  check(["m: x,x > x,1|x", "n: x,1|x > x,2|1|x"], ["n"], "x,1|x")
  check(["m: x,x > x,1|x", "n: x,1|x > x,x"], ["n"], "x,1|x")
})

test("accepted, then changed again: base goes back to before the first", () => {
  check(["m: a,a > a,b", "person: a,b > b,b", "m: b,b > b,c"], ["m"], "a,a")
  check(["m: a,a > a,b", "m: a,b > a,c", "person: a,c > c,c", "m: c,c > c,d"], ["m"], "a,a")
})

test("what was rejected is not brought back by taking back what was made on it", () => {
  check(["m: x,x > x,1|x", "n: x,1|x > x,2|1|x", "person: x,2|1|x > x,x"], ["n"], "x,x")
})

test("a person's line stays, the same line is a conflict, and the choice settles both sides", () => {
  check(["m: a|b|c,a|b|c > a|b|c,A|b|c", "external: a|b|c,A|b|c > a|b|mine,A|b|mine"], ["m"], "a|b|mine,a|b|mine")
  const both = ["m: a,a > a,b", "person: a,b > b,b", "external: b,b > mine,mine"]
  check(both, ["m"], "mine,mine overlap")
  check(both, ["m"], "mine,mine", "keep-mine")
  check(both, ["m"], "a,a", "take-theirs")
})

test("a file that was made goes, one that was deleted comes back, what is unknown is said", () => {
  check(["m: -,- > -,a"], ["m"], "-,-")
  check(["m: a,a > a,-", "person: a,- > -,-"], ["m"], "a,a")
  check(["m: ?,? > ?,?", "n: a,a > a,b"], ["m", "n"], "a,a unknown")
})
