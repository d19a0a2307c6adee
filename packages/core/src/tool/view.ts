/** Rows of file and directory views as a model sees them. Sentences around them are in edit-text.ts. */
import { showPath } from "../path.ts"
import { lineCount } from "./edit.ts"

/** First and last line, both included, from 1; `last` -1 is the end of the file. */
export interface ViewRange {
  readonly first: number
  readonly last: number
}

export type FileView =
  | { readonly kind: "startBeyond"; readonly lines: number }
  | {
      readonly kind: "rows"
      /** Numbered rows joined by newlines. */
      readonly rows: string
      readonly lines: number
      readonly first: number
      /** The last line of which something is shown. */
      readonly last: number
      /** The range asked for ends behind the last line and was cut to it. */
      readonly clamped: boolean
      readonly clipped: Clipping | null
    }

export interface Clipping {
  /** UTF-16 units of rows that are shown. */
  readonly kept: number
  /** Set if the last row shown is not whole. */
  readonly inLine: boolean
  /** The line to go on with, null if nothing that could be shown is left. */
  readonly next: number | null
}

/**
 * Numbers the lines of a range: six columns or more for the number, a tab, then the line as it is. The carriage return of
 * a CRLF is part of the line's end and not shown, so that what is shown is a valid `old_str`.
 *
 * At most `limit` UTF-16 units of rows are kept. The cut falls behind a whole row if that keeps at least half of the
 * limit, otherwise inside a row, and then never inside a surrogate pair.
 */
export function viewLines(text: string, range: ViewRange | null, limit: number): FileView {
  const lines = lineCount(text)
  const first = range?.first ?? 1
  if (first > lines) return { kind: "startBeyond", lines }
  const wanted = range === null || range.last === -1 ? lines : range.last
  const end = Math.min(wanted, lines)
  let at = offsetOfLine(text, first)
  const rows: string[] = []
  let used = 0
  for (let line = first; line <= end; line++) {
    const row = numbered(line, text, at)
    const separator = rows.length === 0 ? 0 : 1
    if (used + separator + row.length > limit) return cut(rows, used, row, line, end, limit, { lines, first })
    rows.push(row)
    used += separator + row.length
    at = nextLine(text, at)
  }
  return { kind: "rows", rows: rows.join("\n"), lines, first, last: end, clamped: wanted > lines, clipped: null }
}

/** One row: the number, a tab, the line that begins at `at`. */
export function numbered(line: number, text: string, at: number): string {
  return `${String(line).padStart(6)}\t${lineAt(text, at)}`
}

/** Where a line of the text begins. `line` counts from 1 and must exist. */
export function offsetOfLine(text: string, line: number): number {
  let at = 0
  for (let passed = 1; passed < line; passed++) at = nextLine(text, at)
  return at
}

/** The first `length` UTF-16 units, one less where that would cut a surrogate pair in two. */
export function prefix(text: string, length: number): string {
  if (length <= 0) return ""
  if (text.length <= length) return text
  const last = text.charCodeAt(length - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length)
}

export interface DirectoryEntry {
  readonly name: string
  readonly kind: "file" | "folder" | "symlink" | "fifo" | "socket" | "device"
}

/** Whether a directory view leaves the entry out: hidden ones, dependency folders, Python caches. */
export function isLeftOut(entry: DirectoryEntry): boolean {
  if (entry.name.startsWith(".")) return true
  if (/\.py[co]$/.test(entry.name)) return true
  return entry.kind === "folder" && leftOutFolders.has(entry.name)
}

/** By UTF-16 code unit, so that the order is the same everywhere. */
export function inViewOrder(entries: readonly DirectoryEntry[]): DirectoryEntry[] {
  return entries.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
}

/** A row of a directory view: the absolute path with escapes for what could mislead, and what it is if not a file. */
export function directoryRow(folder: string, entry: DirectoryEntry): string {
  const path = showPath(`${folder === "/" ? "" : folder}/${entry.name}`)
  switch (entry.kind) {
    case "file":
      return path
    case "folder":
      return `${path}/`
    case "symlink":
    case "fifo":
    case "socket":
    case "device":
      return `${path} (${entry.kind})`
  }
}

/** Packages that a package manager put there, and what Python compiled. Not `vendor` or `target`: those may be sources. */
const leftOutFolders: ReadonlySet<string> = new Set([
  "node_modules",
  "bower_components",
  "jspm_packages",
  "web_modules",
  "site-packages",
  "dist-packages",
  "__pypackages__",
  "__pycache__",
])

function cut(
  rows: readonly string[],
  used: number,
  row: string,
  line: number,
  end: number,
  limit: number,
  view: { readonly lines: number; readonly first: number },
): FileView {
  const shared = { kind: "rows", ...view, clamped: false } as const
  if (rows.length > 0 && used * 2 >= limit)
    return { ...shared, rows: rows.join("\n"), last: line - 1, clipped: { kept: used, inLine: false, next: line } }
  const part = prefix(row, limit - used - (rows.length === 0 ? 0 : 1))
  const shown = [...rows, part].join("\n")
  // A row that alone fits the limit is better shown again whole; of a longer one no view shows more.
  const next = row.length <= limit ? line : line < end ? line + 1 : null
  return { ...shared, rows: shown, last: line, clipped: { kept: shown.length, inLine: true, next } }
}

function lineAt(text: string, at: number): string {
  const newline = text.indexOf("\n", at)
  if (newline < 0) return text.slice(at)
  return text.slice(at, newline > at && text[newline - 1] === "\r" ? newline - 1 : newline)
}

/** Where the following line begins; the end of the text if there is none. */
function nextLine(text: string, at: number): number {
  const newline = text.indexOf("\n", at)
  return newline < 0 ? text.length : newline + 1
}
