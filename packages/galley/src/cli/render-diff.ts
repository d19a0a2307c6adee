import type { Result } from "@galley/core/protocol/requests.ts"
import type { FileView, HunkView } from "@galley/core/protocol/results.ts"
import { contentOf, type Line, splitLines, terminatorOf } from "@galley/core/text/lines.ts"
import { expandTabs, wrapColumns } from "./columns.ts"
import { inert, inertLine } from "./inert.ts"
import type { Look } from "./look.ts"
import { fileHeading } from "./render-file.ts"
import { markedWords, type Piece } from "./word-marks.ts"

/** Unchanged lines shown around a hunk, as git shows. */
const contextLines = 3

/**
 * One pending file for eyes: inline, removed lines where they stood, hunks with the numbers and ids that `accept` and `reject`
 * take. What a file's bytes say is never obeyed by the terminal ({@link inert}).
 */
export function renderFileDiff(view: Result<"file">, shown: string, look: Look): string {
  const lines = [fileHeading(view.file, shown, look), ...body(view, look), ...notes(view, look)]
  return `${lines.join("\n")}\n`
}

/** A ready-made unified diff (of an operation, of a message), coloured. Headers keep their names inert. */
export function renderUnified(diff: string, look: Look): string {
  const { color } = look
  let inHunk = 0
  return splitLines(diff)
    .map(line => {
      const text = inert(contentOf(line))
      const counts = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line)
      const paint = counts !== null ? color.cyan : inHunk > 0 ? paintOf(line, look) : color.bold
      // Inside a hunk a line that looks like a header ("--- a") is content: the counts say how long it is.
      if (counts !== null) inHunk = Number(counts[1] ?? 1) + Number(counts[2] ?? 1)
      else if (inHunk > 0) inHunk -= line.startsWith(" ") ? 2 : line.startsWith("\\") ? 0 : 1
      return `${paint(text)}\n`
    })
    .join("")
}

function paintOf(line: string, { color }: Look): (text: string) => string {
  if (line.startsWith("+")) return color.green
  if (line.startsWith("-")) return color.red
  return line.startsWith("\\") ? color.dim : String
}

function body(view: Result<"file">, look: Look): string[] {
  const { file, base, current } = view
  if (file.kinds.includes("binary"))
    return [look.color.dim("  Binary: the bytes differ; accept or reject the file as a whole.")]
  if (base === null && current === null) return []
  if (file.hunks.length === 0) return base === null && current === "" ? [look.color.dim("  An empty file.")] : []
  return hunkLines(view, splitLines(base ?? ""), splitLines(current ?? ""), look)
}

function hunkLines(view: Result<"file">, base: readonly Line[], current: readonly Line[], look: Look): string[] {
  const rows: string[] = []
  const row = rowWriter(base.length, current.length, look)
  const hunks = [...view.file.hunks].sort((a, b) => a.index - b.index)
  let shownTo = 0 // Lines of base before this one are printed or skipped.
  for (const [at, hunk] of hunks.entries()) {
    const place = placeOf(hunk)
    const from = Math.max(shownTo, place.fromBase - contextLines)
    // A heading stands before its context; where two hunks share their context, directly before the change.
    const apart = from > shownTo || at === 0
    if (apart) rows.push(hunkHeading(hunk, hunks.length, look))
    const shift = place.fromCurrent - place.fromBase
    for (let line = from; line < place.fromBase; line++)
      rows.push(...row({ sign: " ", old: line, new: line + shift }, [{ text: base[line] ?? "", marked: false }], false))
    if (!apart) rows.push(hunkHeading(hunk, hunks.length, look))
    rows.push(...changedLines(view, hunk, base, current, row))
    const nextFrom = hunks[at + 1] === undefined ? base.length : placeOf(hunks[at + 1] ?? hunk).fromBase
    shownTo = Math.min(place.toBase + contextLines, nextFrom, base.length)
    const shiftAfter = place.toCurrent - place.toBase
    for (let line = place.toBase; line < shownTo; line++)
      rows.push(
        ...row({ sign: " ", old: line, new: line + shiftAfter }, [{ text: base[line] ?? "", marked: false }], false),
      )
  }
  return rows
}

function changedLines(
  view: Result<"file">,
  hunk: HunkView,
  base: readonly Line[],
  current: readonly Line[],
  row: RowWriter,
): string[] {
  const { fromBase, toBase, fromCurrent, toCurrent } = placeOf(hunk)
  const removed = base.slice(fromBase, toBase)
  const added = current.slice(fromCurrent, toCurrent)
  const words = markedWords(removed, added)
  const ends = new Set([...removed, ...added].map(terminatorOf).filter(end => end !== ""))
  const withEnds = ends.size > 1
  return [
    ...removed.flatMap((_, at) => row({ sign: "-", old: fromBase + at }, words.removed[at] ?? [], withEnds)),
    ...added.flatMap((_, at) => {
      const author = hunk.mixed ? view.authors[fromCurrent + at] : undefined
      const sign = author === "person" || author === "altered" ? "*" : "+"
      return row({ sign, new: fromCurrent + at }, words.added[at] ?? [], withEnds)
    }),
  ]
}

