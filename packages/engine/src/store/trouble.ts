import { Failure } from "@galley/core/failure.ts"

/** Primary result codes of SQLite that are told apart (sqlite.org/rescode.html). */
// A constraint is looked at before each insertion, so that one fails all the same means a damaged index.
const sqliteCode = {
  busy: 5,
  locked: 6,
  readOnly: 8,
  io: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  constraint: 19,
  notADatabase: 26,
}
/** SQLITE_IOERR_SHMSIZE: the WAL's index could not grow, which on Linux means a full disk. */
const shmSize = 10 | (19 << 8)

export function isBusy(error: unknown): boolean {
  const code = primary(error)
  return code === sqliteCode.busy || code === sqliteCode.locked
}

/** The database's own structure is damaged: no further write may be tried on it. */
export function isDamage(error: unknown): boolean {
  const code = primary(error)
  return code === sqliteCode.corrupt || code === sqliteCode.notADatabase
}

/** Damage that we noticed ourselves, in the driver's words. */
export function damage(what: string): Error {
  return Object.assign(new Error(what), { errcode: sqliteCode.corrupt })
}

/** The place refuses writing (or even the side files of reading): read-only, no permission, no room. */
export function isRefusal(error: unknown): boolean {
  const code = primary(error)
  return (
    code === sqliteCode.readOnly ||
    code === sqliteCode.io ||
    code === sqliteCode.full ||
    code === sqliteCode.cannotOpen ||
    ["EROFS", "EACCES", "EPERM", "ENOSPC", "EDQUOT"].includes(systemCode(error))
  )
}

/** How to keep what a damaged or unwritable store holds. */
export function keepHint(folder: string): string {
  return (
    `Copy the folder ${folder} to a safe place first. ` +
    "`sqlite3 galley.db .recover | sqlite3 recovered.db` saves the rows that can still be read; contents under `blobs` stay readable as FORMAT.md says. " +
    "Then move the folder away: the next start begins a new store."
  )
}

/** Translates an error of the driver or the disk; what is none of theirs comes back as it is. */
export function storeFailure(error: unknown, folder: string): unknown {
  if (error instanceof Failure) return error
  if (isFull(error)) return noSpace(folder)
  const system = systemCode(error)
  const code = primary(error)
  switch (code) {
    case null:
      break
    case sqliteCode.corrupt:
    case sqliteCode.notADatabase:
    case sqliteCode.constraint:
      return new Failure("STORE_FAILED", `The store's database is damaged (${text(error)}).`, keepHint(folder))
    case sqliteCode.busy:
    case sqliteCode.locked:
      return new Failure(
        "STORE_FAILED",
        "Another process kept the store's database busy; nothing was changed.",
        "Try again.",
      )
    case sqliteCode.readOnly:
    case sqliteCode.io:
    case sqliteCode.cannotOpen:
      return new Failure(
        "STORE_FAILED",
        `The store's database cannot be written or read (${text(error)}); nothing was changed.`,
        `Check permissions, mount and disk of ${folder}.`,
      )
  }
  if (system !== "")
    return new Failure("STORE_FAILED", `The store cannot be reached (${text(error)}).`, `Check the folder ${folder}.`)
  return error
}

/** The disk has no room. */
export function isFull(error: unknown): boolean {
  return (
    ["ENOSPC", "EDQUOT"].includes(systemCode(error)) ||
    fullCode(error) === shmSize ||
    primary(error) === sqliteCode.full
  )
}

export function noSpace(folder: string): Failure {
  return new Failure(
    "NO_SPACE",
    "The disk that holds the store is full; nothing was changed.",
    `Make room on the disk of ${folder}, or run \`galley gc\`.`,
  )
}

function fullCode(error: unknown): number | null {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return null
  return error.errcode
}

function primary(error: unknown): number | null {
  const code = fullCode(error)
  return code === null ? null : code & 0xff
}

function systemCode(error: unknown): string {
  if (!(error instanceof Error) || !("syscall" in error) || !("code" in error)) return ""
  return typeof error.code === "string" ? error.code : ""
}

function text(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
