import { Failure } from "@galley/core/failure.ts"
import { showPath } from "@galley/core/path.ts"
import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser"
import { insertMember, removeMember } from "./json-text.ts"

/** One entry of ours in a JSON file (comments and trailing commas allowed). */
export type JsonEntry =
  /** The value at a path of keys. */
  | { readonly kind: "value"; readonly path: readonly string[]; readonly value: unknown }
  /** An element of the list at a path. `isOurs` finds what an earlier version put there. */
  | {
      readonly kind: "element"
      readonly path: readonly string[]
      readonly value: unknown
      readonly isOurs: (value: unknown) => boolean
    }

/** Puts the entries into the text. What stood there besides stays byte for byte. */
export function withEntries(file: string, text: string | null, entries: readonly JsonEntry[]): string {
  let now = withoutEntries(file, text ?? "", entries)
  if (now.trim() === "") now = "{}\n"
  for (const entry of entries) {
    refuseBlocked(file, now, entry.path)
    if (entry.kind === "value") now = withValue(file, now, entry.path, entry.value)
    else {
      const list = findNodeAtLocation(rootOf(file, now), [...entry.path])
      if (list !== undefined && list.type !== "array")
        throw new Failure(
          "BAD_ARGUMENT",
          `${showPath(file)}: ${entry.path.join(".")} is not a list. It was not touched.`,
        )
      now =
        list === undefined
          ? withValue(file, now, entry.path, [entry.value])
          : insertMember(now, list, null, entry.value)
    }
  }
  return now
}

/** Puts a value where nothing stands: into the innermost object on the way that is there. */
function withValue(file: string, text: string, path: readonly string[], value: unknown): string {
  const root = rootOf(file, text)
  for (let depth = path.length - 1; depth >= 0; depth--) {
    const container = depth === 0 ? root : findNodeAtLocation(root, path.slice(0, depth))
    if (container === undefined) continue
    const inner = path.slice(depth + 1).reduceRight<unknown>((held, key) => ({ [key]: held }), value)
    return insertMember(text, container, path[depth] ?? "", inner)
  }
  return text
}

function withoutAt(file: string, text: string, path: readonly (string | number)[]): string {
  const node = findNodeAtLocation(rootOf(file, text), [...path])
  const member: Node | undefined = node?.parent?.type === "property" ? node.parent : node
  const container = member?.parent
  if (member === undefined || container === undefined) return text
  return removeMember(text, container, (container.children ?? []).indexOf(member))
}

/** What stood at the entries' places in an earlier text, as entries: a person's own value that ours replaced. */
export function priorEntries(file: string, earlier: string, entries: readonly JsonEntry[]): JsonEntry[] {
  if (earlier.trim() === "") return []
  return entries.flatMap((entry): JsonEntry[] => {
    const there: unknown = valueAt(file, earlier, entry.path)
    if (entry.kind === "value") return there === undefined ? [] : [{ ...entry, value: there }]
    const same: unknown[] = Array.isArray(there) ? there.filter(entry.isOurs) : []
    return same.map(value => ({ ...entry, value }))
  })
}

/** Whether all entries stand in the text as they should, and nothing of ours besides. */
export function hasEntries(file: string, text: string, entries: readonly JsonEntry[]): boolean {
  if (text.trim() === "") return false
  return entries.every(entry => {
    const there: unknown = valueAt(file, text, entry.path)
    if (entry.kind === "value") return JSON.stringify(there) === JSON.stringify(entry.value)
    const ours: unknown[] = Array.isArray(there) ? there.filter(entry.isOurs) : []
    return ours.length === 1 && JSON.stringify(ours[0]) === JSON.stringify(entry.value)
  })
}

/** Takes the entries, and what held nothing but them, out of the text again. */
export function withoutEntries(file: string, text: string, entries: readonly JsonEntry[]): string {
  let now = text
  if (now.trim() === "") return now
  rootOf(file, now)
  for (const entry of entries) {
    if (entry.kind === "value") {
      if (valueAt(file, now, entry.path) === undefined) continue
      now = withoutAt(file, now, entry.path)
    } else {
      const list: unknown = valueAt(file, now, entry.path)
      if (!Array.isArray(list) || !list.some(entry.isOurs)) continue
      for (let at = list.length - 1; at >= 0; at--)
        if (entry.isOurs(list[at])) now = withoutAt(file, now, [...entry.path, at])
      const left: unknown = valueAt(file, now, entry.path)
      if (!Array.isArray(left) || left.length > 0) continue
      now = withoutAt(file, now, entry.path)
    }
    now = withoutEmpty(file, now, entry.path.slice(0, -1))
  }
  return now
}

/** What stands above the place must be an object, or nothing. */
function refuseBlocked(file: string, text: string, path: readonly string[]): void {
  for (let depth = 1; depth < path.length; depth++) {
    const value: unknown = valueAt(file, text, path.slice(0, depth))
    if (value === undefined) return
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw new Failure(
        "BAD_ARGUMENT",
        `${showPath(file)}: ${path.slice(0, depth).join(".")} is not an object. It was not touched.`,
      )
  }
}

