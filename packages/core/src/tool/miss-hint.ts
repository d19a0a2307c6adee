/**
 * Why an `old_str` may not be in a text, and what in the text comes nearest. For the model to read; nothing is ever edited
 * on the strength of it.
 *
 * Causes are tried from the most exact to the loosest, each as: does it match once both texts are made alike in this one
 * respect? Time is bounded: a few passes over at most `searchLimit` units find the places that are alike at all, and only
 * those are compared more finely. Fuzzier matching is deliberately not done: measured failures are stale or invented text
 * (openseek: 43 of 46), for which the nearest real lines are the cure.
 */
import { splitLines } from "../text/lines.ts"
import { lineCount } from "./edit.ts"
import { alikePlaces } from "./alike-places.ts"
import { curly, invisibles, noBreakSpaces, plainQuotes, plainSpaces } from "./look-alikes.ts"
import { nearestLine } from "./nearest-line.ts"

export type MissCause =
  | "lineNumbers"
  | "escapes"
  | "lineEndings"
  | "noFinalNewline"
  | "trailingBlanks"
  | "noBreakSpace"
  | "quotes"
  | "invisible"
  | "composition"
  | "tabs"
  | "blanks"
  | "letterCase"
  | "several"
  | "alreadyApplied"

export interface MissHint {
  /** Null: nothing in the text is alike but for a known respect. */
  readonly cause: MissCause | null
  /** Where the text meant seems to be: first line, from 1, and how many lines. Null: nothing is near. */
  readonly near: { readonly line: number; readonly lines: number } | null
  /** Set where the file already holds `new_str`: the line, from 1. */
  readonly appliedAt: number | null
}

/** UTF-16 units of a file that are searched. Beyond it the cause is looked for in this much of its beginning. */
export const searchLimit = 8 << 20

export function missHint(text: string, oldStr: string, newStr: string): MissHint {
  const searched = text.slice(0, searchLimit)
  const wanted = oldStr.slice(0, searchLimit)
  const appliedAt = appliedLine(searched, newStr)
  const found = causeOf(searched, wanted)
  // What is nearly old_str may just be new_str, where all that the edit changes is blanks or case.
  if (found !== null && found.line !== appliedAt)
    return { cause: found.cause, near: { line: found.line, lines: shownLines(wanted) }, appliedAt }
  if (appliedAt !== null)
    return { cause: "alreadyApplied", near: { line: appliedAt, lines: shownLines(newStr) }, appliedAt }
  const near = nearestLine(searched, wanted)
  return { cause: null, near: near === null ? null : { line: near, lines: shownLines(wanted) }, appliedAt }
}

/** A short new_str may stand anywhere by chance, so it must stand alone and once. */
function appliedLine(text: string, newStr: string): number | null {
  if (newStr.trim() === "") return null
  const at = text.indexOf(newStr)
  if (at < 0) return null
  if (newStr.trim().length < 8) {
    const around = `${text[at - 1] ?? ""} ${text[at + newStr.length] ?? ""}`
    if (/[\p{L}\p{N}_]/u.test(around) || text.includes(newStr, at + 1)) return null
  }
  return lineAtOffset(text, at)
}

interface Found {
  readonly cause: MissCause
  /** From 1. */
  readonly line: number
}

function causeOf(text: string, oldStr: string): Found | null {
  for (const [cause, find] of [
    ["lineNumbers", withoutLineNumbers],
    ["escapes", unescapedMatch],
    ["noFinalNewline", withoutFinalNewline],
  ] as const) {
    const line = find(text, oldStr)
    if (line !== null) return { cause, line }
  }
  const places = alikePlaces(text, oldStr, mostPlaces)
  for (const respect of respects)
    for (const place of places) {
      const line = respect.find(place.text, oldStr)
      if (line !== null) return { cause: respect.cause, line: line + place.line - 1 }
    }
  return null
}

/** Places that are compared finely: the first ones; the text meant may also be a later one, but rarely. */
const mostPlaces = 4

/** One way in which texts differ. `find` gives the line of the first place that matches once this is set aside. */
interface Respect {
  readonly cause: MissCause
  readonly find: (text: string, oldStr: string) => number | null
}

