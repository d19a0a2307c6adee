import { describe, expect, test } from "vitest"
import { Failure } from "@galley/core/failure.ts"
import type { Files } from "../../src/io/files.ts"
import { memoryFiles } from "../../src/io/memory-files.ts"
import { writeChange, type WriteOutcome } from "../../src/session/journal.ts"
import { recover } from "../../src/session/recover.ts"
import { memoryStore } from "../../src/store/memory.ts"
import { Died, faultyFiles, faultyStore, type Fault } from "../faulty-files.ts"
import { batchOf, buildTree, keepTexts, movesOf, readTree, writerOn, type Tree } from "./world.ts"

/**
 * S79, S80, S85: for every change below, every call to the disk and to the store fails in turn, once, for good, and as death.
 * After the failure and a repair every file is wholly old or wholly new, the log agrees, and nothing temporary stands.
 */
type Wanted = Readonly<Record<string, readonly [string | null, string | null]>>

const long = (letter: string) => `${letter.repeat(63)}\n`.repeat(200)

const changes: Readonly<Record<string, readonly [Tree, Wanted]>> = {
  "create a file": [{ "a.txt": "a" }, { "b.txt": [null, "new"] }],
  "create a file in new folders": [{}, { "x/y/b.txt": [null, "new"] }],
  "modify a file": [{ "a.txt": "old" }, { "a.txt": ["old", "new"] }],
  "delete a file": [{ "a.txt": "old", "b.txt": "b" }, { "a.txt": ["old", null] }],
  "rename a file": [{ "a.txt": "old" }, { "a.txt": ["old", null], "sub/b.txt": [null, "old"] }],
  "change a mode": [{ "run.sh": "x" }, { "run.sh": ["x", "0755:x"] }],
  "change a mode and the text (S26)": [{ key: "0600:old" }, { key: ["0600:old", "0400:new"] }],
  "make a symlink": [{}, { link: [null, "-> a.txt"] }],
  "retarget a symlink": [{ link: "-> a" }, { link: ["-> a", "-> b"] }],
  "replace a file by a symlink (S34)": [{ a: "text" }, { a: ["text", "-> b"] }],
  "replace a symlink by a file (S34)": [{ a: "-> b" }, { a: ["-> b", "text"] }],
  "replace a file by a folder of files": [
    { a: "text" },
    { a: ["text", null], "a/b": [null, "1"], "a/c/d": [null, "2"] },
  ],
  "replace a file by an empty folder": [{ a: "text" }, { a: ["text", "folder:0700"] }],
  "replace a folder by a file": [
    { "a/b": "1", "a/c/d": "2" },
    { a: [null, "text"], "a/b": ["1", null], "a/c/d": ["2", null] },
  ],
  "replace an empty folder by a symlink": [{ a: "folder" }, { a: ["folder", "-> b"] }],
  "make, change and remove folders": [
    { gone: "folder", shut: "folder" },
    { gone: ["folder", null], shut: ["folder", "folder:0700"], fresh: [null, "folder:0711"] },
  ],
  "write a hard-linked file (S31)": [{ h1: long("a"), h2: "=h1" }, { h1: [long("a"), long("b")] }],
  "write a file that is a mount point (S80)": [{ mounted: "old" }, { mounted: ["old", "new"], b: [null, "b"] }],
  "three files at once": [
    { "a.txt": "old a", "d/b.txt": "old b" },
    { "a.txt": ["old a", "new a"], "d/b.txt": ["old b", null], "e/c.txt": [null, "new c"] },
  ],
}

interface Run {
  readonly outcome: WriteOutcome | null
  readonly error: unknown
  readonly fileCalls: readonly string[]
  readonly storeCalls: readonly string[]
  /** Right after the failure, before any repair. */
  readonly left: Record<string, string>
  readonly repaired: Record<string, string>
  readonly operations: readonly string[]
  readonly intents: number
}

