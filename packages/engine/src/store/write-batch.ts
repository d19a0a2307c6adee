import { isPending } from "@galley/core/change/item.ts"
import { Failure } from "@galley/core/failure.ts"
import type { Operation } from "@galley/core/history/operation.ts"
import { absentAmong } from "./blobs.ts"
import type { Sql } from "./connection.ts"
import { blobsOfBatch } from "./references.ts"
import { idKey, pathKey, remove, seal, upsert } from "./rows.ts"
import type { Batch } from "./store.ts"

/** Writes everything of a batch. Runs inside one transaction: what it throws leaves nothing behind. */
export function writeBatch(sql: Sql, batch: Batch): void {
  refuseMissing(absentAmong(sql, blobsOfBatch(batch)))
  for (const redacted of batch.redacted ?? []) replaceOperation(sql, redacted)
  let seq = lastSeq(sql)
  for (const operation of batch.operations ?? []) appendOperation(sql, { ...operation, seq: ++seq })
  if (batch.settle !== undefined && remove(sql, "intents", batch.settle) === 0) throw unknownIntent(batch.settle)
  if (batch.begin !== undefined) upsert(sql, "intents", batch.begin.id, batch.begin, {})

  for (const path of batch.forget ?? []) sql.run("DELETE FROM items WHERE path = ?", pathKey(path))
  for (const item of batch.items ?? []) {
    const { body, sum } = seal(item)
    sql.run(
      `INSERT INTO items (path, pending, body, sum) VALUES (?, ?, ?, ?)
       ON CONFLICT (path) DO UPDATE SET pending = excluded.pending, body = excluded.body, sum = excluded.sum`,
      pathKey(item.path),
      isPending(item) ? 1 : 0,
      body,
      sum,
    )
  }
  for (const conversation of batch.conversations ?? [])
    upsert(sql, "conversations", conversation.id, conversation, { created_at: conversation.createdAt })
  for (const message of batch.messages ?? [])
    upsert(sql, "messages", message.id, message, { conversation: idKey(message.conversation) })
  for (const id of batch.waitingDone ?? []) remove(sql, "waiting", id)
  for (const waiting of batch.waiting ?? []) upsert(sql, "waiting", waiting.id, waiting, {})
  for (const note of batch.notes ?? [])
    upsert(sql, "notes", note.id, note, {
      path: note.path === null ? null : pathKey(note.path),
      delivered: note.deliveredAt === null ? 0 : 1,
    })
  for (const id of batch.unparked ?? []) remove(sql, "parked", id)
  for (const parked of batch.parked ?? []) upsert(sql, "parked", parked.id, parked, {})
  for (const [key, value] of Object.entries(batch.settings ?? {})) writeSetting(sql, key, value)
  sql.run("UPDATE meta SET value = value + 1 WHERE key = 'revision'")
}

export function refuseMissing(missing: readonly string[]): void {
  if (missing.length > 0)
    throw new Failure(
      "STORE_FAILED",
      `The store refused facts about contents it does not hold (${missing.slice(0, 3).join(", ")}); nothing was changed.`,
      "Keep the contents first (putBlobs).",
    )
}

export function unknownIntent(id: string): Error {
  return new Error(`BUG: the intent ${id} is not there; it was settled before`)
}

function lastSeq(sql: Sql): number {
  return Number(sql.get("SELECT max(seq) AS seq FROM operations")?.["seq"] ?? 0)
}

function appendOperation(sql: Sql, operation: Operation): void {
  if (sql.get("SELECT 1 FROM operations WHERE id = ?", idKey(operation.id)) !== undefined)
    throw new Error(`BUG: the operation ${operation.id} is in the log already`)
  const { body, sum } = seal(operation)
  sql.run(
    "INSERT INTO operations (seq, id, conversation, message, actor, body, sum) VALUES (?, ?, ?, ?, ?, ?, ?)",
    operation.seq,
    idKey(operation.id),
    operation.conversation === null ? null : idKey(operation.conversation),
    operation.message === null ? null : idKey(operation.message),
    operation.actor,
    body,
    sum,
  )
  indexPaths(sql, operation)
}

/** The place in the log, the conversation and the message stay; only content goes. */
function replaceOperation(sql: Sql, operation: Operation): void {
  const row = sql.get("SELECT seq FROM operations WHERE id = ?", idKey(operation.id))
  if (row === undefined) throw new Error(`BUG: the operation ${operation.id} to redact is not in the log`)
  const seq = Number(row["seq"])
  const { body, sum } = seal({ ...operation, seq })
  sql.run("UPDATE operations SET body = ?, sum = ? WHERE seq = ?", body, sum, seq)
  sql.run("DELETE FROM operation_paths WHERE seq = ?", seq)
  indexPaths(sql, { ...operation, seq })
}

function indexPaths(sql: Sql, operation: Operation): void {
  for (const change of operation.changes)
    sql.run("INSERT OR IGNORE INTO operation_paths VALUES (?, ?)", pathKey(change.path), operation.seq)
}

function writeSetting(sql: Sql, key: string, value: unknown): void {
  sql.run("DELETE FROM settings WHERE key = ?", idKey(key))
  if (value === undefined) return
  const { body, sum } = seal(value)
  sql.run("INSERT INTO settings (key, body, sum) VALUES (?, ?, ?)", idKey(key), body, sum)
}
