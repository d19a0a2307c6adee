import { crc32 } from "node:zlib"
import { Failure } from "@galley/core/failure.ts"
import { pathToBytes, type WorkspacePath } from "@galley/core/path.ts"
import type { Row, Sql } from "./connection.ts"

/** Tables whose rows are a JSON `body` guarded by `sum`, addressed by `id` and listed in the order they were first made. */
export type ListTable = "intents" | "conversations" | "messages" | "waiting" | "notes" | "parked"

/**
 * A value as a row holds it. SQLite has no checksum of its pages, so a flipped bit inside a text would go unseen: CRC-32
 * of the body's UTF-8 finds it. Lone surrogates survive because JSON.stringify escapes them.
 */
export function seal(value: unknown): { readonly body: string; readonly sum: number } {
  const body = JSON.stringify(value)
  return { body, sum: crc32(body) }
}

/** The value of a row, its sum verified. `T` is what {@link seal} was given. */
export function unseal<T>(row: Row, table: string): T {
  const body = row["body"]
  if (typeof body !== "string" || crc32(body) !== Number(row["sum"]))
    throw new Failure(
      "STORE_FAILED",
      `A row of the store's table \`${table}\` is damaged; it was not used.`,
      "Run `galley doctor`; the other rows stay usable.",
    )
  return JSON.parse(body) as T
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

export function list<T>(sql: Sql, table: ListTable, rest: string, ...values: (string | number | Uint8Array)[]): T[] {
  return sql.all(`SELECT body, sum FROM ${table} ${rest}`, ...values).map(row => unseal<T>(row, table))
}

export function one<T>(sql: Sql, table: ListTable, id: string): T | null {
  const row = sql.get(`SELECT body, sum FROM ${table} WHERE id = ?`, idKey(id))
  return row === undefined ? null : unseal<T>(row, table)
}
