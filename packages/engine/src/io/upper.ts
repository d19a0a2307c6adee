import { setImmediate } from "node:timers/promises"
import { type BigIntStats, readFileSync } from "node:fs"
import { parentOf, type WorkspacePath } from "@galley/core/path.ts"
import type { LayerEntry } from "./view-folder.ts"
import {
  type ByProduct,
  type DiskChange,
  joined,
  namesIn,
  native,
  type Seen,
  sameFileBytes,
  seenAbsent,
  seenAt,
  seenFrom,
  seenLoaded,
  statOf,
} from "./seen.ts"

/** What a command left: the folder with its writes, and what it started from. */
export interface Upper {
  /** Real folder of the changed files. For a private copy: the whole copy. */
  readonly upper: string
  /** The person's workspace. */
  readonly root: string
  /** The workspace as the command sees it, while the view stands. */
  readonly merged: string
  /** Pending states that the command was shown, by path. */
  readonly pending: ReadonlyMap<WorkspacePath, LayerEntry["state"]>
  /** Names in folders that are there for the command only: {@link namesByFolder} of `pending`. */
  readonly pendingNames: PendingNames
  /** Nested workspaces and bound folders: not walked. */
  readonly skipped: ReadonlySet<WorkspacePath>
  /** ctime of a file made just before the start, nanoseconds: what changed on disk after it, somebody else changed meanwhile. */
  readonly startedNs: bigint
}

export type PendingNames = ReadonlyMap<string, ReadonlySet<string>>

/** What of an upper folder differs from below it, before contents are compared. */
export interface Touched {
  /** Files, links and others that stand in the upper; folders whose mode differs, new empty ones. */
  readonly present: readonly WorkspacePath[]
  /** All folders in the upper, outermost first. */
  readonly folders: readonly WorkspacePath[]
  /** What was there and is not any more; a folder for all that was in it. */
  readonly gone: readonly WorkspacePath[]
  /** Git directories (or `.git` files) with changes in the upper. */
  readonly gitPresent: readonly WorkspacePath[]
  readonly gitGone: readonly WorkspacePath[]
  /** What stands too deep for one path to lead there (ENAMETOOLONG): nothing is known of it. */
  readonly tooDeep: readonly WorkspacePath[]
}

/**
 * Walks what a command wrote. The cost is that of what changed, and of listing the folders it changed things in.
 *
 * A deleted name is a whiteout in the upper. That a folder is opaque is an xattr, which Node cannot read: see `hiddenNames`.
 */
export async function walkUpper(from: Upper): Promise<Touched> {
  const present: WorkspacePath[] = []
  const folders: WorkspacePath[] = []
  const gone: WorkspacePath[] = []
  const gitPresent: WorkspacePath[] = []
  const gitGone: WorkspacePath[] = []
  const tooDeep: WorkspacePath[] = []
  const { pendingNames } = from
  const queue: WorkspacePath[] = [""]
  let seen = 0
  for (let folder = queue.pop(); folder !== undefined; folder = queue.pop()) {
    if (++seen % 200 === 0) await setImmediate()
    const names = namesIn(`${from.upper}/${folder}`)
    const below = folder === "" ? "folder" : belowKind(from, folder)
    const missing: string[] = []
    let empty = true
    for (const name of names) {
      const path = joined(folder, name)
      const stat = reachableStat(from.upper, path)
      if (stat === "tooDeep") {
        tooDeep.push(path)
        empty = false
        continue
      }
      if (stat === null) continue
      if (isWhiteout(stat)) {
        missing.push(name)
        continue
      }
      empty = false
      if (from.skipped.has(path)) continue
      if (name === ".git") gitPresent.push(path)
      else if (stat.isDirectory()) {
        queue.push(path)
        folders.push(path)
        if (folderModeDiffers(from, path, stat)) present.push(path)
      } else present.push(path)
    }
    if (below !== "folder") {
      if (empty) present.push(folder)
      continue
    }
    missing.push(...hiddenNames(from, pendingNames, folder, new Set(names)))
    for (const name of missing) {
      const path = joined(folder, name)
      if (name === ".git") gitGone.push(path)
      else gone.push(path)
    }
  }
  return { present: [...new Set(present)], folders: folders.sort(), gone, gitPresent, gitGone, tooDeep }
}

export function reachableStat(upper: string, path: WorkspacePath): BigIntStats | "tooDeep" | null {
  // Room for the workspace's own path, which is another one.
  if (path.length > longestPath) return "tooDeep"
  try {
    return statOf(`${upper}/${path}`)
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENAMETOOLONG") return "tooDeep"
    throw error
  }
}

