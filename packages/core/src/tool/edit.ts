/**
 * What `str_replace` and `insert` make of a text. Nothing here touches a file, and nothing is guessed: a text that does not
 * match is an outcome, never a nearby edit.
 *
 * Lines are what stands between newlines, so a text has one line more than it has newlines: `"a\nb\n"` has three, the last
 * one empty, and an empty text has one. Views, `view_range` and `insert_line` all count this way, as the tool that models
 * are trained on does.
 */
import { fitLineEndings, neighbourEol, withEol } from "../text/eol.ts"
import type { TextDocument } from "../text/document.ts"
import { splitLines } from "../text/lines.ts"
import { occurrences } from "./occurrences.ts"
import { expandTabs } from "./tabs.ts"

export type EditRequest =
  | { readonly command: "str_replace"; readonly oldStr: string; readonly newStr: string }
  | { readonly command: "insert"; readonly line: number; readonly insertText: string }

/** Lines and columns count from 1; a column is a code point. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** What became of a request. A caller must handle every kind. */
export type EditOutcome =
  | {
      readonly kind: "edited"
      readonly text: string
      /** The line where the change begins. */
      readonly line: number
      /** What stood there; empty for an insert. */
      readonly removed: string
      /** What stands there now, newlines that part it from its neighbours included. */
      readonly inserted: string
      /** `old_str` matched only after its line endings were fitted to the file's. */
      readonly fitted: boolean
      /** The file had tabs, and all of them became blanks. */
      readonly expanded: boolean
    }
  | { readonly kind: "noMatch" }
  /** `positions` holds at most `matchLimit` of them; `more` says that there are others. */
  | {
      readonly kind: "manyMatches"
      readonly positions: readonly Position[]
      readonly more: boolean
      readonly fitted: boolean
    }
  | { readonly kind: "unchanged" }
  | { readonly kind: "noSuchLine"; readonly lines: number }

/** Matches that are counted; beyond it an answer says "more than". */
export const matchLimit = 1000

/**
 * Carries a request out on a file's text.
 *
 * A byte order mark belongs to the encoding and stays, whatever the request says of it; an `old_str` that begins with one
 * matches at the beginning of the file.
 */
export function editDocument(document: TextDocument, request: EditRequest, expand: boolean): EditOutcome {
  const { text, encoding } = document
  if (request.command === "insert" || !encoding.bom || !request.oldStr.startsWith(mark))
    return editText(text, request, expand)
  const outcome = editText(mark + text, request, expand)
  if (outcome.kind !== "edited") return outcome
  const edited = outcome.text.startsWith(mark) ? outcome.text.slice(1) : outcome.text
  return edited === text ? { kind: "unchanged" } : { ...outcome, text: edited }
}

const mark = "\uFEFF"

/** The same on a text without more. */
export function editText(text: string, request: EditRequest, expand: boolean): EditOutcome {
  const treat = expand ? expandTabs : (given: string) => given
  const before = treat(text)
  const outcome =
    request.command === "insert"
      ? insertAt(before, request.line, treat(request.insertText))
      : replaceOnce(before, treat(request.oldStr), treat(request.newStr))
  if (outcome.kind !== "edited") return outcome
  return outcome.text === text ? { kind: "unchanged" } : { ...outcome, expanded: before !== text }
}

/**
 * Replaces the one place where `from` occurs; overlapping places count, so `aa` is not unique in `aaa`.
 *
 * An exact match comes first. Without one, a single match that differs only in line endings is taken, and `to` gets the
 * endings found there. An exact match that begins between the two halves of a CRLF takes the whole of it: no carriage
 * return is left behind alone. `to` is literal, except that its bare newlines become CRLF where `from` shows none and the
 * line is one of CRLF, so that a one-line request does not leave mixed endings.
 */
export function replaceOnce(text: string, from: string, to: string): EditOutcome {
  const starts = occurrences(text, from, matchLimit + 1)
  const [start] = starts
  if (start === undefined) return replaceFitted(text, from, to)
  if (starts.length > 1) return manyMatches(text, starts, false)
  const end = start + from.length
  if (text[start] === "\n" && text[start - 1] === "\r") return splice(text, start - 1, end, withEol(to, "\r\n"), true)
  return splice(text, start, end, from.includes("\n") ? to : withEolOfLine(text, start, to), false)
}

