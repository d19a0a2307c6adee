import { crc32 } from "node:zlib"
import type { Item } from "@galley/core/change/item.ts"
import { Failure } from "@galley/core/failure.ts"
import type { Conversation, Message, Operation } from "@galley/core/history/operation.ts"
import { pathToBytes, type WorkspacePath } from "@galley/core/path.ts"
import type { Row, Sql } from "./connection.ts"
import type { Intent, Note, Parked, Waiting } from "./store.ts"

/** Tables whose rows are addressed by `id` and listed in the order they were first made. */
interface ListRows {
  readonly intents: Intent
  readonly conversations: Conversation
  readonly messages: Message
  readonly waiting: Waiting
  readonly notes: Note
  readonly parked: Parked
}

/** What the JSON `body` of a row holds, by table; `sum` guards it. */
interface Bodies extends ListRows {
  readonly operations: Operation
  readonly items: Item
  readonly settings: unknown
}

export type ListTable = keyof ListRows

/**
 * A value as a row holds it. SQLite has no checksum of its pages, so a flipped bit inside a text would go unseen: CRC-32
 * of the body's UTF-8 finds it. Lone surrogates survive because JSON.stringify escapes them.
 */
export function seal(value: unknown): { readonly body: string; readonly sum: number } {
  const body = JSON.stringify(value)
  return { body, sum: crc32(body) }
}

/** The value of a row, its sum verified. */
export function unseal<T extends keyof Bodies>(row: Row, table: T): Bodies[T] {
  const body = row["body"]
  if (typeof body !== "string" || crc32(body) !== Number(row["sum"]))
    throw new Failure(
      "STORE_FAILED",
      `A row of the store's table \`${table}\` is damaged; it was not used.`,
      "Run `galley doctor`; the other rows stay usable.",
    )
  return JSON.parse(body) as Bodies[T]
}

/** A path as a column: the file system's bytes, which sort and compare as such. */
export function pathKey(path: WorkspacePath): Uint8Array {
  return pathToBytes(path)
}

/**
 * An id as a column. Ids come from foreign programs; a lone surrogate or NUL would not survive TEXT, and two ids that differ
 * must not meet.
 */
export function idKey(id: string): string {
  return id.isWellFormed() && !id.includes("\0") && !id.startsWith('"') ? id : JSON.stringify(id)
}

/** Inserts or replaces by id; a replaced row keeps its place. `columns` are those the table is queried by. */
export function upsert(
  sql: Sql,
  table: ListTable,
  id: string,
  value: unknown,
  columns: Readonly<Record<string, string | number | Uint8Array | null>>,
): void {
  const { body, sum } = seal(value)
  const names = ["id", "body", "sum", ...Object.keys(columns)]
  const updates = names.slice(1).map(name => `${name} = excluded.${name}`)
  sql.run(
    `INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})
     ON CONFLICT (id) DO UPDATE SET ${updates.join(", ")}`,
    idKey(id),
    body,
    sum,
    ...Object.values(columns),
  )
}

export function remove(sql: Sql, table: ListTable, id: string): number {
  return sql.run(`DELETE FROM ${table} WHERE id = ?`, idKey(id))
}

export function list<T extends ListTable>(
  sql: Sql,
  table: T,
  rest: string,
  ...values: (string | number | Uint8Array)[]
): Bodies[T][] {
  return sql.all(`SELECT body, sum FROM ${table} ${rest}`, ...values).map(row => unseal(row, table))
}

export function one<T extends ListTable>(sql: Sql, table: T, id: string): Bodies[T] | null {
  const row = sql.get(`SELECT body, sum FROM ${table} WHERE id = ?`, idKey(id))
  return row === undefined ? null : unseal(row, table)
}
