import { Failure } from "@galley/core/failure.ts"
import { showPath } from "@galley/core/path.ts"
import { absentAmong, type Blobs, blobIdOf, noneRecent, readBlob } from "./blobs.ts"
import type { Sql } from "./connection.ts"
import { blobsOfItem, blobsOfOperation } from "./references.ts"
import { type ListTable, list, pathKey, unseal } from "./rows.ts"

const listTables: readonly ListTable[] = ["intents", "conversations", "messages", "waiting", "notes", "parked"]

/** Looks through everything for damage and tells it in sentences; the numbers are those of FORMAT.md's rules. */
export async function checkStore(blobs: Blobs): Promise<string[]> {
  const { connection } = blobs
  if (!connection.readable) return [`The database cannot be read: ${connection.trouble}`]
  const found: string[] = []
  await noting(found, "database", async () => {
    for (const row of await connection.read(sql => sql.all("PRAGMA integrity_check(20)"))) {
      const text = String(row["integrity_check"])
      if (text !== "ok") found.push(`The database fails its own check: ${text}`)
    }
  })
  for (const table of listTables)
    await noting(found, table, async () => void (await connection.read(sql => list(sql, table, "ORDER BY n"))))
  await noting(found, "operations", () => connection.read(sql => checkLog(sql, found)))
  await noting(found, "items", () => connection.read(sql => checkItems(sql, found)))
  await noting(found, "blobs", () => checkBlobs(blobs, found))
  return found
}

function checkLog(sql: Sql, found: string[]): void {
  let expected = 0
  for (const row of sql.all("SELECT seq, body, sum FROM operations ORDER BY seq")) {
    const seq = Number(row["seq"])
    if (seq !== ++expected) found.push(`Operation ${expected} is missing from the log (O1).`)
    expected = seq
    try {
      const operation = unseal(row, "operations")
      if (operation.seq !== seq) found.push(`Operation ${seq} says it is operation ${operation.seq} (O2).`)
      for (const { path } of operation.changes)
        if (sql.get("SELECT 1 FROM operation_paths WHERE path = ? AND seq = ?", pathKey(path), seq) === undefined)
          found.push(`Operation ${seq} is not listed under ${showPath(path)} (O4).`)
      for (const id of absentAmong(sql, blobsOfOperation(operation)))
        found.push(`Operation ${seq} refers to the content ${id}, which is not there (O5).`)
    } catch (error) {
      found.push(`Operation ${seq} is damaged (O3): ${sentence(error)}`)
    }
  }
}

function checkItems(sql: Sql, found: string[]): void {
  for (const row of sql.all("SELECT path, body, sum FROM items")) {
    try {
      const item = unseal(row, "items")
      if (Buffer.compare(row["path"] as Uint8Array, pathKey(item.path)) !== 0)
        found.push(`The item of ${showPath(item.path)} stands under another path (I1).`)
      for (const id of absentAmong(sql, blobsOfItem(item)))
        found.push(`The item of ${showPath(item.path)} refers to the content ${id}, which is not there (I3).`)
    } catch (error) {
      found.push(`An item is damaged (I2): ${sentence(error)}`)
    }
  }
}

async function checkBlobs(blobs: Blobs, found: string[]): Promise<void> {
  const rows = await blobs.connection.read(sql => sql.all("SELECT id FROM blobs ORDER BY n"))
  // Bases come before what leans on them, so nearly every chain is one step long.
  const known = noneRecent(64 * 1024 * 1024)
  for (const row of rows) {
    try {
      await readBlob(blobs, blobIdOf(row["id"]), known)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      found.push(`${error.message} (B1)`)
    }
  }
}

async function noting(found: string[], what: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    found.push(`Looking through ${what} failed: ${error.message}`)
  }
}

function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
