import * as fs from "node:fs"
import { setImmediate as nextTurn } from "node:timers/promises"
import { promisify } from "node:util"
import { hasEscapedByte, pathFromBytes, pathToBytes } from "@galley/core/path.ts"
import { attributeLook, copyAttributes } from "./attributes.ts"
import { isSameWriting, type Files, type NewFile, type OpenFolder, type Stat } from "./files.ts"
import { syncFileSystem } from "./sync-file-system.ts"

/**
 * The disk of this machine.
 *
 * Names, stats and small contents go through Node's synchronous calls: some microseconds each, where a turn through its pool
 * of threads takes a hundred on a busy machine (`docs/decisions/synchronous-metadata.md`). What waits for the device (fsync, large
 * contents) is asynchronous, and others get a turn every few milliseconds.
 */
export function realFiles(): Files {
  let turnBegan = performance.now()
  const soon = async <T>(work: () => T | Promise<T>): Promise<T> => {
    if (performance.now() - turnBegan > longestTurn) {
      await nextTurn()
      turnBegan = performance.now()
    }
    return work()
  }
  return {
    lstat: path => soon(() => lstat(path)),
    read: (path, limit) => soon(() => read(path, limit)),
    readlink: path => soon(() => pathFromBytes(fs.readlinkSync(native(path), { encoding: "buffer" }))),
    list: folder => soon(() => list(folder)),
    realpath: path => soon(() => realpath(path)),
    create: (path, bytes, mode) => createAll([{ path, bytes, mode }]),
    createAll: files => createAll(files),
    overwrite: async (path, bytes) => void (await overwrite(path, bytes, null)),
    overwriteSeen: overwrite,
    renameOverSeen: (from, to, seen) => soon(() => renameOverSeen(from, to, seen)),
    rename: (from, to) => soon(() => fs.renameSync(native(from), native(to))),
    link: (from, to) => soon(() => fs.linkSync(native(from), native(to))),
    symlink: (target, path) => soon(() => fs.symlinkSync(native(target), native(path))),
    unlink: path => soon(() => fs.unlinkSync(native(path))),
    makeFolder: (path, mode) => soon(() => fs.mkdirSync(native(path), mode)),
    removeFolder: path => soon(() => fs.rmdirSync(native(path))),
    chmod: (path, mode) => soon(() => chmod(path, mode)),
    copyOwner: (from, to) => soon(() => copyOwner(from, to)),
    copyIdentity,
    withAttributes: attributeLook(),
    syncFolder,
    writable: path => soon(() => writable(path)),
    openFolder: (root, folder) => soon(() => openFolder(root, folder)),
    self: { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0, groups: process.getgroups?.() ?? [] },
    umask: process.umask(),
  }
}

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_DIRECTORY } = fs.constants
// Node lacks O_PATH; the value is the one of every Linux port but alpha, parisc and sparc. It opens folders that may be
// passed through but not listed.
const oPath = 0x200000
const onLinux = process.platform === "linux"
/** Milliseconds after which others get a turn. */
const longestTurn = 10
/** Contents up to this go in one synchronous call; half a millisecond at most from memory. */
const smallContent = 1 << 20

const fsync = promisify(fs.fsync)
const readPart = promisify(fs.read)
const writePart = promisify(fs.write)

/** What Node's calls take: a string, or bytes where the name is not UTF-8. */
function native(path: string): string | Buffer {
  return hasEscapedByte(path) ? Buffer.from(pathToBytes(path)) : path
}

function lstat(path: string): Stat | null {
  try {
    const stat = fs.lstatSync(native(path), { bigint: true, throwIfNoEntry: false })
    return stat ? statOf(stat) : null
  } catch (error) {
    if (isCode(error, "ENOENT", "ENOTDIR")) return null
    throw error
  }
}

