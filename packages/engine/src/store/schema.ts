import { DatabaseSync } from "node:sqlite"
import { Failure } from "@galley/core/failure.ts"
import type { Operation } from "@galley/core/history/operation.ts"
import { pathToBytes } from "@galley/core/path.ts"
import { damage } from "./trouble.ts"

/** "Gall", so that `file` and a reader can tell whose database this is. */
export const applicationId = 0x47616c6c

/** What brings a database from the version before to the next. Runs inside one transaction with all others that are due. */
export type Migration = (db: DatabaseSync) => void

/**
 * All steps from an empty database on; `PRAGMA user_version` counts those done. A step that was released is never edited: a
 * change of the schema is a new step, and FORMAT.md follows.
 */
export const migrations: readonly Migration[] = [makeTables, indexPaths, listPurges, indexPersons]

export const schemaVersion = migrations.length

/**
 * Brings the database to the newest version. Whoever comes second, in another process too, finds it done: the version is read
 * again inside the transaction. The caller begins nothing and retries when busy.
 */
export function migrate(db: DatabaseSync, steps: readonly Migration[]): void {
  if (versionOf(db) === steps.length) return
  db.exec("BEGIN IMMEDIATE")
  try {
    const version = versionOf(db)
    refuseNewer(version, steps.length)
    for (const step of steps.slice(version)) step(db)
    db.exec(`PRAGMA application_id = ${applicationId}`)
    db.exec(`PRAGMA user_version = ${steps.length}`)
    db.exec("COMMIT")
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK")
    throw error
  }
}

export function versionOf(db: DatabaseSync): number {
  const version = db.prepare("PRAGMA user_version").get()?.["user_version"]
  return typeof version === "number" ? version : 0
}

/** A schema version says which binaries must refuse: an older one could not keep rules it does not know. */
export function refuseNewer(version: number, known: number): void {
  if (version > known)
    throw new Failure(
      "STORE_FAILED",
      `This store was written by a newer Galley (schema ${version}; this one knows ${known}). Nothing was changed.`,
      "Use the newer version, or set GALLEY_HOME to another folder.",
    )
}

/**
 * The text of a schema is in the database like any row, and a flipped bit there renames a column. Compared with what the steps
 * make in an empty database (about 1 ms), it is known as damage before a statement stumbles over it.
 */
export function assertSchema(db: DatabaseSync): void {
  const text = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name"
  const model = new DatabaseSync(":memory:")
  migrate(model, migrations)
  const expected = JSON.stringify(model.prepare(text).all())
  model.close()
  if (JSON.stringify(db.prepare(text).all()) !== expected) throw damage("its schema is not the one of its version")
}

function makeTables(db: DatabaseSync): void {
  db.exec(`
    CREATE TABLE meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    INSERT INTO meta VALUES ('revision', 0);
    CREATE TABLE blobs (
      n INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, base BLOB, depth INTEGER NOT NULL,
      size INTEGER NOT NULL, stored INTEGER NOT NULL, frame BLOB
    ) STRICT;
    CREATE INDEX blobs_by_base ON blobs (base) WHERE base IS NOT NULL;
    CREATE TABLE operations (
      seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, conversation TEXT, message TEXT, body TEXT NOT NULL, sum INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX operations_by_conversation ON operations (conversation, seq);
    CREATE INDEX operations_by_message ON operations (message, seq);
    CREATE TABLE items (path BLOB PRIMARY KEY, pending INTEGER NOT NULL, body TEXT NOT NULL, sum INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE INDEX items_pending ON items (path) WHERE pending = 1;
    CREATE TABLE intents (n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, body TEXT NOT NULL, sum INTEGER NOT NULL) STRICT;
    CREATE TABLE conversations (
      n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, created_at REAL NOT NULL, body TEXT NOT NULL, sum INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX conversations_by_time ON conversations (created_at, n);
    CREATE TABLE messages (
      n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, conversation TEXT NOT NULL, body TEXT NOT NULL, sum INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX messages_by_conversation ON messages (conversation, n);
    CREATE TABLE waiting (n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, body TEXT NOT NULL, sum INTEGER NOT NULL) STRICT;
    CREATE TABLE notes (
      n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, path BLOB, delivered INTEGER NOT NULL, body TEXT NOT NULL, sum INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX notes_by_path ON notes (path, n);
    CREATE INDEX notes_undelivered ON notes (n) WHERE delivered = 0;
    CREATE TABLE parked (n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, body TEXT NOT NULL, sum INTEGER NOT NULL) STRICT;
    CREATE TABLE settings (key TEXT PRIMARY KEY, body TEXT NOT NULL, sum INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  `)
}

/** The history of one path without reading the log. */
function indexPaths(db: DatabaseSync): void {
  db.exec("CREATE TABLE operation_paths (path BLOB, seq INTEGER, PRIMARY KEY (path, seq)) STRICT, WITHOUT ROWID")
  db.exec("CREATE INDEX operation_paths_by_seq ON operation_paths (seq)")
  const insert = db.prepare("INSERT OR IGNORE INTO operation_paths VALUES (?, ?)")
  for (const row of db.prepare("SELECT seq, body FROM operations").iterate()) {
    const operation = JSON.parse(String(row["body"])) as Operation
    for (const change of operation.changes) insert.run(pathToBytes(change.path), Number(row["seq"]))
  }
}

/** Purges that were begun: a crash between forgetting a content and scrubbing its file is made good at the next start. */
function listPurges(db: DatabaseSync): void {
  db.exec("CREATE TABLE purges (id BLOB PRIMARY KEY) STRICT, WITHOUT ROWID")
}

/** The person's operations without reading the agents', of which there may be any number between two. */
function indexPersons(db: DatabaseSync): void {
  db.exec("ALTER TABLE operations ADD COLUMN actor TEXT")
  // A row that is damaged is never read; it must not keep the others from being brought over.
  db.exec("UPDATE operations SET actor = json_extract(body, '$.actor') WHERE json_valid(body)")
  db.exec("CREATE INDEX operations_of_person ON operations (seq) WHERE actor = 'person'")
}
