import { wholeNumber } from "./whole-number.ts"

/** What a surface can show of a call before it runs, from the input alone. Nothing is checked and nothing thrown here. */

/** A place to open. Lines count from 1. */
export interface Location {
  readonly path: string
  readonly line?: number
}

/** A change of a piece of text as an editor draws it; `oldText` is null where nothing was there. */
export interface DiffCard {
  readonly path: string
  readonly oldText: string | null
  readonly newText: string
}

export function locationsOf(input: unknown): readonly Location[] {
  const { path, command, view_range: range, insert_line: after } = fieldsOf(input)
  if (typeof path !== "string" || path === "") return []
  if (command === "insert") {
    const line = wholeNumber(after)
    return [line === null ? { path } : { path, line: Math.max(1, line + 1) }]
  }
  const first = command === "view" && Array.isArray(range) ? wholeNumber(range[0]) : null
  return [first === null || first < 1 ? { path } : { path, line: first }]
}

/** Fragments, not files: a `str_replace` shows its two texts. An `insert` has none. */
export function diffCardsOf(input: unknown): readonly DiffCard[] {
  const { path, command, file_text: fileText, old_str: oldStr, new_str: newStr } = fieldsOf(input)
  if (typeof path !== "string" || path === "") return []
  if (command === "create") return [{ path, oldText: null, newText: textOr(fileText, "") }]
  if (command === "str_replace") return [{ path, oldText: textOr(oldStr, null), newText: textOr(newStr, "") }]
  return []
}

function fieldsOf(input: unknown): Readonly<Record<string, unknown>> {
  return typeof input === "object" && input !== null ? { ...input } : {}
}

function textOr<T>(value: unknown, otherwise: T): string | T {
  return typeof value === "string" ? value : otherwise
}