async function run(
  tree: Tree,
  wanted: Wanted,
  onFiles: Fault | null,
  onStore: Parameters<typeof faultyStore>[1],
): Promise<Run> {
  // Files that were at rest are told by their stamps, others are read again: calls are tried in turn with the one and the other.
  const isAtRest = ((onFiles ?? onStore)?.at ?? 0) % 2 === 1
  let now = isAtRest ? 1_600_000_000_000 : 1_700_000_000_000
  const files = diskWithMounts(memoryFiles(() => now))
  const store = memoryStore()
  await files.makeFolder("/ws", 0o755)
  await buildTree(files, "/ws", tree)
  now = 1_700_000_000_000
  await keepTexts(
    store,
    Object.values(wanted).map(([, after]) => after),
  )
  const healthy = await writerOn(files, "/ws", store)
  const faulty = faultyFiles(files, onFiles)
  const faultyFacts = faultyStore(store, onStore)
  const moves = movesOf(wanted)
  let outcome: WriteOutcome | null = null
  let error: unknown = null
  try {
    outcome = await writeChange(
      { ...healthy, files: faulty.it, store: faultyFacts.it },
      { moves, batch: batchOf(moves) },
    )
  } catch (thrown) {
    error = thrown
  }
  const left = await readTree(files, "/ws")
  await recover(healthy)
  return {
    outcome,
    error,
    left,
    fileCalls: faulty.calls,
    storeCalls: faultyFacts.calls,
    repaired: await readTree(files, "/ws"),
    operations: (await store.operations({})).map(operation => operation.kind),
    intents: (await store.intents()).length,
  }
}

