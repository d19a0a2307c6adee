import type { Line } from "../text/lines.ts"
import type { Hunk } from "./hunk.ts"
import { diffLines } from "./line-diff.ts"

/** Lines taken away and lines added by some hunks. A changed line is both. */
export interface ChangeCount {
  readonly added: number
  readonly removed: number
}

export function countChanges(hunks: readonly Hunk[]): ChangeCount {
  let added = 0
  let removed = 0
  for (const hunk of hunks) {
    added += hunk.toCurrent - hunk.fromCurrent
    removed += hunk.toBase - hunk.fromBase
  }
  return { added, removed }
}

/**
 * Writes the change as a patch in git's form, for `git apply`, `patch -p1` and eyes. Empty where nothing differs.
 *
 * Names are paths without prefix; null is a file that is not there (`/dev/null`). Given only some `hunks` of a diff, the
 * patch makes just these. There is no `diff --git` line: it would have to state a mode, which is not known here.
 */
export function unifiedDiff(options: {
  readonly oldName: string | null
  readonly newName: string | null
  readonly base: readonly Line[]
  readonly current: readonly Line[]
  readonly hunks?: readonly Hunk[]
  /** Unchanged lines shown around a change; 3 unless told. */
  readonly context?: number
}): string {
  const { base, current, context = 3 } = options
  const hunks = options.hunks ?? diffLines(base, current).hunks
  if (hunks.length === 0) return ""
  const parts = [`--- ${fileName("a/", options.oldName)}\n`, `+++ ${fileName("b/", options.newName)}\n`]
  let shift = 0
  let heading = ""
  let searchedTo = 0
  for (const section of sectionsOf(hunks, context)) {
    const from = Math.max(0, section.fromBase - context)
    const to = Math.min(base.length, section.toBase + context)
    const { added, removed } = countChanges(section.hunks)
    heading = lastHeading(base, searchedTo, from) ?? heading
    searchedTo = from
    const oldRange = range(from, to - from)
    const newRange = range(from + shift, to - from + added - removed)
    parts.push(`@@ -${oldRange} +${newRange} @@${heading === "" ? "" : ` ${heading}`}\n`)
    let at = from
    for (const hunk of section.hunks) {
      pushLines(parts, " ", base, at, hunk.fromBase)
      pushLines(parts, "-", base, hunk.fromBase, hunk.toBase)
      pushLines(parts, "+", current, hunk.fromCurrent, hunk.toCurrent)
      at = hunk.toBase
    }
    pushLines(parts, " ", base, at, to)
    shift += added - removed
  }
  return parts.join("")
}

/** Hunks shown under one `@@` line, because their contexts meet. */
interface Section {
  readonly fromBase: number
  toBase: number
  readonly hunks: Hunk[]
}

function sectionsOf(hunks: readonly Hunk[], context: number): Section[] {
  const sections: Section[] = []
  for (const hunk of hunks) {
    const last = sections.at(-1)
    if (last !== undefined && hunk.fromBase - last.toBase <= 2 * context) {
      last.hunks.push(hunk)
      last.toBase = hunk.toBase
    } else sections.push({ fromBase: hunk.fromBase, toBase: hunk.toBase, hunks: [hunk] })
  }
  return sections
}

/** Patches count lines from 1; an empty range names the line before it. A length of 1 is left out. */
function range(from: number, length: number): string {
  const start = length === 0 ? from : from + 1
  return length === 1 ? `${start}` : `${start},${length}`
}

function pushLines(parts: string[], mark: " " | "-" | "+", lines: readonly Line[], from: number, to: number): void {
  for (let at = from; at < to; at++) {
    const line = lines[at] ?? ""
    parts.push(mark, line)
    if (!line.endsWith("\n")) parts.push("\n\\ No newline at end of file\n")
  }
}

/** What git without a language driver shows behind `@@`: the last line before that begins with a letter, `_` or `$`. */
function lastHeading(base: readonly Line[], from: number, to: number): string | null {
  for (let at = to - 1; at >= from; at--) {
    const line = base[at] ?? ""
    if (/^[A-Za-z_$]/.test(line)) return cutToBytes(line, 80).trimEnd()
  }
  return null
}

/** Whole characters of the beginning that take at most `limit` bytes in UTF-8. Git cuts through a character. */
function cutToBytes(text: string, limit: number): string {
  let bytes = 0
  let kept = ""
  for (const character of text.slice(0, limit)) {
    bytes += new TextEncoder().encode(character).length
    if (bytes > limit) break
    kept += character
  }
  return kept
}

function fileName(prefix: string, name: string | null): string {
  if (name === null) return "/dev/null"
  const quoted = quotedName(prefix + name)
  // A name with a blank ends in a tab, so that `patch` does not take the rest for a date.
  return quoted.includes(" ") && !quoted.startsWith('"') ? `${quoted}\t` : quoted
}

const escapes: Readonly<Record<number, string>> = {
  7: "\\a",
  8: "\\b",
  9: "\\t",
  10: "\\n",
  11: "\\v",
  12: "\\f",
  13: "\\r",
  34: '\\"',
  92: "\\\\",
}

/** The name as git writes it (`core.quotePath` on): in quotes with C escapes if a byte is not printable ASCII. */
function quotedName(name: string): string {
  let quoted = ""
  let odd = false
  for (const byte of new TextEncoder().encode(name)) {
    const escape = escapes[byte] ?? (byte < 0x20 || byte >= 0x7f ? `\\${byte.toString(8).padStart(3, "0")}` : null)
    if (escape !== null) odd = true
    quoted += escape ?? String.fromCharCode(byte)
  }
  return odd ? `"${quoted}"` : name
}
