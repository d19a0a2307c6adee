import { diffLines, type LineDiff } from "../diff/line-diff.ts"
import { textStyle } from "../text/eol.ts"
import type { Encoding } from "../text/document.ts"
import { showPath } from "../path.ts"
import { splitLines, type Line } from "../text/lines.ts"
import { sameBytes, textOf, type Charset, type Loaded, type LoadedSides } from "./loaded.ts"

/** What kinds of change stand between two sides; several may hold at once (a rename with edits and a mode change). */
export type SidesKind = "modify" | "create" | "delete" | "mode" | "symlink" | "binary" | "folder"

/** A property that is decided alone. `content` is everything a binary file has; text is decided by hunk. */
export type PropertyName = "existence" | "mode" | "encoding" | "content"

/** The difference between the two sides of an item, derived. */
export interface SidesView {
  readonly kinds: readonly SidesKind[]
  /** Null where either side is no text; then `existence` or `content` is decided as a whole. */
  readonly text: TextView | null
  readonly properties: readonly { readonly name: PropertyName; readonly text: string }[]
}

export interface TextView {
  readonly base: readonly Line[]
  readonly current: readonly Line[]
  readonly diff: LineDiff
  /** Of each side; an absent side has the other's. */
  readonly baseEncoding: Encoding
  readonly currentEncoding: Encoding
}

export function viewSides(sides: LoadedSides, charset?: Charset): SidesView {
  const { base, current } = sides
  const text = textView(sides, charset)
  const kinds = new Set<SidesKind>()
  const properties: { name: PropertyName; text: string }[] = []

  if (base.kind === "absent" && current.kind !== "absent") kinds.add("create")
  if (current.kind === "absent" && base.kind !== "absent") kinds.add("delete")
  if (base.kind === "symlink" || current.kind === "symlink") kinds.add("symlink")
  if (base.kind === "folder" || current.kind === "folder") kinds.add("folder")
  if (base.kind !== current.kind) properties.push({ name: "existence", text: `${nameOf(base)} → ${nameOf(current)}` })
  else if (base.kind === "symlink" && current.kind === "symlink" && base.target !== current.target)
    properties.push({ name: "content", text: `link target ${showPath(base.target)} → ${showPath(current.target)}` })

  if ((base.kind === "file" && current.kind === "file") || (base.kind === "folder" && current.kind === "folder")) {
    if (base.mode !== current.mode) {
      kinds.add("mode")
      properties.push({ name: "mode", text: `mode ${octal(base.mode)} → ${octal(current.mode)}` })
    }
  }
  const hasFile = base.kind === "file" || current.kind === "file"
  if (hasFile && text === null && !isEmptyPair(base, current)) kinds.add("binary")
  if (base.kind === "file" && current.kind === "file" && !sameBytes(base.bytes, current.bytes)) {
    kinds.add("modify")
    if (text === null)
      properties.push({ name: "content", text: `${base.bytes.length} → ${current.bytes.length} bytes` })
    else properties.push(...encodingChange(text))
  }
  return { kinds: [...kinds], text, properties }
}

/**
 * Property changes in words for people, line endings among them (they are decided as text). A creation or deletion that shows as
 * lines or as a binary file needs none.
 */
export function propertyTexts(view: SidesView): string[] {
  const shows = view.kinds.includes("binary") || (view.text?.diff.hunks.length ?? 0) > 0
  const plain = shows && (view.kinds.includes("create") || view.kinds.includes("delete"))
  const texts = view.properties
    .filter(property => !(plain && property.name === "existence"))
    .map(property => property.text)
  if (view.text !== null && view.text.base.length > 0 && view.text.current.length > 0) {
    const from = textStyle(view.text.base)
    const to = textStyle(view.text.current)
    if (from !== to) texts.push(`line endings ${from} → ${to}`)
  }
  return texts
}

function textView(sides: LoadedSides, charset?: Charset): TextView | null {
  const { base, current } = sides
  const before = textOf(base, charset)
  // A mode alone, in a file of megabytes: nothing to read twice or to compare.
  const same = base.kind === "file" && current.kind === "file" && sameBytes(base.bytes, current.bytes)
  const after = same ? before : textOf(current, charset)
  if ((before === null && base.kind !== "absent") || (after === null && current.kind !== "absent")) return null
  const encoding = (before ?? after)?.encoding
  if (encoding === undefined) return null
  const lines = before === null ? [] : splitLines(before.text)
  const newLines = same ? lines : after === null ? [] : splitLines(after.text)
  return {
    base: lines,
    current: newLines,
    diff: same ? { hunks: [], coarse: false } : diffLines(lines, newLines),
    baseEncoding: before?.encoding ?? encoding,
    currentEncoding: after?.encoding ?? encoding,
  }
}

function encodingChange(text: TextView): { name: PropertyName; text: string }[] {
  const from = text.baseEncoding
  const to = text.currentEncoding
  if (from.name !== to.name) return [{ name: "encoding", text: `encoding ${encodingName(from)} → ${encodingName(to)}` }]
  if (from.bom !== to.bom) return [{ name: "encoding", text: to.bom ? "BOM added" : "BOM removed" }]
  return []
}

function encodingName(encoding: Encoding): string {
  return encoding.bom ? `${encoding.name} with BOM` : encoding.name
}

function isEmptyPair(base: Loaded, current: Loaded): boolean {
  const empty = (state: Loaded): boolean => state.kind !== "file" || state.bytes.length === 0
  return empty(base) && empty(current)
}

function nameOf(state: Loaded): string {
  switch (state.kind) {
    case "other":
      return state.what
    case "symlink":
      return `symlink to ${showPath(state.target)}`
    case "file":
      return state.bytes.length === 0 ? "empty file" : "file"
    case "absent":
    case "folder":
    case "unknown":
      return state.kind
  }
}

function octal(mode: number): string {
  return mode.toString(8).padStart(3, "0")
}
