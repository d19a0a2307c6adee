import type { Hunk } from "@galley/core/diff/hunk.ts"
import type { Selection } from "@galley/core/protocol/requests.ts"
import type { ShownFile } from "./shown-file.ts"

/** From 1, both ends included. */
export interface LineRange {
  readonly from: number
  readonly to: number
}

/** What a decision on chosen lines is about. Text that was replaced line for line is chosen in pairs; else exactly what is marked. */
export function linesChosen(
  file: ShownFile | null,
  lines: LineRange | null,
  old: LineRange | null,
): Selection["lines"] | null {
  if (lines === null) return old === null ? null : { old }
  if (old !== null) return { old, new: lines }
  const touched = (file?.result.file.hunks ?? []).filter(
    hunk => hunk.newStart <= lines.to && lines.from < hunk.newStart + hunk.newLines,
  )
  const [only] = touched
  if (touched.length !== 1 || only === undefined || only.oldLines !== only.newLines) return { new: lines }
  const from = Math.max(0, lines.from - only.newStart)
  const to = Math.min(only.newLines - 1, lines.to - only.newStart)
  return { new: lines, old: { from: only.oldStart + from, to: only.oldStart + to } }
}

export function linesTouchHunks({ result }: ShownFile, lines: LineRange): boolean {
  return result.file.hunks.some(
    hunk => hunk.newLines > 0 && hunk.newStart <= lines.to && lines.from < hunk.newStart + hunk.newLines,
  )
}

export function wordLines(chosen: Selection["lines"] | null): string {
  const range = (sign: string, part: LineRange | undefined): string[] =>
    part === undefined ? [] : [part.from === part.to ? `${sign}${part.from}` : `${sign}${part.from}–${part.to}`]
  return `Lines ${[...range("−", chosen?.old), ...range("+", chosen?.new)].join(", ")}`
}

export function touches(a: Hunk, b: Hunk): boolean {
  return a.fromBase <= b.toBase && b.fromBase <= a.toBase
}
