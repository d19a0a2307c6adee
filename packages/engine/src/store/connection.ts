import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from "node:sqlite"
import { Failure } from "@galley/core/failure.ts"
import { privateFile, privateFolder, sizeIfThere, tighten } from "./disk.ts"
import { assertSchema, migrate, migrations, refuseNewer, schemaVersion, versionOf } from "./schema.ts"
import { damage, isBusy, isDamage, isFull, isRefusal, keepHint, noSpace, storeFailure } from "./trouble.ts"
import { busy, poll, type Waits } from "./waits.ts"

export type Row = Record<string, SQLOutputValue>

/** The statements of one transaction. Not to be kept past it. */
export interface Sql {
  all(sql: string, ...values: readonly SQLInputValue[]): Row[]
  get(sql: string, ...values: readonly SQLInputValue[]): Row | undefined
  /** Rows changed. */
  run(sql: string, ...values: readonly SQLInputValue[]): number
}

/** Longest wait, in slept milliseconds, for another process's transaction; ours last a few milliseconds. */
const patience = 30_000

/**
 * The open database of one store. The driver is synchronous, so a transaction never interleaves with another of this
 * process; between processes SQLite's locks decide and a busy one is polled without blocking.
 */
export class Connection {
  readonly folder: string
  readonly waits: Waits
  /** Why only reading is possible, or null. Set later when damage shows itself. */
  trouble: string | null
  /** The trouble is a disk without room. */
  full = false
  #db: DatabaseSync | null
  readonly #statements = new Map<string, StatementSync>()
  readonly #sql: Sql

  constructor(folder: string, waits: Waits, db: DatabaseSync | null, trouble: string | null) {
    this.folder = folder
    this.waits = waits
    this.trouble = trouble
    this.#db = db
    this.#sql = {
      all: (sql, ...values) => this.#statement(sql).all(...values),
      get: (sql, ...values) => this.#statement(sql).get(...values),
      run: (sql, ...values) => Number(this.#statement(sql).run(...values).changes),
    }
  }

  /** Whether any row can be read; loose contents can be even where this is false. */
  get readable(): boolean {
    return this.#db !== null
  }

  /** Runs `work` on one consistent view. */
  read<T>(work: (sql: Sql) => T): Promise<T> {
    return this.#transaction("BEGIN", work)
  }

  /** One row, which is a consistent view by itself and needs no transaction. */
  async row(sql: string, ...values: readonly SQLInputValue[]): Promise<Row | undefined> {
    const found = await poll(() => this.#guarded(() => [this.#statement(sql).get(...values)]), this.waits, 20, patience)
    if (found === busy) throw keptBusy()
    return found[0]
  }

  /** Runs `work` as one durable change, wholly or not at all. */
  async write<T>(work: (sql: Sql) => T): Promise<T> {
    this.assertWritable()
    return this.#transaction("PRAGMA synchronous = FULL; BEGIN IMMEDIATE", work)
  }

  /**
   * The same, durable no later than the next {@link write} of any process: that one flushes the WAL to its own end, and a checkpoint
   * flushes it before it moves a page (sqlite.org/pragma.html#pragma_synchronous, NORMAL). A flush of the disk less.
   */
  async writeAhead<T>(work: (sql: Sql) => T): Promise<T> {
    this.assertWritable()
    return this.#transaction("PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE", work)
  }

  /** Runs a statement that must stand outside any transaction; false where others keep the database busy for too long. */
  async outside(attempt: (sql: Sql) => boolean, limit: number): Promise<boolean> {
    this.assertWritable()
    const result = await poll(() => this.#guarded(() => attempt(this.#sql) || busy), this.waits, 50, limit)
    return result !== busy
  }

  assertWritable(): void {
    if (this.trouble !== null && this.full) throw noSpace(this.folder)
    if (this.trouble !== null)
      throw new Failure(
        "STORE_FAILED",
        `The store is open for reading only: ${this.trouble} Nothing was changed.`,
        keepHint(this.folder),
      )
  }

  close(): void {
    this.#statements.clear()
    if (this.#db?.isOpen === true) this.#db.close()
    this.#db = null
    this.trouble ??= "it was closed."
  }

  async #transaction<T>(begin: string, work: (sql: Sql) => T): Promise<T> {
    const attempt = (): T | typeof busy =>
      this.#guarded(() => {
        const db = this.#open()
        db.exec(begin)
        try {
          const result = work(this.#sql)
          db.exec("COMMIT")
          return result
        } catch (error) {
          if (db.isTransaction) db.exec("ROLLBACK")
          throw error
        }
      })
    const result = await poll(attempt, this.waits, 20, patience)
    if (result === busy) throw keptBusy()
    return result
  }

  #guarded<T>(work: () => T): T | typeof busy {
    try {
      return work()
    } catch (error) {
      if (isBusy(error)) return busy
      if (isDamage(error)) this.trouble ??= "its database is damaged."
      throw storeFailure(error, this.folder)
    }
  }