/** PATH_MAX is 4096 bytes; a character takes up to three of them, which the system then tells. */
const longestPath = 3500

/** The change of one path that the command left in the upper; null where it is equal to what was there. */
export function changeOf(from: Upper, path: WorkspacePath, ignored: boolean): DiskChange | null {
  const stat = statOf(`${from.upper}/${path}`)
  if (stat === null || isWhiteout(stat)) return null
  const pending = from.pending.get(path)
  const before = pending === undefined ? seenAt(`${from.root}/${path}`) : seenPending(pending)
  const after = seenFrom(`${from.upper}/${path}`, stat)
  if (isSame(from, path, before, after, pending)) return null
  return { path, before, after, ignored, movedSince: movement(from, path, before) }
}

/**
 * The changes that the absence of a path makes: of itself, or of all files that were in the folder. Git directories inside are
 * told to `onGit`, not listed.
 */
export function goneChanges(
  from: Upper,
  path: WorkspacePath,
  ignored: boolean,
  onGit: (path: WorkspacePath) => void = () => {},
): readonly DiskChange[] {
  const { pendingNames } = from
  const changes: DiskChange[] = []
  const visit = (at: WorkspacePath, within: readonly WorkspacePath[]): void => {
    const pending = from.pending.get(at)
    const before = pending === undefined ? seenAt(`${from.root}/${at}`) : seenPending(pending)
    const names = namesBelow(from, pendingNames, at)
    const inner = names.filter(name => name !== ".git")
    if (inner.length < names.length) onGit(joined(at, ".git"))
    if ((before.kind === "folder" || before.kind === "absent") && inner.length > 0) {
      for (const name of inner) visit(joined(at, name), [...within, at])
      return
    }
    if (before.kind === "absent" || (before.kind === "folder" && names.length > 0)) return
    const goneFolders = within.length === 0 ? {} : { goneFolders: within }
    changes.push({
      path: at,
      before,
      after: seenAbsent,
      ignored,
      movedSince: movement(from, at, before),
      ...goneFolders,
    })
  }
  visit(path, [])
  return changes
}

/** Where something else stands in place of a folder, the changes of all that was in it. */
export function replacedChanges(from: Upper, change: DiskChange): readonly DiskChange[] {
  if (change.before.kind !== "folder" || change.after.kind === "folder") return []
  return goneChanges(from, change.path, change.ignored).filter(inner => inner.path !== change.path)
}

/** The changes inside one ignored folder as a line with counts; the changes themselves are found when asked for. */
export function byProductOf(
  from: Upper,
  folder: WorkspacePath,
  present: readonly WorkspacePath[],
  gone: readonly WorkspacePath[],
): ByProduct {
  let bytes = 0
  for (const path of present) bytes += Number(statOf(`${from.upper}/${path}`)?.size ?? 0n)
  return {
    folder,
    paths: present.length + gone.length,
    bytes,
    inRun: path => `${from.upper}/${path}`,
    onDisk: path => `${from.root}/${path}`,
    open: async () => {
      const changes: DiskChange[] = []
      for (const [index, path] of present.entries()) {
        if (index % 200 === 199) await setImmediate()
        const change = changeOf(from, path, true)
        if (change !== null) changes.push(change, ...replacedChanges(from, change))
      }
      return [...changes, ...gone.flatMap(path => goneChanges(from, path, true))]
    },
  }
}

/**
 * Names that a folder had, that the upper has neither as file nor as whiteout, and that are gone all the same: pending ones, and all of
 * an opaque folder (removed and made again). An opaque folder hides every name from below, so one that shows proves it is none.
 */
function hiddenNames(
  from: Upper,
  pendingNames: PendingNames,
  folder: WorkspacePath,
  inUpper: ReadonlySet<string>,
): readonly string[] {
  const merged = folder === "" ? from.merged : `${from.merged}/${folder}`
  const candidates = namesBelow(from, pendingNames, folder).filter(name => !inUpper.has(name))
  const pending = pendingNames.get(folder)
  const fromDisk = candidates.find(name => pending?.has(name) !== true)
  const isOpaque = fromDisk !== undefined && statOf(`${merged}/${fromDisk}`) === null
  const doubtful = isOpaque ? candidates : candidates.filter(name => pending?.has(name) === true)
  if (doubtful.length === 0) return []
  const shown = new Set(namesIn(merged))
  return doubtful.filter(name => !shown.has(name) && !isBornMeanwhile(from, joined(folder, name)))
}

