import type { Codec } from "@galley/core/text/document.ts"

/**
 * The charsets of iconv-lite, exactly or not at all: a text is given only if it spells the very same bytes again, bytes only if
 * they read as the very same text.
 */
export async function iconvCodec(): Promise<Codec> {
  // Half a megabyte of tables, for the few workspaces that declare a charset: not at every start.
  const { default: iconv } = await import("iconv-lite")
  // Marks are core's business: none is added, none is taken away.
  const read = (bytes: Uint8Array, charset: string): string => iconv.decode(bytes, charset, { stripBOM: false })
  const spell = (text: string, charset: string): Buffer => iconv.encode(text, charset, { addBOM: false })
  const isKnown = (charset: string): boolean => isCharset(charset) && iconv.encodingExists(charset)
  return {
    decode: (bytes, charset) => {
      if (!isKnown(charset)) return null
      const text = read(bytes, charset)
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).equals(spell(text, charset)) ? text : null
    },
    encode: (text, charset) => {
      if (!isKnown(charset)) return null
      const bytes = spell(text, charset)
      return read(bytes, charset) === text ? bytes : null
    },
  }
}

/** iconv-lite also knows ways to write bytes as ASCII, which are no charsets, and the shifting UTF-7, which no file is in. */
function isCharset(name: string): boolean {
  return !/^(base64|hex|binary|utf-?7)/i.test(name)
}
