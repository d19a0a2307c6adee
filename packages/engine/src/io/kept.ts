import type { BigIntStats } from "node:fs"
import { readFile } from "node:fs/promises"
import type { WorkspacePath } from "@galley/core/path.ts"
import { native, type Seen, seenAbsent, seenFrom, statOf } from "./seen.ts"

/** What a first look kept of a path. */
export interface Kept {
  readonly seen: Seen
  /** Equal keys: the file was not touched. Null where nothing stood. */
  readonly key: string | null
  /** Whether `seen.read` gives the content of then: bytes were kept, or there are none to keep. */
  readonly exact: boolean
  /** Changed so short a time before the look that an equal key proves nothing (ctime ticks in up to 10 ms). */
  readonly fresh: boolean
}

/** What may be kept: bytes in memory, in all and for one file. */
export interface KeepLimits {
  readonly total: number
  readonly file: number
}

/** Keeps states and contents of paths until the limit is reached; later paths are kept without content. */
export interface Keeper {
  keep(paths: readonly WorkspacePath[]): Promise<void>
  readonly kept: ReadonlyMap<WorkspacePath, Kept>
}

export function openKeeper(root: string, limits: KeepLimits, nowNs: bigint): Keeper {
  const kept = new Map<WorkspacePath, Kept>()
  let left = limits.total
  const keepOne = async (path: WorkspacePath): Promise<void> => {
    if (kept.has(path)) return
    const at = `${root}/${path}`
    try {
      const stat = statOf(at)
      if (stat === null) {
        kept.set(path, { seen: seenAbsent, key: null, exact: true, fresh: false })
        return
      }
      const fresh = nowNs - stat.ctimeNs < freshNs
      const seen = seenFrom(at, stat)
      if (seen.kind !== "file") {
        kept.set(path, { seen, key: keyOf(stat), exact: true, fresh })
        return
      }
      const wanted = seen.size <= limits.file && seen.size <= left
      if (wanted) left -= seen.size
      const bytes = wanted ? await steadyBytes(at, stat) : null
      if (bytes === null) kept.set(path, { seen, key: keyOf(stat), exact: false, fresh })
      else
        kept.set(path, {
          seen: { ...seen, read: async () => await Promise.resolve(bytes) },
          key: keyOf(stat),
          exact: true,
          fresh,
        })
    } catch {
      // Unreadable (mode 000): there, but its content is unknown.
      const stat = statQuietly(at)
      kept.set(path, {
        seen: stat === null ? { kind: "unknown" } : seenFrom(at, stat),
        key: stat === null ? null : keyOf(stat),
        exact: false,
        fresh: false,
      })
    }
  }
  return {
    kept,
    async keep(paths) {
      for (let at = 0; at < paths.length; at += parallel) await Promise.all(paths.slice(at, at + parallel).map(keepOne))
    },
  }
}

/**
 * The key of a path's state. ctime is in it: it moves with every change, whatever is done to the mtime, and inodes tell a
 * replaced file.
 */
export function keyOf(stat: BigIntStats): string {
  return `${stat.mode} ${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`
}

/** Files read at once: enough to hide the disk's delay, few enough to bound memory. */
const parallel = 16

const freshNs = 20_000_000n

/** The whole content, if the file stood still while it was read; tried three times (a log that grows never does). */
async function steadyBytes(path: string, first: BigIntStats): Promise<Uint8Array | null> {
  let before = first
  for (let tries = 0; tries < 3; tries++) {
    const bytes = await readFile(native(path))
    const after = statOf(path)
    if (after === null) return null
    if (keyOf(after) === keyOf(before) && bytes.length === Number(after.size))
      return keyOf(after) === keyOf(first) ? bytes : null
    before = after
  }
  return null
}

function statQuietly(path: string): BigIntStats | null {
  try {
    return statOf(path)
  } catch {
    return null
  }
}
