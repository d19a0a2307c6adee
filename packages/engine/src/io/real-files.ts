import { constants as C, type BigIntStats } from "node:fs"
import * as fs from "node:fs/promises"
import { hasEscapedByte, pathFromBytes, pathToBytes } from "@galley/core/path.ts"
import { copyAttributes, filesWithAttributes } from "./attributes.ts"
import type { Files, OpenFolder, Stat } from "./files.ts"

/** The disk of this machine. */
export function realFiles(): Files {
  return {
    lstat,
    read,
    readlink: async path => pathFromBytes(await fs.readlink(native(path), { encoding: "buffer" })),
    list,
    realpath,
    create,
    overwrite,
    rename: (from, to) => fs.rename(native(from), native(to)),
    link: (from, to) => fs.link(native(from), native(to)),
    symlink: (target, path) => fs.symlink(native(target), native(path)),
    unlink: path => fs.unlink(native(path)),
    makeFolder: (path, mode) => fs.mkdir(native(path), mode),
    removeFolder: path => fs.rmdir(native(path)),
    chmod: (path, mode) => chmod(path, mode),
    copyOwner,
    copyIdentity,
    withAttributes: filesWithAttributes,
    syncFolder,
    writable,
    openFolder,
    self: { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, groups: process.getgroups?.() ?? [] },
    umask: process.umask(),
  }
}

// Node lacks O_PATH; the value is the one of every Linux port but alpha, parisc and sparc. It opens folders that may be
// passed through but not listed.
const oPath = 0x200000
const onLinux = process.platform === "linux"

/** What Node's calls take: a string, or bytes where the name is not UTF-8. */
function native(path: string): string | Buffer {
  return hasEscapedByte(path) ? Buffer.from(pathToBytes(path)) : path
}

async function lstat(path: string): Promise<Stat | null> {
  try {
    return statOf(await fs.lstat(native(path), { bigint: true }))
  } catch (error) {
    if (isCode(error, "ENOENT", "ENOTDIR")) return null
    throw error
  }
}

async function read(path: string, limit: number): Promise<{ bytes: Uint8Array; stat: Stat } | "tooLarge"> {
  // O_NONBLOCK: opening a FIFO returns at once instead of waiting for a writer; O_NOFOLLOW: ELOOP for a symlink.
  const handle = await fs.open(native(path), C.O_RDONLY | C.O_NOFOLLOW | C.O_NONBLOCK)
  try {
    const stat = statOf(await handle.stat({ bigint: true }))
    if (stat.kind !== "file") throw systemError("EINVAL", `not a regular file but a ${stat.kind}`, path)
    if (stat.size > limit) return "tooLarge"
    const bytes = await readAll(handle, stat.size, limit)
    return bytes === "tooLarge" ? bytes : { bytes, stat }
  } finally {
    await handle.close()
  }
}

/** Reads to the end of file, which may lie elsewhere than the size said (a growing log, /proc). */
async function readAll(handle: fs.FileHandle, size: number, limit: number): Promise<Uint8Array | "tooLarge"> {
  let buffer = Buffer.allocUnsafeSlow(size + 1)
  let filled = 0
  for (;;) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, filled)
    if (bytesRead === 0) return buffer.subarray(0, filled)
    filled += bytesRead
    if (filled > limit) return "tooLarge"
    if (filled === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafeSlow(buffer.length)])
  }
}

async function list(folder: string): Promise<{ name: string; kind: Stat["kind"] }[]> {
  const entries = await fs.readdir(native(folder), { withFileTypes: true, encoding: "buffer" })
  return Promise.all(
    entries.map(async entry => {
      const name = pathFromBytes(entry.name)
      // A file system that gives no types (DT_UNKNOWN) answers false to every question; so do kinds that Node knows nothing of.
      return { name, kind: kindOf(entry) ?? (await lstat(`${folder}/${name}`))?.kind ?? "device" }
    }),
  )
}

async function realpath(path: string): Promise<string> {
  try {
    return pathFromBytes(await fs.realpath(native(path), { encoding: "buffer" }))
  } catch (error) {
    const slash = path.lastIndexOf("/")
    if (!isCode(error, "ENOENT") || slash < 0 || path === "/") throw error
    const name = path.slice(slash + 1)
    const parent = await realpath(path.slice(0, slash) || "/")
    return parent === "/" ? `/${name}` : `${parent}/${name}`
  }
}

