import { diffLines } from "@galley/core/diff/line-diff.ts"
import { settleMerge, merge3 } from "@galley/core/change/merge3.ts"
import { contentOf, joinLines, type Line, splitLines, terminatorOf } from "@galley/core/text/lines.ts"
import { neighbourEol } from "@galley/core/text/eol.ts"

/**
 * The editor's text has one line end, `\n`; a file may have any, mixed. This side of the border lines have their own terminators.
 */
export function editorTextOf(lines: readonly Line[]): string {
  let text = ""
  for (const line of lines) text += terminatorOf(line) === "" ? line : `${contentOf(line)}\n`
  return text
}

/**
 * The file's lines for an edited text: a line that was there, or was replaced, keeps its terminator, a new one takes
 * its neighbours'.
 */
export function linesOfEditor(text: string, known: readonly Line[]): Line[] {
  const typed = splitLines(text)
  if (!known.some(line => terminatorOf(line) === "\r\n")) return typed
  const plain = splitLines(editorTextOf(known))
  const lines: Line[] = []
  let done = 0
  for (const hunk of diffLines(plain, typed).hunks) {
    for (; done < hunk.fromBase; done++) lines.push(known[done] ?? "")
    const eol = neighbourEol(known, hunk.fromBase)
    typed.slice(hunk.fromCurrent, hunk.toCurrent).forEach((line, at) => {
      if (terminatorOf(line) === "") return lines.push(line)
      // The line that stood in its place, where one did.
      const replaced = at < hunk.toBase - hunk.fromBase ? terminatorOf(known[hunk.fromBase + at] ?? "") : ""
      return lines.push(`${contentOf(line)}${replaced === "" ? eol : replaced}`)
    })
    done = hunk.toBase
  }
  for (; done < known.length; done++) lines.push(known[done] ?? "")
  return lines
}

export interface Reconciled {
  readonly lines: readonly Line[]
  /** Places where somebody else changed the lines that were being typed in: the typed text stays, theirs is told. */
  readonly overlaps: readonly { readonly typed: string; readonly theirs: string }[]
}

/** Brings what was typed over `origin` together with what the file became meanwhile. Typed text is never lost. */
export function reconcile(origin: readonly Line[], typed: readonly Line[], now: readonly Line[]): Reconciled {
  const merge = merge3(origin, typed, now)
  const overlaps = merge.regions.flatMap(region =>
    region.kind === "conflict" ? [{ typed: joinLines(region.ours), theirs: joinLines(region.theirs) }] : [],
  )
  return { lines: settleMerge(merge, "ours"), overlaps }
}

/** The smallest replacements, in editor offsets, that make `to` of `from`: cursor, selection and scroll position survive them. */
export function editorChanges(from: string, to: string): { from: number; to: number; insert: string }[] {
  if (from === to) return []
  const before = splitLines(from)
  const after = splitLines(to)
  const changes: { from: number; to: number; insert: string }[] = []
  let offset = 0
  let done = 0
  for (const hunk of diffLines(before, after).hunks) {
    for (; done < hunk.fromBase; done++) offset += before[done]?.length ?? 0
    const start = offset
    for (; done < hunk.toBase; done++) offset += before[done]?.length ?? 0
    changes.push({ from: start, to: offset, insert: joinLines(after.slice(hunk.fromCurrent, hunk.toCurrent)) })
  }
  return changes
}
