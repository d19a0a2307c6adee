/**
 * Every sentence that a model reads from the edit tool. They speak only of what is in the tool's schema (`old_str`,
 * `new_str`, `insert_line`, …), name no parameter it does not have, and are bounded however long the input or the file is.
 */
import { Failure } from "../failure.ts"
import { showPath } from "../path.ts"
import type { EditOutcome, Position } from "./edit.ts"
import type { MissCause, MissHint } from "./miss-hint.ts"
import { type FileView, numbered, offsetOfLine, prefix } from "./view.ts"

/** A value of the input as it may be repeated in an answer: on one line, at most some 100 characters. */
export function quoted(value: unknown): string {
  const text = typeof value === "string" ? showPath(prefix(value, 100)) : (JSON.stringify(value) ?? "undefined")
  const clipped = text.length > 100 ? `${prefix(text, 100)}…` : text
  return typeof value === "string" ? `"${clipped}${value.length > 100 ? "…" : ""}"` : clipped
}

/** A path in a sentence. */
export function shownPath(path: string): string {
  const shown = showPath(path)
  return shown.length <= 1000 ? shown : `${prefix(shown, 500)}…${shown.slice(-400)}`
}

export function createdText(path: string): string {
  return `Created ${shownPath(path)}.`
}

export function editedText(
  path: string,
  edit: Extract<EditOutcome, { kind: "edited" }>,
  command: "str_replace" | "insert",
): string {
  const where = `at line ${edit.line} of ${shownPath(path)}`
  const verb = command === "insert" ? "Inserted" : edit.inserted === "" ? "Deleted" : "Replaced"
  const notes = [
    edit.fitted ? " Line endings were fitted to the file's." : "",
    edit.expanded ? " Tabs in the file became spaces." : "",
  ]
  return `${verb} text ${where}.${notes.join("")}`
}

export function fileViewText(path: string, view: Extract<FileView, { kind: "rows" }>, range: boolean): string {
  const whole = `${view.lines} ${view.lines === 1 ? "line" : "lines"}`
  const header = range
    ? `${shownPath(path)}, lines ${view.first}-${view.last} of ${view.lines}`
    : `${shownPath(path)}, ${whole}`
  const notes: string[] = []
  if (view.clamped) notes.push(`[The file has only ${whole}; view_range was cut to it.]`)
  if (view.clipped !== null) {
    const { kept, inLine, next } = view.clipped
    const end = inLine ? `inside line ${view.last}` : `after line ${view.last}`
    const onward =
      next === null
        ? "The rest of this line cannot be shown."
        : next === view.last || !inLine
          ? `view_range [${next}, -1] goes on from there.`
          : `view_range [${next}, -1] goes on with the next line; the rest of line ${view.last} cannot be shown.`
    notes.push(`[Clipped ${end} of ${view.lines}: ${kept} characters are shown. ${onward}]`)
  }
  return [header, view.rows, ...notes].join("\n")
}

export function directoryViewText(
  path: string,
  rows: string,
  left: { readonly clippedAt: number | null; readonly hidden: number; readonly more: number },
): string {
  const notes: string[] = []
  if (left.clippedAt !== null)
    notes.push(
      `[Clipped: ${left.clippedAt} characters are shown${left.more > 0 ? `, ${left.more} or more entries are not` : ""}. View a subdirectory to see more.]`,
    )
  if (left.hidden > 0)
    notes.push(`[${left.hidden} hidden, dependency or cache ${left.hidden === 1 ? "entry" : "entries"} left out.]`)
  return [
    `${shownPath(path)}, two levels deep${rows === "" ? ": nothing to show" : ""}`,
    ...(rows === "" ? [] : [rows]),
    ...notes,
  ].join("\n")
}

/** For `NOT_UNIQUE`: every line, up to a number that keeps the answer short. */
export function notUniqueText(
  path: string,
  text: string,
  found: Extract<EditOutcome, { kind: "manyMatches" }>,
): { readonly message: string; readonly hint: string } {
  const { positions, more } = found
  const count = `${more ? "more than " : ""}${positions.length}`
  const fitted = found.fitted ? " once line endings are fitted" : ""
  const rows = [...new Set(positions.map(position => position.line))].slice(0, 3)
  const previews = rows.map(line => clippedRow(text, line)).join("\n")
  return {
    message: `old_str occurs ${count} times in ${shownPath(path)}${fitted}, at ${placesText(positions, more)}. Nothing was changed.\n${previews}`,
    hint: "Add lines before or after to old_str until it is the only place.",
  }
}