async function create(path: string, bytes: Uint8Array, mode: number): Promise<void> {
  const handle = await fs.open(native(path), C.O_WRONLY | C.O_CREAT | C.O_EXCL | C.O_NOFOLLOW, mode & 0o700)
  try {
    // The umask took bits from what open asked for; set-id bits are taken by a later chown, which sets them again itself.
    await handle.chmod(mode)
    await writeAll(handle, bytes)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function overwrite(path: string, bytes: Uint8Array): Promise<void> {
  const handle = await fs.open(native(path), C.O_WRONLY | C.O_NOFOLLOW | C.O_NONBLOCK)
  try {
    if (!(await handle.stat()).isFile()) throw systemError("EINVAL", "not a regular file", path)
    await writeAll(handle, bytes)
    await handle.truncate(bytes.length)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** One write(2) may take less than it was given (a nearly full disk): goes on until all is taken or it throws. */
async function writeAll(handle: fs.FileHandle, bytes: Uint8Array): Promise<void> {
  let done = 0
  while (done < bytes.length) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, done)
    if (bytesWritten === 0) throw systemError("ENOSPC", "the disk takes no more", "")
    done += bytesWritten
  }
}

async function chmod(path: string, mode: number): Promise<void> {
  const stat = await lstat(path)
  if (stat?.kind !== "file" && stat?.kind !== "folder")
    throw systemError(stat ? "EINVAL" : "ENOENT", "no mode to set", path)
  await fs.chmod(native(path), mode)
}

async function copyOwner(from: string, to: string): Promise<readonly string[]> {
  const [source, target] = await Promise.all([lstat(from), lstat(to)])
  if (!source || !target) throw systemError("ENOENT", "nothing there", source ? to : from)
  if (source.uid === target.uid && source.gid === target.gid) return []
  try {
    await fs.lchown(native(to), source.uid, source.gid)
  } catch (error) {
    if (!isCode(error, "EPERM", "EINVAL", "ENOSYS", "ENOTSUP")) throw error
    return [`owner ${source.uid}:${source.gid}`]
  }
  // A change of owner clears the set-id bits.
  if (target.kind !== "symlink") await fs.chmod(native(to), target.mode)
  return []
}

async function copyIdentity(from: string, to: string): Promise<readonly string[]> {
  const target = await lstat(to)
  const lost = [...(await copyOwner(from, to)), ...(await copyAttributes(from, to))]
  // The copy of an ACL sets the mode of its source.
  if (target && target.kind !== "symlink") await fs.chmod(native(to), target.mode)
  return lost
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await fs.open(native(folder), C.O_RDONLY | C.O_DIRECTORY)
  try {
    await handle.sync()
  } catch (error) {
    // Some network and FUSE file systems have no fsync for folders; nothing more can be asked of them.
    if (!isCode(error, "EINVAL", "ENOTSUP", "EISDIR")) throw error
  } finally {
    await handle.close()
  }
}

async function writable(path: string): Promise<boolean> {
  try {
    const stat = await lstat(path)
    await fs.access(native(path), stat?.kind === "file" ? C.W_OK : C.W_OK | C.X_OK)
    return true
  } catch (error) {
    if (isCode(error, "EACCES", "EROFS", "EPERM", "ENOENT", "ENOTDIR")) return false
    throw error
  }
}

async function openFolder(root: string, folder: string): Promise<OpenFolder> {
  if (!onLinux) return openFolderByName(root, folder)
  let handle = await fs.open(native(root), oPath | C.O_DIRECTORY)
  for (const name of folder === "" ? [] : folder.split("/")) {
    const parent = handle
    try {
      handle = await fs.open(native(`/proc/self/fd/${parent.fd}/${name}`), oPath | C.O_DIRECTORY | C.O_NOFOLLOW)
    } finally {
      await parent.close()
    }
  }
  return { path: `/proc/self/fd/${handle.fd}`, close: () => handle.close() }
}

async function openFolderByName(root: string, folder: string): Promise<OpenFolder> {
  let path = root
  for (const name of folder === "" ? [] : folder.split("/")) {
    path = `${path}/${name}`
    const stat = await lstat(path)
    if (stat?.kind !== "folder") throw systemError(stat ? "ENOTDIR" : "ENOENT", "not a folder", path)
  }
  return { path, close: () => Promise.resolve() }
}

type Kinds = Pick<
  BigIntStats,
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

function statOf(stat: BigIntStats): Stat {
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
