import { assert, constantFrom, property, uint8Array } from "fast-check"
import { expect, test } from "vitest"
import { iconvCodec } from "../../src/io/codec.ts"

const codec = await iconvCodec()

/** Bytes in hexadecimal and the text they spell; null: not this charset's. */
function check(charset: string, hex: string, text: string | null): void {
  test(`${charset} ${hex}`, () => {
    expect(codec.decode(Buffer.from(hex.replaceAll(" ", ""), "hex"), charset)).toBe(text)
    if (text !== null)
      expect(Buffer.from(codec.encode(text, charset) ?? []).toString("hex")).toBe(hex.replaceAll(" ", ""))
  })
}

check("shift_jis", "93 fa 96 7b 0a", "日本\n")
check("euc-jp", "c6 fc cb dc", "日本")
check("gb18030", "81 30 81 30", "\u0080")
check("windows-1252", "80 e9", "€é")
check("windows-1252", "81", null) // no character there
check("shift_jis", "ff ff", null)
check("iso-8859-15", "a4", "€")
check("koi8-r", "d0 d2 c9", "при")
check("big5", "a4 a4", "中")
check("no-such-charset", "41", null)
check("base64", "41 41 41 41", null)
check("hex", "41", null)
check("utf-7", "41", null)

test("a text with a character that the charset lacks has no spelling", () => {
  expect(codec.encode("日本", "iso-8859-2")).toBe(null)
  expect(codec.encode("€", "no-such-charset")).toBe(null)
})

test("what is read is spelled with the same bytes, whatever the bytes", () => {
  const charset = constantFrom(
    "shift_jis",
    "gb18030",
    "gbk",
    "euc-jp",
    "euc-kr",
    "big5",
    "windows-1252",
    "iso-8859-7",
    "koi8-u",
    "utf-16",
    "utf-32",
  )
  assert(
    property(charset, uint8Array({ maxLength: 40 }), (name, bytes) => {
      const text = codec.decode(bytes, name)
      if (text !== null) expect(codec.encode(text, name)).toEqual(Buffer.from(bytes))
    }),
    { numRuns: 3000 },
  )
})
