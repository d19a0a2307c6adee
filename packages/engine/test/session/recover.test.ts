import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, integer, property } from "fast-check"
import { describe, expect, onTestFinished, test } from "vitest"
import type { Item } from "@galley/core/change/item.ts"
import type { Files } from "../../src/io/files.ts"
import { blobIdOf } from "../../src/io/hash.ts"
import { memoryFiles } from "../../src/io/memory-files.ts"
import { realFiles } from "../../src/io/real-files.ts"
import { openRoot } from "../../src/io/roots.ts"
import { writeChange } from "../../src/session/journal.ts"
import { recover } from "../../src/session/recover.ts"
import { isTorn } from "../../src/session/torn.ts"
import { openSqliteStore } from "../../src/store/sqlite.ts"
import { memoryStore } from "../../src/store/memory.ts"
import type { Batch } from "../../src/store/store.ts"
import { faultyFiles } from "../faulty-files.ts"
import { batchOf, buildTree, countingEnv, keepTexts, movesOf, readTree, stateOf, writerOn, type Tree } from "./world.ts"

type Wanted = Readonly<Record<string, readonly [string | null, string | null]>>

/** A change that died at the first call of that name (or the `nth`), and the workspace it left. */
async function crash(tree: Tree, wanted: Wanted, diesAt: string, nth = 1, batch?: Batch) {
  const start = async () => {
    const files = memoryFiles(() => 1_700_000_000_000)
    const store = memoryStore()
    await files.makeFolder("/ws", 0o755)
    await buildTree(files, "/ws", tree)
    await keepTexts(store, [...Object.values(wanted).map(([, after]) => after), "newer a"])
    const writer = await writerOn(files, "/ws", store)
    const moves = movesOf(wanted)
    const write = (through: Files) =>
      writeChange({ ...writer, files: through }, { moves, batch: batch ?? batchOf(moves) })
    return { files, store, writer, write }
  }
  const rehearsal = await start()
  const counted = faultyFiles(rehearsal.files, null)
  await rehearsal.write(counted.it)
  const places = counted.calls.flatMap((name, index) => (name === diesAt ? [index + 1] : []))
  const at = places[nth - 1]
  if (at === undefined) throw new Error(`no call ${nth} of ${diesAt} among ${counted.calls.join(" ")}`)
  const it = await start()
  await it.write(faultyFiles(it.files, { at, kind: "die", code: "" }).it).catch(() => null)
  const text = async (state: string) => Buffer.from(await it.store.blob(blobIdOf(Buffer.from(state)))).toString()
  return { ...it, text, repair: () => recover(it.writer), tree: () => readTree(it.files, "/ws") }
}

const two: Wanted = { a: ["old a", "new a"], b: ["old b", "new b"] }
const twoOld: Tree = { a: "old a", b: "old b" }

test("nothing was interrupted: nothing is said or done", async () => {
  const files = memoryFiles(() => 0)
  await files.makeFolder("/ws", 0o755)
  const writer = await writerOn(files, "/ws")
  const counted = faultyFiles(files, null)
  expect(await recover({ ...writer, files: counted.it })).toEqual([])
  expect(counted.calls).toEqual([])
})

test("before its first file: undone, and said", async () => {
  const it = await crash(twoOld, two, "renameOverSeen")
  expect(await it.repair()).toEqual(["Undid what a crash had interrupted before its first file: Edit (2 paths)."])
  expect(await it.tree()).toEqual(twoOld)
  expect(await it.repair()).toEqual([])
})

test("after its first file: finished, and said", async () => {
  const it = await crash(twoOld, two, "renameOverSeen", 2)
  expect(await it.repair()).toEqual(["Finished what a crash had interrupted: Edit (2 paths)."])
  expect(await it.tree()).toEqual({ a: "new a", b: "new b" })
  expect((await it.store.operations({})).map(operation => operation.kind)).toEqual(["edit"])
  expect(await it.store.item("a")).toMatchObject({ current: stateOf("new a") })
})

