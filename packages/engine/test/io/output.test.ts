import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { boundedOutput, inertOutput } from "../../src/io/output.ts"

describe("output as it may be shown", () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ["plain text stays", "a\tb\nc ключ 👩‍👩‍👧\n", "a\tb\nc ключ 👩‍👩‍👧\n"],
    ["colours are dropped", "\u001b[1;31mred\u001b[0m", "red"],
    ["cursor moves are spelled", "a\u001b[2Kb\u001b[10;10H", "a\\e[2Kb\\e[10;10H"],
    ["titles and clipboards are spelled", "\u001b]52;c;eA==\u0007", "\\e]52;c;eA==\\x07"],
    ["C1 controls are spelled", "\u009b31m", "\\u{9b}31m"],
    ["bidirectional overrides are spelled", "a\u202eb", "a\\u{202e}b"],
    ["invisible tags are spelled", "a\u{e0041}b", "a\\u{e0041}b"],
    ["NUL and backspace are spelled", "a\u0000b\bc", "a\\x00b\\x08c"],
    ["CRLF is a line end", "a\r\nb\r\n", "a\nb\n"],
    ["progress keeps its last", "10%\r50%\r100%\ndone\n", "100%\ndone\n"],
    ["a trailing carriage return is spelled", "50%\r", "50%\\x0d"],
    ["a lone surrogate is spelled", "a\ud800b", "a\\u{d800}b"],
  ]
  for (const [name, input, expected] of cases) test(name, () => expect(inertOutput(input)).toBe(expected))

  test("never holds a control but tab and newline", () => {
    const any = fc.string({
      unit: fc.oneof(
        fc.string({ minLength: 1, maxLength: 1, unit: "binary" }),
        fc.constantFrom("\u001b", "[", "\r", "\n", "m", "\u009b"),
      ),
    })
    fc.assert(
      fc.property(any, text => {
        expect(inertOutput(text)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/)
      }),
    )
  })
})

describe("bounded output", () => {
  function bounded(limit: number, ...chunks: readonly string[]): string {
    const output = boundedOutput(limit)
    for (const chunk of chunks) output.add(Buffer.from(chunk))
    return output.text()
  }

  test("keeps all within the bound", () => {
    expect(bounded(9, "abc", "def", "ghi")).toBe("abcdefghi")
    expect(bounded(9)).toBe("")
  })

  test("keeps head and tail beyond it", () => {
    expect(bounded(9, "abc", "def", "ghi", "j")).toBe("abc\n[… 1 bytes left out …]\nefghij")
    expect(bounded(9, "ab\n", "x".repeat(100), "123456")).toBe("ab\n[… 100 bytes left out …]\n123456")
  })

  test("cuts no character in two", () => {
    expect(bounded(9, "aé".repeat(10))).not.toContain("\ufffd")
    expect(bounded(12, "👩".repeat(10))).not.toContain("\ufffd")
  })

  test("however it arrives, it is the same", () => {
    const law = fc.property(
      fc.array(fc.string({ maxLength: 40 })),
      fc.integer({ min: 1, max: 60 }),
      (chunks, limit) => {
        const text = bounded(limit, chunks.join(""))
        expect(bounded(limit, ...chunks)).toBe(text)
        if (Buffer.byteLength(chunks.join("")) <= limit) expect(text).toBe(Buffer.from(chunks.join("")).toString())
      },
    )
    fc.assert(law)
  })
})
