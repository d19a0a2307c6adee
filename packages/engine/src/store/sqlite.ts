import type { Item } from "@galley/core/change/item.ts"
import { type Blobs, blobIdOf, missingBlobs, noneRecent, putBlobs, readKnown } from "./blobs.ts"
import { checkStore } from "./check.ts"
import { connect } from "./connection.ts"
import { finishPurges, purgeBlobs, removeBlobs } from "./purge.ts"
import { type RecentOperations, readItem, readItems, readOperation, readOperations, readSetting } from "./reads.ts"
import { idKey, list, one, pathKey } from "./rows.ts"
import type { Store } from "./store.ts"
import { keepHint } from "./trouble.ts"
import { plainWaits, type Waits } from "./waits.ts"
import { writeBatch } from "./write-batch.ts"

/** Contents kept in memory, in bytes. */
const recentLimit = 16 * 1024 * 1024

/**
 * Opens the store in `folder` (see `location.ts`), making it where there is none and ending what a crash left of a purge.
 *
 * A damaged database, a full or a read-only disk give a store that reads what can be read; its `trouble` says why and how
 * to keep the data. A database of a newer Galley is refused.
 */
export async function openSqliteStore(place: {
  readonly folder: string
  readonly env?: Waits
  readonly readOnly?: boolean
}): Promise<Store> {
  const connection = await connect(place.folder, place.env ?? plainWaits(), place.readOnly ?? false)
  const blobs: Blobs = { connection, recent: noneRecent(recentLimit) }
  if (connection.trouble === null) await endPurges(blobs)
  const recent: RecentOperations = { bySeq: new Map(), size: 0 }

  return {
    putBlobs: contents => putBlobs(blobs, contents),
    blob: id => readKnown(blobs, id),
    missingBlobs: ids => missingBlobs(blobs, ids),

    commit: batch => connection.write(sql => writeBatch(sql, batch)),

    item: path => connection.read(sql => readItem(sql, path)),
    items: query => connection.read((sql): readonly Item[] => readItems(sql, query)),
    operation: id => connection.read(sql => readOperation(sql, id)),
    operations: query => connection.read(sql => readOperations(sql, query, recent)),
    intents: () => connection.read(sql => list(sql, "intents", "ORDER BY n")),

    message: id => connection.read(sql => one(sql, "messages", id)),
    messages: conversation =>
      connection.read(sql =>
        conversation === undefined
          ? list(sql, "messages", "ORDER BY n")
          : list(sql, "messages", "WHERE conversation = ? ORDER BY n", idKey(conversation)),
      ),
    conversation: id => connection.read(sql => one(sql, "conversations", id)),
    conversations: () => connection.read(sql => list(sql, "conversations", "ORDER BY created_at DESC, n DESC")),

    waiting: () => connection.read(sql => list(sql, "waiting", "ORDER BY n")),
    notes: query =>
      connection.read(sql => {
        const delivered = query.undelivered === undefined ? "1" : `delivered = ${query.undelivered ? 0 : 1}`
        return query.path === undefined
          ? list(sql, "notes", `WHERE ${delivered} ORDER BY n`)
          : list(sql, "notes", `WHERE path = ? AND ${delivered} ORDER BY n`, pathKey(query.path))
      }),
    parked: () => connection.read(sql => list(sql, "parked", "ORDER BY n")),
    setting: key => connection.read(sql => readSetting(sql, key)),
    revision: () => connection.row("SELECT value FROM meta WHERE key = 'revision'").then(row => Number(row?.["value"])),

    purgeBlobs: ids => purgeBlobs(blobs, ids),
    removeBlobs: ids => removeBlobs(blobs, ids),
    blobSizes: () =>
      connection.read(sql =>
        sql
          .all("SELECT id, stored FROM blobs ORDER BY id")
          .map(row => ({ id: blobIdOf(row["id"]), storedBytes: Number(row["stored"]) })),
      ),
    check: () => checkStore(blobs),
    get readOnly() {
      return connection.trouble !== null
    },
    get trouble() {
      return connection.trouble === null
        ? null
        : { message: `The store is open for reading only: ${connection.trouble}`, hint: keepHint(place.folder) }
    },
    close: async () => connection.close(),
  }
}

/** Another process that reads just now may keep a purge from ending; that is no reason not to open. */
async function endPurges(blobs: Blobs): Promise<void> {
  const noted = await blobs.connection.read(sql => sql.get("SELECT 1 FROM purges LIMIT 1"))
  if (noted === undefined) return
  try {
    await finishPurges(blobs)
  } catch (error) {
    if (blobs.connection.trouble !== null) throw error
  }
}
