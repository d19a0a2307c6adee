import { spawnSync } from "node:child_process"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { pathFromBytes } from "../../src/path.ts"
import { quoteWord, quoteWords } from "../../src/tool/shell-quote.ts"

const check = (word: string, quoted: string): void => expect(quoteWord(word)).toBe(quoted)

describe("a word as a shell reads it", () => {
  it("stays as it is where nothing in it means anything", () => check("src/a-b_c.js:3,4@%+", "src/a-b_c.js:3,4@%+"))
  it("is quoted when empty", () => check("", "''"))
  it("is quoted with blanks and globs", () => check("a b*", "'a b*'"))
  it("is quoted with quotes", () => check("it's", `'it'\\''s'`))
  it("is quoted where it would be an assignment", () => check("A=1", "'A=1'"))
  it("is quoted where it would be a home folder", () => check("~root", "'~root'"))
  it("is quoted where it would be grammar", () => check("if", "'if'"))
  it("keeps line ends", () => check("a\nb", "'a\nb'"))
  it("spells bytes that are not UTF-8", () => check(pathFromBytes(Uint8Array.of(0xff, 0x37, 0x27)), "$'\\3777\\047'"))
  it("cannot hold a NUL byte", () => expect(() => quoteWord("a\0b")).toThrow(RangeError))
})

/** What programs are called with, all in one call of the shell. */
function readBy(shell: string, lists: readonly (readonly string[])[]): Buffer[][] {
  const text = lists.map(words => `printf '%s\\0' ${quoteWords(words)}; printf '\\1\\0'`).join("\n")
  const { stdout, status } = spawnSync(shell, ["-c", text], { maxBuffer: 1 << 26, env: { LC_ALL: "C.UTF-8" } })
  expect(status).toBe(0)
  const found: Buffer[][] = [[]]
  for (let from = 0; from < stdout.length; ) {
    const to = stdout.indexOf(0, from)
    const word = stdout.subarray(from, to)
    if (word.equals(Buffer.from("\u0001"))) found.push([])
    else found.at(-1)?.push(word)
    from = to + 1
  }
  return found.slice(0, -1)
}

const bytes = fc.uint8Array({ max: 255, maxLength: 12 }).map(array => array.filter(byte => byte > 1))
const awkward = fc.string({ unit: fc.constantFrom(...Array.from("ab '\"\\$`*?[]{}~#&|;<>()!=\n\t-é漢😀if")) })

describe("bash and sh read back", () => {
  const seed = Number(process.env["GALLEY_SEED"] ?? Math.trunc(Math.random() * 2 ** 31))

  it("exactly the words, whatever their bytes (bash)", () => {
    const lists = fc.sample(fc.array(fc.oneof(bytes.map(pathFromBytes), awkward), { minLength: 1, maxLength: 4 }), {
      numRuns: 300,
      seed,
    })
    const expected = lists.map(words => words.map(word => Buffer.from(bytesOf(word))))
    expect(readBy("bash", lists), `seed ${seed}`).toEqual(expected)
  })

  it("exactly the words of text (sh)", () => {
    const lists = fc.sample(fc.array(awkward, { minLength: 1, maxLength: 4 }), { numRuns: 200, seed })
    expect(readBy("sh", lists), `seed ${seed}`).toEqual(lists.map(words => words.map(word => Buffer.from(word))))
  })

  it("a program's name that would be grammar as a program", () => {
    const { status, stderr } = spawnSync("bash", ["-c", `PATH=/nowhere; ${quoteWords(["time", "x"])}`])
    expect([status, stderr.toString()]).toEqual([127, expect.stringContaining("time: command not found")])
  })
})

function bytesOf(word: string): number[] {
  return Array.from(word).flatMap(character => {
    const code = character.codePointAt(0) ?? 0
    return code >= 0xdc80 && code <= 0xdcff ? [code - 0xdc00] : [...Buffer.from(character)]
  })
}
