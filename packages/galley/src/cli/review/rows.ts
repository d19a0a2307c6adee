import { contentOf, type Line, splitLines, terminatorOf } from "@galley/core/text/lines.ts"
import { columnsOf } from "../columns.ts"
import { inert, inertLine } from "../inert.ts"
import type { Look } from "../look.ts"
import { renderUnified, wrapPieces } from "../render-diff.ts"
import { markedWords, type Piece } from "../word-marks.ts"
import { goesAndStays } from "./sentences.ts"
import { type Content, type Place, placeOf, type Spot } from "./spots.ts"

/** A row of the body; `change` counts the changed lines of the hunk as shown, from 0. */
export interface Row {
  readonly text: string
  readonly change: number | null
}

/** Unchanged lines shown around a hunk, as git shows. */
const contextLines = 3

export interface Marked {
  /** Where less than the hunk is meant: the rest is dimmed. */
  readonly part: Place | null
  /** Rows that are chosen, both ends included, and the one that the cursor is on. */
  readonly chosen: { readonly from: number; readonly to: number; readonly cursor: number } | null
}

/** A hunk with what is around it, inline: removed lines where they stood, then the added ones. */
export function hunkRows(spot: Extract<Spot, { kind: "hunk" }>, content: Content, marked: Marked, look: Look): Row[] {
  const { color, width } = look
  const base = splitLines(content.base ?? "")
  const current = splitLines(content.current ?? "")
  const place = placeOf(spot.hunk)
  const removed = base.slice(place.fromBase, place.toBase)
  const added = current.slice(place.fromCurrent, place.toCurrent)
  const words = markedWords(removed, added)
  const withEnds = new Set([...removed, ...added].map(terminatorOf).filter(end => end !== "")).size > 1
  const rows: Row[] = headRows(spot, content, look)
  const narrow = (width ?? 80) < 50
  const digits = String(Math.max(base.length, current.length, 1)).length
  const numbers = (old: number | null, now: number | null): string => {
    const number = (line: number | null): string => (line === null ? "" : String(line + 1)).padStart(digits)
    return narrow ? "" : `${number(old)} ${number(now)} `
  }

  const put = (
    sign: string,
    old: number | null,
    now: number | null,
    pieces: readonly Piece[],
    change: number | null,
  ): void => {
    const outside = change !== null && marked.part !== null && !isIn(marked.part, old, now)
    const chosen =
      change !== null && marked.chosen !== null && change >= marked.chosen.from && change <= marked.chosen.to
    const pointer = marked.chosen === null ? "" : marked.chosen.cursor === change ? ">" : chosen ? "|" : " "
    const strong = sign === "-" ? color.red : sign === "+" ? color.green : sign === "*" ? color.blue : String
    const paint = outside ? color.dim : strong
    const mark = outside ? color.dim : (text: string) => color.bold(color.inverse(strong(text)))
    const gutter = `${color.bold(pointer)}${color.dim(numbers(old, now))}${paint(sign)} `
    const room = Math.max(8, (width ?? 80) - columnsOf(pointer + numbers(old, now)) - 2)
    const whole = pieces.map(piece => piece.text).join("")
    const clean = pieces.map(piece => ({ ...piece, text: inert(contentOf(piece.text)) }))
    const end = withEnds ? color.dim(endName(whole)) : ""
    const texts = wrapPieces(clean, room, paint, mark)
    texts.forEach((text, at) => {
      const before = at === 0 ? gutter : `${" ".repeat(columnsOf(pointer + numbers(old, now)))}${color.dim(">")} `
      rows.push({ text: `${before}${text}${at === texts.length - 1 ? end : ""}`, change })
    })
    if (terminatorOf(whole) === "" && whole !== "")
      rows.push({
        text: color.dim(`${" ".repeat(numbers(old, now).length + pointer.length)}\\ no newline at the end of the file`),
        change,
      })
  }
  const context = (from: number, to: number, shift: number): void => {
    for (let line = from; line < to; line++)
      put(" ", line, line + shift, [{ text: base[line] ?? "", marked: false }], null)
  }

  context(Math.max(0, place.fromBase - contextLines), place.fromBase, place.fromCurrent - place.fromBase)
  removed.forEach((_, at) => put("-", place.fromBase + at, null, words.removed[at] ?? [], at))
  added.forEach((_, at) => {
    const author = spot.hunk.mixed ? content.authors[place.fromCurrent + at] : undefined
    const sign = author === "person" || author === "altered" ? "*" : "+"
    put(sign, null, place.fromCurrent + at, words.added[at] ?? [], removed.length + at)
  })
  // Up to the next hunk: its lines are changed, and shown there.
  const others = content.file.hunks.map(placeOf).filter(other => other.fromBase >= place.toBase && other !== place)
  const next = Math.min(
    base.length,
    ...others.filter(other => other.fromBase > place.fromBase).map(other => other.fromBase),
  )
  context(place.toBase, Math.min(place.toBase + contextLines, next), place.toCurrent - place.toBase)
  return [...rows, ...asideRows(spot, content, look)]
}

