import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Failure } from "@galley/core/failure.ts"
import { privateFile, privateFolder } from "./disk.ts"
import type { WorkspaceLock } from "./lock.ts"
import { isBusy, storeFailure } from "./trouble.ts"
import { busy, chance, poll, type Waits } from "./waits.ts"

/** Longest pause between two tries, ms: what a waiter loses at worst when the lock comes free. */
const ceiling = 8
/** Slept milliseconds after which a holder is taken to hang. Commit phases last milliseconds, a rewind of many files seconds. */
const patience = 120_000

/**
 * An empty database gets its first page with the transaction. Kept in memory it makes no journal file, which a full disk would refuse
 * and which costs milliseconds each time. Said again with each transaction, because it is refused while another holds the lock.
 */
const exclusive = "PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE"

/**
 * Opens the lock of a workspace between processes: an exclusive transaction on `lock.db`, which is never written to. The kernel
 * drops it when the holder dies, so there is nothing to clean up.
 *
 * Polling alone would starve: who releases and asks again at once nearly always wins. So waiters hold a shared lock on
 * `queue.db`, and who releases looks whether anybody does; if so it stands back for longer than a waiter's pause.
 */
export function openLock(folder: string, env: Waits): WorkspaceLock {
  let files: { readonly lock: DatabaseSync; readonly queue: DatabaseSync } | null = null
  let last: Promise<unknown> = Promise.resolve()
  let crowded = false

  const shut = (): void => {
    files?.lock.close()
    files?.queue.close()
    files = null
  }
  const open = () => {
    privateFolder(folder)
    files ??= { lock: openFile(folder, "lock.db"), queue: openFile(folder, "queue.db") }
    return files
  }
  const turn = async <T>(work: () => Promise<T>): Promise<T> => {
    const { lock, queue } = translated(folder, open)
    if (crowded) await env.sleep(ceiling * (1.5 + chance(env)))
    if (!begin(lock, exclusive, folder)) await wait(lock, queue)
    try {
      return await work()
    } finally {
      // The work is done, and trouble here must not turn it into a failure: what cannot be given back goes with its file.
      if (!ended(lock)) shut()
      crowded = isCrowded(queue)
    }
  }
  const wait = async (lock: DatabaseSync, queue: DatabaseSync): Promise<void> => {
    let queued = false
    const attempt = () => {
      queued ||= begin(queue, "BEGIN; SELECT count(*) FROM sqlite_schema", folder)
      return begin(lock, exclusive, folder) ? true : busy
    }
    try {
      if ((await poll(attempt, env, ceiling, patience)) === busy)
        throw new Failure(
          "TIMEOUT",
          `Another process has been writing to this workspace for ${patience / 1000} seconds; nothing was changed.`,
          "Look for a Galley process that hangs, end it, and try again.",
        )
    } finally {
      if (queued) ended(queue)
    }
  }

  return {
    hold: work => {
      // Within one process turns are taken in the order they were asked for.
      const mine = last.then(() => turn(work))
      last = mine.catch(() => undefined)
      return mine
    },
    close: async () => {
      await last
      shut()
    },
  }
}

/** Opens the lock of a workspace that only this process knows: turns in the order they were asked for. */
export function memoryLock(): WorkspaceLock {
  let last: Promise<unknown> = Promise.resolve()
  return {
    hold: work => {
      const mine = last.then(work)
      last = mine.catch(() => undefined)
      return mine
    },
    close: async () => void (await last),
  }
}

function openFile(folder: string, name: string): DatabaseSync {
  const path = join(folder, name)
  privateFile(path)
  return new DatabaseSync(path, { timeout: 0 })
}

/** Only politeness hangs on it, so trouble here must not turn done work into a failure. */
function isCrowded(queue: DatabaseSync): boolean {
  try {
    queue.exec(`${exclusive}; ROLLBACK`)
    return false
  } catch (error) {
    return isBusy(error)
  }
}

/** Ends a transaction that wrote nothing; false where the driver cannot. */
function ended(db: DatabaseSync): boolean {
  try {
    db.exec("ROLLBACK")
    return true
  } catch {
    return false
  }
}

function begin(db: DatabaseSync, sql: string, folder: string): boolean {
  try {
    db.exec(sql)
    return true
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK")
    if (isBusy(error)) return false
    throw storeFailure(error, folder)
  }
}

function translated<T>(folder: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw storeFailure(error, folder)
  }
}
