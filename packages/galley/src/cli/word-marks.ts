import { type Mark, wordMarks } from "@galley/core/diff/presentable.ts"
import { contentOf, type Line } from "@galley/core/text/lines.ts"

/** A part of a line; `marked` where it differs from its counterpart. The last one of a line holds its terminator. */
export interface Piece {
  readonly text: string
  readonly marked: boolean
}

/** For eyes only: what within changed lines differs. Where everything does, nothing is marked: the colour says it already. */
export function markedWords(
  removed: readonly Line[],
  added: readonly Line[],
): { readonly removed: readonly (readonly Piece[])[]; readonly added: readonly (readonly Piece[])[] } {
  const marks = wordMarks(removed, added)
  return { removed: pieces(removed, marks.old), added: pieces(added, marks.new) }
}

function pieces(lines: readonly Line[], marks: readonly (readonly Mark[])[]): Piece[][] {
  const all = lines.every((line, at) => isCovered(line, marks[at] ?? []))
  return lines.map((line, at) => (all ? [{ text: line, marked: false }] : cut(line, marks[at] ?? [])))
}

function cut(line: Line, marks: readonly Mark[]): Piece[] {
  const parts: Piece[] = []
  let done = 0
  for (const { from, to } of marks) {
    parts.push({ text: line.slice(done, from), marked: false }, { text: line.slice(from, to), marked: true })
    done = to
  }
  return [...parts, { text: line.slice(done), marked: false }].filter(part => part.text !== "")
}

function isCovered(line: Line, marks: readonly Mark[]): boolean {
  const content = contentOf(line)
  let done = 0
  for (const { from, to } of marks) {
    if (content.slice(done, from).trim() !== "") return false
    done = to
  }
  return content.slice(done).trim() === ""
}
