import { constants } from "node:fs"
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from "node:fs"
import { type FileHandle, open, readFile } from "node:fs/promises"
import { dirname, join } from "node:path"

/**
 * The store's own files. The only place in `store/` that uses `node:fs`: `io/` is about the person's files and knows nothing
 * of owner-only folders or of scrubbing.
 *
 * A file that SQLite has open is never opened here: closing any descriptor of it would drop SQLite's POSIX locks
 * (sqlite.org/howtocorrupt.html §2.2). `stat`, `chmod` and exclusive creation are safe.
 */

/** Makes the folder and its missing parents, owner-only, durable in its parent; tightens the mode of an existing one. */
export function privateFolder(folder: string): void {
  const missing: string[] = []
  for (let at = folder; !existsSync(at); at = dirname(at)) missing.unshift(at)
  for (const made of missing) {
    mkdirSync(made, { mode: 0o700, recursive: true })
    syncFolder(dirname(made))
  }
  if ((statSync(folder).mode & 0o077) !== 0) chmodSync(folder, 0o700)
}

/** Makes an empty owner-only file where there is none, so that SQLite's WAL and SHM get the same mode; tightens an existing one. */
export function privateFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600))
    syncFolder(dirname(path))
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error
    tighten(path)
  }
}

/** Writes a new file and makes its content durable; its name is made durable by {@link moveDurably}. */
export async function stage(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600)
  try {
    await writeAll(file, bytes)
    await file.sync()
  } catch (error) {
    await file.close()
    removeIfThere(path)
    throw error
  }
  await file.close()
}

/** Renames and makes the new name durable. Synchronous: it runs inside a transaction. */
export function moveDurably(from: string, to: string): void {
  const made = mkdirSync(dirname(to), { mode: 0o700, recursive: true })
  if (made !== undefined) syncFolder(dirname(made))
  renameSync(from, to)
  syncFolder(dirname(to))
}

/** Replaces a small file whole; readers see the old or the new one. */
export function replaceFile(path: string, text: string, suffix: string): void {
  const temp = `${path}.${suffix}`
  const file = openSync(temp, "wx", 0o600)
  try {
    writeSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  moveDurably(temp, path)
}

/**
 * Overwrites with zeros before unlinking. On a copy-on-write or log-structured disk the old blocks may survive below the file
 * system; nothing a program can do there.
 */
export async function scrub(path: string): Promise<void> {
  let file: FileHandle
  try {
    file = await open(path, constants.O_WRONLY | constants.O_NOFOLLOW)
  } catch (error) {
    if (hasCode(error, "ENOENT")) return
    throw error
  }
  try {
    const zeros = Buffer.alloc(64 * 1024)
    const { size } = await file.stat()
    for (let at = 0; at < size; at += zeros.length) await file.write(zeros, 0, Math.min(zeros.length, size - at), at)
    await file.sync()
  } finally {
    await file.close()
  }
  removeIfThere(path)
  syncFolder(dirname(path))
}

/** The content; null where nothing stands. */
export async function readIfThere(path: string): Promise<Uint8Array | null> {
  try {
    return await readFile(path)
  } catch (error) {
    if (hasCode(error, "ENOENT") || hasCode(error, "ENOTDIR")) return null
    throw error
  }
}

export function readTextIfThere(path: string): string | null {
  try {
    return readFileSync(path, "utf8")
  } catch (error) {
    if (hasCode(error, "ENOENT") || hasCode(error, "ENOTDIR")) return null
    throw error
  }
}

/** Bytes; null where nothing stands. Does not open the file. */
export function sizeIfThere(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.size ?? null
}

/** Names, sorted; none where there is no folder. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch (error) {
    if (hasCode(error, "ENOENT")) return []
    throw error
  }
}

/** Makes an existing file owner-only. */
export function tighten(path: string): void {
  try {
    if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600)
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error
  }
}

/** Milliseconds on the file system's clock; null where nothing stands. */
export function changedAt(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? null
}

/** Out of the way under another name; nothing where nothing stands. */
export function moveAside(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error
  }
}

export function removeIfThere(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error
  }
}

/** Which folder this is, whatever it is called. `born` is null where the file system does not keep it. */
export interface FolderIdentity {
  readonly path: string
  readonly dev: string
  readonly ino: string
  readonly born: string | null
}

/** The folder's real path and identity; null where no folder stands. */
export function identify(folder: string): FolderIdentity | null {
  const stat = statSync(folder, { bigint: true, throwIfNoEntry: false })
  if (stat === undefined || !stat.isDirectory()) return null
  const born = stat.birthtimeNs > 0n ? String(stat.birthtimeNs) : null
  return { path: realpathSync(folder), dev: String(stat.dev), ino: String(stat.ino), born }
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at, bytes.length - at)).bytesWritten
}

/** Every loose file under a folder sharded by two characters, as full paths. */
export function shardedFiles(folder: string): string[] {
  return namesIn(folder).flatMap(shard => namesIn(join(folder, shard)).map(name => join(folder, shard, name)))
}
