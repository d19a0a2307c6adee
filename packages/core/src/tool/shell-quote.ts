import { hasEscapedByte, pathToBytes } from "../path.ts"

/**
 * Words as a text that a shell reads back as exactly these words: nothing in them is expanded, joined or split.
 *
 * Plain POSIX quoting, but for words with bytes that are not UTF-8, which need bash (`$'\xff'`). A word cannot hold a NUL byte.
 */
export function quoteWords(words: readonly string[]): string {
  return words.map(quoteWord).join(" ")
}

export function quoteWord(word: string): string {
  if (word.includes("\0")) throw new RangeError("A word of a command cannot hold a NUL byte")
  if (hasEscapedByte(word)) return `$'${[...pathToBytes(word)].map(escapeByte).join("")}'`
  // A word of these alone means itself, also as the first (an assignment, a reserved word and ~ are not among them).
  if (/^[A-Za-z0-9_./:@%+,-]+$/.test(word) && !reserved.has(word)) return word
  return `'${word.replaceAll("'", `'\\''`)}'`
}

/** Three octal digits never take the character that follows with them, as `\x` may. */
function escapeByte(byte: number): string {
  const plain = byte >= 0x20 && byte < 0x7f && byte !== 0x27 && byte !== 0x5c
  return plain ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, "0")}`
}

/** Where a command is expected these are grammar, unless quoted (POSIX 2.4; the rest is bash's and ksh's). */
const reserved = new Set(
  "case do done elif else esac fi for if in then until while coproc function select time".split(" "),
)