/** Half-open, from 0: the opposite of what a unified header says. An empty side starts behind the line it names. */
function placeOf(hunk: HunkView) {
  const fromBase = hunk.oldLines === 0 ? hunk.oldStart : hunk.oldStart - 1
  const fromCurrent = hunk.newLines === 0 ? hunk.newStart : hunk.newStart - 1
  return { fromBase, toBase: fromBase + hunk.oldLines, fromCurrent, toCurrent: fromCurrent + hunk.newLines }
}

function hunkHeading(hunk: HunkView, count: number, { color }: Look): string {
  const range = (start: number, lines: number): string =>
    lines === 0 ? `after ${start}` : lines === 1 ? `${start}` : `${start}-${start + lines - 1}`
  const remarks = [
    hunk.mixed ? "mixed: lines marked * are a person's" : "",
    hunk.conflict ? color.bold(color.yellow("CONFLICT: the file moved under it")) : "",
  ].filter(remark => remark !== "")
  const parts = [
    `hunk ${hunk.index} of ${count}`,
    inertLine(hunk.id),
    `lines ${range(hunk.oldStart, hunk.oldLines)} -> ${range(hunk.newStart, hunk.newLines)}`,
    ...remarks,
  ]
  return color.cyan(`@@ ${parts.join("  ")}`)
}

interface RowPlace {
  /** `*` is an added line of a person inside a mixed hunk. */
  readonly sign: " " | "-" | "+" | "*"
  readonly old?: number
  readonly new?: number
}

type RowWriter = (place: RowPlace, pieces: readonly Piece[], withEnds: boolean) => string[]

/** Writes `old new sign text`, wrapped to the width with the gutter left blank on continued rows. */
function rowWriter(baseLength: number, currentLength: number, look: Look): RowWriter {
  const digits = String(Math.max(baseLength, currentLength, 1)).length
  const number = (line: number | undefined): string => (line === undefined ? "" : String(line + 1)).padStart(digits)
  const { color } = look
  return (place, pieces, withEnds) => {
    const paint =
      place.sign === "-" ? color.red : place.sign === "+" ? color.green : place.sign === "*" ? color.blue : String
    const mark = (text: string): string => paint(color.inverse(text))
    const whole = pieces.map(piece => piece.text).join("")
    const end = withEnds
      ? color.dim(terminatorOf(whole) === "\r\n" ? "<CRLF>" : terminatorOf(whole) === "\n" ? "<LF>" : "")
      : ""
    const gutter = `${color.dim(`${number(place.old)} ${number(place.new)}`)} ${paint(place.sign)} `
    const blank = " ".repeat(2 * digits + 4)
    const rows = layOut(pieces, look, paint, mark).map((text, at) => (at === 0 ? gutter : blank) + text)
    rows[rows.length - 1] = `${rows[rows.length - 1] ?? gutter}${end}`.replace(/ +$/, "")
    if (terminatorOf(whole) === "" && whole !== "") rows.push(color.dim(`${blank}\\ no newline at the end of the file`))
    return rows

    function layOut(parts: readonly Piece[], { width }: Look, plain: Painter, strong: Painter): string[] {
      const clean = parts.map(part => ({ ...part, text: inert(contentOf(part.text)) }))
      if (width === null) return [clean.map(part => (part.marked ? strong : plain)(part.text)).join("")]
      return wrapPieces(clean, Math.max(20, width - 2 * digits - 4), plain, strong)
    }
  }
}

type Painter = (text: string) => string

/** Wraps as one text, then paints each piece where it came to lie. */
export function wrapPieces(pieces: readonly Piece[], width: number, plain: Painter, strong: Painter): string[] {
  const starts: { at: number; marked: boolean }[] = []
  let text = ""
  for (const piece of pieces) {
    starts.push({ at: text.length, marked: piece.marked })
    text = expandTabs(text + piece.text)
  }
  let from = 0
  return wrapColumns(text, width).map(row => {
    const to = from + row.length
    const painted = starts.map((start, index) => {
      const begin = Math.max(from, start.at)
      const stop = Math.min(to, starts[index + 1]?.at ?? text.length)
      return begin >= stop ? "" : (start.marked ? strong : plain)(text.slice(begin, stop))
    })
    from = to
    return painted.join("")
  })
}

function notes(view: Result<"file">, look: Look): string[] {
  const { color } = look
  const quote = (label: string, text: string): string[] =>
    splitLines(text).map(line => `    ${label} | ${inert(contentOf(line))}`)
  return [
    ...view.conflicts.flatMap(conflict => [
      color.yellow(
        `  conflict${conflict.hunk === null ? "" : ` in ${inertLine(conflict.hunk)}`}: ${inertLine(conflict.reason)}`,
      ),
      ...quote("mine  ", conflict.mine),
      ...quote("theirs", conflict.theirs),
    ]),
    ...view.comments.map(comment =>
      color.magenta(
        `  comment${comment.line === null ? "" : ` on line ${comment.line}`}: ${inertLine(comment.text)}${comment.delivered ? "" : "  (goes to the agent at its next contact)"}`,
      ),
    ),
  ]
}

/** For the file's list of hunks in `status`. */
export function hunkSummary(file: FileView): string {
  const count = file.hunks.length
  return count === 0 ? "" : `${count} hunk${count === 1 ? "" : "s"}`
}
