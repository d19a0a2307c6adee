import { Failure } from "@galley/core/failure.ts"
import type { Files, NewFile, OpenFolder } from "../src/io/files.ts"
import type { Store } from "../src/store/store.ts"

/**
 * What goes wrong, and when. Calls count from 1.
 *
 * `once`: that call fails and the next ones work. `lasting`: that one and every later call that needs room fails. `die`: that call and
 * every later one throws {@link Died}, as if the process had been killed; a write under way leaves half of its bytes.
 */
export interface Fault {
  readonly at: number
  readonly kind: "once" | "lasting" | "die"
  /** ENOSPC, EIO, EACCES. A store turns ENOSPC into `NO_SPACE` and the rest into `STORE_FAILED`. */
  readonly code: string
}

export interface Faulty<T> {
  readonly it: T
  /** Names of the methods called so far. */
  readonly calls: readonly string[]
}

/** Thrown by everything after the moment of death. Nothing may catch it and carry on with effect. */
export class Died extends Error {
  constructor() {
    super("the process is dead")
    this.name = "Died"
  }
}

/** Files that fail as the fault says; what works reaches `inner`. `null` counts only. */
export function faultyFiles(inner: Files, fault: Fault | null): Faulty<Files> {
  const gate = new Gate(fault, code => Object.assign(new Error(`${code}: injected`), { code }))
  const { self, umask } = inner
  const needsRoom: ReadonlySet<string> = new Set([
    "create",
    "createAll",
    "overwrite",
    "overwriteSeen",
    "makeFolder",
    "symlink",
    "link",
  ])
  const pass = <A extends readonly unknown[], R>(
    name: string,
    work: (...args: A) => Promise<R>,
    half?: (...args: A) => Promise<unknown>,
  ) => {
    return async (...args: A): Promise<R> => {
      await gate.enter(name, needsRoom.has(name), () => half?.(...args))
      return work(...args)
    }
  }
  const it: Files = {
    lstat: pass("lstat", path => inner.lstat(path)),
    read: pass("read", (path, limit) => inner.read(path, limit)),
    readlink: pass("readlink", path => inner.readlink(path)),
    list: pass("list", folder => inner.list(folder)),
    realpath: pass("realpath", path => inner.realpath(path)),
    create: pass(
      "create",
      (path, bytes, mode) => inner.create(path, bytes, mode),
      (path, bytes, mode) => inner.create(path, bytes.subarray(0, bytes.length >> 1), mode),
    ),
    createAll: pass(
      "createAll",
      files => inner.createAll(files),
      files => createHalf(inner, files),
    ),
    overwrite: pass(
      "overwrite",
      (path, bytes) => inner.overwrite(path, bytes),
      (path, bytes) => overwriteHalf(inner, path, bytes),
    ),
    overwriteSeen: pass(
      "overwriteSeen",
      (path, bytes, seen) => inner.overwriteSeen(path, bytes, seen),
      (path, bytes) => overwriteHalf(inner, path, bytes),
    ),
    renameOverSeen: pass("renameOverSeen", (from, to, seen) => inner.renameOverSeen(from, to, seen)),
    rename: pass("rename", (from, to) => inner.rename(from, to)),
    link: pass("link", (from, to) => inner.link(from, to)),
    symlink: pass("symlink", (target, path) => inner.symlink(target, path)),
    unlink: pass("unlink", path => inner.unlink(path)),
    makeFolder: pass("makeFolder", (path, mode) => inner.makeFolder(path, mode)),
    removeFolder: pass("removeFolder", path => inner.removeFolder(path)),
    chmod: pass("chmod", (path, mode) => inner.chmod(path, mode)),
    copyOwner: pass("copyOwner", (from, to) => inner.copyOwner(from, to)),
    copyIdentity: pass("copyIdentity", (from, to) => inner.copyIdentity(from, to)),
    withAttributes: pass("withAttributes", paths => inner.withAttributes(paths)),
    syncFolder: pass("syncFolder", folder => inner.syncFolder(folder)),
    writable: pass("writable", path => inner.writable(path)),
    // Handles are closed whatever happens, as the kernel does for a dead process.
    openFolder: pass("openFolder", (root, folder): Promise<OpenFolder> => inner.openFolder(root, folder)),
    self,
    umask,
  }
  return { it, calls: gate.calls }
}

/** A store that fails as the fault says. `after`: the failing call takes effect and its answer is lost. */
export function faultyStore(
  inner: Store,
  fault: (Fault & { readonly effect?: "none" | "after" }) | null,
): Faulty<Store> {
  const gate = new Gate(
    fault,
    code => new Failure(code === "ENOSPC" ? "NO_SPACE" : "STORE_FAILED", `${code}: injected`),
  )
  const writes: ReadonlySet<unknown> = new Set(["putBlobs", "commit"])
  const it = new Proxy(inner, {
    get(target, name, receiver) {
      const method: unknown = Reflect.get(target, name, receiver)
      if (typeof method !== "function") return method
      return async (...args: readonly unknown[]): Promise<unknown> => {
        const work = async (): Promise<unknown> => Reflect.apply(method, target, args)
        await gate.enter(String(name), writes.has(name), () => (fault?.effect === "after" ? work() : undefined))
        return work()
      }
    },
  })
  return { it, calls: gate.calls }
}

class Gate {
  readonly calls: string[] = []
  readonly #fault: Fault | null
  readonly #trouble: (code: string) => Error

  constructor(fault: Fault | null, trouble: (code: string) => Error) {
    this.#fault = fault
    this.#trouble = trouble
  }

  async enter(name: string, needsRoom: boolean, half: () => Promise<unknown> | undefined): Promise<void> {
    this.calls.push(name)
    const fault = this.#fault
    if (!fault) return
    const count = this.calls.length
    switch (fault.kind) {
      case "once":
        if (count !== fault.at) return
        await half()
        throw this.#trouble(fault.code)
      case "lasting":
        if (count < fault.at || !needsRoom) return
        if (count === fault.at) await half()
        throw this.#trouble(fault.code)
      case "die":
        if (count < fault.at) return
        if (count === fault.at) await half()
        throw new Died()
    }
  }
}

/** What a crash leaves of many: the first ones whole, one half written, the rest not there. */
async function createHalf(inner: Files, files: readonly NewFile[]): Promise<void> {
  const whole = files.length >> 1
  await inner.createAll(files.slice(0, whole))
  const cut = files[whole]
  if (cut) await inner.create(cut.path, cut.bytes.subarray(0, cut.bytes.length >> 1), cut.mode)
}

/** What a write in place leaves that was cut off in the middle: a page of the new text before the rest of the old. */
async function overwriteHalf(inner: Files, path: string, bytes: Uint8Array): Promise<void> {
  const old = await inner.read(path, 2 ** 30)
  if (old === "tooLarge") return
  const cut = bytes.length >> 1
  await inner.overwrite(path, Buffer.concat([bytes.subarray(0, cut), old.bytes.subarray(cut)]))
}

/** Files beside which somebody else does something just before the call `at`, or before each. */
export function meddledFiles(inner: Files, at: number | "each", deed: () => Promise<void>): Faulty<Files> {
  const calls: string[] = []
  const it = new Proxy(inner, {
    get(target, name, receiver) {
      const method: unknown = Reflect.get(target, name, receiver)
      if (typeof method !== "function") return method
      return async (...args: readonly unknown[]): Promise<unknown> => {
        calls.push(String(name))
        if (at === "each" || calls.length === at) await deed()
        return Reflect.apply(method, target, args)
      }
    },
  })
  return { it, calls }
}
