import { isSameWriting, type Files, type OpenFolder, type Stat } from "./files.ts"

/** A disk in memory, with what a test or an embedder may want to do from outside. */
export interface MemoryFiles extends Files {
  /** Makes a FIFO, socket or device, which no method of {@link Files} does. */
  makeSpecial(path: string, kind: "fifo" | "socket" | "device"): Promise<void>
}

/**
 * A disk in memory that behaves as the real one: hard links, modes, symlinks, and the error codes of Linux for user 0 (so
 * that permission bits are kept but refuse nothing). It starts with an empty `/`. `now` gives milliseconds since the epoch.
 */
export function memoryFiles(now: () => number): MemoryFiles {
  const disk = new Disk(now)
  const steps = async <T>(work: () => T): Promise<T> => {
    // A turn of the event loop, as a real disk takes: what must not be assumed atomic is not atomic here either.
    await Promise.resolve()
    return work()
  }
  return {
    lstat: path => steps(() => disk.statOrNull(path)),
    read: (path, limit) => steps(() => disk.read(path, limit)),
    readlink: path => steps(() => disk.readlink(path)),
    list: folder => steps(() => disk.list(folder)),
    realpath: path => steps(() => disk.realpath(path)),
    create: (path, bytes, mode) =>
      steps(() => disk.add(path, { ...disk.inode("file", mode), bytes: Uint8Array.from(bytes) })),
    createAll: files =>
      steps(() => {
        for (const { path, bytes, mode } of files)
          disk.add(path, { ...disk.inode("file", mode), bytes: Uint8Array.from(bytes) })
      }),
    overwrite: (path, bytes) => steps(() => disk.overwrite(path, bytes)),
    overwriteSeen: (path, bytes, seen) =>
      steps(() => {
        const now = disk.statOrNull(path)
        if (!now || !isSameWriting(now, seen)) return false
        disk.overwrite(path, bytes)
        return true
      }),
    renameOverSeen: (from, to, seen) =>
      steps(() => {
        const now = disk.statOrNull(to)
        if (!now || !isSameWriting(now, seen)) return false
        disk.rename(from, to)
        return true
      }),
    rename: (from, to) => steps(() => disk.rename(from, to)),
    link: (from, to) => steps(() => disk.link(from, to)),
    symlink: (target, path) => steps(() => disk.add(path, { ...disk.inode("symlink", 0o777), target })),
    unlink: path => steps(() => disk.unlink(path)),
    makeFolder: (path, mode) => steps(() => disk.add(path, disk.inode("folder", mode & ~0o022))),
    removeFolder: path => steps(() => disk.removeFolder(path)),
    chmod: (path, mode) => steps(() => disk.chmod(path, mode)),
    copyOwner: (from, to) => steps(() => disk.copyOwner(from, to)),
    copyIdentity: (from, to) => steps(() => disk.copyOwner(from, to)),
    withAttributes: () => Promise.resolve(new Set<string>()),
    syncFolder: folder => steps(() => void disk.folder(folder)),
    writable: path => steps(() => disk.statOrNull(path) !== null),
    openFolder: (root, folder) => steps(() => disk.open(root, folder)),
    self: { uid: 0, gid: 0, groups: [0] },
    umask: 0o022,
    makeSpecial: (path, kind) => steps(() => disk.add(path, disk.inode(kind, 0o644))),
  }
}

interface Inode {
  readonly ino: bigint
  readonly kind: Stat["kind"]
  mode: number
  links: number
  uid: number
  gid: number
  mtimeNs: bigint
  ctimeNs: bigint
  bytes: Uint8Array
  readonly target: string
  readonly entries: Map<string, Inode>
}

/** Where a path leads: the folder it is in, its last name, and what is there. */
interface Place {
  readonly parent: Inode
  readonly name: string
  readonly found: Inode | undefined
}

class Disk {
  readonly #now: () => number
  readonly #root: Inode
  readonly #opened = new Map<string, Inode>()
  #made = 0n
  #tick = 0n

  constructor(now: () => number) {
    this.#now = now
    this.#root = this.inode("folder", 0o755)
  }

  inode(kind: Stat["kind"], mode: number): Inode {
    const at = this.#clock()
    const ino = ++this.#made
    const common = { ino, kind, mode: mode & 0o7777, links: kind === "folder" ? 2 : 1, uid: 0, gid: 0 }
    return { ...common, mtimeNs: at, ctimeNs: at, bytes: new Uint8Array(), target: "", entries: new Map() }
  }

