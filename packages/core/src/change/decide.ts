import { type Hunk, takeHunks } from "../diff/hunk.ts"
import { type Line, terminatorOf } from "../text/lines.ts"
import type { Authorship, LostLine } from "./authorship.ts"
import { terminateInner } from "./inner-terminators.ts"
import { pairReplaced } from "./line-pairs.ts"

/** What to do where a person altered an agent's line: refuse, keep the line as the person left it, or give it up for base's. */
export type Settle = "stop" | "keep-mine" | "take-theirs"

export interface Texts {
  readonly base: readonly Line[]
  readonly current: readonly Line[]
}

export type RejectOutcome =
  | { readonly kind: "done"; readonly base: Line[]; readonly current: Line[] }
  /** Nothing is decided: the person must say which text to take in these hunks. */
  | { readonly kind: "conflict"; readonly hunks: readonly Hunk[]; readonly reason: string }

/** Half-open, counts lines of the text from 0. */
export type LineSpan = readonly [from: number, to: number]

/** The part of a hunk that is decided: some of its old lines, some of its new ones. A side left out is not decided. */
export interface LineRanges {
  readonly old?: LineSpan
  readonly new?: LineSpan
}

/**
 * Returns the base that has the chosen hunks accepted; current stays as it is.
 *
 * `chosen` is an ordered subset of one diff of the two. Base changes only inside the chosen hunks' ranges, so the old and the new
 * lines of every other hunk stay what they were.
 */
export function acceptHunks(base: readonly Line[], current: readonly Line[], chosen: readonly Hunk[]): Line[] {
  return takeHunks(base, current, chosen)
}

/**
 * Rejects the chosen hunks: the agent's lines go, the base lines it removed come back; lines a person inserted stay and base
 * lines a person removed stay away, both agreed on from now; a person's lines that the agent had taken out come back.
 *
 * Inside each chosen hunk both texts become the same; outside nothing changes. Without authorship everything new is the agent's.
 */
export function rejectHunks(
  texts: Texts,
  chosen: readonly Hunk[],
  authors: Authorship | null,
  settle: Settle,
): RejectOutcome {
  if (settle === "stop" && authors !== null) {
    const refused = chosen.filter(hunk => isAltered(hunk, authors))
    if (refused.length > 0) return { kind: "conflict", hunks: refused, reason: reasonFor(refused, authors) }
  }
  const base: Line[] = []
  const current: Line[] = []
  let doneBase = 0
  let doneCurrent = 0
  for (const hunk of chosen) {
    append(base, texts.base, doneBase, hunk.fromBase)
    append(current, texts.current, doneCurrent, hunk.fromCurrent)
    const left = leftOfHunk(texts, hunk, authors, settle)
    append(base, left, 0, left.length)
    append(current, left, 0, left.length)
    doneBase = hunk.toBase
    doneCurrent = hunk.toCurrent
  }
  append(base, texts.base, doneBase, texts.base.length)
  append(current, texts.current, doneCurrent, texts.current.length)
  return { kind: "done", base: terminateInner(base), current: terminateInner(current) }
}

/**
 * Accepts or rejects part of one hunk, whoever wrote it: in the side that changes, kept old lines come first, then the chosen
 * new ones.
 *
 * Accept drops the chosen old lines from base and adds the chosen new ones behind those that stay; reject drops the
 * chosen new lines from current and brings the chosen old ones back before those that stay. The other side does not change.
 * An old last line without terminator comes back as the last line, or it would not be the line it was; one that is kept above
 * new lines gets a terminator.
 */
export function decideLines(
  base: readonly Line[],
  current: readonly Line[],
  hunk: Hunk,
  ranges: LineRanges,
  decision: "accept" | "reject",
): { readonly base: Line[]; readonly current: Line[] } {
  const part = partOf(base, current, hunk, ranges)
  switch (decision) {
    case "accept": {
      const lines = [...part.old.filter(line => !line.chosen), ...part.new.filter(line => line.chosen)]
      return { base: replaced(base, hunk.fromBase, hunk.toBase, lines.map(textOf)), current: [...current] }
    }
    case "reject": {
      const lines = [...part.old.filter(line => line.chosen), ...part.new.filter(line => !line.chosen)]
      return { base: [...base], current: replaced(current, hunk.fromCurrent, hunk.toCurrent, openLast(lines, base)) }
    }
  }
}

/**
 * Rejects part of one hunk with regard to whose lines they are, as {@link rejectHunks} does: of the chosen new lines a person's
 * stay, agreed on, behind the old lines in both texts; of the chosen old lines those a person removed go from base too.
 */
export function rejectLines(
  texts: Texts,
  hunk: Hunk,
  ranges: LineRanges,
  authors: Authorship | null,
  settle: Settle,
): RejectOutcome {
  const { base, current } = texts
  if (authors === null) return { kind: "done", ...decideLines(base, current, hunk, ranges, "reject") }
  const part = partOf(base, current, hunk, ranges)
  if (settle === "stop" && part.new.some(line => line.chosen && authors.current[line.at] === "altered"))
    return { kind: "conflict", hunks: [hunk], reason: reasonFor([hunk], authors) }

  const replacedOld = settle === "keep-mine" ? oldLinesOfAltered(texts, hunk, authors) : new Set<number>()
  const goes = (line: PartLine): boolean =>
    line.chosen && (authors.removedByPerson.has(line.at) || replacedOld.has(line.at))
  const kept = part.new.filter(line => line.chosen && isKept(line.at, authors, settle))
  const newBase = [...part.old.filter(line => !goes(line)), ...kept]
  const newCurrent = [
    ...part.old.filter(line => line.chosen && !goes(line)),
    ...part.new.filter(line => !line.chosen || kept.includes(line)),
  ]
  return {
    kind: "done",
    base: replaced(base, hunk.fromBase, hunk.toBase, newBase.map(textOf)),
    // With a person's line behind it in base, the old last line has a terminator there too.
    current: replaced(
      current,
      hunk.fromCurrent,
      hunk.toCurrent,
      kept.length === 0 ? openLast(newCurrent, base) : newCurrent.map(textOf),
    ),
  }
}

