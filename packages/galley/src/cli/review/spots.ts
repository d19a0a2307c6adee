import type { Result } from "@galley/core/protocol/requests.ts"
import type { FileView, HunkView, WaitingView } from "@galley/core/protocol/results.ts"

/** A thing to decide, in the order in which a review offers them: calls that wait, then file by file hunk by hunk. */
export type Spot =
  | { readonly kind: "call"; readonly call: WaitingView }
  | { readonly kind: "hunk"; readonly file: FileView; readonly hunk: HunkView }
  /** What a file is beside its lines: its name, mode or encoding; a binary, a link, a folder, what is parked. */
  | { readonly kind: "whole"; readonly file: FileView }

/** All of one file, as the request `file` gives it; `diff` tells what no line tells: a link's target, a name, a mode. */
export type Content = Result<"file"> & { readonly diff?: string }

export function spotsOf(waiting: readonly WaitingView[], files: readonly FileView[]): readonly Spot[] {
  return [
    ...waiting.map(call => ({ kind: "call" as const, call })),
    ...files.flatMap(file => [
      // What is parked is decided whole.
      ...(file.parked ? [] : [...file.hunks])
        .sort((a, b) => a.index - b.index)
        .map(hunk => ({ kind: "hunk" as const, file, hunk })),
      ...(hasMore(file) ? [{ kind: "whole" as const, file }] : []),
    ]),
  ]
}

/** Whether there is something of the file to decide that no hunk shows. */
function hasMore(file: FileView): boolean {
  return file.parked || file.hunks.length === 0 || propertiesOf(file).length > 0
}

/** The names by which `accept` and `reject` take what is not text, where the text is decided by hunk. */
export function propertiesOf(file: FileView): readonly string[] {
  if (file.hunks.length === 0 || file.parked) return []
  const texts = file.properties ?? []
  return [
    ...(file.kinds.includes("mode") ? ["mode"] : []),
    ...(file.from !== undefined ? ["existence"] : []),
    ...(texts.some(text => /^(encoding|BOM)\b/i.test(text)) ? ["encoding"] : []),
  ]
}

/** The same for the same thing as long as it is pending. */
export function keyOfSpot(spot: Spot): string {
  switch (spot.kind) {
    case "call":
      return `call ${spot.call.id}`
    case "hunk":
      return `hunk ${spot.file.id} ${spot.hunk.id}`
    case "whole":
      return `file ${spot.file.id}${spot.file.parked ? ` ${spot.file.branch ?? ""}` : ""}`
  }
}

/** How a request names the file. */
export function namedFile(file: FileView): { readonly path: string; readonly pathBytes?: string } {
  return file.pathBytes === undefined ? { path: file.path } : { path: file.path, pathBytes: file.pathBytes }
}

/** Half-open, from 0: the opposite of what a hunk's header says. An empty side starts behind the line it names. */
export interface Place {
  readonly fromBase: number
  readonly toBase: number
  readonly fromCurrent: number
  readonly toCurrent: number
}

export function placeOf(hunk: HunkView): Place {
  const fromBase = hunk.oldLines === 0 ? hunk.oldStart : hunk.oldStart - 1
  const fromCurrent = hunk.newLines === 0 ? hunk.newStart : hunk.newStart - 1
  return { fromBase, toBase: fromBase + hunk.oldLines, fromCurrent, toCurrent: fromCurrent + hunk.newLines }
}
