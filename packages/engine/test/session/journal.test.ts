import { execFileSync } from "node:child_process"
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import { Failure } from "@galley/core/failure.ts"
import type { Files } from "../../src/io/files.ts"
import { blobIdOf } from "../../src/io/hash.ts"
import { memoryFiles } from "../../src/io/memory-files.ts"
import { realFiles } from "../../src/io/real-files.ts"
import { writeChange, type WriteOutcome } from "../../src/session/journal.ts"
import { recover } from "../../src/session/recover.ts"
import { orderMoves } from "../../src/session/steps.ts"
import { memoryStore } from "../../src/store/memory.ts"
import type { Store } from "../../src/store/store.ts"
import { meddledFiles } from "../faulty-files.ts"
import { canBeNobody, nobody } from "../nobody.ts"
import { batchOf, buildTree, keepTexts, movesOf, readTree, writerOn, type Tree } from "./world.ts"

type Wanted = Readonly<Record<string, readonly [string | null, string | null]>>

describe("the order of the deed", () => {
  /** `+a` makes or writes, `-a` removes a file, `/a` makes a folder, `~a` removes one, `!a` shuts one. */
  function check(given: string, expected: string): void {
    test(`${given} → ${expected}`, () => {
      const kinds: Readonly<Record<string, readonly [string | null, string | null]>> = {
        "+": [null, "x"],
        "-": ["x", null],
        "/": [null, "folder"],
        "~": ["folder", null],
        "!": ["folder:0755", "folder:0555"],
      }
      const words = given.split(" ")
      const moves = words.flatMap(word => movesOf({ [word.slice(1)]: kinds[word[0] ?? ""] ?? [null, null] }))
      const byPath = new Map(words.map(word => [word.slice(1), word]))
      expect(
        orderMoves(moves)
          .map(move => byPath.get(move.path))
          .join(" "),
      ).toBe(expected)
    })
  }
  check("-a +b", "+b -a")
  check("-a +c +b", "+b +c -a")
  check("-a +a/b", "-a +a/b")
  check("+a -a/b -a/c/d", "-a/c/d -a/b +a")
  check("~a -a/b", "-a/b ~a")
  check("+a/b/c /a/b /a", "/a /a/b +a/b/c")
  check("!a +a/b -a/c", "+a/b -a/c !a")
  check("-z +y -a +a/x", "-a +a/x +y -z")
})

async function world(tree: Tree, wanted: Wanted, files: Files = memoryFiles(() => 1_700_000_000_000), root = "/ws") {
  if (root === "/ws") await files.makeFolder(root, 0o755)
  const store = memoryStore()
  await buildTree(files, root, tree)
  await keepTexts(
    store,
    Object.values(wanted).map(([, after]) => after),
  )
  const moves = movesOf(wanted)
  const writer = await writerOn(files, root, store)
  const write = (through: Files = files) => writeChange({ ...writer, files: through }, { moves, batch: batchOf(moves) })
  return { files, store, writer, write, tree: () => readTree(files, root) }
}