/** Lines in order, with the columns where a line holds several. At most `listedPlaces`. */
export function placesText(positions: readonly Position[], more: boolean): string {
  const columns = new Map<number, number[]>()
  for (const { line, column } of positions.slice(0, listedPlaces))
    columns.set(line, [...(columns.get(line) ?? []), column])
  const listed = [...columns].map(([line, at]) => (at.length === 1 ? `${line}` : `${line} (columns ${at.join(", ")})`))
  const rest = positions.length - listedPlaces
  const tail = more ? " and more" : rest > 0 ? ` and ${rest} more` : ""
  return `${columns.size === 1 ? "line" : "lines"} ${listed.join(", ")}${tail}`
}

const listedPlaces = 100

/** For `NO_MATCH`. `changed`: the file is not what this conversation last saw of it. */
export function noMatchText(
  path: string,
  text: string,
  request: { readonly oldStr: string },
  hint: MissHint,
  changed: boolean,
): { readonly message: string; readonly hint: string } {
  const sentences: string[] = []
  if (changed) sentences.push("The file has changed since you last viewed it.")
  if (hint.cause !== null) sentences.push(causeText(hint.cause, text, request.oldStr, hint))
  if (hint.appliedAt !== null && hint.cause !== "alreadyApplied")
    sentences.push(`new_str is already in the file, at line ${hint.appliedAt}.`)
  if (hint.near === null) sentences.push("Nothing in the file is like it; view the file again.")
  else sentences.push(`${hint.cause === null ? "Nearest" : "Real"} text:\n${excerpt(text, hint.near)}`)
  return {
    message: `old_str ${quoted(request.oldStr)} does not occur in ${shownPath(path)}. Nothing was changed.`,
    hint: sentences.join(" "),
  }
}

/** For `FILE_CHANGED_SINCE_READ`. `now`: what the request would meet in the text that is there now; null if it is gone or no text. */
export function changedText(
  path: string,
  now: EditOutcome | null,
  command: "create" | "str_replace" | "insert",
): { readonly message: string; readonly hint: string } {
  const message = `${shownPath(path)} was changed by somebody else meanwhile. Nothing was written.`
  if (command === "create") return { message, hint: "View it, then decide." }
  if (now === null) return { message, hint: "It is no longer a text file there; view it again." }
  switch (now.kind) {
    case "edited":
      return {
        message,
        hint:
          command === "insert"
            ? "View it again; insert_line may be another now."
            : `old_str still occurs exactly once, at line ${now.line}; view it and repeat the call if it is still right.`,
      }
    case "noMatch":
      return { message, hint: "old_str no longer occurs in it; view it again." }
    case "manyMatches":
      return { message, hint: `old_str now occurs more than once, at ${placesText(now.positions, now.more)}.` }
    case "unchanged":
      return { message, hint: "It already reads as the edit would make it." }
    case "noSuchLine":
      return { message, hint: `It has ${now.lines} lines now, so insert_line must be 0 to ${now.lines}.` }
  }
}

export function startBeyondText(path: string, lines: number): string {
  return `view_range begins after the end of ${shownPath(path)}, which has ${lines} ${lines === 1 ? "line" : "lines"}.`
}

export function noSuchLineText(path: string, lines: number): string {
  return `insert_line must be 0 to ${lines}: ${shownPath(path)} has ${lines} ${lines === 1 ? "line" : "lines"}. Nothing was changed.`
}

/** `why` is a sentence without its full stop. */
export function notTextText(path: string, why: string): string {
  return `${shownPath(path)} cannot be viewed or edited as text: ${why}. Nothing was changed.`
}

export function unwritableText(path: string, field: string, why: string): string {
  return `${shownPath(path)} was not changed, because ${field} cannot be stored in it as text: ${why}.`
}