/** A file that somebody else made after the view was laid over the disk: the command did not delete it, it never saw it. */
function isBornMeanwhile(from: Upper, path: WorkspacePath): boolean {
  const stat = statOf(`${from.root}/${path}`)
  return stat !== null && stat.birthtimeNs > from.startedNs
}

/** Overlayfs marks a delete by a character device 0/0. */
export function isWhiteout(stat: BigIntStats): boolean {
  return stat.isCharacterDevice() && stat.rdev === 0n
}

function isSame(
  from: Upper,
  path: WorkspacePath,
  before: Seen,
  after: Seen,
  pending: LayerEntry["state"] | undefined,
): boolean {
  if (before.kind === "symlink" && after.kind === "symlink") return before.target === after.target
  if (before.kind === "folder" && after.kind === "folder") return before.mode === after.mode
  if (before.kind === "other" && after.kind === "other") return before.what === after.what
  if (before.kind !== "file" || after.kind !== "file") return false
  if (before.mode !== after.mode || before.size !== after.size) return false
  if (pending?.kind === "file") return sameAsBytes(after.size, `${from.upper}/${path}`, pending.bytes)
  try {
    return sameFileBytes(pending?.kind === "kept" ? pending.at : `${from.root}/${path}`, `${from.upper}/${path}`)
  } catch {
    return false
  }
}

function sameAsBytes(size: number, path: string, bytes: Uint8Array): boolean {
  return size === bytes.length && Buffer.compare(readFileSync(native(path)), bytes) === 0
}

function seenPending(state: LayerEntry["state"]): Seen {
  if (state.kind === "kept") return seenAt(state.at)
  return seenLoaded(state)
}

/**
 * How to tell, now or later, whether a path of the disk is not any more what the command started from. A pending state is in hand and
 * moves with nobody.
 */
function movement(from: Upper, path: WorkspacePath, before: Seen): DiskChange["movedSince"] {
  if (from.pending.has(path)) return () => false
  return () => {
    try {
      const stat = statOf(`${from.root}/${path}`)
      if (stat !== null) return stat.ctimeNs > from.startedNs
      if (before.kind !== "absent") return true
      // Whether somebody took it away meanwhile shows in the nearest folder that stands.
      let folder = parentOf(path)
      let above = statOf(`${from.root}/${folder}`)
      while (above === null && folder !== "") {
        folder = parentOf(folder)
        above = statOf(`${from.root}/${folder}`)
      }
      return above === null || above.ctimeNs > from.startedNs
    } catch {
      return true
    }
  }
}

function belowKind(from: Upper, path: WorkspacePath): Seen["kind"] {
  const pending = from.pending.get(path)
  if (pending !== undefined) return pending.kind === "kept" ? "file" : pending.kind
  const kind = seenAt(`${from.root}/${path}`).kind
  return kind === "absent" && from.pendingNames.has(path) ? "folder" : kind
}

/** A folder is a change of its own where its mode differs from the one below, or where it stands in place of something else. */
function folderModeDiffers(from: Upper, path: WorkspacePath, stat: BigIntStats): boolean {
  const pending = from.pending.get(path)
  const before: Seen = pending === undefined ? seenAt(`${from.root}/${path}`) : seenPending(pending)
  if (before.kind === "absent") return false
  return before.kind !== "folder" || before.mode !== Number(stat.mode & 0o7777n)
}

/** Names a folder had for the command: those on disk without the pending deletes, and those that are only pending. */
function namesBelow(from: Upper, pendingNames: PendingNames, folder: WorkspacePath): readonly string[] {
  const names = namesIn(folder === "" ? from.root : `${from.root}/${folder}`)
  const extra = pendingNames.get(folder)
  if (from.pending.size === 0) return names
  return [...new Set([...names, ...(extra ?? [])])].filter(
    name => from.pending.get(joined(folder, name))?.kind !== "absent",
  )
}

export function namesByFolder(pending: ReadonlyMap<WorkspacePath, LayerEntry["state"]>): PendingNames {
  const folders = new Map<string, Set<string>>()
  for (const [path, state] of pending) {
    if (state.kind === "absent") continue
    for (let at = path; at !== ""; at = parentOf(at)) {
      const folder = parentOf(at)
      const names = folders.get(folder) ?? new Set()
      const name = at.slice(folder === "" ? 0 : folder.length + 1)
      if (names.has(name)) break
      names.add(name)
      folders.set(folder, names)
    }
  }
  return folders
}
