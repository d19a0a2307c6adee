import type { Line } from "../src/text/lines.ts"

/** Numbers from 0 up to `below`, the same in every run (Numerical Recipes' linear congruential generator). */
export function dice(seed: number): (below: number) => number {
  let state = seed
  return below => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 0x1_0000_0000) * below)
  }
}

/** Lines as in source code: a third are blanks and braces, the rest mostly differ. */
export function sourceLines(count: number): Line[] {
  return Array.from({ length: count }, (_, at) => {
    if (at % 9 === 0) return "\n"
    if (at % 7 === 0) return "  }\n"
    return `    const value${at} = compute(${(at * 7919) % 1000}, "name ${at % 100}")\n`
  })
}

/** A copy with `edits` scattered places changed: up to two lines out, one in. */
export function withEdits(lines: readonly Line[], edits: number, seed: number): Line[] {
  const roll = dice(seed)
  const copy = [...lines]
  for (let edit = 0; edit < edits; edit++)
    copy.splice(roll(copy.length), roll(3), `    edited(${edit}, ${seed}, ${roll(100_000)})\n`)
  return copy
}
