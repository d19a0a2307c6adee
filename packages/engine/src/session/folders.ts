import { isWithin } from "@galley/core/path.ts"
import type { Files, OpenFolder } from "../io/files.ts"

/**
 * The open folders of one change. Work on a file goes through the folder that was walked to without following a symlink, so
 * that a parent swapped for a symlink meanwhile leads nowhere (TOCTOU, scenario S37).
 */
export class Folders {
  readonly #files: Files
  readonly #root: string
  /** By path, least recently used first. */
  readonly #open = new Map<string, Held>()

  constructor(files: Files, root: string) {
    this.#files = files
    this.#root = root
  }

  /** Runs `work` with a prefix for names in the folder. ENOENT: it is missing; ENOTDIR: a name on the way is no folder. */
  async within<T>(folder: string, work: (path: string) => Promise<T>): Promise<T> {
    const held = await this.#hold(folder)
    try {
      const { path } = await held.folder
      return await work(path)
    } finally {
      await release(held)
    }
  }

  /** The same with several folders open at once; `pathOf` gives the prefix of each. */
  async withinAll<T>(folders: Iterable<string>, work: (pathOf: (folder: string) => string) => Promise<T>): Promise<T> {
    const held: Held[] = []
    const paths = new Map<string, string>()
    try {
      for (const folder of new Set(folders)) {
        const one = await this.#hold(folder)
        held.push(one)
        paths.set(folder, (await one.folder).path)
      }
      return await work(folder => {
        const path = paths.get(folder)
        if (path === undefined) throw new Error(`BUG: the folder ${folder} was not opened`)
        return path
      })
    } finally {
      for (const one of held) await release(one)
    }
  }

  /** Forgets the folder and all inside: the next use walks anew. `""` forgets everything. */
  async forget(folder: string): Promise<void> {
    const gone = [...this.#open].filter(([path]) => isWithin(path, folder))
    await Promise.all(gone.map(([path]) => this.#drop(path)))
  }

  async #hold(folder: string): Promise<Held> {
    const known = this.#open.get(folder)
    const held = known ?? { folder: this.#files.openFolder(this.#root, folder), users: 0, dropped: false }
    held.users++
    this.#open.delete(folder)
    this.#open.set(folder, held)
    try {
      await held.folder
    } catch (error) {
      held.users--
      if (this.#open.get(folder) === held) this.#open.delete(folder)
      throw error
    }
    if (this.#open.size > mostOpen) {
      const idle = [...this.#open].find(([, other]) => other.users === 0)
      if (idle) await this.#drop(idle[0])
    }
    return held
  }

  async #drop(path: string): Promise<void> {
    const held = this.#open.get(path)
    if (!held) return
    this.#open.delete(path)
    held.dropped = true
    // One in use is closed by its last user: a closed number may be given to another file at once.
    if (held.users === 0) await close(held)
  }
}

interface Held {
  readonly folder: Promise<OpenFolder>
  users: number
  dropped: boolean
}

/** Well below the smallest usual limit on open files (256 on macOS). */
const mostOpen = 128

async function release(held: Held): Promise<void> {
  held.users--
  if (held.dropped && held.users === 0) await close(held)
}

async function close(held: Held): Promise<void> {
  const folder = await held.folder
  await folder.close()
}