/** For whatever stands where a text file is needed. */
export function notFileFailure(
  path: string,
  found:
    | { readonly kind: "absent" | "folder" }
    | { readonly kind: "special"; readonly what: string }
    | { readonly kind: "tooLarge"; readonly limit: number },
): Failure {
  const shown = shownPath(path)
  switch (found.kind) {
    case "absent":
      return new Failure("NOT_FOUND", `Nothing is at ${shown}.`, "View its directory, or use create to make the file.")
    case "folder":
      return new Failure("BAD_ARGUMENT", `${shown} is a directory; only files can be edited.`)
    case "special":
      return new Failure("NOT_TEXT", `${shown} is no regular file but a ${found.what}.`)
    case "tooLarge":
      return new Failure("BAD_ARGUMENT", `${shown} is larger than the ${found.limit} bytes that this tool handles.`)
  }
}

export function existsFailure(path: string, what: string): Failure {
  const kind = what === "folder" ? "directory" : what
  const hint = what === "file" ? "View it, and change it with str_replace or insert." : "Choose another path."
  return new Failure("BAD_ARGUMENT", `create makes new files only: a ${kind} is already at ${shownPath(path)}.`, hint)
}

function causeText(cause: MissCause, text: string, oldStr: string, hint: MissHint): string {
  switch (cause) {
    case "lineNumbers":
      return "old_str has the line numbers of a view in it; leave out the number and the tab after it."
    case "escapes":
      return "old_str is escaped otherwise than the file: a newline, tab, quote or ampersand is written out in one and real in the other."
    case "lineEndings":
      return "Only line endings differ: the file has carriage returns where old_str has none, or the other way round."
    case "noFinalNewline":
      return "old_str ends in a newline, but the file ends without one."
    case "trailingBlanks":
      return "Only blanks at the ends of lines differ."
    case "noBreakSpace":
      return "Only kinds of space differ: one has no-break or other wide spaces where the other has plain ones."
    case "quotes":
      return "Only quotes, dashes or dots differ: one has typographic ones (\u201c \u201d \u2019 \u2013 \u2026) where the other has plain ones."
    case "invisible":
      return "Only invisible characters differ (zero-width or direction marks)."
    case "composition":
      return "Only the composition of letters differs: accents are joined with their letters in one and separate in the other (Unicode NFC, NFD)."
    case "tabs":
      return tabsText(text, oldStr, hint)
    case "blanks":
      return "Only blanks differ: indentation, or the number of spaces."
    case "letterCase":
      return "Only capital and small letters differ."
    case "several":
      return "Several small things differ (blanks, quotes, case, invisible characters)."
    case "alreadyApplied":
      return "The edit seems to be made already: new_str is in the file."
  }
}

function tabsText(text: string, oldStr: string, hint: MissHint): string {
  const near = hint.near === null ? "" : linesOf(text, hint.near.line, hint.near.lines)
  if (near.includes("\t") && !oldStr.includes("\t")) return "The file has tabs where old_str has spaces."
  if (!near.includes("\t") && oldStr.includes("\t")) return "The file has spaces where old_str has tabs."
  return "Tabs and spaces differ."
}

/** At most eight numbered rows of at most 160 units. */
function excerpt(text: string, near: { readonly line: number; readonly lines: number }): string {
  const rows: string[] = []
  const newlines = countUpTo(text, near.line + Math.min(near.lines, 8))
  for (let line = near.line; line < near.line + Math.min(near.lines, 8) && line <= newlines; line++)
    rows.push(clippedRow(text, line))
  return rows.join("\n")
}

function clippedRow(text: string, line: number): string {
  const row = numbered(line, text, offsetOfLine(text, line))
  return row.length <= 167 ? row : `${prefix(row, 167)}…`
}

function linesOf(text: string, line: number, count: number): string {
  const from = offsetOfLine(text, line)
  let to = from
  for (let passed = 0; passed < count && to >= 0; passed++) to = text.indexOf("\n", to) + 1 || text.length
  return text.slice(from, to)
}

/** The number of lines of a text, or `limit` if there are more. */
function countUpTo(text: string, limit: number): number {
  let count = 1
  for (let at = text.indexOf("\n"); at >= 0 && count < limit; at = text.indexOf("\n", at + 1)) count++
  return count
}