async function read(path: string, limit: number): Promise<{ bytes: Uint8Array; stat: Stat } | "tooLarge"> {
  // O_NONBLOCK: opening a FIFO returns at once instead of waiting for a writer; O_NOFOLLOW: ELOOP for a symlink.
  const fd = fs.openSync(native(path), O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  try {
    const stat = statOf(fs.fstatSync(fd, { bigint: true }))
    if (stat.kind !== "file") throw systemError("EINVAL", `not a regular file but a ${stat.kind}`, path)
    if (!isReachedAsNamed(fd, path)) throw systemError("ELOOP", "a folder on the way was swapped for a symlink", path)
    if (stat.size > limit) return "tooLarge"
    const bytes = await readAll(fd, stat.size, limit)
    return bytes === "tooLarge" ? bytes : { bytes, stat }
  } finally {
    fs.closeSync(fd)
  }
}

/**
 * Whether an open file lies in the very folder that its path names, symlinks resolved: one that was put in the folder's place after it was
 * looked at leads elsewhere. Paths below `/proc` are held to their folder already; where there is no `/proc`, only the look before counts.
 */
function isReachedAsNamed(fd: number, path: string): boolean {
  if (path.startsWith("/proc/")) return true
  try {
    const found = fs.readlinkSync(`/proc/self/fd/${fd}`, { encoding: "buffer" })
    const named = Buffer.from(native(path))
    return found.subarray(0, found.lastIndexOf("/")).equals(named.subarray(0, named.lastIndexOf("/")))
  } catch (error) {
    if (isCode(error, "ENOENT", "EACCES", "EPERM")) return true
    throw error
  }
}

/** Reads to the end of file, which may lie elsewhere than the size said (a growing log, /proc). */
async function readAll(fd: number, size: number, limit: number): Promise<Uint8Array | "tooLarge"> {
  // One byte more than there should be: a read that leaves it empty has seen the end.
  let buffer = Buffer.allocUnsafeSlow(size + 1)
  for (let filled = 0; ; ) {
    const room = buffer.length - filled
    const count =
      room <= smallContent
        ? fs.readSync(fd, buffer, filled, room, filled)
        : (await readPart(fd, buffer, filled, room, filled)).bytesRead
    filled += count
    if (filled > limit) return "tooLarge"
    if (count === 0 || filled === size) return buffer.subarray(0, filled)
    if (filled === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafeSlow(buffer.length)])
  }
}

function list(folder: string): { name: string; kind: Stat["kind"] }[] {
  return fs.readdirSync(native(folder), { withFileTypes: true, encoding: "buffer" }).map(entry => {
    const name = pathFromBytes(entry.name)
    // A file system that gives no types (DT_UNKNOWN) answers false to every question.
    return { name, kind: kindOf(entry) ?? lstat(`${folder}/${name}`)?.kind ?? "device" }
  })
}

function realpath(path: string): string {
  try {
    return pathFromBytes(fs.realpathSync.native(native(path), { encoding: "buffer" }))
  } catch (error) {
    const slash = path.lastIndexOf("/")
    if (!isCode(error, "ENOENT") || slash < 0 || path === "/") throw error
    const parent = realpath(path.slice(0, slash) || "/")
    return `${parent === "/" ? "" : parent}/${path.slice(slash + 1)}`
  }
}

/** From this many files on, one syncfs(2) is cheaper than an fsync(2) each. */
const manyFiles = 24

async function createAll(files: readonly NewFile[]): Promise<void> {
  const many = files.length >= manyFiles
  const open: number[] = []
  const devices = new Map<bigint, string>()
  try {
    for (const [index, { path, bytes, mode }] of files.entries()) {
      if (index % 32 === 31) await nextTurn()
      const fd = fs.openSync(native(path), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode & 0o700)
      open.push(fd)
      // The umask took bits from what open asked for.
      fs.fchmodSync(fd, mode)
      await writeAll(fd, bytes)
      if (!many) continue
      devices.set(fs.fstatSync(fd, { bigint: true }).dev, folderOf(path))
      fs.closeSync(open.pop() ?? fd)
    }
    if (!many) await Promise.all(open.map(fd => fsync(fd)))
    else if (!(await syncDevices(devices.values()))) await syncEach(files)
  } finally {
    for (const fd of open) fs.closeSync(fd)
  }
}

async function syncDevices(folders: Iterable<string>): Promise<boolean> {
  for (const folder of folders) if (!(await syncFileSystem(folder))) return false
  return true
}

async function syncEach(files: readonly NewFile[]): Promise<void> {
  for (const { path } of files) {
    const fd = fs.openSync(native(path), O_RDONLY | O_NOFOLLOW)
    try {
      await fsync(fd)
    } finally {
      fs.closeSync(fd)
    }
  }
}

function renameOverSeen(from: string, to: string, seen: Stat): boolean {
  const [source, target] = [native(from), native(to)]
  const now = lstat(to)
  if (!now || !isSameWriting(now, seen)) return false
  fs.renameSync(source, target)
  return true
}

async function overwrite(path: string, bytes: Uint8Array, seen: Stat | null): Promise<boolean> {
  const fd = fs.openSync(native(path), O_WRONLY | O_NOFOLLOW | O_NONBLOCK)
  try {
    const now = statOf(fs.fstatSync(fd, { bigint: true }))
    if (now.kind !== "file") throw systemError("EINVAL", "not a regular file", path)
    if (seen && !isSameWriting(now, seen)) return false
    await writeAll(fd, bytes)
    fs.ftruncateSync(fd, bytes.length)
    await fsync(fd)
    return true
  } finally {
    fs.closeSync(fd)
  }
}

