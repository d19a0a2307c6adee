import type { Line } from "../text/lines.ts"
import { type Mark, wordMarks } from "./presentable.ts"

/** Longer hunks are no substitution that a person decides at a glance; telling would cost more than it is worth. */
const mostLines = 40
const mostUnits = 4000

/**
 * Names the one replacement that a hunk consists of, as `foo → bar`: every marked word pair of it is the same. Null where
 * it does something else, or only removes or adds.
 */
export function substitutionOf(oldLines: readonly Line[], newLines: readonly Line[]): string | null {
  if (oldLines.length !== newLines.length || oldLines.length === 0 || oldLines.length > mostLines) return null
  if (lengthOf(oldLines) + lengthOf(newLines) > mostUnits) return null
  const marks = wordMarks(oldLines, newLines)
  let found: string | null = null
  for (let at = 0; at < oldLines.length; at++) {
    const before = marks.old[at] ?? []
    const after = marks.new[at] ?? []
    if (before.length === 0 || before.length !== after.length) return null
    for (let one = 0; one < before.length; one++) {
      const pair = `${cut(oldLines[at], before[one])} → ${cut(newLines[at], after[one])}`
      if (found !== null && pair !== found) return null
      found = pair
    }
    // Only if nothing else differs: outside of marks a line reads the same.
    if (withoutMarks(oldLines[at] ?? "", before) !== withoutMarks(newLines[at] ?? "", after)) return null
  }
  return found
}

function cut(line: Line | undefined, mark: Mark | undefined): string {
  return (line ?? "").slice(mark?.from ?? 0, mark?.to ?? 0)
}

function withoutMarks(line: Line, marks: readonly Mark[]): string {
  let rest = ""
  let done = 0
  for (const mark of marks) {
    rest += `${line.slice(done, mark.from)}\0`
    done = mark.to
  }
  return rest + line.slice(done)
}

function lengthOf(lines: readonly Line[]): number {
  return lines.reduce((sum, line) => sum + line.length, 0)
}