const respects: readonly Respect[] = [
  alike("lineEndings", /\r/, text => text.replace(/\r\n?/g, "\n")),
  alike("trailingBlanks", /[ \t\u00a0](?:\r?\n|$)/, withoutTrailingBlanks),
  alike("noBreakSpace", noBreakSpaces(), plainSpaces),
  alike("quotes", curly(), plainQuotes),
  alike("invisible", invisibles(), text => text.replace(invisibles("g"), "")),
  alike("composition", /[^\0-\x7f]/, text => text.normalize("NFC")),
  alike("tabs", /\t/, collapsedBlanks),
  alike("blanks", /[ \t\n]/, collapsedTrimmed),
  alike("letterCase", /[A-Za-z\u0080-\uffff]/, text => text.toLowerCase()),
  alike("several", /./s, everything),
]

/** `needed` is what a text must have for the respect to matter; if neither has it the rest is saved. */
function alike(cause: MissCause, needed: RegExp, change: (text: string) => string): Respect {
  return {
    cause,
    find: (text, oldStr) => {
      if (!needed.test(oldStr) && !needed.test(text)) return null
      const wanted = change(oldStr)
      if (wanted.trim() === "") return null
      const changed = change(text)
      const at = changed.indexOf(wanted)
      if (at < 0) return null
      const line = lineAtOffset(changed, at)
      return wanted.startsWith("\n") ? line + leadingNewlines(wanted) : line
    },
  }
}

/** `   12<tab>text`, `12→text`, `12|text`, `12: text`, on every line that is not blank, as views of several tools print it. */
const lineNumberPrefix = /^[ \t]*\d{1,7}(?:\t|→|[ ]?\|[ ]?|: )/

function withoutLineNumbers(text: string, oldStr: string): number | null {
  const lines = splitLines(oldStr)
  if (!lines.every(line => line.trim() === "" || lineNumberPrefix.test(line))) return null
  const plain = unified(lines.map(line => line.replace(lineNumberPrefix, "")).join(""))
  if (plain.trim() === "") return null
  const whole = unified(text)
  const at = whole.indexOf(plain)
  return at < 0 ? null : lineAtOffset(whole, at)
}

const escapes: Readonly<Record<string, string>> = {
  "\\n": "\n",
  "\\t": "\t",
  "\\r": "",
  '\\"': '"',
  "\\'": "'",
  "\\\\": "\\",
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
}

const escapePattern = /\\[ntr"'\\]|&(?:amp|lt|gt|quot|#39);/g

/** Escaped once too often, or once too little: in either direction. */
function unescapedMatch(text: string, oldStr: string): number | null {
  const plain = oldStr.replace(escapePattern, escape => escapes[escape] ?? escape)
  if (plain !== oldStr && plain.trim() !== "") {
    const whole = unified(text)
    const at = whole.indexOf(plain)
    if (at >= 0) return lineAtOffset(whole, at)
  }
  const escaped = oldStr.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\t", "\\t").replaceAll('"', '\\"')
  if (escaped === oldStr) return null
  const at = text.indexOf(escaped)
  return at < 0 ? null : lineAtOffset(text, at)
}

function withoutFinalNewline(text: string, oldStr: string): number | null {
  if (!oldStr.endsWith("\n") || text.endsWith("\n")) return null
  const wanted = unified(oldStr).replace(/\n+$/, "")
  // The end of the text, long enough even if each of its newlines is a CRLF.
  const end = unified(text.slice(-2 * oldStr.length))
  if (wanted === "" || !end.endsWith(wanted)) return null
  return lineCount(text) - lineCount(wanted) + 1
}

/** In a loop, not by `/[ \t]+$/m`: that pattern is quadratic on a long run of blanks inside a line. */
function withoutTrailingBlanks(text: string): string {
  return unified(text)
    .split("\n")
    .map(line => line.trimEnd())
    .join("\n")
}

function collapsedBlanks(text: string): string {
  return unified(text).replace(/[ \t]+/g, " ")
}

/** Blanks collapsed, none at either end of a line, and blank lines dropped to nothing but their newline. */
function collapsedTrimmed(text: string): string {
  return unified(text)
    .split("\n")
    .map(line => line.replace(/[ \t]+/g, " ").trim())
    .join("\n")
}

function everything(text: string): string {
  return collapsedTrimmed(plainQuotes(plainSpaces(text.replace(invisibles("g"), "").normalize("NFKC")))).toLowerCase()
}

function unified(text: string): string {
  return text.includes("\r\n") ? text.replaceAll("\r\n", "\n") : text
}

function lineAtOffset(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf("\n"); at >= 0 && at < offset; at = text.indexOf("\n", at + 1)) line++
  return line
}

function leadingNewlines(text: string): number {
  return /^\n*/.exec(text)?.[0].length ?? 0
}

function shownLines(text: string): number {
  return lineCount(text.endsWith("\n") ? text.slice(0, -1) : text)
}