describe("what stands in the way is told whole, before the first write", () => {
  function check(name: string, tree: Tree, wanted: Wanted, problems: readonly string[]): void {
    test(name, async () => {
      const it = await world(tree, wanted)
      const before = await it.tree()
      const outcome = await it.write()
      expect(outcome.kind === "blocked" && outcome.problems.map(problem => `${problem.path} ${problem.code}`)).toEqual(
        problems,
      )
      expect(await it.tree()).toEqual(before)
      expect([await it.store.intents(), await it.store.operations({})]).toEqual([[], []])
    })
  }
  const changed = "FILE_CHANGED_SINCE_READ"
  check("other text", { a: "mine", b: "b" }, { a: ["old", "new"], b: ["b", "new"] }, [`a ${changed}`])
  check("two of them", { a: "mine", b: "mine", c: "c" }, { a: ["1", "2"], c: ["c", "d"], b: ["1", null] }, [
    `a ${changed}`,
    `b ${changed}`,
  ])
  check("other mode (S26)", { a: "0600:old" }, { a: ["old", "new"] }, [`a ${changed}`])
  check("gone", {}, { a: ["old", "new"] }, [`a ${changed}`])
  check("there already", { a: "mine" }, { a: [null, "new"] }, [`a ${changed}`])
  check("an empty file is not a missing one (S23)", { a: "" }, { a: [null, "new"] }, [`a ${changed}`])
  check("a missing file is not an empty one (S23)", {}, { a: ["", "new"] }, [`a ${changed}`])
  check("a symlink instead of a file", { a: "-> b", b: "old" }, { a: ["old", "new"] }, [`a ${changed}`])
  check("a symlink on the way (S37)", { d: "-> e", "e/a": "old" }, { "d/a": ["old", "new"] }, ["d/a OUTSIDE_WORKSPACE"])
  check("a symlink on the way to a new file", { d: "-> e", e: "folder" }, { "d/a": [null, "new"] }, [
    "d/a OUTSIDE_WORKSPACE",
  ])
  check("a file on the way", { d: "file" }, { "d/a": [null, "new"] }, [`d/a ${changed}`])
  check("a folder that holds more than what goes", { "a/b": "1", "a/c": "2" }, { a: [null, "x"], "a/b": ["1", null] }, [
    "a CONFLICT",
  ])
  check("git's own files", { ".git/config": "old" }, { ".git/config": ["old", "new"] }, [".git/config DENIED"])
})

test("unknown never drives a write or a delete, and nothing but files, links and folders is made", async () => {
  const it = await world({ a: "a" }, {})
  const unknown = { kind: "unknown" } as const
  const fifo = { kind: "other", what: "fifo" } as const
  const outcome = await writeChange(it.writer, {
    moves: [
      { path: "a", before: unknown, after: { kind: "absent" } },
      { path: "b", before: { kind: "absent" }, after: unknown },
      { path: "c", before: { kind: "absent" }, after: fifo },
    ],
    batch: {},
  })
  expect(outcome.kind === "blocked" && outcome.problems.map(problem => problem.code)).toEqual(
    ["FILE_CHANGED_SINCE_READ", "CONFLICT", "BAD_ARGUMENT"].map((code, index) => (index === 0 ? "CONFLICT" : code)),
  )
})

test("a folder that should go stays while something else is in it, and that is said", async () => {
  const it = await world({ "d/ours": "x", "d/theirs": "y" }, { "d/ours": ["x", null], d: ["folder", null] })
  expect(await it.write()).toMatchObject({ kind: "written", keptFolders: ["d"] })
  expect(await it.tree()).toEqual({ d: "folder", "d/theirs": "y" })
})

test("folders whose files go in the same change go with them, inner ones first", async () => {
  const it = await world(
    { "d/e/x": "x", f: "f" },
    { d: ["folder", null], "d/e": ["folder", null], "d/e/x": ["x", null] },
  )
  expect(await it.write()).toMatchObject({ kind: "written", keptFolders: [] })
  expect(await it.tree()).toEqual({ f: "f" })
})

test("a FIFO is removed without being read (S38)", async () => {
  const files = memoryFiles(() => 1_700_000_000_000)
  const it = await world({}, {}, files)
  await files.makeSpecial("/ws/pipe", "fifo")
  const before = { kind: "other", what: "fifo" } as const
  const outcome = await writeChange(it.writer, {
    moves: [{ path: "pipe", before, after: { kind: "absent" } }],
    batch: {},
  })
  expect(outcome.kind).toBe("written")
  expect(await it.tree()).toEqual({})
})

test("a content that the store lacks is taken from disk for before, and refused for after", async () => {
  const it = await world({ a: "old" }, { a: ["old", "new"] })
  expect((await it.write()).kind).toBe("written")
  expect(Buffer.from(await it.store.blob(blobIdOf(Buffer.from("old")))).toString()).toBe("old")
  const moves = movesOf({ a: ["new", "never kept"] })
  await expect(writeChange(it.writer, { moves, batch: {} })).rejects.toMatchObject({ code: "STORE_FAILED" })
  expect(await it.tree()).toEqual({ a: "new" })
})

