import { chmodSync, constants, copyFileSync, linkSync, utimesSync } from "node:fs"
import { resolve } from "node:path"
import { parentOf, showPath, type WorkspacePath } from "@galley/core/path.ts"
import { keyOf } from "./kept.ts"
import type { Command } from "./processes.ts"
import { type DiskChange, joined, namesIn, native, statOf } from "./seen.ts"
import { makeParents } from "./view-folder.ts"
import { wordsOf } from "./view-limits.ts"

/**
 * Files with several names (hard links). Overlayfs gives each name a copy of its own as soon as it is written (its `index` would not, but
 * asks for a capability that no user namespace has: "falling back to index=off", Linux 6.18), and leaves no trace of whether a
 * program wrote into the file, which changes all its names, or put a new one in its place, as `sed -i` does. So the files are laid into
 * the upper folder beforehand, linked as they are below: the command finds them as on the disk, and the inode that stands there in
 * the end tells what it did.
 */
export interface LinkedFiles {
  /** Inode of a file when the command began, as the upper folder numbers it; null where it is not known. */
  inodeAtStart(path: WorkspacePath): bigint | null
  /** Whether the file stands in the upper folder as it was laid there. */
  isUntouched(path: WorkspacePath): boolean
}

/** Lays files with several names into an upper folder. What is pending, gone by now or beyond {@link seedLimit} is left out. */
export function seedLinks(
  root: string,
  upper: string,
  paths: readonly WorkspacePath[],
  pending: ReadonlySet<WorkspacePath>,
): LinkedFiles {
  const firsts = new Map<string, string>()
  const seeded: WorkspacePath[] = []
  let left = seedLimit
  for (const path of new Set(paths)) {
    const stat = statOf(`${root}/${path}`)
    if (stat === null || !isLinked(stat) || pending.has(path) || statOf(`${upper}/${path}`) !== null) continue
    const inode = `${stat.dev} ${stat.ino}`
    const first = firsts.get(inode)
    const at = `${upper}/${path}`
    if (first === undefined && Number(stat.size) > left) continue
    makeParents(upper, root, parentOf(path))
    if (first === undefined) {
      left -= Number(stat.size)
      copyFileSync(native(`${root}/${path}`), native(at), constants.COPYFILE_FICLONE)
      chmodSync(native(at), Number(stat.mode & 0o7777n))
      utimesSync(native(at), Number(stat.atimeNs) / 1e9, Number(stat.mtimeNs) / 1e9)
      firsts.set(inode, at)
    } else linkSync(native(first), native(at))
    seeded.push(path)
  }
  const start = new Map(seeded.map(path => [path, stampOf(upper, path)]))
  return {
    inodeAtStart: path => start.get(path)?.ino ?? null,
    isUntouched: path => start.has(path) && stampOf(upper, path)?.key === start.get(path)?.key,
  }
}

/** The files with several names that a command names, or that stand in a folder in which it names files by a pattern. */
export function namedLinks(root: string, cwd: string, command: Command): readonly WorkspacePath[] {
  const found = new Set<WorkspacePath>()
  const look = (absolute: string): void => {
    const path = absolute.startsWith(`${root}/`) ? absolute.slice(root.length + 1) : null
    if (path === null || path.split("/").includes(".git") || found.has(path)) return
    const stat = statQuietly(absolute)
    if (stat !== null && isLinked(stat)) found.add(path)
  }
  const words = typeof command === "string" ? wordsOf(command) : command
  for (const word of words.slice(0, 200)) {
    const pattern = /[*?[{]/.exec(word)
    if (pattern === null) {
      look(resolve(cwd, word))
      continue
    }
    const folder = resolve(cwd, word.slice(0, word.lastIndexOf("/", pattern.index) + 1))
    for (const name of namesIn(folder).slice(0, 2000)) look(joined(folder, name))
  }
  return [...found]
}

/** Tells of each change what became of the file's other names. */
export function withLinks(
  changes: readonly DiskChange[],
  at: { readonly root: string; readonly upper: string; readonly pending: ReadonlySet<WorkspacePath> },
  links: LinkedFiles,
): readonly DiskChange[] {
  return changes.map(change => {
    const { path, before, after } = change
    if (after.kind !== "file" || at.pending.has(path)) return change
    const stat = statQuietly(`${at.upper}/${path}`)
    if (stat === null) return change
    if (before.kind === "absent") return isLinked(stat) ? { ...change, link: "made" } : change
    const below = statQuietly(`${at.root}/${path}`)
    if (below === null || !isLinked(below)) return change
    const inode = links.inodeAtStart(path)
    return { ...change, link: inode === null ? "unknown" : inode === stat.ino ? "written" : "replaced" }
  })
}

/** What is to be said of names that could not be kept, or told. */
export function linkRemarks(changes: readonly DiskChange[]): readonly string[] {
  const of = (link: DiskChange["link"]): string => named(changes.filter(change => change.link === link))
  const remarks: string[] = []
  if (of("replaced") !== "")
    remarks.push(`${of("replaced")}: replaced, not written into; its other names (hard links) keep the old text`)
  if (of("unknown") !== "")
    remarks.push(
      `${of("unknown")}: it could not be told whether the command replaced the file or wrote into it; its other names (hard links) keep the old text`,
    )
  if (of("made") !== "")
    remarks.push(`${of("made")}: made as another name (hard link) of a file, kept as a file of its own`)
  return remarks
}

/** Bytes laid into one view at most. */
const seedLimit = 64 << 20

function named(changes: readonly DiskChange[]): string {
  const paths = changes.slice(0, 3).map(change => showPath(change.path))
  return changes.length > 3 ? `${paths.join(", ")} and ${changes.length - 3} more` : paths.join(", ")
}

type Stat = NonNullable<ReturnType<typeof statOf>>

function isLinked(stat: Stat): boolean {
  return stat.isFile() && stat.nlink > 1n
}

function stampOf(upper: string, path: WorkspacePath): { readonly ino: bigint; readonly key: string } | null {
  const stat = statOf(`${upper}/${path}`)
  return stat === null ? null : { ino: stat.ino, key: keyOf(stat) }
}

function statQuietly(path: string): ReturnType<typeof statOf> {
  try {
    return statOf(path)
  } catch {
    return null
  }
}
