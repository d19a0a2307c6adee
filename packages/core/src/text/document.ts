import { showPath } from "../path.ts"

/** How bytes spell a text. Together with the text it gives the bytes back exactly. */
export interface Encoding {
  /** Lower case. Names other than the three below come from a declaration (`.editorconfig`, configuration). */
  readonly name: "utf-8" | "utf-16le" | "utf-16be" | (string & {})
  readonly bom: boolean
}

export interface TextDocument {
  /** Without the byte order mark. */
  readonly text: string
  readonly encoding: Encoding
}

export interface NotText {
  readonly kind: "notText"
  /** `binary`: bytes no text has; `undecodable`: not what the mark or declaration says; `undeclared`: no rule to read it by. */
  readonly reason: "binary" | "undecodable" | "undeclared"
  readonly message: string
}

/** Charsets that core does not know itself. Null where it does not know the charset either, or a character has no spelling. */
export interface Codec {
  decode(bytes: Uint8Array, charset: string): string | null
  encode(text: string, charset: string): Uint8Array | null
}

/**
 * Reads bytes as text, or says why not. Nothing is guessed and nothing is replaced: what this returns as text,
 * `encodeDocument` spells with the very same bytes.
 *
 * A byte order mark decides first (UTF-8, UTF-16), then the declaration, else it must be UTF-8. Only the first mark is one;
 * a second is content. UTF-16 without a mark is text only as declared.
 */
export function decodeDocument(
  bytes: Uint8Array,
  declared?: { readonly charset: string; readonly codec: Codec },
): TextDocument | NotText {
  switch (markedCharset(bytes)) {
    case "utf-8":
      return decodeUtf8(bytes.subarray(3), true)
    case "utf-16le":
      return decodeUtf16(bytes.subarray(2), { name: "utf-16le", bom: true })
    case "utf-16be":
      return decodeUtf16(bytes.subarray(2), { name: "utf-16be", bom: true })
    case null:
      return decodeUnmarked(bytes, declared)
  }
}

function decodeUnmarked(
  bytes: Uint8Array,
  declared: { readonly charset: string; readonly codec: Codec } | undefined,
): TextDocument | NotText {
  if (declared === undefined) return decodeUtf8(bytes, false)
  const charset = canonicalCharset(declared.charset)
  switch (charset) {
    case "utf-8": {
      const document = decodeUtf8(bytes, false)
      return isNotText(document) && document.reason === "undeclared"
        ? refused("undecodable", "The file is declared as UTF-8 but is not")
        : document
    }
    case "utf-16le":
    case "utf-16be":
      return decodeUtf16(bytes, { name: charset, bom: false })
    case "latin1":
      return checkedNul(latin1Text(bytes), { name: charset, bom: false })
    default:
      return decodeByCodec(bytes, charset, declared.codec)
  }
}

/**
 * Spells text as bytes, or says why that is impossible. `codec` is asked for charsets other than UTF-8, UTF-16 and latin1.
 *
 * Refused is also what would not be read again as this text: NUL, and a beginning in an eight-bit charset that looks like a byte order
 * mark. U+FEFF at the beginning of UTF-8 or UTF-16 is spelled as it stands, and is a mark from then on.
 */
export function encodeDocument(text: string, encoding: Encoding, codec?: Codec): Uint8Array | NotText {
  if (text.includes("\0")) return refused("binary", "The text has NUL characters")
  const charset = canonicalCharset(encoding.name)
  switch (charset) {
    case "utf-8":
      if (!text.isWellFormed()) return refused("undecodable", "The text has half a surrogate pair")
      return withMark(encoding.bom ? utf8Mark : [], new TextEncoder().encode(text))
    case "utf-16le":
    case "utf-16be": {
      if (!text.isWellFormed()) return refused("undecodable", "The text has half a surrogate pair")
      const bytes = encodeUtf16(text, charset === "utf-16le", encoding.bom)
      return readAs(bytes, charset) ? bytes : looksMarked(encoding.name)
    }
    case "latin1": {
      const bytes = encodeLatin1(text)
      return isNotText(bytes) || readAs(bytes, charset) ? bytes : looksMarked(encoding.name)
    }
    default: {
      if (codec === undefined) return refused("undeclared", `No codec is given for ${encoding.name}`)
      const bytes = codec.encode(text, charset)
      if (bytes === null || codec.decode(bytes, charset) !== text)
        return refused("undecodable", `The text cannot be spelled exactly in ${encoding.name}`)
      return readAs(bytes, charset) ? bytes : looksMarked(encoding.name)
    }
  }
}

/** Whether bytes begin with no mark, or with the one of this charset. */
function readAs(bytes: Uint8Array, charset: string): boolean {
  const marked = markedCharset(bytes)
  return marked === null || marked === charset
}

function looksMarked(name: string): NotText {
  return refused("undecodable", `In ${name} the text would begin with what reads as another charset's byte order mark`)
}

