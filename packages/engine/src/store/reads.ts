import type { Item } from "@galley/core/change/item.ts"
import type { Operation } from "@galley/core/history/operation.ts"
import type { Sql } from "./connection.ts"
import type { ItemQuery, OperationQuery } from "./references.ts"
import { idKey, pathKey, unseal } from "./rows.ts"

export function readOperation(sql: Sql, id: string): Operation | null {
  const row = sql.get("SELECT body, sum FROM operations WHERE id = ?", idKey(id))
  return row === undefined ? null : unseal(row, "operations")
}

/** Oldest first. Each shape of query walks an index from its newest end, so a limit bounds the work. */
export function readOperations(sql: Sql, query: OperationQuery): Operation[] {
  const where: string[] = []
  const values: (string | number | Uint8Array)[] = []
  const only = (condition: string, value: string | number | Uint8Array) => {
    where.push(condition)
    values.push(value)
  }
  if (query.path !== undefined) only("p.path = ?", pathKey(query.path))
  if (query.message !== undefined) only("o.message = ?", idKey(query.message))
  if (query.conversation !== undefined) only("o.conversation = ?", idKey(query.conversation))
  const seq = query.path === undefined ? "o.seq" : "p.seq"
  if (query.afterSeq !== undefined) only(`${seq} > ?`, query.afterSeq)
  // CROSS JOIN fixes the order: the path's own entries first, each then found in the log by its seq.
  const from = query.path === undefined ? "operations o" : "operation_paths p CROSS JOIN operations o ON o.seq = p.seq"
  const condition = where.length === 0 ? "" : `WHERE ${where.join(" AND ")}`
  const rows = sql.all(
    `SELECT o.body, o.sum FROM ${from} ${condition} ORDER BY ${seq} DESC LIMIT ?`,
    ...values,
    query.limit ?? -1,
  )
  return rows.reverse().map(row => unseal(row, "operations"))
}

export function readItem(sql: Sql, path: string): Item | null {
  const row = sql.get("SELECT body, sum FROM items WHERE path = ?", pathKey(path))
  return row === undefined ? null : unseal(row, "items")
}

/** By the bytes of the path. */
export function readItems(sql: Sql, query: ItemQuery): Item[] {
  const ranges: readonly (readonly [string, ...Uint8Array[]])[] =
    query.paths !== undefined ? query.paths.map(path => ["path = ?", pathKey(path)] as const) : rangesUnder(query.under)
  const rows = ranges.flatMap(([range, ...values]) => {
    if (query.pending === undefined) return sql.all(`SELECT path, body, sum FROM items WHERE ${range}`, ...values)
    // The constant, not a bound value, lets the partial index be used.
    return sql.all(`SELECT path, body, sum FROM items WHERE pending = ${query.pending ? 1 : 0} AND ${range}`, ...values)
  })
  const found = new Map(rows.map(row => [Buffer.from(row["path"] as Uint8Array).toString("hex"), row]))
  return [...found]
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, row]) => unseal(row, "items"))
    .filter(item => query.paths === undefined || query.under === undefined || within(item.path, query.under))
}

export function readSetting(sql: Sql, key: string): unknown {
  const row = sql.get("SELECT body, sum FROM settings WHERE key = ?", idKey(key))
  return row === undefined ? undefined : unseal(row, "settings")
}

/** The folder itself, and all from `folder/` up to (not including) `folder0`: `0` follows `/` in ASCII. */
function rangesUnder(folder: string | undefined): (readonly [string, ...Uint8Array[]])[] {
  if (folder === undefined || folder === "") return [["1"]]
  return [
    ["path = ?", pathKey(folder)],
    ["path >= ? AND path < ?", pathKey(`${folder}/`), pathKey(`${folder}0`)],
  ]
}

function within(path: string, folder: string): boolean {
  return folder === "" || path === folder || path.startsWith(`${folder}/`)
}
