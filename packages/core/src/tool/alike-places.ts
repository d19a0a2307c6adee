import { invisibles, plainQuotes } from "./look-alikes.ts"

/** A stretch of whole lines. */
export interface Stretch {
  readonly text: string
  /** The number of its first line, from 1. */
  readonly line: number
}

/**
 * Stretches of `text`, at most `most`, that hold `wanted` once blanks, case, composition, quotes and invisible characters are
 * set aside. Finer comparisons then need to look at these few alone, so that a large file costs one pass.
 */
export function alikePlaces(text: string, wanted: string, most: number): Stretch[] {
  const needle = skeleton(wanted)
  if (needle === "") return []
  const pieces = piecesOf(text)
  const whole = pieces.map(piece => piece.skeleton).join("")
  const found: Stretch[] = []
  let first = 0
  let passed = 0
  for (let at = whole.indexOf(needle); at >= 0 && found.length < most; ) {
    for (; passed + (pieces[first]?.skeleton.length ?? 0) <= at; first++) passed += pieces[first]?.skeleton.length ?? 0
    let last = first
    let end = passed + (pieces[first]?.skeleton.length ?? 0)
    while (end < at + needle.length) end += pieces[++last]?.skeleton.length ?? 0
    // One piece more: blanks behind the last letter may lie in it.
    const from = pieces[first]?.from ?? 0
    found.push({ text: text.slice(from, pieces[last + 1]?.to ?? text.length), line: pieces[first]?.line ?? 1 })
    at = whole.indexOf(needle, Math.max(end, at + 1))
  }
  return found
}

interface Piece {
  readonly from: number
  readonly to: number
  readonly line: number
  readonly skeleton: string
}

/** UTF-16 units; a piece ends with the line that reaches it. */
const pieceLength = 16_384

function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = []
  let line = 1
  for (let from = 0; from < text.length; ) {
    const newline = text.indexOf("\n", from + pieceLength)
    const to = newline < 0 ? text.length : newline + 1
    const part = text.slice(from, to)
    pieces.push({ from, to, line, skeleton: skeleton(part) })
    for (let at = part.indexOf("\n"); at >= 0; at = part.indexOf("\n", at + 1)) line++
    from = to
  }
  return pieces
}

function skeleton(text: string): string {
  // Most text is ASCII, for which the Unicode steps do nothing.
  const plain = /[^\0-\x7f]/.test(text) ? plainQuotes(text.replace(invisibles("g"), "").normalize("NFKC")) : text
  return plain.replace(/\s+/g, "").toLowerCase()
}