/**
 * Somebody else writes at any moment of our change. Theirs must be on disk afterwards, or, if ours was done before, in front of ours:
 * never lost, and what we say must be true.
 */
describe("somebody else writes meanwhile", () => {
  const theirs = "theirs, and longer"
  const deeds: Readonly<Record<string, (files: Files, path: string) => Promise<void>>> = {
    "in place": (files, path) => files.overwrite(path, Buffer.from(theirs)),
    "by rename": async (files, path) => {
      await files.create("/ws/theirs.tmp", Buffer.from(theirs), 0o644)
      await files.rename("/ws/theirs.tmp", path)
    },
    "by deleting": (files, path) => files.unlink(path),
    "its mode": (files, path) => files.chmod(path, 0o711),
  }
  const changes: Readonly<Record<string, readonly [Tree, Wanted, string]>> = {
    modify: [{ a: "old" }, { a: ["old", "new"] }, "a"],
    delete: [{ a: "old" }, { a: ["old", null] }, "a"],
    "modify one of two": [{ a: "old", b: "old b" }, { a: ["old", "new"], b: ["old b", "new b"] }, "b"],
    "write in place": [{ a: "old", h: "=a" }, { a: ["old", "new"] }, "a"],
    create: [{}, { a: [null, "new"] }, "a"],
    "file to folder": [{ a: "old" }, { a: ["old", null], "a/b": [null, "1"] }, "a"],
  }
  for (const age of ["fresh", "at rest"]) {
    for (const [change, [tree, wanted, path]] of Object.entries(changes)) {
      for (const [deed, meddle] of Object.entries(deeds)) {
        if (change === "create" && deed === "by deleting") continue // leaves nothing that could be lost
        test(`${change}, ${deed} (${age})`, async () => {
          for (let at = 1; ; at++) {
            const clock = { now: age === "fresh" ? 1_700_000_000_000 : 1_600_000_000_000 }
            const it = await world(
              tree,
              wanted,
              memoryFiles(() => clock.now),
            )
            clock.now = 1_700_000_000_000
            const place = `/ws/${path}`
            let happened = false
            const meddled = meddledFiles(it.files, at, async () => {
              const stat = await it.files.lstat(place)
              if (change === "create" && !stat) await it.files.create(place, Buffer.from("ours to change"), 0o644)
              else if (stat?.kind !== "file") return
              await meddle(it.files, place)
              happened = true
            })
            const outcome: WriteOutcome | Failure = await it.write(meddled.it).catch((error: unknown) => {
              if (error instanceof Failure) return error
              throw error
            })
            if (meddled.calls.length < at) return
            if (!happened) continue
            const left = await it.tree()
            const where = `${at}: ${meddled.calls[at - 1]}`
            const their = {
              "in place": theirs,
              "by rename": theirs,
              "by deleting": undefined,
              "its mode": expect.stringContaining("0711:"),
            }[deed]
            const stands = left[path]
            const others = Object.entries(left).filter(
              ([name]) => name.includes(".galley-") || name.includes("theirs.tmp"),
            )
            expect({ where, others }).toEqual({ where, others: [] })
            const links = change === "write in place" && deed === "in place" ? "(2)" : ""
            expect({ where, stands }).toEqual({ where, stands: typeof their === "string" ? their + links : their })
            expect(await it.store.intents()).toEqual([])
            const operations = await it.store.operations({})
            const isWritten = "kind" in outcome && outcome.kind === "written"
            expect({ where, operations: operations.length }).toEqual({ where, operations: isWritten ? 1 : 0 })
            if ("kind" in outcome && outcome.kind === "overtaken")
              expect(outcome.found.map(one => one.path)).toEqual([path])
          }
        })
      }
    }
  }
})

