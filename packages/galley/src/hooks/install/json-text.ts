import { createScanner, type Node } from "jsonc-parser"

/**
 * Puts members into an object or list of a JSON text, and takes them out, without touching anything else: not even the white space and
 * the comments of the neighbours. (`modify` of jsonc-parser formats what stands before the place anew.)
 */
export function insertMember(text: string, container: Node, key: string | null, value: unknown): string {
  const members = container.children ?? []
  const end = container.offset + container.length - 1
  const inside = text.slice(container.offset + 1, end)
  const eol = text.includes("\r\n") ? "\r\n" : "\n"
  const outer = indentAt(text, container.offset)
  const unit = unitOf(text)
  const inline = members.length > 0 && !inside.includes("\n")
  const json = JSON.stringify(value, null, inline ? undefined : unit).replaceAll("\n", `${eol}${outer}${unit}`)
  const member = key === null ? json : `${JSON.stringify(key)}: ${json}`
  const last = members.at(-1)
  const trimmed = inside.trimEnd()
  const at = container.offset + 1 + trimmed.length
  if (last === undefined) {
    const closing = inside.slice(trimmed.length).includes("\n") ? "" : `${eol}${outer}`
    return splice(text, at, at, `${eol}${outer}${unit}${member}${closing}`)
  }
  const lastEnd = last.offset + last.length
  const comma = commaAfter(text, lastEnd, end)
  if (inline && comma === null) return splice(text, lastEnd, lastEnd, `, ${member}`)
  const closing = inside.slice(trimmed.length).includes("\n") || inline ? "" : `${eol}${outer}`
  const added = inline ? ` ${member},` : `${eol}${outer}${unit}${member}${comma === null ? "" : ","}${closing}`
  const inserted = splice(text, at, at, added)
  return comma === null ? splice(inserted, lastEnd, lastEnd, ",") : inserted
}

export function removeMember(text: string, container: Node, index: number): string {
  const members = container.children ?? []
  const member = members[index]
  if (member === undefined) return text
  const end = container.offset + container.length - 1
  const before = members[index - 1]
  const memberEnd = member.offset + member.length
  const next = commaAfter(text, memberEnd, members[index + 1]?.offset ?? end)
  const from = member.offset - (/\s*$/.exec(text.slice(0, member.offset))?.[0].length ?? 0)
  if (members.length === 1 && text.slice(container.offset + 1, from).trim() === "") {
    const rest = text.slice(next ?? memberEnd, end)
    if (rest.trim() === "") return splice(text, container.offset + 1, end, "")
  }
  const without = splice(text, from, next ?? memberEnd, "")
  if (next !== null || before === undefined) return without
  const beforeEnd = before.offset + before.length
  const comma = commaAfter(without, beforeEnd, without.length)
  return comma === null ? without : splice(without, comma - 1, comma, "")
}

/** The position behind the comma that follows, comments skipped; null where none does. */
function commaAfter(text: string, from: number, to: number): number | null {
  const scanner = createScanner(text.slice(from, to), true)
  scanner.scan()
  const at = from + scanner.getTokenOffset()
  return at < to && text[at] === "," ? at + 1 : null
}

function splice(text: string, from: number, to: number, added: string): string {
  return text.slice(0, from) + added + text.slice(to)
}

function indentAt(text: string, offset: number): string {
  const start = text.lastIndexOf("\n", offset - 1) + 1
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? ""
}

/** One step of indentation, as the first indented line of the text has it. */
function unitOf(text: string): string {
  const indent = /^([ \t]+)["}\]/]/m.exec(text)?.[1] ?? "  "
  return indent.includes("\t") ? "\t" : indent.slice(0, 8)
}
