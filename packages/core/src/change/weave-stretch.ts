import type { Line } from "../text/lines.ts"
import { pairReplaced, sameButBlanks } from "./line-pairs.ts"
import { isIn, isPersons, type Pass, type Side, type WeaveEntry } from "./weave-entry.ts"
import { type Match, matchBetween, matchOther, mayReturn } from "./weave-match.ts"

/** Takes every line of the side out of a stretch of the weave and puts `lines` in. */
export function replaceStretch(stretch: readonly WeaveEntry[], lines: readonly Line[], pass: Pass): WeaveEntry[] {
  const { side, mover } = pass
  const justTaken = stretch.map(entry => isIn(entry, side))
  let taken = stretch.map(entry => (isIn(entry, side) ? takeOut(entry, pass) : entry))
  const onOther = matchOther(taken, lines, side, mover)
  if (side === "base" && takesAgentsWork(stretch, onOther)) taken = taken.map(settled)
  const matches = matchBetween(taken, lines, onOther, entry => mayReturn(entry, mover))

  const woven: WeaveEntry[] = []
  let last: Match = { entry: -1, line: -1 }
  for (const match of [...matches, { entry: taken.length, line: lines.length }]) {
    append(
      woven,
      weaveIn(
        taken.slice(last.entry + 1, match.entry),
        justTaken.slice(last.entry + 1, match.entry),
        lines.slice(last.line + 1, match.line),
        pass,
      ),
    )
    const entry = taken[match.entry]
    if (entry !== undefined) woven.push(putIn(entry, side))
    last = match
  }
  return woven
}

function takeOut(entry: WeaveEntry, { side, mover, taken }: Pass): WeaveEntry {
  const out =
    side === "base"
      ? { ...entry, inBase: false, lost: false }
      : {
          ...entry,
          inCurrent: false,
          removedBy: mover === "history" ? (entry.removedBy ?? "agent") : mover,
          lost: mover === "agent" && !entry.inBase && isPersons(entry),
        }
  taken.add(out)
  return out
}

/** Whether a move of base makes the agent's lines or removals there agreed; a person's own lines folded in do not. */
function takesAgentsWork(stretch: readonly WeaveEntry[], matches: readonly Match[]): boolean {
  return (
    matches.some(match => stretch[match.entry]?.author === "agent") ||
    stretch.some(entry => entry.inBase && !entry.inCurrent && entry.removedBy === "agent")
  )
}

/** What the agent did around the line was accepted, so the line no longer waits to come back. */
function settled(entry: WeaveEntry): WeaveEntry {
  return entry.lost ? { ...entry, lost: false } : entry
}

function putIn(entry: WeaveEntry, side: Side): WeaveEntry {
  return side === "base" ? { ...entry, inBase: true, lost: false } : { ...entry, inCurrent: true, lost: false }
}

/**
 * Puts new lines among entries none of which stands on this side. A new line follows the line in whose place it came; one
 * that came in no line's place follows the lines just taken out before it, or stands first.
 */
function weaveIn(
  entries: readonly WeaveEntry[],
  justTaken: readonly boolean[],
  lines: readonly Line[],
  pass: Pass,
): WeaveEntry[] {
  if (lines.length === 0) return [...entries]
  const places: number[] = []
  for (const [at, just] of justTaken.entries()) if (just) places.push(at)
  const pairs = pairReplaced(
    places.map(place => entries[place]?.line ?? ""),
    lines,
  )
  const woven: WeaveEntry[] = []
  let at = 0
  let line = 0
  for (const pair of [...pairs, { old: places.length, now: lines.length }]) {
    const place = places[pair.old] ?? entries.length
    const insertAt = Math.max(at, (places[pair.old - 1] ?? -1) + 1)
    for (; at < insertAt; at++) push(woven, entries[at])
    for (; line < pair.now; line++) woven.push(newEntry(lines[line] ?? "", null, pass))
    for (; at < place; at++) push(woven, entries[at])
    const replaced = entries[place]
    if (replaced === undefined || pair.now >= lines.length) continue
    const successor = newEntry(lines[pair.now] ?? "", replaced, pass)
    // An agent that only reformats a person's line has not taken it out.
    woven.push(isPersons(successor) && replaced.lost ? { ...replaced, lost: false } : replaced, successor)
    at = place + 1
    line = pair.now + 1
  }
  for (; at < entries.length; at++) push(woven, entries[at])
  return woven
}

function newEntry(line: Line, replaced: WeaveEntry | null, pass: Pass): WeaveEntry {
  const entry = {
    ...authorship(line, replaced, pass),
    line,
    inBase: pass.side === "base",
    inCurrent: pass.side === "current",
    lost: false,
  }
  pass.fresh.add(entry)
  return entry
}

/** Whose a new line is, `replaced` being the line in whose place it came. */
function authorship(
  line: Line,
  replaced: WeaveEntry | null,
  { side, mover }: Pass,
): Pick<WeaveEntry, "author" | "original" | "removedBy"> {
  const own = { author: mover === "agent" ? "agent" : "person", original: null, removedBy: null } as const
  if (replaced === null) return own
  const { author, original: altered, removedBy } = replaced
  const same = sameButBlanks(line, replaced.line)
  // History writes no text, but a last line may lose or get its terminator.
  if (mover === "history") return same ? { author, original: altered, removedBy } : own
  if (side === "base") return same ? { ...own, author, removedBy } : own
  if (replaced.inBase) return own
  if (mover === "agent") return same && isPersons(replaced) ? { ...own, author, original: altered } : own
  if (author !== "agent") return own
  const original = altered ?? replaced.line
  return { ...own, author: "agent", original: sameButBlanks(line, original) ? null : original }
}

function append(to: WeaveEntry[], from: readonly WeaveEntry[]): void {
  // Not push(...from): a spread of a very long file overflows the stack.
  for (const entry of from) to.push(entry)
}

function push(to: WeaveEntry[], entry: WeaveEntry | undefined): void {
  if (entry !== undefined) to.push(entry)
}