test("a parent that is swapped for a symlink at any moment leads nowhere (S37)", async () => {
  const wanted: Wanted = { "d/a": ["old", "new"], "d/b": [null, "b"], "d/c": ["c", null] }
  let refused = 0
  for (let at = 1; ; at++) {
    const it = await world({ "d/a": "old", "d/c": "c" }, wanted)
    await it.files.makeFolder("/outside", 0o755)
    await it.files.create("/outside/a", Buffer.from("old"), 0o644)
    await it.files.create("/outside/c", Buffer.from("c"), 0o644)
    const meddled = meddledFiles(it.files, at, async () => {
      await it.files.rename("/ws/d", "/ws/moved")
      await it.files.symlink("/outside", "/ws/d")
    })
    const outcome = await it.write(meddled.it).catch((error: unknown) => error)
    if (meddled.calls.length < at) break
    const where = `${at}: ${meddled.calls[at - 1]}`
    expect({ where, outside: await readTree(it.files, "/outside") }).toEqual({ where, outside: { a: "old", c: "c" } })
    if (outcome instanceof Failure) {
      expect(["OUTSIDE_WORKSPACE", "FILE_CHANGED_SINCE_READ"]).toContain(outcome.code)
      if (outcome.code === "OUTSIDE_WORKSPACE") refused++
    }
    await recover(it.writer)
    const moved = await readTree(it.files, "/ws/moved")
    const isNew = (await it.store.operations({})).length > 0
    expect({ where, moved }).toEqual({ where, moved: isNew ? { a: "new", b: "b" } : { a: "old", c: "c" } })
  }
  expect(refused).toBeGreaterThan(0)
})

