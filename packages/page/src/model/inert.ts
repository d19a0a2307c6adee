import { isDeceptive } from "@galley/core/path.ts"

/** A stretch of text as it may be put on the screen: plain, or a stand-in for a character that must be seen and not obeyed. */
export interface Piece {
  readonly text: string
  readonly standIn: boolean
}

/** Longer lines are cut in places where nobody edits them; how much is left out is said. */
const longest = 2000

/** Control, bidirectional and invisible characters are shown by name; a tab stays a tab. */
export function inertPieces(text: string): Piece[] {
  const cut = text.length > longest ? text.slice(0, longest) : text
  const pieces: Piece[] = []
  let plain = ""
  for (const character of suspicious.test(cut) ? cut : []) {
    const name = standInFor(character.codePointAt(0) ?? 0)
    if (name === null) plain += character
    else {
      if (plain !== "") pieces.push({ text: plain, standIn: false })
      plain = ""
      pieces.push({ text: name, standIn: true })
    }
  }
  const rest = suspicious.test(cut) ? plain : cut
  if (rest !== "") pieces.push({ text: rest, standIn: false })
  if (text.length > longest)
    pieces.push({ text: ` … ${(text.length - longest).toLocaleString("en")} more characters`, standIn: true })
  return pieces
}

/** For names and titles: one line, nothing hidden. */
export function inertText(text: string): string {
  return inertPieces(text)
    .map(piece => piece.text)
    .join("")
}

const suspicious =
  /[^\t\u0020-\u007e\u00a0-\u05ff\u0700-\u1fff\u2010-\u2027\u2030-\u205e\u2070-\ud7ff\ue000-\ufefe\uff00-\ufff8]/u

/** What is shown for a character that must not be obeyed; null for one that may stand as it is. */
export function standInFor(code: number): string | null {
  if (code === 9) return null
  if (code < 0x20) return String.fromCodePoint(0x2400 + code)
  if (code === 0x7f) return "␡"
  // A byte of a name that is not UTF-8 (core/path.ts).
  if (code >= 0xdc80 && code <= 0xdcff) return `\\x${(code - 0xdc00).toString(16)}`
  if (code === 0xfffd) return "�"
  if (isDeceptive(code)) return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`
  return null
}