/** A ready-made unified diff, wrapped. */
export function unifiedRows(diff: string, look: Look): Row[] {
  return renderUnified(diff, look)
    .trimEnd()
    .split("\n")
    .map(text => ({ text, change: null }))
}

export function textRows(texts: readonly string[]): Row[] {
  return texts.map(text => ({ text, change: null }))
}

function headRows(spot: Extract<Spot, { kind: "hunk" }>, content: Content, { color }: Look): Row[] {
  const { hunk } = spot
  const range = (start: number, lines: number): string =>
    lines === 0 ? `after ${start}` : lines === 1 ? `${start}` : `${start}-${start + lines - 1}`
  const heading = `@@ lines ${range(hunk.oldStart, hunk.oldLines)} -> ${range(hunk.newStart, hunk.newLines)}  ${inertLine(hunk.id)}`
  const same = hunk.substitution === undefined ? [] : [color.dim(`substitution: ${inertLine(hunk.substitution)}`)]
  const mixed = hunk.mixed ? [color.blue(goesAndStays(content.authors, placeOf(hunk)))] : []
  const conflict = hunk.conflict
    ? [color.bold(color.yellow("CONFLICT: the file moved under it; both texts are below."))]
    : []
  return textRows([color.cyan(heading), ...same, ...mixed, ...conflict])
}

/** Conflicting texts and comments that belong to the hunk. */
function asideRows(spot: Extract<Spot, { kind: "hunk" }>, content: Content, { color }: Look): Row[] {
  const quote = (label: string, text: string): string[] =>
    text === ""
      ? [`  ${label} | ${color.dim("(nothing)")}`]
      : splitLines(text).map(line => `  ${label} | ${inert(contentOf(line))}`)
  const { fromCurrent, toCurrent } = placeOf(spot.hunk)
  const near = (line: number | null): boolean =>
    line === null || (line > fromCurrent - contextLines && line <= toCurrent + contextLines)
  return textRows([
    ...content.conflicts
      .filter(conflict => conflict.hunk === null || conflict.hunk === spot.hunk.id)
      .flatMap(conflict => [
        color.yellow(`conflict: ${inertLine(conflict.reason)}`),
        ...quote("yours   ", conflict.mine),
        ...quote("proposed", conflict.theirs),
      ]),
    ...content.comments
      .filter(comment => near(comment.line))
      .map(comment =>
        color.magenta(
          `comment${comment.line === null ? "" : ` on line ${comment.line}`}: ${inertLine(comment.text)}${comment.delivered ? "" : "  (not yet told)"}`,
        ),
      ),
  ])
}

function isIn(part: Place, old: number | null, now: number | null): boolean {
  return old === null
    ? now !== null && now >= part.fromCurrent && now < part.toCurrent
    : old >= part.fromBase && old < part.toBase
}

function endName(line: Line): string {
  const end = terminatorOf(line)
  return end === "\r\n" ? "<CRLF>" : end === "\n" ? "<LF>" : ""
}