function withoutEmpty(file: string, text: string, path: readonly string[]): string {
  let now = text
  for (let depth = path.length; depth > 0; depth--) {
    const value: unknown = valueAt(file, now, path.slice(0, depth))
    if (typeof value !== "object" || value === null || Object.keys(value).length > 0) return now
    now = withoutAt(file, now, path.slice(0, depth))
  }
  return now
}

function valueAt(file: string, text: string, path: readonly string[]): unknown {
  const node = findNodeAtLocation(rootOf(file, text), [...path])
  return node === undefined ? undefined : getNodeValue(node)
}

function rootOf(file: string, text: string): NonNullable<ReturnType<typeof parseTree>> {
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { allowTrailingComma: true, disallowComments: false })
  const [first] = errors
  if (root?.type === "object" && first === undefined) return root
  const offset = first?.offset ?? 0
  const before = text.slice(0, offset).split("\n")
  const place = `line ${before.length}, column ${(before.at(-1) ?? "").length + 1}`
  const what = first === undefined ? "it is not an object" : printParseErrorCode(first.error)
  throw new Failure(
    "BAD_ARGUMENT",
    `${showPath(file)} cannot be read as JSON: ${what} at ${place}. It was not touched.`,
    "Put it right, then install again.",
  )
}

const first = "# >>> galley (written by galley install; taken out by galley uninstall)"
const last = "# <<< galley"

/** Puts a block of ours at the end of a TOML file, between two comments. Our tables must not stand there in another way. */
export function withTomlBlock(file: string, text: string | null, block: string, tables: readonly string[]): string {
  const now = withoutTomlBlock(text ?? "")
  refuseBrokenToml(file, now)
  for (const table of tables)
    if (now.split(/\r?\n/).some(line => line.replaceAll(/\s|"/g, "").startsWith(`[${table}]`)))
      throw new Failure(
        "CONFLICT",
        `${showPath(file)} has a table [${table}] that Galley did not write. It was not touched.`,
        "Remove it, then install again.",
      )
  const eol = now.includes("\r\n") ? "\r\n" : "\n"
  const gap = now === "" ? "" : now.endsWith("\n") ? eol : `${eol}${eol}`
  return `${now}${gap}${[first, ...block.trim().split("\n"), last].join(eol)}${eol}`
}

export function withoutTomlBlock(text: string): string {
  const from = text.indexOf(first)
  const to = text.indexOf(last, from)
  if (from < 0 || to < 0) return text
  const end = to + last.length
  const rest = text.slice(end).replace(/^\r?\n/, "")
  // The gap before it came with it: one line end, or two where the file's last line was open.
  const before = text.slice(0, from).replace(/\r?\n$/, "")
  return before + rest
}

/**
 * Refuses a TOML file with a line that can be no TOML. Not a parser: it is read only to be left as it is, and a block at the end is right
 * behind anything that is complete. An open multi-line text or list at the end is what would swallow it.
 */
function refuseBrokenToml(file: string, text: string): void {
  let open: '"""' | "'''" | null = null
  let depth = 0
  const lines = text.split(/\r?\n/)
  for (const [at, line] of lines.entries()) {
    let rest = line
    if (open !== null) {
      const end = rest.indexOf(open)
      if (end < 0) continue
      rest = rest.slice(end + 3)
      open = null
    } else if (depth === 0) {
      const trimmed = rest.trim()
      const fine =
        trimmed === "" ||
        trimmed.startsWith("#") ||
        /^\[\[?[^\]]+\]\]?\s*(#.*)?$/.test(trimmed) ||
        /^[^=]+=\s*\S/.test(trimmed)
      if (!fine) throw broken(file, at, line)
    }
    for (;;) {
      const token = /"""|'''|"(?:[^"\\]|\\.)*"|'[^']*'|[[\]{}]|#.*$|["']/.exec(rest)
      if (token === null) break
      const found = token[0]
      rest = rest.slice(token.index + found.length)
      if (found === '"""' || found === "'''") {
        const end = rest.indexOf(found)
        if (end < 0) {
          open = found
          break
        }
        rest = rest.slice(end + 3)
      } else if (found === "[" || found === "{") depth++
      else if (found === "]" || found === "}") depth--
      else if (found === '"' || found === "'") throw broken(file, at, line)
    }
    if (depth < 0) throw broken(file, at, line)
  }
  if (open !== null || depth > 0) throw broken(file, lines.length - 1, "")
}

function broken(file: string, at: number, line: string): Failure {
  return new Failure(
    "BAD_ARGUMENT",
    `${showPath(file)} cannot be read as TOML at line ${at + 1}${line === "" ? "" : ` (${showPath(line.trim().slice(0, 60))})`}. It was not touched.`,
    "Put it right, then install again.",
  )
}
