import { expect, test } from "vitest"
import { bufferHunks } from "../src/review/buffer-hunks.ts"
import { ghosts } from "../src/review/ghosts.ts"

/** `a|b` is two lines; the answer is each ghost as `line text`. */
function shown(base: string, buffer: string): string[] {
  const lines = (notation: string): string => notation.replaceAll("|", "\n")
  const known = { base: lines(base), current: lines(buffer), hunks: [] }
  return bufferHunks(known, { side: "current", text: lines(buffer) }).flatMap(hunk =>
    ghosts(hunk, "current").map(ghost => `${ghost.line} ${ghost.text}`),
  )
}

const check = (name: string, base: string, buffer: string, expected: readonly string[]): void =>
  test(name, () => expect(shown(base, buffer)).toEqual(expected))

check("an altered line has its old text behind it", "a|  let sum = 0|c|", "a|  let sum = 1|c|", ["1 let sum = 0"])
check("an added line has none", "a|c|", "a|b|c|", [])
check("removed lines are behind the line above", "a|b|c|d|", "a|d|", ["0 b ⏎ c"])
check("removed lines at the top are behind the first", "a|b|", "b|", ["0 a"])
check("each old line is behind the one that took its place", "x|one two|three four|y|", "x|one 2|three 4|y|", [
  "1 one two",
  "2 three four",
])
check("old lines without a partner follow the one before", "one two|gone away|y|", "one 2|y|", [
  "0 one two ⏎ gone away",
])
check("an empty line is named", "a||b|", "a|b|", ["0 (empty line)"])

test("a ghost is one short line, however much is gone", () => {
  const gone = Array.from({ length: 400 }, (_, at) => `line ${at} of what was here before`).join("|")
  const [ghost] = shown(`a|${gone}|b|`, "a|b|")
  expect(ghost).toMatch(/… \+39\d more$/)
  expect(ghost?.length).toBeLessThan(140)
  expect(ghost).not.toContain("\n")
})
