import { execFileSync } from "node:child_process"
import { mkdirSync, rmdirSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { openSqliteStore } from "../../src/store/sqlite.ts"
import { startChild } from "./process.ts"
import { item, noise, operation, temporaryFolder } from "./samples.ts"
import { absent } from "@galley/core/state.ts"

const kills = Number(process.env["STORE_KILLS"] ?? 6)

describe("a killed writer", () => {
  it(`loses nothing that was acknowledged, ${kills} times over`, async () => {
    const folder = temporaryFolder()
    const acknowledged: string[] = []
    for (let round = 0; round < kills; round++) {
      const child = startChild("write", folder, `r${round}`, "100000")
      await child.printed(3 + ((round * 13) % 40))
      child.process.kill("SIGKILL")
      await child.ended
      expect(child.lines.length).toBeGreaterThan(0)
      acknowledged.push(...child.lines)
      const store = await openSqliteStore({ folder })
      const log = await store.operations({ path: "a" })
      expect(log.map(({ seq }) => seq)).toEqual(log.map((_, at) => at + 1))
      const ids = new Set(log.map(({ id }) => id))
      expect(acknowledged.filter(id => !ids.has(id))).toEqual([])
      // At most the one commit that was durable but not yet printed.
      expect(log.length - acknowledged.length).toBeLessThanOrEqual(round + 1)
      expect(await store.check()).toEqual([])
      await store.close()
    }
  })

  it(`in the middle of a purge leaves every other content readable, and the next start ends it`, async () => {
    const folder = temporaryFolder()
    for (let round = 0; round < kills; round++) {
      const child = startChild("purge", folder, "p", "100000")
      await child.printed(2 * (1 + (round % 4)) + (round % 2))
      // Not at a printed line, but somewhere behind it.
      await new Promise(resolve => setTimeout(resolve, (round * 7) % 11))
      child.process.kill("SIGKILL")
      await child.ended
      const store = await openSqliteStore({ folder })
      for (const line of child.lines) {
        const [what, base = "", next = ""] = line.split(" ")
        await store.blob(next)
        if (what === "purged") expect(await store.missingBlobs([base])).toEqual([base])
      }
      expect(await store.check()).toEqual([])
      const { DatabaseSync } = await import("node:sqlite")
      const db = new DatabaseSync(join(folder, "galley.db"))
      expect(db.prepare("SELECT count(*) AS n FROM purges").get()).toEqual({ n: 0 })
      db.close()
      await store.purgeBlobs((await store.blobSizes()).map(({ id }) => id))
      await store.close()
    }
  })
})

describe("two writers at once", () => {
  it("both get every commit in, and the log has no gap", async () => {
    const folder = temporaryFolder()
    const children = ["x", "y"].map(name => startChild("write", folder, name, "60"))
    for (const child of children) expect(await child.ended).toEqual({ code: 0, errors: "" })
    const store = await openSqliteStore({ folder })
    const log = await store.operations({})
    expect(log.map(({ seq }) => seq)).toEqual(Array.from({ length: 120 }, (_, at) => at + 1))
    for (const name of ["x", "y"])
      expect(log.filter(({ id }) => id.startsWith(name)).map(({ id }) => id)).toEqual(
        children[name === "x" ? 0 : 1]?.lines,
      )
    expect(await store.revision()).toBe(120)
    expect(await store.check()).toEqual([])
    await store.close()
  })
})

describe("a full disk", () => {
  const folder = smallDisk()
  afterAll(() => {
    if (folder === null) return
    execFileSync("umount", [folder])
    rmdirSync(folder)
  })
  it.skipIf(folder === null)("is NO_SPACE, keeps what was there, and work goes on when there is room", async () => {
    const store = await openSqliteStore({ folder: folder ?? "" })
    const kept: string[] = []
    const fill = async () => {
      for (let at = 0; at < 400; at++) {
        const [id = ""] = await store.putBlobs([{ bytes: noise(at % 3 === 0 ? 100_000 : 20_000, at) }])
        kept.push(id)
        await store.commit({ operations: [operation(`o${at}`, id, ["a"])], items: [item("a", absent, absent)] })
      }
    }
    await expect(fill()).rejects.toMatchObject({ code: "NO_SPACE" })
    expect(kept.length).toBeGreaterThan(10)
    const log = await store.operations({})
    expect(kept.length - log.length).toBeLessThanOrEqual(1)
    for (const id of kept) await store.blob(id)
    expect(await store.check()).toEqual([])
    await store.close()

    // Opened on the full disk: whatever it can do, it tells the truth about what is there.
    const full = await openSqliteStore({ folder: folder ?? "" })
    expect((await full.operations({})).length).toBe(log.length)
    await full.close()

    execFileSync("mount", ["-o", "remount,size=32m", folder ?? ""])
    const again = await openSqliteStore({ folder: folder ?? "" })
    expect(again.readOnly).toBe(false)
    await again.commit({ operations: [operation("after", kept[0] ?? "", ["a"])] })
    expect(await again.check()).toEqual([])
    await again.close()
  })

  it.skipIf(folder === null)("that is mounted read-only is opened for reading and says so", async () => {
    const disk = folder ?? ""
    const before = await openSqliteStore({ folder: disk })
    await before.commit({ settings: { seen: true } })
    await before.close()
    execFileSync("mount", ["-o", "remount,ro", disk])
    const store = await openSqliteStore({ folder: disk })
    expect(store.readOnly).toBe(true)
    expect(store.trouble?.hint).toContain(disk)
    expect(await store.setting("seen")).toBe(true)
    await expect(store.commit({})).rejects.toMatchObject({ code: "STORE_FAILED" })
    await expect(store.putBlobs([{ bytes: noise(9, 1) }])).rejects.toMatchObject({ code: "STORE_FAILED" })
    await store.close()
    execFileSync("mount", ["-o", "remount,rw", disk])
  })
})

/** A tmpfs of 4 MB; null (with the reason printed) where this user may not mount. */
function smallDisk(): string | null {
  const folder = join(process.env["TMPDIR"] ?? "/tmp", `galley-small-${process.pid}`)
  try {
    mkdirSync(folder, { recursive: true })
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=4m", "galley-test", folder], { stdio: "pipe" })
  } catch (error) {
    console.log(
      `full-disk cases skipped: no tmpfs can be mounted (${error instanceof Error ? error.message : String(error)})`,
    )
    return null
  }
  return folder
}
