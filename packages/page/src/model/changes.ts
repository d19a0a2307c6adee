import { pathFromBytes } from "@galley/core/path.ts"
import type { FileView, StatusResult } from "@galley/core/protocol/results.ts"

export type Scope =
  | { readonly kind: "all" }
  | { readonly kind: "new" }
  | { readonly kind: "message"; readonly id: string }

/** Hunks by file that were on the screen before; by content, so that they stay seen over restarts and in other tabs. */
export type Seen = Readonly<Record<string, readonly string[]>>

/** A name that is not UTF-8 comes with its bytes; from here on a file is called by what the server understands. */
export function withRealPaths(status: StatusResult): StatusResult {
  return {
    ...status,
    files: status.files.map(file =>
      file.pathBytes === undefined
        ? file
        : { ...file, path: pathFromBytes(Uint8Array.from(atob(file.pathBytes), one => one.charCodeAt(0))) },
    ),
  }
}

/** The files of a scope, in the order in which they are gone through. */
export function filesIn(
  scope: Scope,
  files: readonly FileView[],
  filesOfMessage: readonly { readonly path: string }[],
  seen: Seen,
  words: string,
): FileView[] {
  const wanted = words.trim().toLowerCase()
  const ofMessage = scope.kind === "message" ? new Set(filesOfMessage.map(file => file.path)) : null
  return files.filter(
    file =>
      (wanted === "" || file.path.toLowerCase().includes(wanted)) &&
      (ofMessage === null || ofMessage.has(file.path)) &&
      (scope.kind !== "new" || isNew(file, seen)),
  )
}

/** Whether a file holds something that was not there when it was last looked at. */
export function isNew(file: FileView, seen: Seen): boolean {
  const known = seen[file.path]
  if (known === undefined) return true
  return hunkNames(file).some(name => !known.includes(name))
}

/** What is remembered of a file as seen: its hunks, or, where it has none, what kind of change it is. */
export function hunkNames(file: FileView): string[] {
  return file.hunks.length === 0 ? [`r${file.revision}`] : file.hunks.map(hunk => hunk.id)
}

/** The file after (or before) `path` in the list; from the end it goes round. */
export function neighbour(files: readonly FileView[], path: string | null, step: 1 | -1): FileView | null {
  if (files.length === 0) return null
  const at = files.findIndex(file => file.path === path)
  if (at < 0) return files[step === 1 ? 0 : files.length - 1] ?? null
  return files[(at + step + files.length) % files.length] ?? null
}

/** The same substitution in several places: what it is and where. */
export interface Alike {
  readonly what: string
  readonly count: number
  readonly files: number
}

/** By the name that decisions take (`same`), wherever a substitution is pending in more than one place. */
export function findAlike(files: readonly FileView[]): ReadonlyMap<string, Alike> {
  const found = new Map<string, { what: string; count: number; files: Set<string> }>()
  for (const file of files)
    for (const { same, substitution } of file.hunks) {
      if (same === undefined) continue
      const known = found.get(same)
      if (known === undefined) found.set(same, { what: substitution ?? "", count: 1, files: new Set([file.path]) })
      else {
        known.count++
        known.files.add(file.path)
      }
    }
  return new Map(
    [...found].flatMap(([name, { what, count, files }]) =>
      count < 2 ? [] : [[name, { what, count, files: files.size }] as const],
    ),
  )
}

export function totals(files: readonly FileView[]): { added: number; removed: number; hunks: number } {
  let [added, removed, hunks] = [0, 0, 0]
  for (const file of files) {
    added += file.added ?? 0
    removed += file.removed ?? 0
    hunks += file.hunks.length
  }
  return { added, removed, hunks }
}

/** The tab's title: a waiting call first, then how much there is. */
export function titleFor(status: StatusResult | null): string {
  if (status === null) return "Galley"
  const name = status.workspace.split("/").at(-1) ?? ""
  const waiting = status.waiting.length
  if (waiting > 0) return `(${waiting}) waits for you · ${name} · Galley`
  const count = status.files.filter(file => !file.parked).length
  return `${count === 0 ? "" : `${count} · `}${name} · Galley`
}