describe("somebody wrote after the crash: theirs stands, is kept, and is recorded as theirs", () => {
  test("on a file that was done", async () => {
    const it = await crash(twoOld, two, "renameOverSeen", 2)
    await it.files.overwrite("/ws/a", Buffer.from("theirs"))
    expect(await it.repair()).toEqual([
      "Finished what a crash had interrupted: Edit (2 paths). Changed by somebody since, and left so: a.",
    ])
    expect(await it.tree()).toEqual({ a: "theirs", b: "new b" })
    expect(await it.text("theirs")).toBe("theirs")
    const [edit, theirs] = await it.store.operations({})
    expect(edit).toMatchObject({ kind: "edit", actor: "agent" })
    expect(theirs).toMatchObject({
      kind: "recover",
      actor: "external",
      changes: [
        {
          path: "a",
          before: { current: stateOf("new a") },
          after: { base: stateOf("old a"), current: stateOf("theirs") },
        },
      ],
    })
    expect(await it.store.item("a")).toMatchObject({ base: stateOf("old a"), current: stateOf("theirs"), revision: 2 })
  })

  test("on a file that was not", async () => {
    const it = await crash(twoOld, two, "renameOverSeen", 2)
    await it.files.overwrite("/ws/b", Buffer.from("theirs"))
    await it.repair()
    expect(await it.tree()).toEqual({ a: "new a", b: "theirs" })
    expect(await it.store.item("b")).toMatchObject({ current: stateOf("theirs") })
  })

  test("before anything was done: the change is undone around it", async () => {
    const it = await crash(twoOld, two, "renameOverSeen")
    await it.files.overwrite("/ws/b", Buffer.from("theirs"))
    await it.repair()
    expect(await it.tree()).toEqual({ a: "old a", b: "theirs" })
    expect(await it.text("theirs")).toBe("theirs")
    expect(await it.store.operations({})).toEqual([])
  })

  test("a folder was put where a file was to come, a file deleted that was to change", async () => {
    const it = await crash({ ...twoOld, c: "old c" }, { ...two, c: ["old c", "new c"] }, "renameOverSeen", 2)
    await it.files.unlink("/ws/b")
    await it.files.makeFolder("/ws/b", 0o755)
    await it.files.create("/ws/b/x", Buffer.from("theirs"), 0o644)
    await it.files.unlink("/ws/c")
    await it.repair()
    expect(await it.tree()).toEqual({ a: "new a", b: "folder", "b/x": "theirs" })
    expect((await it.store.item("c"))?.current).toEqual({ kind: "absent" })
  })

  test("the whole folder is gone, or leads out of the workspace now: nothing is written there", async () => {
    const inD: Wanted = { a: ["old a", "new a"], "d/b": ["old b", "new b"] }
    const gone = await crash({ a: "old a", "d/b": "old b" }, inD, "renameOverSeen", 2)
    for (const { name } of await gone.files.list("/ws/d")) await gone.files.unlink(`/ws/d/${name}`)
    await gone.files.removeFolder("/ws/d")
    expect(await gone.repair()).toEqual([expect.stringContaining("left so: d/b.")])
    expect(await gone.tree()).toEqual({ a: "new a" })

    const away = await crash({ a: "old a", "d/b": "old b" }, inD, "renameOverSeen", 2)
    await away.files.makeFolder("/outside", 0o755)
    await away.files.create("/outside/b", Buffer.from("old b"), 0o644)
    await away.files.rename("/ws/d", "/ws/moved")
    await away.files.symlink("/outside", "/ws/d")
    expect(await away.repair()).toEqual([expect.stringContaining("left so: d/b.")])
    expect(await readTree(away.files, "/outside")).toEqual({ b: "old b" })
    expect((await away.store.item("d/b"))?.current).toEqual({ kind: "unknown" })
  })

  test("under hold the base is what is on disk: theirs becomes the base, and the proposal is marked", async () => {
    // An accept of one of two proposals: a's base moves to disk.
    const [base, current] = [stateOf("old a"), stateOf("new a")]
    const item: Item = {
      path: "a",
      base: current,
      current: stateOf("newer a"),
      disk: "base",
      revision: 4,
      conversations: ["c"],
    }
    const before = { base, current: stateOf("newer a") }
    const batch = { ...batchOf([]), items: [item] }
    const operations = (batch.operations ?? []).map(operation => ({
      ...operation,
      changes: [{ path: "a", before, after: { base: item.base, current: item.current } }],
    }))
    const it = await crash({ a: "old a", b: "old b" }, two, "renameOverSeen", 2, { items: [item], operations })
    await it.files.overwrite("/ws/a", Buffer.from("theirs"))
    await it.repair()
    expect(await it.store.item("a")).toEqual({ ...item, base: stateOf("theirs"), conflictOrigin: current, revision: 5 })
  })
})

