import iconv from "iconv-lite"
import type { Codec } from "@galley/core/text/document.ts"

/**
 * The charsets of iconv-lite, exactly or not at all: a text is given only if it spells the very same bytes again, bytes only if
 * they read as the very same text.
 */
export function iconvCodec(): Codec {
  return { decode, encode }
}

function decode(bytes: Uint8Array, charset: string): string | null {
  if (!isCharset(charset)) return null
  const text = read(bytes, charset)
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).equals(spell(text, charset)) ? text : null
}

function encode(text: string, charset: string): Uint8Array | null {
  if (!isCharset(charset)) return null
  const bytes = spell(text, charset)
  return read(bytes, charset) === text ? bytes : null
}

/** iconv-lite also knows ways to write bytes as ASCII, which are no charsets, and the shifting UTF-7, which no file is in. */
function isCharset(name: string): boolean {
  return !/^(base64|hex|binary|utf-?7)/i.test(name) && iconv.encodingExists(name)
}

// Marks are core's business: none is added, none is taken away.
function read(bytes: Uint8Array, charset: string): string {
  return iconv.decode(bytes, charset, { stripBOM: false })
}

function spell(text: string, charset: string): Buffer {
  return iconv.encode(text, charset, { addBOM: false })
}
