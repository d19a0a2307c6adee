import { join } from "node:path"
import { Failure } from "@galley/core/failure.ts"
import type { BlobId } from "@galley/core/state.ts"
import {
  absentAmong,
  type Blobs,
  blobIdOf,
  blobKey,
  forgetRecent,
  insertPacked,
  loosePath,
  prepare,
  readBlob,
} from "./blobs.ts"
import type { Sql } from "./connection.ts"
import {
  changedAt,
  moveAside,
  namesIn,
  privateFile,
  privateFolder,
  removeIfThere,
  scrub,
  shardedFiles,
} from "./disk.ts"
import { storeFailure } from "./trouble.ts"

/** How long, in slept milliseconds, readers of other processes may keep the WAL from being emptied. */
const walPatience = 10_000

/**
 * Forgets contents for good. The order survives a crash at any point: first everything that was packed with them as
 * dictionary is packed anew, then rows go and the purge is noted in one transaction, then files are scrubbed and WAL and
 * free pages emptied, then the note goes. `finishPurges` at the next start does what is left.
 */
export async function purgeBlobs(blobs: Blobs, ids: readonly BlobId[]): Promise<void> {
  await forget(blobs, ids, "scrub")
  await finishPurges(blobs)
}

/** Drops contents that nothing refers to any more; the space is reused, nothing is scrubbed. */
export async function removeBlobs(blobs: Blobs, ids: readonly BlobId[]): Promise<void> {
  const { connection } = blobs
  await forget(blobs, ids, "drop")
  // In a transaction, because who puts such a content again moves its file and writes its row in one.
  await connection.write(sql => {
    for (const id of absentAmong(sql, ids)) removeIfThere(loosePath(connection.folder, id))
    sweep(sql, connection.folder)
  })
}

/** Ends purges that were begun here or by a process that died. */
export async function finishPurges(blobs: Blobs): Promise<void> {
  const { connection } = blobs
  const noted = await connection.read(sql => sql.all("SELECT id FROM purges").map(row => blobIdOf(row["id"])))
  if (noted.length === 0) return
  try {
    for (const id of noted) await scrubFiles(blobs, id)
  } catch (error) {
    throw storeFailure(error, connection.folder)
  }
  await emptyJournal(blobs)
  await connection.write(sql => {
    for (const id of noted) sql.run("DELETE FROM purges WHERE id = ?", blobKey(id))
  })
}

async function forget(blobs: Blobs, ids: readonly BlobId[], how: "scrub" | "drop"): Promise<void> {
  const { connection, recent } = blobs
  connection.assertWritable()
  const going = new Set(ids)
  for (const id of going) forgetRecent(recent, id)
  const lost = new Set<BlobId>()
  for (;;) {
    // Another process may pack one more with them while we work, so the last look is inside the deleting transaction.
    const leaning = await connection.write(sql => {
      const left = dependants(sql, going).filter(id => !lost.has(id))
      if (left.length > 0) return left
      for (const id of going) {
        sql.run("DELETE FROM blobs WHERE id = ?", blobKey(id))
        if (how === "scrub") sql.run("INSERT OR IGNORE INTO purges VALUES (?)", blobKey(id))
      }
      sql.run("UPDATE meta SET value = value + 1 WHERE key = 'revision'")
      return []
    })
    if (leaning.length === 0) return
    for (const id of leaning) if (!(await repack(blobs, id))) lost.add(id)
  }
}

/** Packs a content anew without a dictionary; false where it cannot be read, so that there is nothing left to save. */
async function repack(blobs: Blobs, id: BlobId): Promise<boolean> {
  const { connection } = blobs
  let bytes: Uint8Array
  try {
    bytes = await readBlob(blobs, id, null)
  } catch (error) {
    if (error instanceof Failure) return false
    throw error
  }
  const packed = await prepare(blobs, id, bytes, null)
  try {
    await connection.write(sql => {
      // Forgotten by somebody else meanwhile: it must not come back.
      if (absentAmong(sql, [id]).length === 0) insertPacked(sql, connection.folder, packed, 0)
    })
    // The former frame was a file and the new one is a row; only once that is durable may the file go.
    if (packed.temp === null)
      await connection.write(sql => {
        const row = sql.get("SELECT frame IS NULL AS loose FROM blobs WHERE id = ?", blobKey(id))
        if (row === undefined || row["loose"] === 0) removeIfThere(loosePath(connection.folder, id))
      })
  } finally {
    if (packed.temp !== null) removeIfThere(packed.temp)
  }
  return true
}

function dependants(sql: Sql, going: ReadonlySet<BlobId>): BlobId[] {
  return [...going]
    .flatMap(id => sql.all("SELECT id FROM blobs WHERE base = ?", blobKey(id)).map(row => blobIdOf(row["id"])))
    .filter(id => !going.has(id))
}

/**
 * The loose file, and left-overs of writers that died. They are first moved aside in a transaction: a content that is put again
 * meanwhile gets a file of its own, which is not touched, and a staged file that is taken from its writer is staged again.
 */
async function scrubFiles({ connection }: Blobs, id: BlobId): Promise<void> {
  const temporary = join(connection.folder, "blobs", "tmp")
  const aside = `${id}.purged.`
  await connection.write(sql => {
    if (absentAmong(sql, [id]).length === 0) return
    moveAside(loosePath(connection.folder, id), join(temporary, aside + connection.waits.newId()))
    for (const name of namesIn(temporary))
      if (name.startsWith(`${id}.`) && !name.startsWith(aside))
        moveAside(join(temporary, name), join(temporary, aside + connection.waits.newId()))
  })
  for (const name of namesIn(temporary)) if (name.startsWith(aside)) await scrub(join(temporary, name))
}

/** Staged and loose files of writers that died before their row. An hour on the disk's own clock keeps those at work. */
function sweep(sql: Sql, folder: string): void {
  const temporary = join(folder, "blobs", "tmp")
  const probe = join(temporary, "clock")
  privateFolder(temporary)
  removeIfThere(probe)
  privateFile(probe)
  const old = (path: string) => (changedAt(path) ?? Infinity) < (changedAt(probe) ?? 0) - 3_600_000
  for (const name of namesIn(temporary)) if (old(join(temporary, name))) removeIfThere(join(temporary, name))
  for (const path of shardedFiles(join(folder, "blobs"))) {
    const id = path.slice(join(folder, "blobs").length).replaceAll("/", "")
    if (/^[0-9a-f]{64}$/.test(id) && old(path) && absentAmong(sql, [id]).length > 0) removeIfThere(path)
  }
  removeIfThere(probe)
}

/** Deleted rows are zeroed already (`secure_delete`); what is left of them is in the WAL and in pages not yet given back. */
async function emptyJournal({ connection }: Blobs): Promise<void> {
  const emptied =
    (await connection.outside(truncateJournal, walPatience)) &&
    (await connection.outside(sql => sql.run("VACUUM") >= 0, walPatience)) &&
    (await connection.outside(truncateJournal, walPatience))
  if (!emptied)
    throw new Failure(
      "STORE_FAILED",
      "The contents are forgotten, but another process is reading, so the database's journal still holds them.",
      "Close other Galley processes and start any command: it ends the purge.",
    )
}

function truncateJournal(sql: Sql): boolean {
  return Number(sql.get("PRAGMA wal_checkpoint(TRUNCATE)")?.["busy"]) === 0
}
