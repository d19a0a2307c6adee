import type { Charset } from "@galley/core/change/loaded.ts"
import { Failure } from "@galley/core/failure.ts"
import { parentOf, showPath, type WorkspacePath } from "@galley/core/path.ts"
import type { Env } from "../io/env.ts"
import type { Files } from "../io/files.ts"
import { blobIdOf } from "../io/hash.ts"
import { openRoot, type Root } from "../io/roots.ts"
import { errorCode, failureFrom } from "./disk-trouble.ts"
import type { CallContext, ToolFiles, ToolRead, ToolWrite, Version } from "./tool-files.ts"

export interface PlainToolFilesParts {
  readonly files: Files
  readonly env: Pick<Env, "newId">
  /** The folder that `workspace-write` may change. */
  readonly root: string
  /** Bytes; larger files are refused. */
  readonly limit?: number
  readonly charsetFor?: (path: string) => Promise<Charset | undefined>
}

/**
 * A bare disk as a tool's file system: no history, no review, each file replaced whole.
 *
 * `read-only` reads inside the root, `workspace-write` also writes there, `full-access` reads and writes anywhere. Paths are
 * resolved before policy is asked, and used through an opened folder, so that a symlink swapped in meanwhile leads nowhere.
 * A version is the SHA-256 of the bytes: a touched file has not changed. Changes of one process happen one after the other;
 * but between the last look at a file and its replacement another program's write is lost. A session closes this, not we.
 */
export async function plainToolFiles(parts: PlainToolFilesParts): Promise<ToolFiles> {
  const { files, env, limit = 64 << 20 } = parts
  const inside = await openRoot(files, parts.root)
  const everywhere = await openRoot(files, "/")
  const disk: PlainDisk = { files, env, limit }
  const inTurn = turns()

  return {
    root: inside.path,
    read: (path, call) => guarded(path, async () => readAt(disk, rootFor(call), await rootFor(call).resolve(path))),
    list: (path, call) =>
      guarded(path, async () => files.list(rootFor(call).absolute(await rootFor(call).resolve(path)))),
    charsetFor: async path => parts.charsetFor?.(path),
    write: (path, bytes, version, call) =>
      guarded(path, async () => {
        refuseReadOnly(path, call)
        const root = rootFor(call)
        return inTurn(async () => replaceAt(disk, root, await root.resolve(path), bytes, version, path))
      }),
    create: (path, bytes, call) =>
      guarded(path, async () => {
        refuseReadOnly(path, call)
        const root = rootFor(call)
        return inTurn(async () => createAt(disk, root, await root.resolveEntry(path), bytes))
      }),
  }

  function rootFor(call: CallContext): Root {
    switch (call.policy) {
      case "read-only":
      case "workspace-write":
        return inside
      case "full-access":
        return everywhere
    }
  }
}

interface PlainDisk {
  readonly files: Files
  readonly env: Pick<Env, "newId">
  readonly limit: number
}

/** Runs works one after the other, in the order they came, whatever becomes of each. */
function turns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return work => {
    const turn = last.then(work)
    last = turn.catch(() => undefined)
    return turn
  }
}

function refuseReadOnly(path: string, call: CallContext): void {
  if (call.policy === "read-only")
    throw new Failure("DENIED", `${showPath(path)} was not changed: this session is read-only.`)
}

async function readAt(disk: PlainDisk, root: Root, path: WorkspacePath): Promise<ToolRead> {
  if (path === "") return { kind: "folder" }
  return inFolder(disk, root, path, place => look(disk, place)).catch((error: unknown) => {
    if (["ENOENT", "ENOTDIR"].includes(errorCode(error))) return { kind: "absent" }
    throw error
  })
}

async function look({ files, limit }: PlainDisk, place: string): Promise<ToolRead> {
  const stat = await files.lstat(place)
  switch (stat?.kind) {
    case undefined:
    // A symlink here was swapped in after the path was resolved: what it named is gone.
    case "symlink":
      return { kind: "absent" }
    case "folder":
      return { kind: "folder" }
    case "fifo":
    case "socket":
    case "device":
      return { kind: "special", what: stat.kind }
    case "file": {
      const read = await files.read(place, limit)
      return read === "tooLarge"
        ? { kind: "tooLarge", limit }
        : { kind: "file", bytes: read.bytes, version: blobIdOf(read.bytes) }
    }
  }
}