  #open(): DatabaseSync {
    if (this.#db === null)
      throw new Failure("STORE_FAILED", `The store's database cannot be read: ${this.trouble}`, keepHint(this.folder))
    return this.#db
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const made = this.#open().prepare(sql)
    this.#statements.set(sql, made)
    return made
  }
}

function keptBusy(): Failure {
  return new Failure(
    "STORE_FAILED",
    "Another process kept the store's database busy; nothing was changed.",
    "Try again.",
  )
}

/**
 * Opens the database of a store, making or migrating it where needed.
 *
 * Where that fails because the database is damaged or its disk refuses writing, it is opened for reading with `trouble` set;
 * where even that fails the connection has no database, and only loose contents can be read.
 */
export async function connect(folder: string, waits: Waits, readOnly: boolean): Promise<Connection> {
  const path = join(folder, "galley.db")
  if (readOnly) {
    if (sizeIfThere(path) === null)
      throw new Failure(
        "STORE_FAILED",
        `There is no store in ${folder}.`,
        "Nothing was recorded for this workspace yet.",
      )
    return openForReading(folder, path, waits, "that was asked for.")
  }
  try {
    privateFolder(folder)
    privateFile(path)
    for (const side of ["-wal", "-shm"]) tighten(path + side)
    const db = await poll(() => openForWriting(path), waits, 20, patience)
    if (db !== busy) return new Connection(folder, waits, db, null)
  } catch (error) {
    if (!isDamage(error) && !isRefusal(error)) throw storeFailure(error, folder)
    const why = isDamage(error) ? "its database is damaged" : "its disk or folder refuses writing"
    const trouble = `${why} (${error instanceof Error ? error.message : String(error)}).`
    return Object.assign(openForReading(folder, path, waits, trouble), { full: isFull(error) })
  }
  throw new Failure("STORE_FAILED", "Another process kept the store's database busy.", "Try again.")
}

function openForWriting(path: string): DatabaseSync | typeof busy {
  const db = new DatabaseSync(path, { timeout: 0 })
  try {
    // Checked before anything is written: a newer store is left exactly as it is.
    refuseNewer(versionOf(db), schemaVersion)
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
    // Deleted rows are zeroed, so free pages hold nothing; VACUUM and sorting leave no files elsewhere.
    db.exec("PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY")
    migrate(db, migrations)
    assertSchema(db)
    assertWhole(db, path)
    return db
  } catch (error) {
    db.close()
    if (isBusy(error)) return busy
    throw error
  }
}

/** A cheap look for truncation; the whole is examined by `Store.check`. */
function assertWhole(db: DatabaseSync, path: string): void {
  if ((sizeIfThere(`${path}-wal`) ?? 0) > 0) return
  const pages = Number(db.prepare("PRAGMA page_count").get()?.["page_count"])
  const pageSize = Number(db.prepare("PRAGMA page_size").get()?.["page_size"])
  const size = sizeIfThere(path) ?? 0
  if (size < pages * pageSize) throw damage(`the file has ${size} of ${pages * pageSize} bytes`)
  db.prepare("SELECT 1 FROM operations ORDER BY seq DESC LIMIT 1").get()
}

/**
 * First as any reader; where the WAL's index cannot be made (a read-only disk), as an immutable file, which does not see
 * commits that are only in the WAL, and says so.
 */
function openForReading(folder: string, path: string, waits: Waits, trouble: string): Connection {
  const unmerged = (sizeIfThere(`${path}-wal`) ?? 0) > 0
  const immutable = `${pathToFileURL(path).href}?immutable=1`
  const ways = [
    { location: path, remark: "" },
    { location: immutable, remark: unmerged ? " The newest changes, still in galley.db-wal, are not seen." : "" },
  ]
  for (const { location, remark } of ways) {
    let db: DatabaseSync | null = null
    try {
      db = new DatabaseSync(location, { readOnly: true, timeout: 0 })
      const version = versionOf(db)
      refuseNewer(version, schemaVersion)
      db.prepare("SELECT value FROM meta WHERE key = 'revision'").get()
      if (version === schemaVersion) assertSchema(db)
      if (version === schemaVersion) return new Connection(folder, waits, db, trouble + remark)
      throw new Failure(
        "STORE_FAILED",
        `The store is of an older version (schema ${version}) and cannot be brought up to date: ${trouble}`,
        keepHint(folder),
      )
    } catch (error) {
      db?.close()
      if (error instanceof Failure) throw error
    }
  }
  return new Connection(folder, waits, null, trouble)
}