/** A line of a hunk, `at` being its place in its own text. */
interface PartLine {
  readonly at: number
  readonly text: Line
  readonly chosen: boolean
  readonly side: "old" | "new"
}

function partOf(base: readonly Line[], current: readonly Line[], hunk: Hunk, ranges: LineRanges) {
  return {
    old: partLines(base, hunk.fromBase, hunk.toBase, ranges.old, "old"),
    new: partLines(current, hunk.fromCurrent, hunk.toCurrent, ranges.new, "new"),
  }
}

function partLines(
  lines: readonly Line[],
  from: number,
  to: number,
  span: LineSpan | undefined,
  side: "old" | "new",
): PartLine[] {
  const [first, end] = span ?? [from, from]
  if (first < from || end > to || first > end)
    throw new RangeError(`Lines ${first} to ${end} are not within the hunk's lines ${from} to ${to}`)
  return lines.slice(from, to).map((text, offset) => {
    const at = from + offset
    return { at, text, chosen: at >= first && at < end, side }
  })
}

function textOf(line: PartLine): Line {
  return line.text
}

/** The texts of the lines, base's last one last if it has no terminator. */
function openLast(lines: readonly PartLine[], base: readonly Line[]): Line[] {
  const open = lines.filter(line => isOpenOld(line, base))
  return [...lines.filter(line => !isOpenOld(line, base)), ...open].map(textOf)
}

function isOpenOld(line: PartLine, base: readonly Line[]): boolean {
  return line.side === "old" && line.at === base.length - 1 && terminatorOf(line.text) === ""
}

/** What both texts have in place of a rejected hunk, in the order of the weave. */
function leftOfHunk(texts: Texts, hunk: Hunk, authors: Authorship | null, settle: Settle): Line[] {
  if (authors === null) return texts.base.slice(hunk.fromBase, hunk.toBase)
  const replacedOld = settle === "keep-mine" ? oldLinesOfAltered(texts, hunk, authors) : new Set<number>()
  const left = new Map<number, Line>()
  for (let line = hunk.fromBase; line < hunk.toBase; line++)
    if (!authors.removedByPerson.has(line) && !replacedOld.has(line))
      left.set(authors.places.base[line] ?? 0, texts.base[line] ?? "")
  for (let line = hunk.fromCurrent; line < hunk.toCurrent; line++)
    if (isKept(line, authors, settle)) left.set(authors.places.current[line] ?? 0, texts.current[line] ?? "")
  for (const lost of lostIn(hunk, authors))
    if (lost.original === null || settle === "keep-mine") left.set(lost.place, lost.line)
  return [...left].sort(([a], [b]) => a - b).map(([, line]) => line)
}

function isKept(line: number, authors: Authorship, settle: Settle): boolean {
  const author = authors.current[line]
  return author === "person" || (author === "altered" && settle === "keep-mine")
}

/** Lines of base that the agent had replaced by a line that a person altered and now keeps: it stands in their place. */
function oldLinesOfAltered(texts: Texts, hunk: Hunk, authors: Authorship): Set<number> {
  const lines: number[] = []
  for (let line = hunk.fromCurrent; line < hunk.toCurrent; line++)
    if (authors.current[line] !== "person") lines.push(line)
  const pairs = pairReplaced(
    texts.base.slice(hunk.fromBase, hunk.toBase),
    lines.map(line => authors.originals.get(line) ?? texts.current[line] ?? ""),
  )
  const found = new Set<number>()
  for (const pair of pairs)
    if (authors.current[lines[pair.now] ?? -1] === "altered") found.add(hunk.fromBase + pair.old)
  return found
}

function isAltered(hunk: Hunk, authors: Authorship): boolean {
  for (let line = hunk.fromCurrent; line < hunk.toCurrent; line++) if (authors.current[line] === "altered") return true
  return lostIn(hunk, authors).some(lost => lost.original !== null)
}

function lostIn(hunk: Hunk, authors: Authorship): LostLine[] {
  return authors.lost.filter(lost => lost.hunk !== null && sameHunk(lost.hunk, hunk))
}

function sameHunk(a: Hunk, b: Hunk): boolean {
  return (
    a.fromBase === b.fromBase && a.toBase === b.toBase && a.fromCurrent === b.fromCurrent && a.toCurrent === b.toCurrent
  )
}

function reasonFor(hunks: readonly Hunk[], authors: Authorship): string {
  const lines: number[] = []
  for (const hunk of hunks)
    for (let line = hunk.fromCurrent; line < hunk.toCurrent; line++)
      if (authors.current[line] === "altered") lines.push(line + 1)
  if (lines.length === 0) return "The agent replaced a line that a person had altered."
  const [only] = lines
  if (lines.length === 1) return `A person altered the agent's line ${only}.`
  return `A person altered the agent's lines ${lines.join(", ")}.`
}

function replaced(lines: readonly Line[], from: number, to: number, part: readonly Line[]): Line[] {
  const whole = lines.slice(0, from)
  append(whole, part, 0, part.length)
  append(whole, lines, to, lines.length)
  return terminateInner(whole)
}

function append(to: Line[], from: readonly Line[], start: number, end: number): void {
  for (let at = start; at < end; at++) to.push(from[at] ?? "")
}
