import type { Line } from "@galley/core/text/lines.ts"

/** A part of a line; `marked` where it differs from its counterpart. */
export interface Piece {
  readonly text: string
  readonly marked: boolean
}

/** For eyes only: what within changed lines differs. Never used to decide anything. */
export function markedWords(
  removed: readonly Line[],
  added: readonly Line[],
): { readonly removed: readonly (readonly Piece[])[]; readonly added: readonly (readonly Piece[])[] } {
  const whole = (lines: readonly Line[]): readonly (readonly Piece[])[] => lines.map(text => [{ text, marked: false }])
  return { removed: whole(removed), added: whole(added) }
}
