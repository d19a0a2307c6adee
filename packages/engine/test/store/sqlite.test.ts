import { existsSync, mkdirSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { absent } from "@galley/core/state.ts"
import { hashOf, loosePath } from "../../src/store/blobs.ts"
import { openSqliteStore } from "../../src/store/sqlite.ts"
import { conformance } from "./conformance.ts"
import { file, item, noise, operation, prose, temporaryFolder } from "./samples.ts"

conformance("sqlite", () => openSqliteStore({ folder: temporaryFolder() }))

const bytes = (text: string) => new TextEncoder().encode(text)

describe("what SQLite adds", () => {
  it("everything is there when opened again, and another open store sees each commit at once", async () => {
    const folder = temporaryFolder()
    const first = await openSqliteStore({ folder })
    const second = await openSqliteStore({ folder })
    const [id = ""] = await first.putBlobs([{ bytes: bytes("a") }])
    await first.commit({ operations: [operation("x", id, ["a"])], items: [item("a", absent, file(id))] })
    expect(await second.revision()).toBe(1)
    expect(await second.items({ pending: true })).toHaveLength(1)
    await second.commit({ operations: [operation("y", id, ["a"])] })
    expect(await first.revision()).toBe(2)
    await first.close()
    await second.close()
    const again = await openSqliteStore({ folder })
    expect((await again.operations({})).map(({ seq }) => seq)).toEqual([1, 2])
    expect(await again.blob(id)).toEqual(bytes("a"))
    await again.close()
  })

  it("folders are 0700 and files 0600, WAL and SHM and large contents too, whatever the umask", async () => {
    const before = process.umask(0)
    try {
      const folder = join(temporaryFolder(), "deep", "store")
      const store = await openSqliteStore({ folder })
      const [id = ""] = await store.putBlobs([{ bytes: noise(100_000, 1) }])
      await store.commit({ settings: { a: 1 } })
      const mode = (...names: string[]) => (statSync(join(folder, ...names)).mode & 0o777).toString(8)
      expect(["galley.db", "galley.db-wal", "galley.db-shm"].map(name => mode(name))).toEqual(["600", "600", "600"])
      expect([mode(), mode(".."), mode("blobs"), mode("blobs", "tmp"), mode("blobs", id.slice(0, 2))]).toEqual(
        Array(5).fill("700"),
      )
      expect(mode("blobs", id.slice(0, 2), id.slice(2))).toBe("600")
      await store.close()
    } finally {
      process.umask(before)
    }
  })

  it("versions lean on each other for at most 32 links, and then one is whole again", async () => {
    const store = await openSqliteStore({ folder: temporaryFolder() })
    let text = prose(400, 1)
    let near: string | undefined
    const stored: number[] = []
    for (let at = 0; at < 70; at++) {
      text = text.replace(`\n${at + 1} `, `\n${at + 1} edited `)
      const [id = ""] = await store.putBlobs([{ bytes: bytes(text), ...(near === undefined ? {} : { near }) }])
      near = id
      stored.push((await store.blobSizes()).find(blob => blob.id === id)?.storedBytes ?? 0)
    }
    const whole = stored.flatMap((size, at) => (size > 2000 ? [at] : []))
    expect(whole).toEqual([0, 32, 64])
    expect(await store.check()).toEqual([])
    await store.close()
  })

  for (const megabytes of [0.2, 1, 4])
    it(`one edit in the middle of ${megabytes} MB costs next to nothing`, async () => {
      const store = await openSqliteStore({ folder: temporaryFolder() })
      const base = noise(megabytes * 1e6, 1)
      const edited = base.slice()
      edited.set(bytes("edited"), base.length / 2)
      const [near = ""] = await store.putBlobs([{ bytes: base }])
      const [id = ""] = await store.putBlobs([{ bytes: edited, near }])
      expect((await store.blobSizes()).find(blob => blob.id === id)?.storedBytes).toBeLessThan(2000)
      expect((await store.blob(id)).every((byte, at) => byte === edited[at])).toBe(true)
      await store.close()
    })

  it("what dead writers left is swept by gc after an hour, and not what the living are at", async () => {
    const folder = temporaryFolder()
    const store = await openSqliteStore({ folder })
    const [kept = ""] = await store.putBlobs([{ bytes: noise(100_000, 1) }])
    const stray = hashOf(bytes("stray"))
    const files = [
      join(folder, "blobs", "tmp", "old"),
      join(folder, "blobs", "tmp", "young"),
      loosePath(folder, stray),
      loosePath(folder, kept),
    ]
    mkdirSync(join(files[2] ?? "", ".."), { recursive: true })
    for (const path of files.slice(0, 3)) writeFileSync(path, "")
    const longAgo = new Date(Date.now() - 2 * 3_600_000)
    for (const path of [files[0], files[2], files[3]]) utimesSync(path ?? "", longAgo, longAgo)
    await store.removeBlobs([])
    expect(files.map(path => existsSync(path))).toEqual([false, true, false, true])
    await store.close()
  })

  it("no question reads the whole log: each plan uses an index", async () => {
    const { DatabaseSync } = await import("node:sqlite")
    const folder = temporaryFolder()
    await (await openSqliteStore({ folder })).close()
    const db = new DatabaseSync(join(folder, "galley.db"))
    const plan = (sql: string) =>
      db
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map(row => String(row["detail"]))
        .join("; ")
    const check = (sql: string, expected: RegExp) => {
      expect(plan(sql)).toMatch(expected)
      expect(plan(sql)).not.toMatch(/TEMP B-TREE/)
    }
    const log = "SELECT o.body FROM operations o WHERE"
    check(`${log} o.conversation = 'c' ORDER BY o.seq DESC LIMIT 5`, /operations_by_conversation/)
    check(`${log} o.message = 'c' ORDER BY o.seq DESC LIMIT 5`, /operations_by_message/)
    check(
      "SELECT o.body FROM operation_paths p CROSS JOIN operations o ON o.seq = p.seq WHERE p.path = x'61' ORDER BY p.seq DESC LIMIT 5",
      /SEARCH p USING PRIMARY KEY \(path=\?\); SEARCH o USING INTEGER PRIMARY KEY/,
    )
    check("SELECT body FROM items WHERE pending = 1 AND 1", /items_pending/)
    check("SELECT body FROM messages WHERE conversation = 'c' ORDER BY n", /messages_by_conversation/)
    check("SELECT body FROM conversations ORDER BY created_at DESC, n DESC", /conversations_by_time/)
    check("SELECT body FROM notes WHERE delivered = 0 ORDER BY n", /notes_undelivered/)
    db.close()
  })
})