  statOrNull(path: string): Stat | null {
    try {
      return statOf(this.#at(path))
    } catch (error) {
      if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR"))
        return null
      throw error
    }
  }

  read(path: string, limit: number): { bytes: Uint8Array; stat: Stat } | "tooLarge" {
    const inode = this.#file(path)
    if (inode.bytes.length > limit) return "tooLarge"
    return { bytes: Uint8Array.from(inode.bytes), stat: statOf(inode) }
  }

  readlink(path: string): string {
    const inode = this.#at(path)
    if (inode.kind !== "symlink") throw trouble("EINVAL", path)
    return inode.target
  }

  list(path: string): { name: string; kind: Stat["kind"] }[] {
    return [...this.folder(path).entries].map(([name, inode]) => ({ name, kind: inode.kind }))
  }

  /** The folder at the path, symlinks followed. */
  folder(path: string): Inode {
    const inode = this.#walk(path, "followLast").found
    if (!inode) throw trouble("ENOENT", path)
    if (inode.kind !== "folder") throw trouble("ENOTDIR", path)
    return inode
  }

  realpath(path: string): string {
    const names: string[] = []
    let inode: Inode | undefined = this.#root
    let pending = namesOf(path)
    for (let followed = 0; pending.length > 0; ) {
      const [name = "", ...rest] = pending
      pending = rest
      if (name === "..") names.pop()
      else names.push(name)
      inode = this.#reach(names)
      if (inode?.kind !== "symlink") continue
      if (++followed > 40) throw trouble("ELOOP", path)
      names.pop()
      if (inode.target.startsWith("/")) names.length = 0
      pending = [...namesOf(inode.target), ...pending]
    }
    return `/${names.join("/")}`
  }

  add(path: string, inode: Inode): void {
    const { parent, name, found } = this.#walk(path, "stopAtLast")
    if (found) throw trouble("EEXIST", path)
    this.#enter(parent, name, inode)
  }

  overwrite(path: string, bytes: Uint8Array): void {
    const inode = this.#file(path)
    inode.bytes = Uint8Array.from(bytes)
    inode.mtimeNs = inode.ctimeNs = this.#clock()
  }

  rename(from: string, to: string): void {
    const source = this.#walk(from, "stopAtLast")
    const target = this.#walk(to, "stopAtLast")
    if (!source.found) throw trouble("ENOENT", from)
    if (source.found === target.found) return // two names of one inode: POSIX leaves both
    if (target.found?.kind === "folder") {
      if (source.found.kind !== "folder") throw trouble("EISDIR", to)
      if (target.found.entries.size > 0) throw trouble("ENOTEMPTY", to)
    } else if (target.found && source.found.kind === "folder") throw trouble("ENOTDIR", to)
    if (source.found.kind === "folder" && this.#contains(source.found, target.parent)) throw trouble("EINVAL", to)
    source.parent.entries.delete(source.name)
    if (target.found) target.found.links--
    this.#enter(target.parent, target.name, source.found)
    source.parent.mtimeNs = source.parent.ctimeNs = this.#clock()
  }

  link(from: string, to: string): void {
    const inode = this.#at(from)
    if (inode.kind === "folder") throw trouble("EPERM", from)
    const { parent, name, found } = this.#walk(to, "stopAtLast")
    if (found) throw trouble("EEXIST", to)
    this.#enter(parent, name, inode)
    inode.links++
  }

  unlink(path: string): void {
    const { parent, name, found } = this.#walk(path, "stopAtLast")
    if (!found) throw trouble("ENOENT", path)
    if (found.kind === "folder") throw trouble("EISDIR", path)
    parent.entries.delete(name)
    found.links--
    found.ctimeNs = parent.mtimeNs = parent.ctimeNs = this.#clock()
  }

  removeFolder(path: string): void {
    const { parent, name, found } = this.#walk(path, "stopAtLast")
    if (!found) throw trouble("ENOENT", path)
    if (found.kind !== "folder") throw trouble("ENOTDIR", path)
    if (found.entries.size > 0) throw trouble("ENOTEMPTY", path)
    parent.entries.delete(name)
    parent.mtimeNs = parent.ctimeNs = this.#clock()
  }

  chmod(path: string, mode: number): void {
    const inode = this.#at(path)
    if (inode.kind !== "file" && inode.kind !== "folder") throw trouble("EINVAL", path)
    inode.mode = mode & 0o7777
    inode.ctimeNs = this.#clock()
  }

  copyOwner(from: string, to: string): string[] {
    const source = this.#at(from)
    const target = this.#at(to)
    target.uid = source.uid
    target.gid = source.gid
    return []
  }

  open(root: string, folder: string): OpenFolder {
    let inode = this.folder(root)
    for (const name of namesOf(folder)) {
      const next = inode.entries.get(name)
      if (!next) throw trouble("ENOENT", folder)
      if (next.kind !== "folder") throw trouble("ENOTDIR", folder)
      inode = next
    }
    const path = `/proc/self/fd/${++this.#tick}`
    this.#opened.set(path, inode)
    return {
      path,
      close: async () => {
        await Promise.resolve()
        this.#opened.delete(path)
      },
    }
  }

  /** Strictly later than any time given before, so that every change shows in a stamp. */
  #clock(): bigint {
    return BigInt(this.#now()) * 1_000_000n + ++this.#tick
  }

  #enter(parent: Inode, name: string, inode: Inode): void {
    parent.entries.set(name, inode)
    inode.ctimeNs = parent.mtimeNs = parent.ctimeNs = this.#clock()
  }

  #at(path: string): Inode {
    const { found } = this.#walk(path, "stopAtLast")
    if (!found) throw trouble("ENOENT", path)
    return found
  }

