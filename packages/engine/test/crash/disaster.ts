import childProcess from "node:child_process"
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { DatabaseSync, StatementSync } from "node:sqlite"
import { promisify } from "node:util"

/**
 * Imported first, so that every module after it gets these instead of Node's own: the file-system calls and the writing calls of
 * SQLite of this very process are counted, and at the `at`-th the disaster happens.
 *
 * `kill`: SIGKILL instead of the call; `half`: the same once half of what it writes is written. Both count changing calls alone: a
 * process that dies at a reading call leaves what its last writing call left. An error code: that call fails with it, and the
 * next ones work; reading calls count too.
 */
export interface Disaster {
  readonly at: number
  readonly kind: "count" | "kill" | "half" | "EIO" | "ENOSPC" | "EACCES"
}

const disaster = JSON.parse(process.env["CRASH_DISASTER"] ?? `{"at":0,"kind":"count"}`) as Disaster
const countsReads = disaster.kind.startsWith("E")
let armed = false

/** Names of the calls so far, in order; with `reads`, of all. */
export const calls: { readonly changing: string[]; readonly all: string[] } = { changing: [], all: [] }

export function arm(on: boolean): void {
  armed = on
}

type Any = (...words: readonly never[]) => unknown
const writeSync = fs.writeSync.bind(fs)
const sqliteCodes = { EIO: 10, ENOSPC: 13, EACCES: 8 } as const

/** Throws or dies if it is time. */
function pass(name: string, changes: boolean, half: () => void): void {
  if (!armed) return
  calls.all.push(name)
  if (changes) calls.changing.push(name)
  if (!changes && !countsReads) return
  if ((countsReads ? calls.all : calls.changing).length !== disaster.at) return
  switch (disaster.kind) {
    case "count":
      return
    case "half":
      half()
      process.kill(process.pid, "SIGKILL")
      return
    case "kill":
      process.kill(process.pid, "SIGKILL")
      return
    case "EIO":
    case "ENOSPC":
    case "EACCES":
      if (name.startsWith("sql"))
        throw Object.assign(new Error(`${disaster.kind}: injected`), { errcode: sqliteCodes[disaster.kind] })
      throw Object.assign(new Error(`${disaster.kind}: injected, ${name}`), {
        code: disaster.kind,
        errno: -5,
        syscall: name.replace(/Sync$/, ""),
      })
  }
}

const changing = new Set(
  "write writeFile appendFile rename link symlink unlink mkdir rmdir rm chmod fchmod lchown chown fchown truncate ftruncate utimes lutimes futimes copyFile cp fsync fdatasync sync datasync mkdtemp".split(
    " ",
  ),
)
const reading = new Set("open read readFile lstat stat fstat readdir readlink realpath access opendir readv".split(" "))

function isChange(name: string, words: readonly unknown[]): boolean {
  if (name !== "open") return changing.has(name)
  const flags = words[1] ?? "r"
  return typeof flags === "number" ? (flags & (fs.constants.O_CREAT | fs.constants.O_TRUNC)) !== 0 : flags !== "r"
}

/** Half of a write's bytes, to whatever it writes to. */
function halfOf(name: string, target: unknown, words: readonly unknown[]): void {
  if (name !== "write") return
  const [fd, bytes, from, length, position] = typeof words[0] === "number" ? words : [target, ...words]
  const number = typeof fd === "number" ? fd : typeof fd === "object" && fd !== null && "fd" in fd ? Number(fd.fd) : -1
  if (!(bytes instanceof Uint8Array) || number < 0) return
  const begin = Number(from ?? 0)
  const count = Number(length ?? bytes.length - begin) >> 1
  writeSync(number, bytes, begin, count, typeof position === "number" ? position : null)
}

type Way = "sync" | "callback" | "promise"

function wrap(owner: object, key: string, way: Way): void {
  const original: unknown = Reflect.get(owner, key)
  if (typeof original !== "function") return
  const name = key.replace(/Sync$/, "")
  const wrapped = function (this: unknown, ...words: never[]): unknown {
    try {
      pass(key, isChange(name, words), () => halfOf(name, this, words))
    } catch (error) {
      if (way === "promise") return Promise.reject(error)
      const done: unknown = words.at(-1)
      if (way === "sync" || typeof done !== "function") throw error
      process.nextTick(() => (done as Any)(error as never))
      return undefined
    }
    return Reflect.apply(original as Any, this, words)
  }
  // `native` of realpath, and what tells promisify that read and write answer with two values.
  for (const own of Reflect.ownKeys(original))
    if (!["length", "name", "prototype"].includes(String(own)))
      Object.defineProperty(wrapped, own, Object.getOwnPropertyDescriptor(original, own) ?? {})
  const custom: unknown = Reflect.get(original, promisify.custom)
  if (custom !== undefined) Object.defineProperty(wrapped, promisify.custom, { value: custom })
  Reflect.set(owner, key, wrapped)
}

const handle = await fs.promises.open("/dev/null")
const handles: object = Object.getPrototypeOf(handle) as object
await handle.close()
for (const name of [...changing, ...reading]) {
  wrap(fs, `${name}Sync`, "sync")
  wrap(fs, name, "callback")
  wrap(fs.promises, name, "promise")
}
for (const name of [
  "write",
  "writeFile",
  "appendFile",
  "sync",
  "datasync",
  "truncate",
  "chmod",
  "read",
  "stat",
  "readFile",
])
  wrap(handles, name, "promise")
wrapNamed(childProcess, "spawn", "spawn")
wrapNamed(childProcess, "spawnSync", "spawn")
wrapNamed(DatabaseSync.prototype, "exec", "sql exec")
wrapNamed(StatementSync.prototype, "run", "sql run")
syncBuiltinESMExports()

function wrapNamed(owner: object, key: string, name: string): void {
  const original = Reflect.get(owner, key) as Any
  Reflect.set(owner, key, function (this: unknown, ...words: never[]): unknown {
    // A process that cannot be started says so by an event; that is not what is tried here.
    if (name !== "spawn" || !countsReads)
      pass(name === "sql exec" ? `${name} ${String(words[0]).slice(0, 30)}` : name, true, () => {})
    return Reflect.apply(original, this, words)
  })
}
