/**
 * A path inside the workspace: relative, `/` between names, no `.` or `..`, never empty.
 *
 * File names are bytes. A byte that is not valid UTF-8 is held as the lone surrogate U+DC80 + (byte − 0x80), as Python's
 * `surrogateescape` does (PEP 383), so that every name survives a round trip and equal names are equal strings.
 */
export type WorkspacePath = string

const encoder = new TextEncoder()
const fatal = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** The file-system bytes of a path or name. Inverse of {@link pathFromBytes}. */
export function pathToBytes(path: string): Uint8Array {
  if (!hasEscapedByte(path)) return encoder.encode(path)
  const parts: Uint8Array[] = []
  let plain = ""
  for (const character of path) {
    const code = character.codePointAt(0) ?? 0
    if (code >= 0xdc80 && code <= 0xdcff) {
      parts.push(encoder.encode(plain), Uint8Array.of(code - 0xdc00))
      plain = ""
    } else plain += character
  }
  parts.push(encoder.encode(plain))
  return concatenate(parts)
}

/** The string form of file-system bytes. */
export function pathFromBytes(bytes: Uint8Array): string {
  try {
    return fatal.decode(bytes)
  } catch {
    return decodeEscaping(bytes)
  }
}

/** Whether the name has bytes that are not UTF-8; such a path is given to programs as `pathBytes` (base64) too. */
export function hasEscapedByte(path: string): boolean {
  return /[\udc80-\udcff]/.test(path) && !path.isWellFormed()
}

/**
 * A path as a person may safely see it: controls, line breaks, bidirectional overrides and undecodable bytes are shown as
 * `\xNN` or `\u{NNNN}`, never obeyed.
 */
export function showPath(path: string): string {
  let shown = ""
  for (const character of path) {
    const code = character.codePointAt(0) ?? 0
    if (code >= 0xdc80 && code <= 0xdcff) shown += `\\x${(code - 0xdc00).toString(16)}`
    else if (code === 0x0a) shown += "\\n"
    else if (code === 0x09) shown += "\\t"
    else if (code < 0x20 || code === 0x7f) shown += `\\x${code.toString(16).padStart(2, "0")}`
    else if (isDeceptive(code)) shown += `\\u{${code.toString(16)}}`
    else shown += character
  }
  return shown
}

/** C1 controls, zero-width and bidirectional formatting characters, separators, lone surrogates and tags (Unicode TR 36). */
export function isDeceptive(code: number): boolean {
  return (
    (code >= 0x80 && code <= 0x9f) ||
    (code >= 0x200b && code <= 0x200f) ||
    (code >= 0x2028 && code <= 0x202e) ||
    (code >= 0x2060 && code <= 0x206f) ||
    (code >= 0xd800 && code <= 0xdfff) ||
    code === 0x061c ||
    code === 0xfeff ||
    (code >= 0xfff9 && code <= 0xfffb) ||
    (code >= 0xe0000 && code <= 0xe007f)
  )
}

/** The folder of a path; `""` for one at the top. */
export function parentOf(path: WorkspacePath): string {
  const slash = path.lastIndexOf("/")
  return slash < 0 ? "" : path.slice(0, slash)
}

/** Whether `path` is `folder` itself or inside it; `""` is the workspace. */
export function isWithin(path: WorkspacePath, folder: string): boolean {
  return folder === "" || path === folder || path.startsWith(`${folder}/`)
}

function decodeEscaping(bytes: Uint8Array): string {
  let text = ""
  let at = 0
  while (at < bytes.length) {
    const length = validSequenceLength(bytes, at)
    if (length === 0) text += String.fromCharCode(0xdc00 + (bytes[at++] ?? 0))
    else {
      text += fatal.decode(bytes.subarray(at, at + length))
      at += length
    }
  }
  return text
}

function validSequenceLength(bytes: Uint8Array, at: number): number {
  for (let length = 1; length <= 4 && at + length <= bytes.length; length++) {
    try {
      fatal.decode(bytes.subarray(at, at + length))
      return length
    } catch {
      // A longer sequence may be valid.
    }
  }
  return 0
}

function concatenate(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
