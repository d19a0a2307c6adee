/** Lines, half-open, from 0. */
export interface Stretch {
  readonly from: number
  readonly to: number
}

/** Unchanged lines that stay beside each change. */
const beside = 3
/** Shorter stretches are not worth a bar. */
const shortest = 8

/** The stretches of unchanged text that can be folded away. What is in `kept` (opened by the person, commented on) stays. */
export function foldable(lines: number, changes: readonly Stretch[], kept: readonly Stretch[]): Stretch[] {
  if (changes.length === 0) return []
  const stays = [
    ...changes.map(({ from, to }) => ({ from: from - beside, to: to + beside })),
    ...kept.filter(({ from, to }) => from < to),
  ].sort((a, b) => a.from - b.from)
  const found: Stretch[] = []
  let done = 0
  for (const { from, to } of [...stays, { from: lines, to: lines }]) {
    if (from - done >= shortest) found.push({ from: done, to: from })
    done = Math.max(done, to)
  }
  return found
}