for (const [name, [tree, wanted]] of Object.entries(changes)) {
  describe(name, () => {
    const states = async () => {
      const whole = await run(tree, wanted, null, null)
      expect(whole.error).toBe(null)
      expect(whole.outcome?.kind).toBe("written")
      expect(whole.operations).toEqual(["edit"])
      const files = memoryFiles(() => 0)
      await files.makeFolder("/ws", 0o755)
      await buildTree(files, "/ws", tree)
      return { whole, old: await readTree(files, "/ws"), fresh: whole.repaired }
    }

    test("nothing fails: the tree is the new one", async () => {
      const { fresh, old, whole } = await states()
      for (const [path, [, after]] of Object.entries(wanted)) {
        const links = /\(\d\)$/.exec(old[path] ?? "")?.[0] ?? ""
        if (after === null) expect(fresh[path] ?? "folder").toBe("folder")
        else expect(fresh[path]).toBe(`${after}${links}`)
      }
      expect(whole.left).toEqual(fresh)
      expect(Object.keys(fresh).filter(path => path.includes(".galley-"))).toEqual([])
    })

    /** Whatever happened: wholly old without the operation, or wholly new with it. */
    const expectWhole = (result: Run, old: object, fresh: object, at: string) => {
      const isNew = result.operations.length > 0
      expect({ at, tree: result.repaired, operations: result.operations, intents: result.intents }).toEqual({
        at,
        tree: isNew ? fresh : old,
        operations: isNew ? ["edit"] : [],
        intents: 0,
      })
    }
    const expectFailure = (result: Run, at: string) => {
      if (result.error !== null) expect({ at, error: result.error }).toEqual({ at, error: expect.any(Failure) })
    }

    for (const code of ["EIO", "EACCES"]) {
      test(`the disk fails once with ${code}, at each call: put back at once, and said`, async () => {
        const { whole, old, fresh } = await states()
        for (let at = 1; at <= whole.fileCalls.length; at++) {
          const where = `${at}: ${whole.fileCalls[at - 1]}`
          const result = await run(tree, wanted, { at, kind: "once", code }, null)
          expectFailure(result, where)
          expectWhole(result, old, fresh, where)
          // With a healthy disk after the one failure nothing is left for the next start.
          expect({ where, left: result.left }).toEqual({ where, left: result.repaired })
        }
      })
    }

    test("the disk is full from each call on", async () => {
      const { whole, old, fresh } = await states()
      for (let at = 1; at <= whole.fileCalls.length; at++) {
        const where = `${at}: ${whole.fileCalls[at - 1]}`
        const result = await run(tree, wanted, { at, kind: "lasting", code: "ENOSPC" }, null)
        expectFailure(result, where)
        expectWhole(result, old, fresh, where)
      }
    })

    test("the process dies at each call to the disk", async () => {
      const { whole, old, fresh } = await states()
      for (let at = 1; at <= whole.fileCalls.length; at++) {
        const where = `${at}: ${whole.fileCalls[at - 1]}`
        expectWhole(await run(tree, wanted, { at, kind: "die", code: "" }, null), old, fresh, where)
      }
    })

    for (const effect of ["none", "after"] as const) {
      const meaning = effect === "none" ? "" : ", having done its work"
      test(`the store fails at each call${meaning}`, async () => {
        const { whole, old, fresh } = await states()
        for (let at = 1; at <= whole.storeCalls.length; at++) {
          for (const fault of ["once", "lasting"] as const) {
            const where = `${fault} ${at}: ${whole.storeCalls[at - 1]}`
            const result = await run(tree, wanted, null, { at, kind: fault, code: "ENOSPC", effect })
            expectFailure(result, where)
            expectWhole(result, old, fresh, where)
          }
        }
      })

      test(`the process dies at each call to the store${meaning}`, async () => {
        const { whole, old, fresh } = await states()
        for (let at = 1; at <= whole.storeCalls.length; at++) {
          const where = `${at}: ${whole.storeCalls[at - 1]}`
          expectWhole(await run(tree, wanted, null, { at, kind: "die", code: "", effect }), old, fresh, where)
        }
      })
    }

    test("the process dies, and dies again at each call of the repair", async () => {
      const { whole, old, fresh } = await states()
      for (let at = 1; at <= whole.fileCalls.length; at += 3) {
        const crashed = await crash(tree, wanted, at)
        const counting = faultyFiles(crashed.files, null)
        const calls = await crashed.again(counting.it).then(() => counting.calls.length)
        for (let second = 1; second <= calls; second++) {
          const once = await crash(tree, wanted, at)
          await once
            .again(faultyFiles(once.files, { at: second, kind: "die", code: "" }).it)
            .catch((error: unknown) => {
              if (!(error instanceof Died)) throw error
            })
          await once.again(once.files)
          const operations = (await once.store.operations({})).map(operation => operation.kind)
          const where = `${at}, then ${second}`
          expect({ where, tree: await readTree(once.files, "/ws") }).toEqual({
            where,
            tree: operations.length > 0 ? fresh : old,
          })
        }
      }
    })
  })
}

/** A file called `mounted` cannot be replaced or linked, as one that is bind-mounted. */
function diskWithMounts(files: Files): Files {
  const refuse = (code: string, path: string) => {
    if (path.endsWith("/mounted")) throw Object.assign(new Error(`${code}: mounted`), { code })
  }
  return {
    ...files,
    rename: async (from, to) => {
      for (const path of [from, to]) refuse("EBUSY", path)
      return files.rename(from, to)
    },
    renameOverSeen: async (from, to, seen) => {
      refuse("EBUSY", to)
      return files.renameOverSeen(from, to, seen)
    },
    link: async (from, to) => {
      refuse("EXDEV", from)
      return files.link(from, to)
    },
  }
}

async function crash(tree: Tree, wanted: Wanted, at: number) {
  const files = diskWithMounts(memoryFiles(() => 1_700_000_000_000))
  const store = memoryStore()
  await files.makeFolder("/ws", 0o755)
  await buildTree(files, "/ws", tree)
  await keepTexts(
    store,
    Object.values(wanted).map(([, after]) => after),
  )
  const healthy = await writerOn(files, "/ws", store)
  const moves = movesOf(wanted)
  const dying = { ...healthy, files: faultyFiles(files, { at, kind: "die", code: "" }).it }
  await writeChange(dying, { moves, batch: batchOf(moves) }).catch(() => null)
  return {
    files,
    store,
    again: (by: Files) => recover({ ...healthy, files: by }),
  }
}
