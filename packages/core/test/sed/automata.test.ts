import { describe, expect, test } from "vitest"
import { dfaOf, hopelessUnits, longestFrom } from "../../src/sed/dfa.ts"
import { effortFor } from "../../src/sed/effort.ts"
import { finderOf } from "../../src/sed/finder.ts"
import { literalsOf } from "../../src/sed/literal.ts"
import { Declined } from "../../src/sed/outcome.ts"
import { parsePattern } from "../../src/sed/pattern.ts"
import { compile, type Program } from "../../src/sed/program.ts"
import { leftmostToEnd, possibleStarts, reverseDfaOf } from "../../src/sed/reverse-dfa.ts"
import { randomEdit } from "./random-edits.ts"

/** Random programs with the lines of their random files; every shortcut is held against trying each position. */
function* samples(count: number): Generator<{ seed: number; program: Program; line: string }> {
  for (let seed = 1; seed <= count; seed++) {
    const edit = randomEdit(seed)
    const program = compiled(edit.script, edit.extended)
    if (program === undefined) continue
    const text = new TextDecoder().decode(edit.content).replaceAll("\ufffd", "")
    for (const line of text.split("\n").slice(0, 6)) yield { seed, program, line }
  }
}

function compiled(script: string, extended: boolean): Program | undefined {
  try {
    return compile(script, extended)
  } catch (error) {
    if (error instanceof Declined) return undefined
    throw error
  }
}

/** For each position the end of the longest match from there, -1 for none; undefined inside a character. */
function ends(program: Program, line: string): readonly (number | undefined)[] {
  const dfa = dfaOf(program.nfa, effortFor(line.length))
  return Array.from({ length: line.length + 1 }, (_, at) => {
    const unit = line.charCodeAt(at)
    return unit >= 0xdc00 && unit <= 0xdfff ? undefined : longestFrom(dfa, line, 0, at, line.length)
  })
}

const runs = Number(process.env["GALLEY_SED_SEEDS"] ?? 300)

describe(`${runs} random programs`, () => {
  test("the backward automaton marks exactly the starts of matches", () => {
    for (const { seed, program, line } of samples(runs)) {
      const reverse = reverseDfaOf(program.nfa, effortFor(line.length))
      const marks = [...possibleStarts(reverse, line, 0, 0, line.length)]
      const naive = ends(program, line).map(end => (end !== undefined && end >= 0 ? 1 : 0))
      expect({ seed, line, marks }).toEqual({ seed, line, marks: naive })
    }
  })

  test("for patterns that end in $ it finds the leftmost start", () => {
    let seen = 0
    for (const { seed, program, line } of samples(runs)) {
      if (!program.atLineEnd) continue
      seen++
      const reverse = reverseDfaOf(program.nfa, effortFor(line.length))
      const naive = ends(program, line).findIndex(end => end !== undefined && end >= 0)
      expect({ seed, line, start: leftmostToEnd(reverse, line, 0, 0, line.length) }).toEqual({
        seed,
        line,
        start: naive,
      })
    }
    expect(seen).toBeGreaterThan(20)
  })

  test("no match starts at a unit called hopeless, and every match has the required text and the prefix", () => {
    for (const { seed, program, line } of samples(runs)) {
      const hopeless = hopelessUnits(program.nfa)
      const { prefix, required } = program.literals
      ends(program, line).forEach((end, at) => {
        if (end === undefined || end < 0) return
        expect({ seed, at, hopeless: at > 0 && at < line.length && hopeless[line.charCodeAt(at)] === 1 }).toMatchObject(
          { hopeless: false },
        )
        expect(line.slice(at, end).startsWith(prefix), `seed ${seed}`).toBe(true)
        expect(line.slice(at, end).includes(required), `seed ${seed}`).toBe(true)
      })
    }
  })

  test("the finder finds what trying each position finds, on long lines too", () => {
    for (const { seed, program, line } of samples(runs)) {
      const long = line.slice(0, 60).toWellFormed().repeat(12)
      const finder = finderOf(program, long, effortFor(long.length))
      const naive = ends(program, long)
      let from = 0
      for (let turn = 0; turn < 4; turn++) {
        const start = naive.findIndex((end, at) => at >= from && end !== undefined && end >= 0)
        const found = finder.find(0, from, long.length)
        expect({ seed, line, from, start: found ? finder.start : -1 }).toEqual({ seed, line, from, start })
        if (!found) break
        expect({ seed, end: finder.end }).toEqual({ seed, end: naive[start] })
        from = Math.max(finder.end, finder.start + ((long.codePointAt(finder.start) ?? 0) > 0xffff ? 2 : 1))
        if (from > long.length) break
      }
    }
  })
})

describe("literals", () => {
  const check = (source: string, expected: { whole?: string; prefix: string; required: string }): void =>
    test(source, () => expect(literalsOf(parsePattern(source, true).root)).toEqual({ whole: undefined, ...expected }))
  check("abc", { whole: "abc", prefix: "abc", required: "abc" })
  check("(a)b", { whole: "ab", prefix: "ab", required: "ab" })
  check("ab*cde", { prefix: "a", required: "cde" })
  check("int|integer|int32", { prefix: "int", required: "int" })
  check("x(foo|fob)*y", { prefix: "x", required: "x" })
  check("[ab](foo|fob)y", { prefix: "", required: "fo" })
  check("^abc$", { prefix: "", required: "abc" })
  check("(ab)+c", { prefix: "ab", required: "ab" })
  check("😀|😁", { prefix: "", required: "" })
  check("a|", { prefix: "", required: "" })
})
