import type { Item } from "@galley/core/change/item.ts"
import type { Operation } from "@galley/core/history/operation.ts"
import type { Sql } from "./connection.ts"
import type { ItemQuery, OperationQuery } from "./references.ts"
import { idKey, pathKey, unseal } from "./rows.ts"
import { damage } from "./trouble.ts"

export function readOperation(sql: Sql, id: string): Operation | null {
  const row = sql.get("SELECT body, sum FROM operations WHERE id = ?", idKey(id))
  return row === undefined ? null : unseal(row, "operations")
}

/**
 * Operations read lately, by place in the log. One that touches a thousand paths is asked for by each of them; a row is parsed again only
 * if its sum is another (a purge redacted it), and looked at only if the store's revision is: its sum stands behind its body, which of a
 * large operation is hundreds of pages.
 */
export interface RecentOperations {
  readonly bySeq: Map<number, { readonly sum: number; readonly operation: Operation; readonly revision: number }>
  /** Changes held. */
  size: number
}

/** Of {@link RecentOperations}: some 100 MB. */
const mostRemembered = 200_000

/** Oldest first. Each shape of query walks an index from its newest end, so a limit bounds the work. */
export function readOperations(sql: Sql, query: OperationQuery, recent: RecentOperations): Operation[] {
  const where: string[] = []
  const values: (string | number | Uint8Array)[] = []
  const only = (condition: string, ...value: (string | number | Uint8Array)[]) => {
    where.push(condition)
    values.push(...value)
  }
  if (query.path !== undefined) only("p.path = ?", pathKey(query.path))
  if (query.message !== undefined) only("o.message = ?", idKey(query.message))
  if (query.conversation !== undefined) only("o.conversation = ?", idKey(query.conversation))
  // The constant, not a bound value, lets the partial index be used.
  if (query.actor !== undefined) only(`o.actor = '${query.actor}'`)
  const seq = query.path === undefined ? "o.seq" : "p.seq"
  if (query.afterSeq !== undefined) only(`${seq} > ?`, query.afterSeq)
  // CROSS JOIN fixes the order: the path's own entries first, each then found in the log by its seq.
  const ofOperation = query.message !== undefined || query.conversation !== undefined || query.actor !== undefined
  const paths = ofOperation ? "operation_paths p CROSS JOIN operations o ON o.seq = p.seq" : "operation_paths p"
  const from = query.path === undefined ? "operations o" : paths
  const condition = where.length === 0 ? "" : `WHERE ${where.join(" AND ")}`
  const rows = sql.all(
    `SELECT ${seq} AS seq FROM ${from} ${condition} ORDER BY ${seq} DESC LIMIT ?`,
    ...values,
    query.limit ?? -1,
  )
  if (rows.length === 0) return []
  const revision = Number(sql.get("SELECT value FROM meta WHERE key = 'revision'")?.["value"])
  return rows.reverse().map(row => operationAt(sql, Number(row["seq"]), revision, recent))
}

function operationAt(sql: Sql, seq: number, revision: number, recent: RecentOperations): Operation {
  const known = recent.bySeq.get(seq)
  if (known?.revision === revision) return known.operation
  const sum = known === undefined ? null : Number(sql.get("SELECT sum FROM operations WHERE seq = ?", seq)?.["sum"])
  if (known?.sum === sum && known !== undefined) {
    recent.bySeq.set(seq, { ...known, revision })
    return known.operation
  }
  const row = sql.get("SELECT body, sum FROM operations WHERE seq = ?", seq)
  if (row === undefined) throw damage(`operation ${seq} is in an index and not in the log`)
  const operation = unseal(row, "operations")
  if (recent.size > mostRemembered) {
    recent.bySeq.clear()
    recent.size = 0
  }
  recent.bySeq.set(seq, { sum: Number(row["sum"]), operation, revision })
  recent.size += operation.changes.length + 1
  return operation
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