/**
 * Puts `insertText` at the boundary behind line `boundary` (0: the top) as lines of its own, with the line endings of the
 * neighbours.
 *
 * The text is given as it is. A newline that parts it from a neighbour is supplied only where it would otherwise run into
 * it: behind the text if something follows and the text does not end in a newline itself, before it at the very end of
 * the file. So nothing is ever glued, and a text that brings its newline gets no blank line after it.
 */
export function insertAt(text: string, boundary: number, insertText: string): EditOutcome {
  const lines = splitLines(text)
  const total = lineCount(text)
  if (boundary < 0 || boundary > total) return { kind: "noSuchLine", lines: total }
  const eol = neighbourEol(lines, boundary)
  const fitted = withEol(insertText, eol)
  if (boundary === total) return splice(text, text.length, text.length, eol + fitted, false, boundary + 1)
  const offset = lines.slice(0, boundary).reduce((sum, line) => sum + line.length, 0)
  return splice(text, offset, offset, fitted.endsWith("\n") ? fitted : fitted + eol, false, boundary + 1)
}

/** Newlines plus one. */
export function lineCount(text: string): number {
  let count = 1
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++
  return count
}

/** Places of ascending offsets. One pass over the text, however many lie on one line. */
export function positionsOf(text: string, offsets: readonly number[]): Position[] {
  let line = 1
  let column = 1
  let at = 0
  return offsets.map(offset => {
    for (let newline = text.indexOf("\n", at); newline >= 0 && newline < offset; newline = text.indexOf("\n", at)) {
      line++
      column = 1
      at = newline + 1
    }
    for (; at < offset; at++) if (!isLowSurrogate(text.charCodeAt(at))) column++
    return { line, column }
  })
}

function replaceFitted(text: string, from: string, to: string): EditOutcome {
  if (!from.includes("\n")) return { kind: "noMatch" }
  const plain = withEol(text, "\n")
  const starts = occurrences(plain, withEol(from, "\n"), matchLimit + 1)
  const [start] = starts
  if (start === undefined) return { kind: "noMatch" }
  if (starts.length > 1) return manyMatches(plain, starts, true)
  const [first = 0, last = 0] = originalOffsets(text, [start, start + withEol(from, "\n").length])
  const region = text.slice(first, last)
  const fitted = fitLineEndings(to, region)
  return splice(text, first, last, fitted === to ? withEolOfLine(text, first, to) : fitted, true)
}

/** Offsets into the text with CRLF as LF, ascending, as offsets into the text itself; a newline counts from its CR. */
function originalOffsets(text: string, plainOffsets: readonly number[]): number[] {
  let shift = 0
  let next = text.indexOf("\r\n")
  return plainOffsets.map(offset => {
    while (next >= 0 && next - shift < offset) {
      shift++
      next = text.indexOf("\r\n", next + 2)
    }
    return offset + shift
  })
}

/** Bare newlines as the line at `offset` ends; a text that spells out a CRLF means what it says. */
function withEolOfLine(text: string, offset: number, given: string): string {
  if (!given.includes("\n") || given.includes("\r\n")) return given
  const [position] = positionsOf(text, [offset])
  return withEol(given, neighbourEol(splitLines(text), position?.line ?? 1))
}

function splice(text: string, from: number, to: number, inserted: string, fitted: boolean, line?: number): EditOutcome {
  return {
    kind: "edited",
    // Slices, not String.replace: a "$&" in the new text is text.
    text: text.slice(0, from) + inserted + text.slice(to),
    line: line ?? positionsOf(text, [from])[0]?.line ?? 1,
    removed: text.slice(from, to),
    inserted,
    fitted,
    expanded: false,
  }
}

function manyMatches(text: string, starts: readonly number[], fitted: boolean): EditOutcome {
  return {
    kind: "manyMatches",
    positions: positionsOf(text, starts.slice(0, matchLimit)),
    more: starts.length > matchLimit,
    fitted,
  }
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}