/** One write(2) may take less than it was given (a nearly full disk): goes on until all is taken or it throws. */
async function writeAll(fd: number, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const rest = bytes.length - done
    const count =
      rest <= smallContent
        ? fs.writeSync(fd, bytes, done, rest, done)
        : (await writePart(fd, bytes, done, rest, done)).bytesWritten
    if (count === 0) throw systemError("ENOSPC", "the disk takes no more", "")
    done += count
  }
}

function chmod(path: string, mode: number): void {
  const stat = lstat(path)
  if (stat?.kind !== "file" && stat?.kind !== "folder")
    throw systemError(stat ? "EINVAL" : "ENOENT", "no mode to set", path)
  fs.chmodSync(native(path), mode)
}

function copyOwner(from: string, to: string): readonly string[] {
  const [source, target] = [lstat(from), lstat(to)]
  if (!source || !target) throw systemError("ENOENT", "nothing there", source ? to : from)
  if (source.uid === target.uid && source.gid === target.gid) return []
  try {
    fs.lchownSync(native(to), source.uid, source.gid)
  } catch (error) {
    if (!isCode(error, "EPERM", "EINVAL", "ENOSYS", "ENOTSUP")) throw error
    return [`owner ${source.uid}:${source.gid}`]
  }
  // A change of owner clears the set-id bits.
  if (target.kind !== "symlink") fs.chmodSync(native(to), target.mode)
  return []
}

async function copyIdentity(from: string, to: string): Promise<readonly string[]> {
  const target = lstat(to)
  const lost = [...copyOwner(from, to), ...(await copyAttributes(from, to))]
  // The copy of an ACL sets the mode of its source.
  if (target && target.kind !== "symlink") fs.chmodSync(native(to), target.mode)
  return lost
}

async function syncFolder(folder: string): Promise<void> {
  const fd = fs.openSync(native(folder), O_RDONLY | O_DIRECTORY)
  try {
    await fsync(fd)
  } catch (error) {
    // Some network and FUSE file systems have no fsync for folders; nothing more can be asked of them.
    if (!isCode(error, "EINVAL", "ENOTSUP", "EISDIR")) throw error
  } finally {
    fs.closeSync(fd)
  }
}

function writable(path: string): boolean {
  try {
    fs.accessSync(
      native(path),
      lstat(path)?.kind === "file" ? fs.constants.W_OK : fs.constants.W_OK | fs.constants.X_OK,
    )
    return true
  } catch (error) {
    if (isCode(error, "EACCES", "EROFS", "EPERM", "ENOENT", "ENOTDIR")) return false
    throw error
  }
}

function openFolder(root: string, folder: string): OpenFolder {
  const names = folder === "" ? [] : folder.split("/")
  if (!onLinux) return openFolderByName(root, names)
  let fd = fs.openSync(native(root), oPath | O_DIRECTORY)
  for (const name of names) {
    const parent = fd
    try {
      fd = fs.openSync(native(`/proc/self/fd/${parent}/${name}`), oPath | O_DIRECTORY | O_NOFOLLOW)
    } finally {
      fs.closeSync(parent)
    }
  }
  return { path: `/proc/self/fd/${fd}`, close: () => Promise.resolve(fs.closeSync(fd)) }
}

function openFolderByName(root: string, names: readonly string[]): OpenFolder {
  let path = root
  for (const name of names) {
    path = `${path}/${name}`
    const stat = lstat(path)
    if (stat?.kind !== "folder") throw systemError(stat ? "ENOTDIR" : "ENOENT", "not a folder", path)
  }
  return { path, close: () => Promise.resolve() }
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/"
}

type Kinds = Pick<
  fs.BigIntStats,
  "isFile" | "isDirectory" | "isSymbolicLink" | "isFIFO" | "isSocket" | "isBlockDevice" | "isCharacterDevice"
>

function kindOf(of: Kinds): Stat["kind"] | null {
  if (of.isFile()) return "file"
  if (of.isDirectory()) return "folder"
  if (of.isSymbolicLink()) return "symlink"
  if (of.isFIFO()) return "fifo"
  if (of.isSocket()) return "socket"
  return of.isBlockDevice() || of.isCharacterDevice() ? "device" : null
}

function statOf(stat: fs.BigIntStats): Stat {
  return {
    kind: kindOf(stat) ?? "device",
    mode: Number(stat.mode & 0o7777n),
    size: Number(stat.size),
    links: Number(stat.nlink),
    uid: Number(stat.uid),
    gid: Number(stat.gid),
    dev: stat.dev,
    ino: stat.ino,
    mtimeNs: stat.mtimeNs,
    ctimeNs: stat.ctimeNs,
  }
}

function isCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.includes(String(error.code))
}

function systemError(code: string, message: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${message}, '${path}'`), { code, path })
}
