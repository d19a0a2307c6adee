import { parentOf, type WorkspacePath } from "@galley/core/path.ts"
import { joined, namesIn, statOf } from "./seen.ts"

/**
 * Folders between two looks. No look lists folders, which git does not know of; their times tell which came with what is new in them,
 * as far as they do: a folder that is not told stays when its files are taken back.
 */

/**
 * The folders that came with a path which was not there at the first look, outermost first. `startNs`: the time of that look. A folder
 * that was made since is younger. One in which nothing was made or removed since, and which holds what is new, came under this name with
 * all that is in it.
 */
export function foldersMadeFor(root: string, path: WorkspacePath, startNs: bigint): readonly WorkspacePath[] {
  const made: WorkspacePath[] = []
  for (let folder = parentOf(path); folder !== ""; folder = parentOf(folder)) {
    const stat = statQuietly(`${root}/${folder}`)
    if (stat === null || !(isYounger(stat, startNs) || stat.mtimeNs <= startNs)) break
    made.unshift(folder)
  }
  return made
}

/** The folders that went with a path, outermost first. */
export function foldersGoneWith(root: string, path: WorkspacePath): readonly WorkspacePath[] {
  const gone: WorkspacePath[] = []
  for (let folder = parentOf(path); folder !== ""; folder = parentOf(folder)) {
    if (statQuietly(`${root}/${folder}`) !== null) break
    gone.unshift(folder)
  }
  return gone
}

/** Empty folders inside the given ones, or these themselves, that were made since the first look; at most {@link mostLooked} names are read. */
export function emptyFoldersSince(
  root: string,
  folders: readonly WorkspacePath[],
  startNs: bigint,
): readonly WorkspacePath[] {
  const empty: WorkspacePath[] = []
  const queue = [...folders]
  let left = mostLooked
  for (let folder = queue.pop(); folder !== undefined && left > 0; folder = queue.pop()) {
    const names = namesIn(`${root}/${folder}`)
    left -= names.length + 1
    const stat = statQuietly(`${root}/${folder}`)
    if (names.length === 0 && stat?.isDirectory() === true && isYounger(stat, startNs)) empty.push(folder)
    if (names.includes(".git")) continue
    for (const name of names) {
      const path = joined(folder, name)
      if (statQuietly(`${root}/${path}`)?.isDirectory() === true) queue.push(path)
    }
  }
  return empty
}

const mostLooked = 20_000

type Stat = NonNullable<ReturnType<typeof statOf>>

/** File systems that do not note a birth give 0. */
function isYounger(stat: Stat, startNs: bigint): boolean {
  return stat.birthtimeNs > startNs
}

function statQuietly(path: string): ReturnType<typeof statOf> {
  try {
    return statOf(path)
  } catch {
    return null
  }
}
