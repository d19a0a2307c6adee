import { Failure } from "@galley/core/failure.ts"
import { isWithin, pathToBytes, showPath, type WorkspacePath } from "@galley/core/path.ts"
import type { Files, Stat } from "./files.ts"

/** A workspace's folder, and the one place where a path that somebody gave becomes a path inside it. */
export interface Root {
  /** Absolute, every symlink resolved. */
  readonly path: string
  /**
   * The path inside the workspace that a given one (absolute, or relative to the root) leads to, every symlink followed, the
   * last one too: writing there is what writing to the given path would do. A dangling symlink leads to its missing target.
   * The answer is a WorkspacePath, or `""` for the root itself. Outside is `OUTSIDE_WORKSPACE`; NUL, over-long names and symlink loops are `BAD_ARGUMENT`.
   */
  resolve(given: string): Promise<string>
  /** The same, but a symlink at the end is meant itself (to remove it, or to look at where it points). */
  resolveEntry(given: string): Promise<string>
  absolute(path: string): string
}

/** Opens the folder as a root; it may itself be reached through symlinks. `NOT_FOUND` if no folder is there. */
export async function openRoot(files: Files, given: string): Promise<Root> {
  const path = await files.realpath(given)
  if ((await files.lstat(path))?.kind !== "folder") throw new Failure("NOT_FOUND", `No folder at ${showPath(given)}.`)
  const absolute = (inside: string): string => (inside === "" ? path : `${path === "/" ? "" : path}/${inside}`)
  return {
    path,
    absolute,
    resolve: async asked => insideOf(path, await walk(files, path, asked, "throughLast"), asked),
    resolveEntry: async asked => insideOf(path, await walk(files, path, asked, "lastItself"), asked),
  }
}

/** Whether the path is a git directory, in one, or the `.git` file of a worktree or submodule. These are never items. */
export function isGitPath(path: WorkspacePath): boolean {
  return /(^|\/)\.git(\/|$)/i.test(path)
}

/**
 * Whether some file system takes a name of the path for `.git`: macOS passes over format characters, Windows over dots and blanks
 * at the end and over a stream's name, and knows the short name `git~1`. Git itself refuses such names in trees (CVE-2014-9390,
 * CVE-2019-1352; `verify_dotfile`, `is_hfs_dotgit` and `is_ntfs_dotgit` of git 2.39), because a clone there runs what they hold.
 */
export function resemblesGit(path: WorkspacePath): boolean {
  return path
    .split("/")
    .some(name =>
      /^(\.git|git~1)[ .]*(:.*|\\.*)?$/is.test(name.replaceAll(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, "")),
    )
}

/** Linux's limit on the symlinks of one path (path_resolution(7)). */
const mostLinks = 40
/** NAME_MAX and PATH_MAX of Linux, in bytes. */
const longestName = 255
const longestPath = 4095

/** The absolute place of a path, found as the kernel finds it: name by name, `..` after symlinks. Missing names stay as they are. */
async function walk(files: Files, root: string, given: string, last: "throughLast" | "lastItself"): Promise<string> {
  refuseBadNames(given)
  // The root is known to be free of symlinks: what is spelled below it starts there.
  const spelledInside = given === root || given.startsWith(`${root}/`)
  let place = !given.startsWith("/") || spelledInside ? root : "/"
  let names = namesOf(spelledInside ? given.slice(root.length) : given)
  let missing = false
  for (let links = 0; names.length > 0; ) {
    const [name = "", ...rest] = names
    names = rest
    if (name === "..") {
      place = place.slice(0, place.lastIndexOf("/")) || "/"
      missing = false
      continue
    }
    const next = place === "/" ? `/${name}` : `${place}/${name}`
    const stat: Stat | null = missing ? null : await lstat(files, next, given)
    missing = stat === null
    if (stat?.kind !== "symlink" || (names.length === 0 && last === "lastItself")) {
      place = next
      continue
    }
    if (++links > mostLinks) throw new Failure("BAD_ARGUMENT", `${showPath(given)} goes round in a loop of symlinks.`)
    const target = await readlink(files, next)
    // It became something else since the look: it is looked at again. Each round counts as a link.
    if (target === null) {
      names = [name, ...rest]
      continue
    }
    if (target.startsWith("/")) place = "/"
    names = [...namesOf(target), ...names]
  }
  return place
}

async function lstat(files: Files, path: string, given: string): Promise<Stat | null> {
  try {
    return await files.lstat(path)
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined
    if (code === "ENAMETOOLONG") throw new Failure("BAD_ARGUMENT", `${showPath(given)} is too long for a path.`)
    if (code === "EACCES")
      throw new Failure("DENIED", `${showPath(given)} cannot be reached: a folder on the way is closed to us.`)
    throw error
  }
}

/** Null: no symlink is there any more. */
async function readlink(files: Files, path: string): Promise<string | null> {
  try {
    return await files.readlink(path)
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined
    if (code === "EINVAL" || code === "ENOENT" || code === "ENOTDIR") return null
    throw error
  }
}

function refuseBadNames(given: string): void {
  if (given === "") throw new Failure("BAD_ARGUMENT", "The path is empty.")
  if (given.includes("\0")) throw new Failure("BAD_ARGUMENT", `A path cannot hold a NUL byte: ${showPath(given)}`)
  const tooLong =
    pathToBytes(given).length > longestPath || namesOf(given).some(name => pathToBytes(name).length > longestName)
  if (tooLong)
    throw new Failure("BAD_ARGUMENT", `The path is longer than the system takes: ${showPath(given.slice(0, 80))}…`)
}

function insideOf(root: string, place: string, given: string): string {
  if (place === root) return ""
  const below = root === "/" ? "" : root
  if (!isWithin(place, below)) {
    throw new Failure("OUTSIDE_WORKSPACE", `${showPath(given)} leads outside the workspace ${showPath(root)}.`)
  }
  return place.slice(below.length + 1)
}

function namesOf(path: string): string[] {
  return path.split("/").filter(name => name !== "" && name !== ".")
}