  #file(path: string): Inode {
    const inode = this.#at(path)
    if (inode.kind === "folder") throw trouble("EISDIR", path)
    if (inode.kind === "symlink") throw trouble("ELOOP", path)
    if (inode.kind !== "file") throw trouble("EINVAL", path)
    return inode
  }

  #walk(path: string, last: "followLast" | "stopAtLast", followed = 0): Place {
    if (path.includes("\0")) throw trouble("ERR_INVALID_ARG_VALUE", path)
    if (followed > 40) throw trouble("ELOOP", path)
    const handle = /^\/proc\/self\/fd\/\d+/.exec(path)?.[0]
    const start = handle === undefined ? this.#root : this.#opened.get(handle)
    if (!start) throw trouble("ENOENT", path)
    return this.#follow([start], namesOf(path.slice(handle?.length ?? 0)), last, followed, path)
  }

  /** `above` is the chain of folders walked so far, outermost first. */
  #follow(above: Inode[], names: string[], last: "followLast" | "stopAtLast", followed: number, path: string): Place {
    for (;;) {
      const parent = above.at(-1) ?? this.#root
      const name = names.shift()
      if (name === undefined) return { parent: above.at(-2) ?? parent, name: "", found: parent }
      if (parent.kind !== "folder") throw trouble("ENOTDIR", path)
      if (name.length > 255) throw trouble("ENAMETOOLONG", path)
      const found = name === ".." ? (above.at(-2) ?? parent) : parent.entries.get(name)
      if (names.length === 0 && (last === "stopAtLast" || found?.kind !== "symlink")) return { parent, name, found }
      if (!found) throw trouble("ENOENT", path)
      if (name === "..") {
        if (above.length > 1) above.pop()
      } else if (found.kind === "symlink") {
        if (++followed > 40) throw trouble("ELOOP", path)
        if (found.target.startsWith("/")) above = [this.#root]
        names = [...namesOf(found.target), ...names]
      } else above.push(found)
    }
  }

  #reach(names: readonly string[]): Inode | undefined {
    let inode: Inode | undefined = this.#root
    for (const name of names) inode = inode?.entries.get(name)
    return inode
  }

  #contains(folder: Inode, inode: Inode): boolean {
    return folder === inode || [...folder.entries.values()].some(entry => this.#contains(entry, inode))
  }
}

function namesOf(path: string): string[] {
  return path.split("/").filter(name => name !== "" && name !== ".")
}

function statOf(inode: Inode): Stat {
  const { kind, mode, links, uid, gid, ino, mtimeNs, ctimeNs } = inode
  const size = kind === "symlink" ? inode.target.length : inode.bytes.length
  return { kind, mode, links, uid, gid, ino, mtimeNs, ctimeNs, size, dev: 1n }
}

function trouble(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: '${path}'`), { code, path })
}
