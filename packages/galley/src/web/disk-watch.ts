import { type FSWatcher, watch } from "node:fs"
import { dirname, join } from "node:path"

/** Editors save in several steps; one look after the last (ms). */
const settleTime = 80
/** Where nothing is told (network file systems, no more watches), a look now and then (ms). */
const lookEvery = 4000
/** Folders watched at most; what is in further ones is found by the look now and then. */
const mostFolders = 400

/**
 * Notices that a person saved a pending file in an editor, or moved HEAD, while a page is open: the engine folds such a change in
 * when it is next asked, and this is what makes somebody ask. A hint only; a spurious one costs one `status`.
 */
export function watchPending(root: string, notice: () => void): DiskWatch {
  const watchers = new Map<string, FSWatcher>()
  let settling: NodeJS.Timeout | null = null
  let polling: NodeJS.Timeout | null = null
  return {
    follow(paths) {
      const folders = new Set([".git", ".git/logs", ...paths.map(path => dirname(path))].slice(0, mostFolders))
      for (const [folder, watcher] of watchers)
        if (!folders.has(folder)) {
          watcher.close()
          watchers.delete(folder)
        }
      for (const folder of folders) if (!watchers.has(folder)) add(folder)
      polling ??= setInterval(notice, lookEvery).unref()
    },
    close() {
      for (const watcher of watchers.values()) watcher.close()
      watchers.clear()
      if (settling !== null) clearTimeout(settling)
      if (polling !== null) clearInterval(polling)
      settling = null
      polling = null
    },
  }

  function add(folder: string): void {
    try {
      const watcher = watch(join(root, folder), { persistent: false }, () => {
        settling ??= setTimeout(() => {
          settling = null
          notice()
        }, settleTime).unref()
      })
      watcher.on("error", () => {
        watcher.close()
        watchers.delete(folder)
      })
      watchers.set(folder, watcher)
    } catch {
      // Not there, or no more watches: the look now and then finds it.
    }
  }
}

export interface DiskWatch {
  /** Watches the folders of these files, relative to the root, and the git folder. */
  follow(paths: readonly string[]): void
  close(): void
}