describe("a write in place that was cut off", () => {
  const page = (letter: string) => letter.repeat(4096)
  const old = page("a") + page("b") + page("c")
  const wanted = page("a") + page("X") + page("Y") + "more"

  async function torn(there: string) {
    const it = await crash({ h: old, h2: "=h" }, { h: [old, wanted] }, "overwriteSeen")
    await it.files.overwrite("/ws/h", Buffer.from(there))
    const words = await it.repair()
    return { it, words, stands: (await it.tree())["h"] }
  }

  test("every page is the one's or the other's: finished, all names of it", async () => {
    const cut = page("a") + page("X") + page("c")
    const { it, stands, words } = await torn(cut)
    expect(stands).toBe(`${wanted}(2)`)
    expect(words).toEqual([expect.stringContaining("Finished")])
    expect(await it.text(cut)).toBe(cut)
  })

  test("any other bytes are somebody's: kept, and left", async () => {
    const theirs = page("a") + page("Z") + page("c")
    const { it, stands } = await torn(theirs)
    expect(stands).toBe(`${theirs}(2)`)
    expect(await it.text(theirs)).toBe(theirs)
  })

  test("whole files of either side", async () => {
    expect((await torn(old)).stands).toBe(`${old}(2)`)
    expect((await torn(wanted)).stands).toBe(`${wanted}(2)`)
  })

  /** Bytes as digits, a page being 4096 of them: `4096*1,5*2`. */
  function bytes(notation: string): Uint8Array {
    return Buffer.concat(
      notation
        .split(",")
        .filter(Boolean)
        .map(run => {
          const [count = "", value = ""] = run.split("*")
          return Buffer.alloc(Number(count), Number(value))
        }),
    )
  }
  function check(there: string, before: string, after: string, expected: boolean): void {
    test(`${there || "nothing"} between ${before || "nothing"} and ${after || "nothing"}: ${expected}`, () => {
      expect(isTorn(bytes(there), bytes(before), bytes(after))).toBe(expected)
    })
  }
  check("10*1", "10*1", "10*2", true)
  check("4*2,6*1", "10*1", "10*2", true)
  check("4*1,6*2", "10*1", "10*2", false) // a write begins at the front
  check("4096*1,4096*2", "8192*1", "8192*2", true) // but pages reach the disk in any order
  check("4096*2,4096*1", "8192*1", "8192*2", true)
  check("4096*2,4096*3", "8192*1", "8192*2", false)
  check("10*2", "10*1", "20*2", true)
  check("15*2", "10*1", "20*2", true)
  check("15*2", "20*1", "10*2", false)
  check("10*2,5*1", "20*1", "10*2", true)
  check("5*2", "10*1", "20*2", false)
  check("21*2", "10*1", "20*2", false)
  check("", "", "20*2", true)
  check("", "20*1", "", true)

  test("whatever prefix was written over the old, it is found torn; a foreign byte is found out", () => {
    const size = integer({ min: 0, max: 9000 })
    assert(
      property(
        size,
        size,
        integer({ min: 0, max: 9000 }),
        integer({ min: 0, max: 9000 }),
        (before, after, cut, spot) => {
          const [from, to] = [Buffer.alloc(before, 1), Buffer.alloc(after, 2)]
          const there = Buffer.concat([to.subarray(0, cut), from.subarray(Math.min(cut, after))])
          expect(isTorn(there, from, to)).toBe(true)
          if (spot >= there.length) return
          there[spot] = 3
          expect(isTorn(there, from, to)).toBe(false)
        },
      ),
      { numRuns: 300 },
    )
  })
})

test("a repair that fails says so, changes nothing for good, and works the next time", async () => {
  const it = await crash(twoOld, two, "renameOverSeen", 2)
  for (let at = 1; at < 12; at++) {
    const failing = faultyFiles(it.files, { at, kind: "lasting", code: "ENOSPC" })
    await recover({ ...it.writer, files: failing.it }).catch((error: unknown) => {
      expect(error).toMatchObject({
        code: "NO_SPACE",
        message: expect.stringContaining("could not be repaired yet: Edit (2 paths)"),
      })
    })
  }
  await it.repair()
  expect(await it.tree()).toEqual({ a: "new a", b: "new b" })
})

test("a process killed at any instant, on a real disk with a real store (S85)", async () => {
  const folder = mkdtempSync(join(tmpdir(), "galley-kill-"))
  const home = mkdtempSync(join(tmpdir(), "galley-kill-home-"))
  onTestFinished(() => {
    rmSync(folder, { recursive: true })
    rmSync(home, { recursive: true })
  })
  const rounds = Number(process.env["GALLEY_KILLS"] ?? 8)
  const files = realFiles()
  let survived = 0
  for (let round = 0; round < rounds; round++) {
    const child = spawn(process.execPath, [join(import.meta.dirname, "write-until-killed.ts"), folder, home], {
      stdio: ["ignore", "pipe", "inherit"],
    })
    const ended = new Promise(resolve => child.on("close", resolve))
    // From the first change on it is killed after a while that no two rounds share.
    await new Promise(resolve => child.stdout.once("data", resolve))
    await new Promise(resolve => setTimeout(resolve, (round * 7919) % 120))
    child.kill("SIGKILL")
    await ended
    const store = await openSqliteStore({ folder: home })
    await recover({ files, store, root: await openRoot(files, folder), env: countingEnv() })
    const tree = await readTree(files, folder)
    const last = (await store.operations({ limit: 1 }))[0]
    const generation = last?.title ?? "0"
    const even = Number(generation) % 2 === 0
    const expected = {
      a: generation,
      "d/b": generation,
      h: `${generation}(2)`,
      h2: `${generation}(2)`,
      ...(even ? { "e/c": generation } : {}),
    }
    const filesOnly = Object.fromEntries(Object.entries(tree).filter(([, entry]) => entry !== "folder"))
    expect({ round, files: filesOnly }).toEqual({ round, files: expected })
    expect(await store.intents()).toEqual([])
    survived = Math.max(survived, Number(generation))
    await store.close()
  }
  expect(survived).toBeGreaterThan(1)
})
