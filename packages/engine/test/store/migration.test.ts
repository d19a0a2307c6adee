import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it } from "vitest"
import { applicationId, migrate, migrations, schemaVersion, versionOf } from "../../src/store/schema.ts"
import { openSqliteStore } from "../../src/store/sqlite.ts"
import { seal } from "../../src/store/rows.ts"
import { startChild } from "./process.ts"
import { operation, temporaryFolder } from "./samples.ts"

/** A store as the first schema kept it: no index of paths, no list of purges. */
function firstVersion(count: number): string {
  const folder = temporaryFolder()
  const db = new DatabaseSync(join(folder, "galley.db"))
  db.exec("PRAGMA journal_mode = WAL")
  migrate(db, migrations.slice(0, 1))
  const insert = db.prepare("INSERT INTO operations (seq, id, body, sum) VALUES (?, ?, ?, ?)")
  db.exec("BEGIN")
  for (let seq = 1; seq <= count; seq++) {
    const plain = {
      ...operation(`o${seq}`, "", seq % 2 === 0 ? ["a", "\udcff"] : ["b"]),
      seq,
      actor: seq % 3 === 0 ? "person" : "agent",
    }
    const changes = plain.changes.map(change => ({ ...change, after: change.before }))
    const { body, sum } = seal({ ...plain, changes })
    insert.run(seq, `o${seq}`, body, sum)
  }
  db.exec("COMMIT")
  db.close()
  return folder
}

function raw(folder: string): DatabaseSync {
  return new DatabaseSync(join(folder, "galley.db"))
}

describe("a migration", () => {
  it("of the first schema keeps every row and answers what only the newest schema can", async () => {
    const store = await openSqliteStore({ folder: firstVersion(10) })
    expect((await store.operations({ path: "\udcff" })).map(({ id }) => id)).toEqual(["o2", "o4", "o6", "o8", "o10"])
    expect(await store.operations({})).toHaveLength(10)
    expect((await store.operations({ actor: "person" })).map(({ id }) => id)).toEqual(["o3", "o6", "o9"])
    await store.commit({ operations: [{ ...operation("new", "", []), actor: "person" }] })
    expect((await store.operations({ actor: "person", limit: 2 })).map(({ id }) => id)).toEqual(["o9", "new"])
    expect(await store.check()).toEqual([])
    await store.close()
  })

  it("is done once when two processes open at the same time", async () => {
    const folder = firstVersion(4000)
    const children = Array.from({ length: 4 }, () => startChild("open", folder))
    for (const child of children) expect(await child.ended).toEqual({ code: 0, errors: "" })
    expect(children.map(child => child.lines)).toEqual(children.map(() => ["2000"]))
    const db = raw(folder)
    expect([versionOf(db), db.prepare("SELECT count(*) AS n FROM operation_paths").get()]).toEqual([
      schemaVersion,
      { n: 6000 },
    ])
    db.close()
  })

  it("that is killed at any time is done by the next", async () => {
    const folder = firstVersion(4000)
    for (let round = 0; round < 5; round++) {
      const child = startChild("open", folder)
      await new Promise(resolve => setTimeout(resolve, 100 + round * 50))
      child.process.kill("SIGKILL")
      await child.ended
      const db = raw(folder)
      expect([1, schemaVersion]).toContain(versionOf(db))
      db.close()
    }
    const store = await openSqliteStore({ folder })
    expect(await store.operations({ path: "a" })).toHaveLength(2000)
    expect(await store.check()).toEqual([])
    await store.close()
  })

  it("that fails half-way changes nothing", () => {
    const db = raw(firstVersion(3))
    const failing = () => {
      throw new Error("no")
    }
    expect(() => migrate(db, [...migrations, failing])).toThrow("no")
    expect(versionOf(db)).toBe(1)
    expect(db.prepare("SELECT name FROM sqlite_schema WHERE name = 'purges'").all()).toEqual([])
    migrate(db, migrations)
    expect(versionOf(db)).toBe(schemaVersion)
    db.close()
  })
})

describe("a database of a newer Galley", () => {
  it("is refused, for writing and for reading, and not a byte of it changes", async () => {
    const folder = temporaryFolder()
    await (await openSqliteStore({ folder })).close()
    const db = raw(folder)
    expect(db.prepare("PRAGMA application_id").get()).toEqual({ application_id: applicationId })
    db.exec(`PRAGMA user_version = ${schemaVersion + 1}`)
    db.close()
    const before = readFileSync(join(folder, "galley.db"))
    for (const readOnly of [false, true])
      await expect(openSqliteStore({ folder, readOnly })).rejects.toMatchObject({
        code: "STORE_FAILED",
        message: expect.stringContaining("newer Galley"),
      })
    expect(readFileSync(join(folder, "galley.db")).equals(before)).toBe(true)
  })
})

describe("opening for reading only", () => {
  it("sees what another process commits, and writes nothing", async () => {
    const folder = temporaryFolder()
    const writer = await openSqliteStore({ folder })
    const reader = await openSqliteStore({ folder, readOnly: true })
    await writer.commit({ settings: { a: 1 } })
    expect(await reader.setting("a")).toBe(1)
    expect(reader.readOnly).toBe(true)
    await expect(reader.commit({})).rejects.toMatchObject({ code: "STORE_FAILED" })
    await expect(reader.purgeBlobs([])).rejects.toMatchObject({ code: "STORE_FAILED" })
    await reader.close()
    await writer.close()
  })

  it("is refused where there is no store, and makes none", async () => {
    const folder = temporaryFolder()
    await expect(openSqliteStore({ folder, readOnly: true })).rejects.toMatchObject({ code: "STORE_FAILED" })
    expect(() => readFileSync(join(folder, "galley.db"))).toThrow("ENOENT")
    writeFileSync(join(folder, "galley.db"), "")
    await expect(openSqliteStore({ folder, readOnly: true })).resolves.toMatchObject({ readOnly: true })
  })
})