describe("on the real disk", () => {
  function folder(): string {
    const path = mkdtempSync(join(tmpdir(), "galley-journal-"))
    onTestFinished(() => rmSync(path, { recursive: true, force: true }))
    return path
  }

  test("a private file is never wider than it is, at any call (S26)", async () => {
    const root = folder()
    const it = await world(
      { key: "0600:old" },
      { key: ["0600:old", "0600:new"], fresh: [null, "0600:secret"] },
      realFiles(),
      root,
    )
    const widths = new Set<string>()
    const counting = meddledFiles(it.files, "each", async () => {
      for (const entry of await it.files.list(root)) {
        const stat = await it.files.lstat(`${root}/${entry.name}`)
        if (stat && stat.size > 0) widths.add(stat.mode.toString(8))
      }
    })
    expect((await it.write(counting.it)).kind).toBe("written")
    expect([...widths]).toEqual(["600"])
  })

  test("a hard link across the edge of the workspace is written through, and said (S32)", async () => {
    const root = folder()
    const outside = folder()
    writeFileSync(`${outside}/h`, "old", { mode: 0o644 })
    execFileSync("ln", [`${outside}/h`, `${root}/h`])
    const it = await world({}, { h: ["old", "new"] }, realFiles(), root)
    expect(await it.write()).toMatchObject({ kind: "written", remarks: [expect.stringContaining("2 names")] })
    expect(readFileSync(`${outside}/h`, "utf8")).toBe("new")
    expect(statSync(`${outside}/h`).ino).toBe(statSync(`${root}/h`).ino)
  })

  test("a sparse file is restored with the same bytes (S22)", async () => {
    const root = folder()
    execFileSync("truncate", ["-s", "2000000", `${root}/sparse`])
    chmodSync(`${root}/sparse`, 0o644)
    const it = await world({}, {}, realFiles(), root)
    const zeros = Buffer.alloc(2_000_000)
    const [blob = ""] = await it.store.putBlobs([{ bytes: zeros }])
    const state = { kind: "file", blob, size: zeros.length, mode: 0o644 } as const
    const gone = { kind: "absent" } as const
    await writeChange(it.writer, { moves: [{ path: "sparse", before: state, after: gone }], batch: {} })
    await writeChange(it.writer, { moves: [{ path: "sparse", before: gone, after: state }], batch: {} })
    expect(readFileSync(`${root}/sparse`).equals(zeros)).toBe(true)
  })

  test("a bind-mounted file is written in place (S80)", async context => {
    const root = folder()
    const source = `${folder()}/source`
    writeFileSync(source, "old", { mode: 0o644 })
    writeFileSync(`${root}/mounted`, "")
    try {
      execFileSync("mount", ["--bind", source, `${root}/mounted`], { stdio: "ignore" })
    } catch {
      return context.skip("mount --bind is not allowed here")
    }
    onTestFinished(() => void execFileSync("umount", [`${root}/mounted`]))
    const it = await world({}, { mounted: ["old", "new"], other: [null, "x"] }, realFiles(), root)
    expect((await it.write()).kind).toBe("written")
    expect(readFileSync(source, "utf8")).toBe("new")
    expect((await it.files.list(root)).map(entry => entry.name).toSorted()).toEqual(["mounted", "other"])
    const moves = movesOf({ mounted: ["new", null], other: ["x", "y"] })
    await it.store.putBlobs([{ bytes: Buffer.from("y") }])
    await expect(writeChange(it.writer, { moves, batch: {} })).rejects.toMatchObject({ code: "DENIED" })
    expect(readFileSync(`${root}/other`, "utf8")).toBe("x")
    expect((await it.files.list(root)).map(entry => entry.name).toSorted()).toEqual(["mounted", "other"])
  })

  const isRoot = process.getuid?.() === 0

  test.skipIf(isRoot && !canBeNobody)(
    "a folder that is read-only and a file that cannot be read block the whole (S77, S80)",
    () => {
      const root = folder()
      if (isRoot) {
        writeFileSync(`${root}/shared`, "old")
        chmodSync(`${root}/shared`, 0o666)
        chownSync(root, nobody, nobody)
      }
      const user = isRoot ? { uid: nobody, gid: nobody } : {}
      const script = join(import.meta.dirname, "write-without-rights.ts")
      const out = execFileSync(process.execPath, [script, root], { ...user, encoding: "utf8" })
      expect(JSON.parse(out)).toEqual({
        problems: ["secret DENIED", "shut/a DENIED", "shut/new DENIED"],
        free: "old",
        // A file of somebody else (root) that we may write keeps its owner: it is written in place.
        shared: isRoot ? "written 0 new" : "none",
      })
    },
  )

  test.skipIf(!isRoot)("owner and set-id bits are kept by root", async () => {
    const root = folder()
    writeFileSync(`${root}/a`, "old", { mode: 0o644 })
    chownSync(`${root}/a`, 1234, 1235)
    chmodSync(`${root}/a`, 0o4755)
    const it = await world({}, { a: ["4755:old", "4755:new"] }, realFiles(), root)
    expect(await it.write()).toMatchObject({ kind: "written", remarks: [] })
    expect(statSync(`${root}/a`)).toMatchObject({ uid: 1234, gid: 1235, mode: 0o104755 })
  })

  test.skipIf(!isRoot)("a full disk: nothing half-written, the old content intact, NO_SPACE (S79)", async context => {
    const root = folder()
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=256k", "none", root], { stdio: "ignore" })
    } catch {
      return context.skip("tmpfs cannot be mounted here")
    }
    onTestFinished(() => void execFileSync("umount", [root]))
    const store: Store = memoryStore()
    const files = realFiles()
    await buildTree(files, root, { a: "old", b: "old b", h: "old h", h2: "=h" })
    const large = "x".repeat(200_000)
    await keepTexts(store, ["new", large])
    const writer = await writerOn(files, root, store)
    for (const wanted of [
      { a: ["old", "new"], b: ["old b", large], c: [null, large] },
      { h: ["old h", large], a: ["old", large] },
    ] as Wanted[]) {
      const moves = movesOf(wanted)
      await expect(writeChange(writer, { moves, batch: {} })).rejects.toMatchObject({ code: "NO_SPACE" })
      expect(await readTree(files, root)).toEqual({ a: "old", b: "old b", h: "old h(2)", h2: "old h(2)" })
      expect(await store.intents()).toEqual([])
    }
  })
})
