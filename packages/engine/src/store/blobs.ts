import { createHash } from "node:crypto"
import { join } from "node:path"
import { Failure } from "@galley/core/failure.ts"
import type { BlobId } from "@galley/core/state.ts"
import type { Connection, Row, Sql } from "./connection.ts"
import { moveDurably, privateFolder, readIfThere, removeIfThere, sizeIfThere, stage } from "./disk.ts"
import { baseOf, type Frame, pack, unpack } from "./frame.ts"
import { keepHint, storeFailure } from "./trouble.ts"

/** Frames below this many bytes are rows; larger ones are files (`reference/libraries.md` §1: rows win at 1 KB, files at 100 KB). */
export const inlineBelow = 64 * 1024
/** Frames that must be read for one content, at most. */
export const longestChain = 32
/** Bytes that must be unpacked for one content, at most: 32 links of up to 8 MB, but 4 of a 64 MB file. */
const longestUnpacking = 256 * 1024 * 1024
/** Bound of a content whose row, and so whose size, cannot be read. */
const largestUnlisted = 1 << 30

/** The contents of one open store. */
export interface Blobs {
  readonly connection: Connection
  /** Contents met lately: the next delta's base, or {@link readKnown}'s answer once its hash is seen to be right. */
  readonly recent: Recent
}

/** A content packed and, where it is large, staged as a temporary file; a row is all that is missing. */
export interface Packed {
  readonly id: BlobId
  readonly size: number
  readonly stored: number
  readonly base: BlobId | null
  readonly frame: Frame | null
  readonly temp: string | null
}

export type NewBlob = { readonly bytes: Uint8Array; readonly near?: BlobId }

export function hashOf(bytes: Uint8Array): BlobId {
  return createHash("sha256").update(bytes).digest("hex")
}

export function blobKey(id: BlobId): Uint8Array {
  return Buffer.from(id, "hex")
}

export function blobIdOf(value: Row[string] | undefined): BlobId {
  return value instanceof Uint8Array ? Buffer.from(value).toString("hex") : ""
}

export function loosePath(folder: string, id: BlobId): string {
  return join(folder, "blobs", id.slice(0, 2), id.slice(2))
}

/** Keeps contents; all durable with the next commit. Groups bound what is held in memory. */
export async function putBlobs(blobs: Blobs, contents: readonly NewBlob[]): Promise<BlobId[]> {
  blobs.connection.assertWritable()
  const ids = contents.map(content => hashOf(content.bytes))
  const absent = new Set(await missingBlobs(blobs, ids))
  let group: { readonly id: BlobId; readonly content: NewBlob }[] = []
  let bytes = 0
  for (const [at, content] of contents.entries()) {
    const id = ids[at] ?? ""
    if (!absent.delete(id)) continue
    group.push({ id, content })
    bytes += content.bytes.length
    if (bytes < 8 * 1024 * 1024 && group.length < 500) continue
    await putGroup(blobs, group)
    group = []
    bytes = 0
  }
  if (group.length > 0) await putGroup(blobs, group)
  for (const [at, content] of contents.entries()) remember(blobs.recent, ids[at] ?? "", content.bytes.slice())
  return ids
}

/** The content, verified. Read again once when it fails: a purge may have packed it anew in between. */
export async function readBlob(blobs: Blobs, id: BlobId, known: Recent | null): Promise<Uint8Array> {
  try {
    return await readChain(blobs, id, known)
  } catch {
    try {
      return await readChain(blobs, id, null)
    } catch (error) {
      throw storeFailure(error, blobs.connection.folder)
    }
  }
}

/**
 * The content, from memory where it was met lately: verified all the same, and only while its row stands, so that what another process
 * purged is not there any more.
 */
export async function readKnown(blobs: Blobs, id: BlobId): Promise<Uint8Array> {
  const { connection, recent } = blobs
  const known = recent.contents.get(id)
  const stands =
    known !== undefined &&
    connection.readable &&
    (await connection.row("SELECT 1 FROM blobs WHERE id = ?", blobKey(id))) !== undefined
  const bytes = stands && hashOf(known) === id ? known : await readBlob(blobs, id, null)
  remember(recent, id, bytes)
  return bytes.slice()
}

