import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs"
import { isWithin, parentOf, type WorkspacePath } from "@galley/core/path.ts"
import { type ByProduct, type DiskChange, native, seenAt, statOf } from "./seen.ts"
import { type LayerEntry, removeTree } from "./view-folder.ts"

/**
 * Outputs of commands in folders that git ignores or that hold dependencies, kept aside while changes are held: as files in a tree
 * of Galley's own, never as contents in the store. Later views show the tree between the disk and pending text.
 *
 * `aside/list.json` has a line for each folder, `aside/entries/ID.json` its paths, `aside/tree` the files under their workspace paths. The
 * list is written last and read first: what a crash leaves in between is a file that nobody names. Call what changes it under the lock.
 */
export interface AsideFolder {
  readonly folder: WorkspacePath
  readonly id: string
  /** Grows with each command that adds to it. */
  readonly revision: number
  /** Milliseconds since the epoch, of the last one. */
  readonly at: number
  /** The command. */
  readonly title: string
  readonly conversation: string | null
  readonly files: number
  readonly bytes: number
  /** Pending text that the command saw: path and a name of its state. */
  readonly madeFrom: readonly (readonly [WorkspacePath, string])[]
}

export type AsideFacts = Pick<AsideFolder, "id" | "at" | "title" | "conversation" | "madeFrom">

/** One path of a folder kept aside. */
export type AsideEntry =
  | readonly [path: WorkspacePath, kind: "file", mode: number, size: number]
  | readonly [path: WorkspacePath, kind: "symlink", target: string]
  | readonly [path: WorkspacePath, kind: "folder", mode: number]
  | readonly [path: WorkspacePath, kind: "absent"]

/** Bytes kept aside for one workspace at most; what goes beyond is dropped, and said. */
export const asideLimit = 2 * 2 ** 30

export function asideTree(scratch: string): string {
  return `${scratch}/aside/tree`
}

/** The folders kept aside, by path. None where the list cannot be read: they can be made again. */
export function readAsides(scratch: string): readonly AsideFolder[] {
  try {
    return JSON.parse(readFileSync(`${scratch}/aside/list.json`, "utf8")) as AsideFolder[]
  } catch {
    return []
  }
}

/** What a command should see of the folders kept aside. */
export function asideLayer(scratch: string): readonly LayerEntry[] {
  return readAsides(scratch).flatMap(aside => readEntries(scratch, aside.id).map(entry => layerOf(scratch, entry)))
}

/** What accepting a folder would do to the disk. */
export function asideChanges(scratch: string, aside: AsideFolder): readonly Pick<DiskChange, "path" | "after">[] {
  return readEntries(scratch, aside.id).map(([path, kind]) =>
    kind === "absent" ? { path, after: { kind } } : { path, after: seenAt(`${asideTree(scratch)}/${path}`) },
  )
}

/**
 * Adds what a command left in a folder to what is kept of it already. Moves the files out of the run's folder. `nothing`: the
 * folder is as it is on disk.
 */