export function isNotText(value: TextDocument | Uint8Array | NotText): value is NotText {
  return "kind" in value && value.kind === "notText"
}

const utf8Mark = [0xef, 0xbb, 0xbf]

function markedCharset(bytes: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" | null {
  if (startsWith(bytes, utf8Mark)) return "utf-8"
  if (startsWith(bytes, [0xff, 0xfe])) return "utf-16le"
  return startsWith(bytes, [0xfe, 0xff]) ? "utf-16be" : null
}

function startsWith(bytes: Uint8Array, head: readonly number[]): boolean {
  return head.every((byte, at) => bytes[at] === byte)
}

function refused(reason: NotText["reason"], message: string): NotText {
  return { kind: "notText", reason, message }
}

/** The names in use for the charsets that core knows itself; any other name in lower case. */
function canonicalCharset(charset: string): string {
  const name = charset.trim().toLowerCase()
  switch (name) {
    case "utf8":
    case "utf-8":
    case "utf-8-bom":
      return "utf-8"
    case "utf16le":
    case "utf-16le":
      return "utf-16le"
    case "utf16be":
    case "utf-16be":
      return "utf-16be"
    case "latin1":
    case "iso-8859-1":
    case "iso8859-1":
      return "latin1"
    default:
      return name
  }
}

function decodeUtf8(bytes: Uint8Array, bom: boolean): TextDocument | NotText {
  // A fatal decoder refuses whatever is not the one shortest spelling, so accepting is already the round trip.
  const text = decodeStrictly(bytes, "utf-8")
  if (text !== null) return checkedNul(text, { name: "utf-8", bom })
  if (bytes.includes(0)) return refused("binary", "The file has NUL bytes and is not UTF-8")
  return bom
    ? refused("undecodable", "The file has a UTF-8 byte order mark but is not valid UTF-8")
    : refused("undeclared", "The file is not UTF-8 and no other charset is declared for it")
}

function checkedNul(text: string, encoding: Encoding): TextDocument | NotText {
  return text.includes("\0") ? refused("binary", "The file has NUL bytes") : { text, encoding }
}

function decodeUtf16(bytes: Uint8Array, encoding: Encoding): TextDocument | NotText {
  if (bytes.length % 2 !== 0)
    return refused("undecodable", "The file is marked or declared as UTF-16 but has half a code unit at its end")
  const text = decodeStrictly(bytes, encoding.name)
  if (text === null)
    return refused("undecodable", "The file is marked or declared as UTF-16 but has half a surrogate pair")
  return checkedNul(text, encoding)
}

function decodeStrictly(bytes: Uint8Array, label: string): string | null {
  try {
    return new TextDecoder(label, { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

function encodeUtf16(text: string, little: boolean, bom: boolean): Uint8Array {
  const offset = bom ? 2 : 0
  const bytes = new Uint8Array(text.length * 2 + offset)
  const low = little ? 0 : 1
  const high = 1 - low
  if (bom) {
    bytes[low] = 0xff
    bytes[high] = 0xfe
  }
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    bytes[offset + at * 2 + low] = unit & 0xff
    bytes[offset + at * 2 + high] = unit >> 8
  }
  return bytes
}

function withMark(mark: readonly number[], bytes: Uint8Array): Uint8Array {
  if (mark.length === 0) return bytes
  const marked = new Uint8Array(mark.length + bytes.length)
  marked.set(mark)
  marked.set(bytes, mark.length)
  return marked
}

/**
 * ISO 8859-1: byte = code point. Widened to UTF-16, because TextDecoder's "latin1" is windows-1252; four times as fast as
 * `String.fromCharCode` in pieces.
 */
function latin1Text(bytes: Uint8Array): string {
  const wide = new Uint8Array(bytes.length * 2)
  for (let at = 0; at < bytes.length; at++) wide[at * 2] = bytes[at] as number
  return new TextDecoder("utf-16le", { ignoreBOM: true }).decode(wide)
}

function encodeLatin1(text: string): Uint8Array | NotText {
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit > 0xff) return refused("undecodable", "The text has characters that ISO 8859-1 does not have")
    bytes[at] = unit
  }
  return bytes
}

function decodeByCodec(bytes: Uint8Array, charset: string, codec: Codec): TextDocument | NotText {
  const text = codec.decode(bytes, charset)
  if (text === null)
    return refused("undeclared", `The file is declared as ${shownCharset(charset)}, which is not known here`)
  const again = codec.encode(text, charset)
  if (again === null || again.length !== bytes.length || again.some((byte, at) => byte !== bytes[at]))
    return refused("undecodable", `The file is declared as ${shownCharset(charset)} but is not exactly that`)
  return checkedNul(text, { name: charset, bom: false })
}

/** A name that a workspace's file gave may be anything, and of any length. */
function shownCharset(charset: string): string {
  return showPath(charset.length > 40 ? `${charset.slice(0, 40)}…` : charset)
}