export async function missingBlobs({ connection }: Blobs, ids: readonly BlobId[]): Promise<BlobId[]> {
  if (ids.length === 0) return []
  return connection.read(sql => absentAmong(sql, ids))
}

export function absentAmong(sql: Sql, ids: Iterable<BlobId>): BlobId[] {
  return [...new Set(ids)].filter(id => sql.get("SELECT 1 FROM blobs WHERE id = ?", blobKey(id)) === undefined)
}

/** Packs a content and stages it where it is large. `base` must be a content of this store. */
export async function prepare(
  { connection }: Blobs,
  id: BlobId,
  bytes: Uint8Array,
  base: { readonly id: BlobId; readonly bytes: Uint8Array } | null,
): Promise<Packed> {
  const packed = await pack(bytes, base)
  const common = { id, size: bytes.length, stored: packed.frame.length, base: packed.base }
  if (packed.frame.length < inlineBelow) return { ...common, frame: packed.frame, temp: null }
  const folder = join(connection.folder, "blobs", "tmp")
  const temp = join(folder, `${id}.${process.pid}.${connection.waits.newId()}`)
  try {
    privateFolder(folder)
    await stage(temp, packed.frame)
  } catch (error) {
    throw storeFailure(error, connection.folder)
  }
  return { ...common, frame: null, temp }
}

/**
 * Puts the staged file in place and writes the row. Within the transaction, so that of two processes with the same content
 * one finds the other's row, and file and row always belong together.
 */
export function insertPacked(sql: Sql, folder: string, packed: Packed, depth: number): void {
  if (packed.temp !== null) moveDurably(packed.temp, loosePath(folder, packed.id))
  sql.run(
    `INSERT INTO blobs (id, base, depth, size, stored, frame) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET base = excluded.base, depth = excluded.depth, stored = excluded.stored, frame = excluded.frame`,
    blobKey(packed.id),
    packed.base === null ? null : blobKey(packed.base),
    depth,
    packed.size,
    packed.stored,
    packed.frame,
  )
}

async function putGroup(blobs: Blobs, group: readonly { readonly id: BlobId; readonly content: NewBlob }[]) {
  const { connection } = blobs
  const staged: Packed[] = []
  const inGroup = new Map<BlobId, { readonly bytes: Uint8Array; readonly depth: number }>()
  try {
    for (const { id, content } of group) {
      const base =
        content.near === undefined ? null : await findBase(blobs, content.near, content.bytes.length, inGroup)
      const packed = await prepare(blobs, id, content.bytes, base)
      staged.push(packed)
      inGroup.set(id, { bytes: content.bytes, depth: packed.base === null ? 0 : (base?.depth ?? 0) + 1 })
    }
    const orphans = await connection.writeAhead(sql => insertGroup(sql, connection.folder, staged))
    // A base was purged or packed anew meanwhile: what leaned on it is kept whole.
    for (const id of orphans) {
      const content = inGroup.get(id)
      if (content === undefined) continue
      const packed = await prepare(blobs, id, content.bytes, null)
      staged.push(packed)
      await connection.writeAhead(sql => insertGroup(sql, connection.folder, [packed]))
    }
  } finally {
    for (const { temp } of staged) if (temp !== null) removeIfThere(temp)
  }
}

/** Answers those that could not be inserted: their base is gone, its chain grew too long, or a purge took the staged file. */
function insertGroup(sql: Sql, folder: string, group: readonly Packed[]): BlobId[] {
  const orphans: BlobId[] = []
  for (const packed of group) {
    if (sql.get("SELECT 1 FROM blobs WHERE id = ?", blobKey(packed.id)) !== undefined) continue
    const depth = packed.base === null ? 0 : (depthOf(sql, packed.base) ?? longestChain) + 1
    if (depth >= longestChain || (packed.temp !== null && sizeIfThere(packed.temp) === null)) orphans.push(packed.id)
    else {
      insertPacked(sql, folder, packed, depth)
      // A content that is wanted again is no longer to be scrubbed.
      sql.run("DELETE FROM purges WHERE id = ?", blobKey(packed.id))
    }
  }
  return orphans
}

