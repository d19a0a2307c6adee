import { type FSWatcher, watch } from "node:fs"
import { readdir, stat } from "node:fs/promises"
import { join } from "node:path"

/** How soon a change is noticed where the system tells of it, and where it does not (milliseconds). */
const settleTime = 20
const pollTime = 150
/** A watched folder is looked at now and then all the same: some network file systems take a watch and never tell. */
const backstopTime = 1000

/**
 * Calls `notice` within 200 ms after a file in the folder was made, written or removed, by whomever; many writes together give
 * one call. A hint, no more: it may come without a change, and the listener asks the store. Keeps no process alive.
 */
export function watchFolder(folder: string, notice: () => void): { close(): void } {
  let closed = false
  let seen: string | null = null
  let pending: NodeJS.Timeout | null = null
  let polling: NodeJS.Timeout | null = null

  const tell = () => {
    if (closed) return
    pending ??= setTimeout(() => {
      pending = null
      if (!closed) notice()
    }, settleTime).unref()
  }
  const look = async (wait: number): Promise<void> => {
    const now = await stampOf(folder)
    if (closed) return
    if (seen !== null && now !== seen) tell()
    seen = now
    polling = setTimeout(() => void look(wait), wait).unref()
  }

  let watcher: FSWatcher | null = null
  const pollOnly = () => {
    watcher?.close()
    watcher = null
    if (closed) return
    if (polling) clearTimeout(polling)
    void look(pollTime)
  }
  try {
    watcher = watch(folder, { persistent: false }, tell)
    // inotify's limits, or a folder that was removed.
    watcher.on("error", pollOnly)
    void look(backstopTime)
  } catch {
    pollOnly()
  }
  return {
    close: () => {
      closed = true
      watcher?.close()
      if (pending) clearTimeout(pending)
      if (polling) clearTimeout(polling)
    },
  }
}

/** Names, sizes and times of all files in the folder; equal stamps mean that nothing was written in between. */
async function stampOf(folder: string): Promise<string> {
  try {
    const names = (await readdir(folder)).toSorted()
    const stamps = await Promise.all(
      names.map(async name => {
        const found = await stat(join(folder, name), { bigint: true }).catch(() => null)
        return found ? `${name} ${found.size} ${found.mtimeNs} ${found.ino}` : name
      }),
    )
    return stamps.join("\n")
  } catch {
    return "" // the folder is not there (yet)
  }
}
