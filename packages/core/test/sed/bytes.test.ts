import { expect, test } from "vitest"
import { applySedToBytes } from "../../src/sed/bytes.ts"

/** `content` and the result are byte strings: one character, one byte. */
function check(script: string, content: string, expected: string): void {
  test(`${script} on ${JSON.stringify(content)}`, () => {
    const result = applySedToBytes(
      { kind: "sedEdit", path: "f", script, extended: false },
      Buffer.from(content, "latin1"),
    )
    const left =
      result.kind === "notSimulated" ? `declined: ${result.code}` : Buffer.from(result.bytes).toString("latin1")
    expect(left).toBe(expected)
  })
}

check("s/a/X/", "a\xffb\xfe\n", "X\xffb\xfe\n")
check("s/a/é/g", "a\xff\xc3a", "\xc3\xa9\xff\xc3\xc3\xa9")
check("s/é/e/", "\xc3\xa9\xc3\n", "e\xc3\n")
check("s/a/&&/2", "aa\xff", "aaa\xff")
check("s/ab*/X/", "\xff\nabb\n", "\xff\nX\n")
check("s/ab*/X/", "a\xff\nabb\n", "declined: text")
check("s/[ab]/X/", "\xff\n", "declined: text")
check("s/a/\\U&/", "a\xff\n", "declined: text")
check("s/\\(a\\)/\\1/", "a\xff\n", "declined: text")
check("s/^/x/", "\xef\xbb\xbfa\r\n", "x\xef\xbb\xbfa\r\n")
check("s/a/b/", "a\0a", "b\0a")
check("s/a/b/", "", "")
check("s/a/b/", "\xed\xa0\x80a\n", "\xed\xa0\x80b\n")

test("a file without a match keeps its very bytes", () => {
  const bytes = Buffer.from("a\n")
  const result = applySedToBytes({ kind: "sedEdit", path: "f", script: "s/x/y/", extended: false }, bytes)
  expect(result).toEqual({ kind: "sedAppliedToBytes", bytes, replacements: 0 })
})

test("a file too long for memory is declined, as is a result that would be", () => {
  const edit = { kind: "sedEdit", path: "f", script: "s/.*/&&&&&&&&/", extended: false } as const
  expect(applySedToBytes(edit, new Uint8Array(2 ** 26 + 1))).toMatchObject({ kind: "notSimulated", code: "effort" })
  expect(applySedToBytes(edit, new Uint8Array(2 ** 25 + 1).fill(0x61))).toMatchObject({
    kind: "notSimulated",
    code: "effort",
  })
})

test("a file of several megabytes is the same as its lines, bytes that are not UTF-8 included", () => {
  const bad = Buffer.from("\xff none\n", "latin1")
  const good = Buffer.from("é text 1\n".repeat(120_000))
  const edit = { kind: "sedEdit", path: "f", script: "s/[0-9]/<&>/", extended: false } as const
  const expected = Buffer.from("é text <1>\n".repeat(120_000))
  const whole = applySedToBytes({ ...edit, script: "s/t [0-9]/t <1>/" }, Buffer.concat([good, bad, good]))
  expect(whole).toMatchObject({ kind: "sedAppliedToBytes", replacements: 240_000 })
  if (whole.kind === "sedAppliedToBytes")
    expect(Buffer.concat([expected, bad, expected]).equals(whole.bytes)).toBe(true)
  expect(applySedToBytes(edit, Buffer.concat([good, bad]))).toMatchObject({ kind: "notSimulated", code: "text" })
})