async function findBase(
  blobs: Blobs,
  near: BlobId,
  size: number,
  inGroup: ReadonlyMap<BlobId, { readonly bytes: Uint8Array; readonly depth: number }>,
) {
  const sibling = inGroup.get(near)
  const depth = sibling?.depth ?? (await blobs.connection.read(sql => depthOf(sql, near)))
  if (depth === null || depth + 1 >= longestChain || (depth + 2) * size > longestUnpacking) return null
  const bytes = sibling?.bytes ?? blobs.recent.contents.get(near)
  if (bytes !== undefined) return { id: near, bytes, depth }
  try {
    return { id: near, bytes: await readBlob(blobs, near, null), depth }
  } catch (error) {
    // A damaged neighbour is no reason to lose a sound content: it is kept whole.
    if (error instanceof Failure) return null
    throw error
  }
}

function depthOf(sql: Sql, id: BlobId): number | null {
  const row = sql.get("SELECT depth FROM blobs WHERE id = ?", blobKey(id))
  return row === undefined ? null : Number(row["depth"])
}

async function readChain(blobs: Blobs, id: BlobId, known: Recent | null): Promise<Uint8Array> {
  const { folder } = blobs.connection
  const chain: { readonly id: BlobId; readonly frame: Frame; readonly base: BlobId | null; readonly size: number }[] =
    []
  let bytes: Uint8Array | null = null
  for (let at: BlobId | null = id; at !== null && bytes === null; ) {
    const { frame, size } = await loadFrame(blobs, at, id)
    const base: BlobId | null | undefined = baseOf(frame)
    if (base === undefined || chain.length >= longestChain) throw damaged(id, folder)
    chain.push({ id: at, frame, base, size })
    at = base
    if (at !== null) bytes = known?.contents.get(at) ?? null
  }
  for (const link of chain.reverse()) {
    try {
      bytes = await unpack(link.frame, link.base === null ? null : bytes, link.size)
    } catch {
      throw damaged(id, folder)
    }
    if (known !== null && link.id !== id) remember(known, link.id, bytes)
  }
  if (bytes === null || hashOf(bytes) !== id) throw damaged(id, folder)
  if (known !== null) remember(known, id, bytes)
  return bytes
}

async function loadFrame({ connection }: Blobs, id: BlobId, wanted: BlobId) {
  const row = connection.readable
    ? await connection.row("SELECT frame, size FROM blobs WHERE id = ?", blobKey(id))
    : { frame: null, size: largestUnlisted }
  const inline = row?.["frame"]
  const size = Number(row?.["size"] ?? 0)
  if (inline instanceof Uint8Array) return { frame: inline, size }
  const frame = row === undefined ? null : await readIfThere(loosePath(connection.folder, id))
  if (frame !== null) return { frame, size }
  const leaning = id === wanted ? "" : ` (on which ${wanted} depends)`
  throw new Failure("STORE_FAILED", `The content ${id}${leaning} is not in the store.`, keepHint(connection.folder))
}

function damaged(id: BlobId, folder: string): Failure {
  return new Failure("STORE_FAILED", `The content ${id} is damaged; it was not used.`, keepHint(folder))
}

/** Contents by id, the least lately used dropped first. */
export interface Recent {
  readonly contents: Map<BlobId, Uint8Array>
  /** Bytes. */
  readonly limit: number
  held: number
}

export function noneRecent(limit: number): Recent {
  return { contents: new Map(), limit, held: 0 }
}

export function forgetRecent(recent: Recent, id: BlobId): void {
  recent.held -= recent.contents.get(id)?.length ?? 0
  recent.contents.delete(id)
}

function remember(recent: Recent, id: BlobId, bytes: Uint8Array): void {
  forgetRecent(recent, id)
  if (bytes.length > recent.limit) return
  recent.contents.set(id, bytes)
  recent.held += bytes.length
  for (const oldest of recent.contents.keys()) {
    if (recent.held <= recent.limit) break
    forgetRecent(recent, oldest)
  }
}
