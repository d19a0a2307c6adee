import { Failure } from "../failure.ts"
import { showPath } from "../path.ts"
import type { EditRequest } from "./edit.ts"
import type { EditConfig } from "./edit-config.ts"
import { type EditCommand, editCommands } from "./edit-schema.ts"
import { quoted } from "./edit-text.ts"
import type { ViewRange } from "./view.ts"
import { wholeNumber } from "./whole-number.ts"

/** A call that is understood. Paths are absolute. */
export type EditCall =
  | { readonly command: "view"; readonly path: string; readonly range: ViewRange | null }
  | { readonly command: "create"; readonly path: string; readonly fileText: string }
  | (EditRequest & { readonly path: string })

/**
 * Reads a model's input. What is wrong with it is a `BAD_ARGUMENT` in the words of the schema.
 *
 * Taken beyond the schema, because models send it: numbers and ranges as text (`"3"`, `"[1, 5]"`), null for left out, an
 * empty `view_range` for none, `new_str` for `insert_text`. Not taken: booleans as numbers, fractions.
 */
export function parseEditCall(input: unknown, config: Pick<EditConfig, "requireAbsolutePath">, root: string): EditCall {
  if (typeof input !== "object" || input === null || Array.isArray(input))
    throw bad("The input must be an object with command and path.")
  const fields = new Map(Object.entries(input))
  const command = readCommand(fields.get("command"))
  const path = readPath(fields.get("path"), config, root)
  switch (command) {
    case "view":
      return { command, path, range: readRange(fields.get("view_range")) }
    case "create":
      return { command, path, fileText: requiredText(fields, "file_text", command) }
    case "str_replace":
      return { command, path, ...readReplacement(fields) }
    case "insert":
      return { command, path, line: readInsertLine(fields.get("insert_line")), insertText: readInsertText(fields) }
  }
}

/** With `.`, doubled and closing slashes taken out. `..` stays: behind a symlink only the file system knows where it leads. */
export function absolutePath(path: string, root: string): string {
  const names = (path.startsWith("/") ? path : `${root}/${path}`).split("/")
  return `/${names.filter(name => name !== "" && name !== ".").join("/")}`
}

function readCommand(value: unknown): EditCommand {
  const command = editCommands.find(one => one === value)
  if (command !== undefined) return command
  if (isGiven(value)) throw bad(`There is no command ${quoted(value)}.`, `The commands are ${editCommands.join(", ")}.`)
  throw bad("command is required.", `The commands are ${editCommands.join(", ")}.`)
}

function readPath(value: unknown, config: Pick<EditConfig, "requireAbsolutePath">, root: string): string {
  if (!isGiven(value)) throw bad("path is required.")
  if (typeof value !== "string") throw bad("path must be text.")
  if (value.trim() === "") throw bad("path must not be blank.")
  if (value.includes("\0")) throw bad("path must not contain a NUL character.")
  if (!config.requireAbsolutePath || value.startsWith("/")) {
    const path = absolutePath(value, root)
    // Linux: 4096 bytes with the closing NUL (limits.h PATH_MAX). The limit of a single name differs by file system.
    if (path.length > 4095) throw bad(`path is too long: ${path.length} characters, 4095 are possible.`)
    return path
  }
  if (/^[A-Za-z]:[\\/]/.test(value))
    throw bad(`path ${quoted(value)} is not absolute on this system; begin it with "/".`)
  throw bad(
    `path ${quoted(value)} is not absolute.`,
    value.startsWith("~")
      ? 'Write the home directory out; path must begin with "/".'
      : `Did you mean ${clip(showPath(absolutePath(value, root)), 300)}?`,
  )
}

function readRange(value: unknown): ViewRange | null {
  if (!isGiven(value)) return null
  const list = typeof value === "string" ? parsedList(value) : value
  if (Array.isArray(list) && list.length === 0) return null
  if (!Array.isArray(list) || list.length !== 2)
    throw bad("view_range must be two whole numbers, the first and the last line, e.g. [11, 20].")
  const first = wholeNumber(list[0])
  const last = wholeNumber(list[1])
  if (first === null || last === null)
    throw bad(
      `view_range must be two whole numbers, not ${quoted(list)}.`,
      "Give e.g. [11, 20]; [11, -1] shows the rest.",
    )
  if (first < 1) throw bad(`view_range begins at ${first}, but lines are counted from 1.`)
  if (last !== -1 && last < first)
    throw bad(
      `view_range [${first}, ${last}] ends before it begins.`,
      "To show all from a line on, give -1 as the end.",
    )
  return { first, last }
}

function parsedList(text: string): unknown {
  if (text.trim() === "") return []
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function readReplacement(fields: ReadonlyMap<string, unknown>): { readonly oldStr: string; readonly newStr: string } {
  const oldStr = requiredText(fields, "old_str", "str_replace")
  const newStr = optionalText(fields, "new_str") ?? ""
  if (oldStr === "")
    throw bad("old_str is empty.", "Give the text to replace, or use insert to add text, create to make a new file.")
  if (oldStr === newStr)
    throw bad(
      "old_str and new_str are the same, so nothing would change.",
      "Give the text as it should become as new_str.",
    )
  return { oldStr, newStr }
}

function readInsertLine(value: unknown): number {
  if (!isGiven(value))
    throw bad("insert needs insert_line.", "It is the line after which the text goes; 0 is the top of the file.")
  const line = wholeNumber(value)
  if (line === null) throw bad(`insert_line must be a whole number, not ${quoted(value)}.`)
  return line
}

/** Both names are in use for it; some models fill the one they do not mean with an empty text. */
function readInsertText(fields: ReadonlyMap<string, unknown>): string {
  const insertText = optionalText(fields, "insert_text")
  const newStr = optionalText(fields, "new_str")
  if (insertText !== null && newStr !== null && insertText !== newStr && insertText !== "" && newStr !== "")
    throw bad("insert_text and new_str are both given and differ.", "Give the text to insert as insert_text alone.")
  const text = insertText === null || insertText === "" ? (newStr ?? insertText) : insertText
  if (text === null) throw bad("insert needs insert_text.", 'For a blank line give "".')
  return text
}

function requiredText(fields: ReadonlyMap<string, unknown>, name: string, command: EditCommand): string {
  const text = optionalText(fields, name)
  if (text === null) throw bad(`${command} needs ${name}.`)
  return text
}

function optionalText(fields: ReadonlyMap<string, unknown>, name: string): string | null {
  const value = fields.get(name)
  if (!isGiven(value)) return null
  if (typeof value !== "string") throw bad(`${name} must be text, not ${quoted(value)}.`)
  return value
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

function clip(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`
}

function bad(message: string, hint?: string): Failure {
  return new Failure("BAD_ARGUMENT", message, hint)
}
