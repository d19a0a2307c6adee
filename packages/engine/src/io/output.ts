import { isDeceptive } from "@galley/core/path.ts"

/**
 * A command's output within a bound: its head and its tail, and between them a line that says how much is missing. A third of
 * the bound is head (what was started), two thirds are tail (how it ended).
 */
export interface BoundedOutput {
  add(chunk: Uint8Array): void
  /** Decoded; bytes that are not UTF-8 become U+FFFD. */
  text(): string
  /** Bytes that arrived. */
  readonly total: number
}

/** `limit` counts bytes and is at least 1. */
export function boundedOutput(limit: number): BoundedOutput {
  const headLimit = Math.floor(limit / 3)
  const tailLimit = limit - headLimit
  const head: Uint8Array[] = []
  let headLength = 0
  let tail: Uint8Array[] = []
  let tailLength = 0
  let total = 0
  return {
    add(chunk) {
      total += chunk.length
      const forHead = chunk.subarray(0, headLimit - headLength)
      if (forHead.length > 0) head.push(Uint8Array.from(forHead))
      headLength += forHead.length
      const rest = chunk.subarray(forHead.length)
      if (rest.length === 0) return
      tail.push(Uint8Array.from(rest))
      tailLength += rest.length
      // Cut only when it is twice too long: each byte is then moved a bounded number of times.
      if (tailLength <= 2 * tailLimit) return
      tail = [Uint8Array.from(Buffer.concat(tail).subarray(-tailLimit))]
      tailLength = tailLimit
    },
    text() {
      const last = Buffer.concat(tail)
      if (headLength + last.length <= limit && headLength + last.length === total)
        return decode(Buffer.concat([...head, last]))
      const kept = last.subarray(-tailLimit)
      const missing = total - headLength - kept.length
      const first = decode(wholeCharacters(Buffer.concat(head)))
      return `${first}${first.endsWith("\n") ? "" : "\n"}[… ${missing} bytes left out …]\n${decode(fromCharacter(kept))}`
    },
    get total() {
      return total
    },
  }
}

/**
 * Text of a command as it may be shown anywhere: escape sequences, other controls, bidirectional overrides and invisible
 * characters are spelled out, never obeyed. Tab, newline and a carriage return before a newline stay; progress lines
 * (text after a lone carriage return overwrites the line) keep what a terminal would show last. Colours are dropped, not spelled.
 */
export function inertOutput(text: string): string {
  const plain = text
    .replace(/\u001b\[[0-9;:]*m/g, "")
    .replace(/\r+\n/g, "\n")
    .replace(/[^\n]*\r(?=[^\n])/g, "")
  if (!suspicious.test(plain)) return plain
  let shown = ""
  for (const character of plain) {
    const code = character.codePointAt(0) ?? 0
    if (code === 0x09 || code === 0x0a) shown += character
    else if (code === 0x1b) shown += "\\e"
    else if (code < 0x20 || code === 0x7f) shown += `\\x${code.toString(16).padStart(2, "0")}`
    else if (isDeceptive(code) && !isJoiner(code)) shown += `\\u{${code.toString(16)}}`
    else shown += character
  }
  return shown
}

const suspicious =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb]/

/** Zero-width joiner and non-joiner: parts of emoji and of several scripts, and of no direction. */
function isJoiner(code: number): boolean {
  return code === 0x200c || code === 0x200d
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)
}

/** Without a character that was cut at the end. */
function wholeCharacters(bytes: Buffer): Buffer {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) return bytes
    if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back ? bytes.subarray(0, -back) : bytes
  }
  return bytes
}

/** Without the rest of a character that was cut at the front. */
function fromCharacter(bytes: Buffer): Buffer {
  let at = 0
  while (at < 3 && at < bytes.length && ((bytes[at] ?? 0) & 0xc0) === 0x80) at++
  return bytes.subarray(at)
}
