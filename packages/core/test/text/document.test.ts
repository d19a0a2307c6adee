import * as fc from "fast-check"
import { expect, test } from "vitest"
import {
  type Codec,
  decodeDocument,
  encodeDocument,
  type Encoding,
  isNotText,
  type NotText,
} from "../../src/text/document.ts"
import { edgeTexts } from "./texts.ts"

const runs = Number(process.env["TEXT_RUNS"] ?? 1000)

/** Bytes written as in a hex dump. */
function bytesOf(hex: string): Uint8Array {
  return new Uint8Array(hex.split(" ").flatMap(byte => (byte === "" ? [] : [Number.parseInt(byte, 16)])))
}

/** A charset of its own kind, which swaps letter case and cannot spell "!". */
const swapped: Codec = {
  decode: (bytes, charset) => (charset === "swapped" ? swapCase(String.fromCharCode(...bytes)) : null),
  encode: (text, charset) => {
    if (charset !== "swapped" || text.includes("!")) return null
    return new Uint8Array(Array.from(swapCase(text), character => character.charCodeAt(0)))
  },
}

function swapCase(text: string): string {
  return text.replaceAll(/[a-z]/gi, letter =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  )
}

/** A lenient codec as many are: it drops what it does not know. */
const lossy: Codec = {
  decode: bytes => String.fromCharCode(...bytes.filter(byte => byte < 0x80)),
  encode: text => new Uint8Array(Array.from(text, character => character.charCodeAt(0)).filter(unit => unit < 0x80)),
}

function check(name: string, hex: string, text: string, encoding: string, charset?: string, codec = swapped): void {
  test(name, () => {
    const bytes = bytesOf(hex)
    const document = decodeDocument(bytes, charset === undefined ? undefined : { charset, codec })
    if (isNotText(document)) throw new Error(document.message)
    expect(document.text).toBe(text)
    expect(`${document.encoding.name}${document.encoding.bom ? " bom" : ""}`).toBe(encoding)
    expect(encodeDocument(document.text, document.encoding, codec)).toEqual(bytes)
  })
}

function refuses(name: string, hex: string, reason: NotText["reason"], charset?: string, codec = swapped): void {
  test(name, () => {
    const document = decodeDocument(bytesOf(hex), charset === undefined ? undefined : { charset, codec })
    if (!isNotText(document)) throw new Error(`decoded as ${JSON.stringify(document)}`)
    expect(document.reason).toBe(reason)
    expect(document.message).not.toBe("")
  })
}

check("an empty file is text", "", "", "utf-8")
check("ASCII", "61 0a", "a\n", "utf-8")
check("UTF-8", "c3 a9 f0 9f 98 80", "é😀", "utf-8")
check("UTF-8 with a mark", "ef bb bf 61", "a", "utf-8 bom")
check("a mark alone", "ef bb bf", "", "utf-8 bom")
check("a second mark is content", "ef bb bf ef bb bf 61", "\ufeffa", "utf-8 bom")
check("a mark further on is content", "61 ef bb bf", "a\ufeff", "utf-8")
check("a replacement character that stands in the file", "ef bf bd", "\ufffd", "utf-8")
check("control characters but NUL", "01 1b 7f 0c", "\u0001\u001b\u007f\f", "utf-8")
check("UTF-16 little endian by its mark", "ff fe 61 00 3d d8 00 de", "a😀", "utf-16le bom")
check("UTF-16 big endian by its mark", "fe ff 00 61 d8 3d de 00", "a😀", "utf-16be bom")
check("a second UTF-16 mark is content", "ff fe ff fe 61 00", "\ufeffa", "utf-16le bom")
check("an empty UTF-16 file", "fe ff", "", "utf-16be bom")
check("UTF-16 without a mark as declared", "61 00 0a 00", "a\n", "utf-16le", "UTF-16LE")
check("latin1 as declared", "e9 80 ff", "é\u0080ÿ", "latin1", "latin1")
check("latin1 by its other name", "e9", "é", "latin1", "ISO-8859-1")
check("a mark comes before the declaration", "ef bb bf 61", "a", "utf-8 bom", "latin1")
check("a charset of the codec", "41 62", "aB", "swapped", "swapped")
check("UTF-8 declared for a file without a mark", "61", "a", "utf-8", "utf-8-bom")

refuses("NUL in UTF-8", "61 00 62", "binary")
refuses("a program", "7f 45 4c 46 02 01 01 00 ff", "binary")
refuses("NUL behind a mark", "ef bb bf 00", "binary")
refuses("NUL in latin1", "e9 00", "binary", "latin1")
refuses("NUL in UTF-16", "ff fe 00 00", "binary")
refuses("UTF-16 without mark or declaration", "61 00 0a 00", "binary")
refuses("latin1 undeclared", "63 61 66 e9", "undeclared")
refuses("an overlong form", "c0 af", "undeclared")
refuses("a surrogate in UTF-8", "ed a0 80", "undeclared")
refuses("beyond U+10FFFF", "f4 90 80 80", "undeclared")
refuses("a cut character at the end", "61 e2 82", "undeclared")
refuses("a mark before what is not UTF-8", "ef bb bf e9", "undecodable")
refuses("UTF-16 with half a unit", "ff fe 61", "undecodable")
refuses("UTF-16 with a high surrogate alone", "ff fe 3d d8", "undecodable")
refuses("UTF-16 with a low surrogate alone", "fe ff de 00 00 61", "undecodable")
refuses("a charset nobody knows", "61", "undeclared", "klingon")
refuses("a codec that loses bytes", "61 e9 62", "undecodable", "lossy", lossy)
refuses("what the declared UTF-8 does not allow", "e9", "undecodable", "utf-8")