async function replaceAt(
  disk: PlainDisk,
  root: Root,
  path: WorkspacePath,
  bytes: Uint8Array,
  version: Version,
  given: string,
): Promise<ToolWrite> {
  const { files } = disk
  if (path === "") return { kind: "changed" }
  return inFolder(disk, root, path, async (place, folder) => {
    const now = await look(disk, place)
    if (now.kind !== "file" || now.version !== version) return { kind: "changed" }
    if (!(await files.writable(place)))
      throw new Failure("DENIED", `${showPath(given)} is write-protected. Nothing was changed.`)
    const stat = await files.lstat(place)
    if (stat === null) return { kind: "changed" }
    if (stat.links > 1 || !(await files.writable(`${folder}/`)))
      await overwriteOrRestore(files, place, bytes, now.bytes)
    else await replaceByRename(disk, folder, place, bytes, stat.mode)
    return { kind: "written", version: blobIdOf(bytes), ...(await durable(files, folder)) }
  })
}

async function createAt(disk: PlainDisk, root: Root, path: WorkspacePath, bytes: Uint8Array): Promise<ToolWrite> {
  const { files } = disk
  const there = await files.lstat(root.absolute(path))
  if (path === "" || there !== null) return { kind: "exists", what: there?.kind ?? "folder" }
  const made = await makeParents(disk, root, parentOf(path))
  try {
    return await inFolder(disk, root, path, async (place, folder) => {
      const exists = await createWhole(disk, folder, place, bytes)
      return exists ?? { kind: "written", version: blobIdOf(bytes), ...(await durable(files, folder)) }
    })
  } catch (error) {
    for (const folder of made.toReversed()) await files.removeFolder(root.absolute(folder)).catch(() => undefined)
    throw error
  }
}

/** Makes the folders that are missing, each inside its opened parent; returns them outermost first. */
async function makeParents(disk: PlainDisk, root: Root, folder: string): Promise<readonly string[]> {
  if (folder === "") return []
  const { files } = disk
  const stat = await files.lstat(root.absolute(folder))
  if (stat?.kind === "folder") return []
  if (stat !== null)
    throw new Failure(
      "BAD_ARGUMENT",
      `${showPath(root.absolute(folder))} is no directory, so nothing can be made in it.`,
    )
  const above = await makeParents(disk, root, parentOf(folder))
  try {
    await inFolder(disk, root, folder, place => files.makeFolder(place, 0o777))
  } catch (error) {
    if (errorCode(error) === "EEXIST") return above
    for (const made of above.toReversed()) await files.removeFolder(root.absolute(made)).catch(() => undefined)
    throw error
  }
  return [...above, folder]
}

/** Writes under another name and links that to the right one, so that the file appears whole and replaces nothing. */
async function createWhole(
  { files, env }: PlainDisk,
  folder: string,
  place: string,
  bytes: Uint8Array,
): Promise<ToolWrite | null> {
  const staged = `${folder}/.galley-${env.newId()}`
  try {
    await files.create(staged, bytes, 0o666 & ~files.umask)
    await files.link(staged, place)
    return null
  } catch (error) {
    if (errorCode(error) === "EEXIST") return { kind: "exists", what: (await files.lstat(place))?.kind ?? "file" }
    throw error
  } finally {
    await files.unlink(staged).catch(() => undefined)
  }
}

async function replaceByRename(
  { files, env }: PlainDisk,
  folder: string,
  place: string,
  bytes: Uint8Array,
  mode: number,
): Promise<void> {
  const staged = `${folder}/.galley-${env.newId()}`
  try {
    await files.create(staged, bytes, mode)
    await files.copyIdentity(place, staged)
    await files.rename(staged, place)
  } catch (error) {
    await files.unlink(staged).catch(() => undefined)
    throw error
  }
}

async function overwriteOrRestore(files: Files, place: string, bytes: Uint8Array, before: Uint8Array): Promise<void> {
  try {
    await files.overwrite(place, bytes)
  } catch (error) {
    await files.overwrite(place, before)
    throw error
  }
}

/** The file is there by now: that its name may not outlive a power cut is told, not thrown. */
async function durable(files: Files, folder: string): Promise<{ readonly remark?: string }> {
  try {
    await files.syncFolder(folder)
    return {}
  } catch {
    return { remark: "The disk did not confirm that the change would survive a power cut." }
  }
}

async function inFolder<T>(
  { files }: PlainDisk,
  root: Root,
  path: WorkspacePath,
  work: (place: string, folder: string) => Promise<T>,
): Promise<T> {
  const opened = await files.openFolder(root.path, parentOf(path))
  try {
    return await work(`${opened.path}/${path.slice(path.lastIndexOf("/") + 1)}`, opened.path)
  } finally {
    await opened.close()
  }
}

/** Says a system's error as something to act on; what is none comes through as it is. */
async function guarded<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Failure) throw error
    throw failureFrom(error, `Nothing was changed at ${showPath(path)}.`) ?? error
  }
}
