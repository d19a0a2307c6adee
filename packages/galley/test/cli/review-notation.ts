import type { FileView, HunkView, StatusResult } from "@galley/core/protocol/results.ts"
import { diffLines } from "@galley/core/diff/line-diff.ts"
import { joinLines, splitLines } from "@galley/core/text/lines.ts"
import type { Content } from "../../src/cli/review/spots.ts"
import { newReview, type ReviewState } from "../../src/cli/review/state.ts"

/** Texts as `a|b|c`: a bar ends a line. */
export function textOf(notation: string): string {
  return notation.replaceAll("|", "\n")
}

/** A pending file made of two texts, as the workspace would show it. */
export function pendingFile(
  path: string,
  base: string,
  current: string,
  more: Partial<FileView> & { readonly mixed?: boolean; readonly conflict?: boolean } = {},
): Content {
  const { mixed = false, conflict = false, ...facts } = more
  const { hunks } = diffLines(splitLines(base), splitLines(current))
  const views: HunkView[] = hunks.map((hunk, at) => {
    const oldLines = hunk.toBase - hunk.fromBase
    const newLines = hunk.toCurrent - hunk.fromCurrent
    return {
      id: `${path}${hunk.fromBase}-${hunk.fromCurrent}`,
      index: at + 1,
      oldStart: oldLines === 0 ? hunk.fromBase : hunk.fromBase + 1,
      oldLines,
      newStart: newLines === 0 ? hunk.fromCurrent : hunk.fromCurrent + 1,
      newLines,
      mixed,
      conflict,
    }
  })
  const file: FileView = {
    path,
    kinds: ["modify"],
    id: `f-${path}`,
    revision: 1,
    disk: "current",
    hunks: views,
    conflict,
    parked: false,
    added: joinLines(splitLines(current)).length,
    ...facts,
  }
  return { version: 1, file, base, current, authors: [], conflicts: [], comments: [] }
}

export function statusOf(files: readonly Content[], more: Partial<StatusResult> = {}): StatusResult {
  return {
    version: 1,
    workspace: "/w",
    review: "apply",
    heads: [],
    waiting: [],
    files: files.map(one => one.file),
    ...more,
  }
}

/** A review of these files, all of them read. */
export function reviewOf(files: readonly Content[], more: Partial<StatusResult> = {}): ReviewState {
  return { ...newReview(statusOf(files, more)), contents: new Map(files.map(content => [content.file.id, content])) }
}