export async function keepAside(
  scratch: string,
  product: ByProduct,
  facts: AsideFacts,
): Promise<"kept" | "tooMuch" | "nothing"> {
  const asides = readAsides(scratch)
  const total = asides.reduce((sum, aside) => sum + aside.bytes, 0)
  if (total + product.bytes > asideLimit) return "tooMuch"
  const known = asides.find(aside => aside.folder === product.folder)
  const id = known?.id ?? facts.id
  const entries = new Map((known === undefined ? [] : readEntries(scratch, id)).map(entry => [entry[0], entry]))
  const tree = asideTree(scratch)
  mkdirSync(`${scratch}/aside/entries`, { recursive: true, mode: 0o700 })
  for (const { path, before, after } of await product.open()) {
    const at = `${tree}/${path}`
    // Of what was on disk the absence has to be shown; of what was only kept aside there is then nothing more.
    const wasKept = entries.has(path)
    if (after.kind !== "folder" || statOf(at)?.isDirectory() !== true) removeTree(at)
    switch (after.kind) {
      case "absent":
        if (wasKept && seenAt(product.onDisk(path)).kind === "absent") entries.delete(path)
        else if (before.kind !== "absent") entries.set(path, [path, "absent"])
        break
      case "file":
        mkdirSync(native(`${tree}/${parentOf(path)}`), { recursive: true })
        renameSync(native(product.inRun(path)), native(at))
        entries.set(path, [path, "file", after.mode, after.size])
        break
      case "symlink":
        mkdirSync(native(`${tree}/${parentOf(path)}`), { recursive: true })
        symlinkSync(native(after.target), native(at))
        entries.set(path, [path, "symlink", after.target])
        break
      case "folder":
        mkdirSync(native(at), { recursive: true })
        chmodSync(native(at), after.mode)
        entries.set(path, [path, "folder", after.mode])
        break
      case "other":
      case "unknown":
        break
    }
  }
  const all = [...entries.values()]
  if (all.length === 0) {
    dropAside(scratch, product.folder)
    return "nothing"
  }
  const aside: AsideFolder = {
    ...facts,
    id,
    folder: product.folder,
    revision: (known?.revision ?? 0) + 1,
    files: all.length,
    bytes: all.reduce((sum, entry) => sum + (entry[1] === "file" ? entry[3] : 0), 0),
  }
  writeWhole(`${scratch}/aside/entries/${id}.json`, all)
  writeList(scratch, [...asides.filter(one => one.folder !== product.folder), aside])
  return "kept"
}

/** The paths kept of a folder. */
export function asideEntries(scratch: string, aside: AsideFolder): readonly AsideEntry[] {
  return readEntries(scratch, aside.id)
}

/** Takes a folder off the list, its files having gone elsewhere. */
export function takeAside(scratch: string, aside: AsideFolder): void {
  dropAside(scratch, aside.folder)
}

/** Puts a folder on the list, whose files stand in the tree. */
export function writeAside(scratch: string, aside: AsideFolder, entries: readonly AsideEntry[]): void {
  writeWhole(`${scratch}/aside/entries/${aside.id}.json`, entries)
  const bytes = entries.reduce((sum, entry) => sum + (entry[1] === "file" ? entry[3] : 0), 0)
  writeList(scratch, [
    ...readAsides(scratch).filter(one => one.folder !== aside.folder),
    { ...aside, revision: aside.revision + 1, files: entries.length, bytes },
  ])
}

/** Removes a folder kept aside, and everything kept of it. */
export function dropAside(scratch: string, folder: WorkspacePath): void {
  const asides = readAsides(scratch)
  const left = asides.filter(aside => aside.folder !== folder)
  writeList(scratch, left)
  for (const aside of asides.filter(one => one.folder === folder)) {
    removeTree(`${scratch}/aside/entries/${aside.id}.json`)
    if (left.some(one => isWithin(one.folder, folder))) {
      for (const [path] of readEntries(scratch, aside.id)) removeTree(`${asideTree(scratch)}/${path}`)
    } else removeTree(`${asideTree(scratch)}/${folder}`)
  }
}

function readEntries(scratch: string, id: string): readonly AsideEntry[] {
  try {
    return JSON.parse(readFileSync(`${scratch}/aside/entries/${id}.json`, "utf8")) as AsideEntry[]
  } catch {
    return []
  }
}

function layerOf(scratch: string, entry: AsideEntry): LayerEntry {
  const [path, kind] = entry
  switch (kind) {
    case "file":
      return { path, state: { kind: "kept", mode: entry[2], size: entry[3], at: `${asideTree(scratch)}/${path}` } }
    case "symlink":
      return { path, state: { kind, target: entry[2] }, isBelow: true }
    case "folder":
      return { path, state: { kind, mode: entry[2] }, isBelow: true }
    case "absent":
      return { path, state: { kind } }
  }
}

function writeList(scratch: string, asides: readonly AsideFolder[]): void {
  if (asides.length === 0 && !existsSync(`${scratch}/aside`)) return
  writeWhole(
    `${scratch}/aside/list.json`,
    [...asides].sort((a, b) => (a.folder < b.folder ? -1 : 1)),
  )
}

export function writeWhole(path: string, value: unknown): void {
  writeFileSync(`${path}.new`, JSON.stringify(value), { mode: 0o600 })
  renameSync(`${path}.new`, path)
}