function refusesToSpell(
  name: string,
  text: string,
  encoding: Encoding,
  reason: NotText["reason"],
  codec?: Codec,
): void {
  test(name, () => {
    const bytes = encodeDocument(text, encoding, codec)
    if (!isNotText(bytes)) throw new Error("encoded")
    expect(bytes.reason).toBe(reason)
  })
}

refusesToSpell("half a surrogate pair in UTF-8", "a\ud800", { name: "utf-8", bom: false }, "undecodable")
refusesToSpell("half a surrogate pair in UTF-16", "\udc00a", { name: "utf-16be", bom: true }, "undecodable")
refusesToSpell("a euro sign in latin1", "€", { name: "latin1", bom: false }, "undecodable")
refusesToSpell("a character the codec does not have", "a!", { name: "swapped", bom: false }, "undecodable", swapped)
refusesToSpell("a charset without a codec", "a", { name: "swapped", bom: false }, "undeclared")
refusesToSpell("a codec that drops characters", "aé", { name: "lossy", bom: false }, "undecodable", lossy)
refusesToSpell("NUL, which would not be read again", "a\0", { name: "utf-8", bom: false }, "binary")
refusesToSpell("latin1 that would be read as UTF-8", "ï»¿", { name: "latin1", bom: false }, "undecodable")

const encodings: readonly Encoding[] = [
  { name: "utf-8", bom: false },
  { name: "utf-8", bom: true },
  { name: "utf-16le", bom: true },
  { name: "utf-16be", bom: true },
  { name: "utf-16le", bom: false },
  { name: "latin1", bom: false },
]
const declaredAs = (encoding: Encoding): { charset: string; codec: Codec } => ({
  charset: encoding.name,
  codec: swapped,
})

test("what is encoded decodes to the same text and encoding", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 20 }),
    fc.string({ unit: fc.constantFrom("a", "\n", "\ufeff", "\ud800", "\udc00", "é", "ÿ", "þ", "\0", "ï", "»", "¿") }),
    fc.constantFrom(...edgeTexts.filter(edge => edge.length < 1000)),
  )
  fc.assert(
    fc.property(text, fc.constantFrom(...encodings), (content, encoding) => {
      const bytes = encodeDocument(content, encoding)
      if (isNotText(bytes)) return
      const again = decodeDocument(bytes, declaredAs(encoding))
      // A mark written as a character is a mark when read.
      if (!encoding.bom && content.startsWith("\ufeff"))
        expect(again).toEqual({ text: content.slice(1), encoding: { ...encoding, bom: true } })
      else expect(again).toEqual({ text: content, encoding })
    }),
    { numRuns: runs },
  )
})

test("what is decoded encodes to the same bytes and has no replacement in it", () => {
  const heads = fc.constantFrom([], [0xef, 0xbb, 0xbf], [0xff, 0xfe], [0xfe, 0xff])
  const body = fc.oneof(
    fc.array(fc.nat(255), { maxLength: 12 }),
    fc.array(fc.constantFrom(0x61, 0x0a, 0xc3, 0xa9, 0xd8, 0xdc, 0xef, 0xbb, 0xbf, 0xfe, 0xff, 0), { maxLength: 12 }),
  )
  fc.assert(
    fc.property(heads, body, fc.constantFrom(undefined, ...encodings), (head, rest, declared) => {
      const bytes = new Uint8Array([...head, ...rest])
      const document = decodeDocument(bytes, declared && declaredAs(declared))
      if (isNotText(document)) return
      expect(encodeDocument(document.text, document.encoding)).toEqual(bytes)
      if (document.text.includes("\ufffd")) expect(Buffer.from(bytes).toString("hex")).toMatch(/efbfbd|fffd|fdff/)
    }),
    { numRuns: runs },
  )
})

test("a line of 5 MB goes through every encoding", () => {
  const text = `${"é 字😀".repeat(1_000_000)}\n`
  for (const encoding of encodings.slice(0, 5)) {
    const bytes = encodeDocument(text, encoding)
    if (isNotText(bytes)) throw new Error(bytes.message)
    const again = decodeDocument(bytes, declaredAs(encoding))
    expect(!isNotText(again) && again.text === text).toBe(true)
  }
  const latin = encodeDocument("é".repeat(5_000_000), { name: "latin1", bom: false })
  if (isNotText(latin)) throw new Error(latin.message)
  const again = decodeDocument(latin, { charset: "latin1", codec: swapped })
  expect(!isNotText(again) && again.text.length).toBe(5_000_000)
})

test("the name of a declared charset is shown short and inert", () => {
  const none = { decode: () => null, encode: () => null }
  const document = decodeDocument(new Uint8Array([0xe9]), { charset: `\x1b[2J${"x".repeat(5000)}`, codec: none })
  const message = isNotText(document) ? document.message : ""
  expect([message.includes("\x1b"), message.includes("[2jxxx"), message.length < 120]).toEqual([false, true, true])
})
