import { setImmediate } from "node:timers/promises"
import type { WorkspacePath } from "@galley/core/path.ts"
import { keyOf } from "./kept.ts"
import { joined, namesIn, statOf } from "./seen.ts"

export interface Walk {
  /** Of everything but non-empty folders, by path; for an empty folder its mode. */
  readonly keys: ReadonlyMap<WorkspacePath, string>
  /** All folders that were entered. */
  readonly folders: ReadonlySet<WorkspacePath>
  /** Folders that were not entered: dependencies, git directories, and what lay beyond the limit. */
  readonly skipped: readonly WorkspacePath[]
  readonly complete: boolean
}

/**
 * Looks at everything in a folder, outside git, up to a number of entries; breadth first, so that what is left out lies deep. Names of
 * dependency folders are not entered.
 */
export async function walkFolder(root: string, limit: number, dependencyFolders: readonly string[]): Promise<Walk> {
  const keys = new Map<WorkspacePath, string>()
  const skipped: WorkspacePath[] = []
  const queue: WorkspacePath[] = [""]
  let seen = 0
  for (let at = 0; at < queue.length; at++) {
    const folder = queue[at] ?? ""
    if (at % 50 === 49) await setImmediate()
    if (seen > limit) {
      skipped.push(folder)
      continue
    }
    const names = namesIn(folder === "" ? root : `${root}/${folder}`)
    if (names.length === 0 && folder !== "") keys.set(folder, `d${statQuietly(`${root}/${folder}`)?.mode ?? ""}`)
    for (const name of names) {
      const path = joined(folder, name)
      const stat = statQuietly(`${root}/${path}`)
      if (stat === null) continue
      seen++
      if (!stat.isDirectory()) keys.set(path, keyOf(stat))
      else if (name === ".git" || dependencyFolders.includes(name)) skipped.push(path)
      else queue.push(path)
    }
  }
  return { keys, folders: new Set(queue), skipped, complete: seen <= limit }
}

function statQuietly(path: string): ReturnType<typeof statOf> {
  try {
    return statOf(path)
  } catch {
    return null
  }
}
