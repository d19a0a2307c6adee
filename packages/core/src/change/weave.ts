import { diffLines } from "../diff/line-diff.ts"
import type { Line } from "../text/lines.ts"
import { isCommon, isIn, type Mover, type Pass, type Side, type WeaveEntry } from "./weave-entry.ts"
import { joinEqual } from "./weave-join.ts"
import { recognise } from "./weave-match.ts"
import { replaceStretch } from "./weave-stretch.ts"

/** Takes one side of the weave from the text it has to `after`. Returns the same entries where nothing changes. */
export function moveSide(
  entries: readonly WeaveEntry[],
  side: Side,
  after: readonly Line[],
  mover: Mover,
): readonly WeaveEntry[] {
  const changed = changedWindow(entries, side, after)
  if (changed === null) return entries
  const pass: Pass = { side, mover, fresh: new Set(), taken: new Set() }
  let { from, to } = changed
  const moved = replaceWindow(entries.slice(from, to), changed.lines, pass)
  const last = to
  while (from > 0 && !isCommon(entries[from - 1])) from--
  while (to < entries.length && !isCommon(entries[to])) to++
  const joined = joinEqual([...entries.slice(from, changed.from), ...moved, ...entries.slice(last, to)], pass)
  return recognise(entries.slice(0, from).concat(joined, entries.slice(to)), pass)
}

/**
 * The part of the weave between what the side and `after` begin and end with alike, and the lines that are to stand there; null
 * where the two are equal. In a long file a move changes little.
 */
function changedWindow(entries: readonly WeaveEntry[], side: Side, after: readonly Line[]) {
  let head = 0
  let from = 0
  for (let at = 0; at < entries.length; at++) {
    const entry = entries[at]
    if (entry === undefined || !isIn(entry, side)) continue
    if (head === after.length || entry.line !== after[head]) break
    head++
    from = at + 1
  }
  let tail = 0
  let to = entries.length
  let isEqual = head === after.length
  for (let at = entries.length - 1; at >= from; at--) {
    const entry = entries[at]
    if (entry === undefined || !isIn(entry, side)) continue
    isEqual = false
    if (tail === after.length - head || entry.line !== after[after.length - 1 - tail]) break
    tail++
    to = at
  }
  return isEqual ? null : { from, to, lines: after.slice(head, after.length - tail) }
}

/** Takes a part of the weave to new lines of one side, stretch by stretch. */
function replaceWindow(entries: readonly WeaveEntry[], lines: readonly Line[], pass: Pass): WeaveEntry[] {
  const before: Line[] = []
  for (const entry of entries) if (isIn(entry, pass.side)) before.push(entry.line)
  const moved: WeaveEntry[] = []
  let passed = 0
  let at = 0
  for (const hunk of diffLines(before, lines).hunks) {
    for (; passed < hunk.fromBase; at++) {
      const entry = entries[at] ?? missing()
      moved.push(entry)
      if (isIn(entry, pass.side)) passed++
    }
    const stretch: WeaveEntry[] = []
    for (; at < entries.length; at++) {
      const entry = entries[at] ?? missing()
      if (isIn(entry, pass.side) && passed === hunk.toBase) break
      stretch.push(entry)
      if (isIn(entry, pass.side)) passed++
    }
    append(moved, replaceStretch(stretch, lines.slice(hunk.fromCurrent, hunk.toCurrent), pass))
  }
  append(moved, entries.slice(at))
  return moved
}

function append(to: WeaveEntry[], from: readonly WeaveEntry[]): void {
  // Not push(...from): a spread of a very long file overflows the stack.
  for (const entry of from) to.push(entry)
}

function missing(): never {
  throw new Error("BUG: a gap has no such entry")
}
