import { execFileSync } from "node:child_process"
import { cpSync, readFileSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { absent } from "@galley/core/state.ts"
import { openSqliteStore } from "../../src/store/sqlite.ts"
import { file, item, noise, operation, prose, temporaryFolder } from "./samples.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const runs = Number(process.env["STORE_RUNS"] ?? 60)

/** A closed store with a small, a leaning and a large content, and a few facts. */
async function filled() {
  const folder = temporaryFolder()
  const store = await openSqliteStore({ folder })
  const small = bytes(prose(50, 1))
  const leaning = bytes(prose(50, 1).replace("5 ", "five "))
  const large = noise(100_000, 1)
  const [smallId = "", largeId = ""] = await store.putBlobs([{ bytes: small }, { bytes: large }])
  const [leaningId = ""] = await store.putBlobs([{ bytes: leaning, near: smallId }])
  const operations = Array.from({ length: 40 }, (_, at) => operation(`o${at}`, leaningId, [`a${at}`]))
  await store.commit({ operations, items: [item("a", absent, file(smallId)), item("b", file(largeId), absent)] })
  await store.close()
  const contents = new Map([
    [smallId, small],
    [leaningId, leaning],
    [largeId, large],
  ])
  return {
    folder,
    contents,
    smallId,
    leaningId,
    largeId,
    largePath: join(folder, "blobs", largeId.slice(0, 2), largeId.slice(2)),
  }
}

function flip(path: string, at: number, mask = 0x10): void {
  const raw = readFileSync(path)
  raw[at] = (raw[at] ?? 0) ^ mask
  writeFileSync(path, raw)
}

describe("damage is found, told and kept apart", () => {
  it("a flipped bit in a large content: that one fails, the others do not", async () => {
    const { folder, largeId, smallId, largePath } = await filled()
    for (const at of [0, 5, 9, 50_000]) {
      flip(largePath, at)
      const store = await openSqliteStore({ folder })
      await expect(store.blob(largeId)).rejects.toMatchObject({ code: "STORE_FAILED" })
      expect(await store.blob(smallId)).toBeInstanceOf(Uint8Array)
      expect((await store.check()).join()).toContain(largeId)
      expect(store.readOnly).toBe(false)
      await store.close()
      flip(largePath, at)
    }
  })

  it("a truncated or vanished large content", async () => {
    const { folder, largeId, largePath } = await filled()
    for (const length of [99_000, 3, 0]) {
      truncateSync(largePath, length)
      const store = await openSqliteStore({ folder })
      await expect(store.blob(largeId)).rejects.toMatchObject({ code: "STORE_FAILED" })
      expect((await store.check()).join()).toContain(largeId)
      await store.close()
    }
  })

  it("a damaged base takes what leans on it along, and both are named", async () => {
    const { folder, smallId, leaningId, largeId } = await filled()
    const db = new DatabaseSync(join(folder, "galley.db"))
    db.prepare("UPDATE blobs SET frame = zeroblob(length(frame)) WHERE id = ?").run(Buffer.from(smallId, "hex"))
    db.close()
    const store = await openSqliteStore({ folder })
    await expect(store.blob(leaningId)).rejects.toMatchObject({ code: "STORE_FAILED" })
    await store.blob(largeId)
    const found = (await store.check()).join("\n")
    expect(found).toContain(smallId)
    expect(found).toContain(leaningId)
    // A new content near the damaged one is kept whole, and sound.
    const next = bytes(prose(50, 1).replace("7 ", "seven "))
    const [id = ""] = await store.putBlobs([{ bytes: next, near: smallId }])
    expect(await store.blob(id)).toEqual(next)
    await store.close()
  })

  it("a body that changed behind SQLite's back is never used", async () => {
    const { folder } = await filled()
    const db = new DatabaseSync(join(folder, "galley.db"))
    db.exec("UPDATE operations SET body = replace(body, 'Edit o3', 'Edit p3') WHERE seq = 4")
    db.close()
    const store = await openSqliteStore({ folder })
    await expect(store.operation("o3")).rejects.toMatchObject({ code: "STORE_FAILED" })
    expect((await store.operation("o4"))?.id).toBe("o4")
    expect((await store.check()).join()).toMatch(/Operation 4 is damaged/)
    await store.close()
  })

  for (const [what, spoil] of [
    [
      "no database at all",
      (path: string) => writeFileSync(path, "this is no database, only a text of some length\n".repeat(200)),
    ],
    ["a truncated database", (path: string) => truncateSync(path, 4096 * 3 + 100)],
    ["a flipped header", (path: string) => flip(path, 3)],
    [
      "a schema page of zeros",
      (path: string) =>
        writeFileSync(
          path,
          Buffer.concat([readFileSync(path).subarray(0, 100), Buffer.alloc(3996), readFileSync(path).subarray(4096)]),
        ),
    ],
  ] as const)
    it(`${what}: opened for reading, saying how to keep the data, and large contents still readable`, async () => {
      const { folder, largeId, contents } = await filled()
      spoil(join(folder, "galley.db"))
      const raw = readFileSync(join(folder, "galley.db"))
      const store = await openSqliteStore({ folder })
      expect(store.readOnly).toBe(true)
      expect(store.trouble?.hint).toMatch(/Copy the folder .*\.recover/)
      await expect(store.commit({ settings: { a: 1 } })).rejects.toMatchObject({
        code: "STORE_FAILED",
        hint: store.trouble?.hint,
      })
      expect(await store.blob(largeId)).toEqual(contents.get(largeId))
      expect(await store.check()).not.toEqual([])
      await store.close()
      expect(readFileSync(join(folder, "galley.db")).equals(raw), "nothing was written to it").toBe(true)
    })

  it("a column that changed its name in the schema's own text", async () => {
    const { folder, largeId } = await filled()
    const path = join(folder, "galley.db")
    flip(path, readFileSync(path).indexOf("stored INTEGER"), 1)
    const store = await openSqliteStore({ folder })
    expect(store.trouble?.message).toMatch(/schema/)
    await store.blob(largeId)
    await store.close()
  })

  it("any one flipped bit of the database: no wrong answer, no crash, no foreign error", async () => {
    const { folder, contents } = await filled()
    const original = readFileSync(join(folder, "galley.db"))
    const sound = await openSqliteStore({ folder })
    const log = new Map((await sound.operations({})).map(known => [known.seq, known]))
    await sound.close()
    await fc.assert(
      fc.asyncProperty(fc.nat(original.length - 1), fc.nat(7), async (at, bit) => {
        const copy = temporaryCopy(folder)
        flip(join(copy, "galley.db"), at, 1 << bit)
        const tell = (error: unknown) => {
          if (!(error instanceof Error && error.name === "Failure")) throw error
          return null
        }
        const store = await openSqliteStore({ folder: copy }).catch(tell)
        if (store === null) return
        for (const [id, content] of contents) {
          const read = await store.blob(id).catch(tell)
          if (read !== null) expect(read).toEqual(content)
        }
        for (const known of (await store.operations({}).catch(tell)) ?? []) expect(known).toEqual(log.get(known.seq))
        await store.items({ pending: true }).catch(tell)
        await store.check()
        await store.close()
      }),
      { numRuns: runs },
    )
  })
})

it("a content can be read by hand, as FORMAT.md says", async () => {
  const { folder, contents, smallId, leaningId, largePath, largeId } = await filled()
  if (!hasTool("zstd")) return console.log("case skipped: no zstd on this machine")
  const db = new DatabaseSync(join(folder, "galley.db"))
  const frame = (id: string, name: string) => {
    const row = db.prepare("SELECT frame FROM blobs WHERE id = ?").get(Buffer.from(id, "hex"))
    writeFileSync(join(folder, name), row?.["frame"] as Uint8Array)
    return join(folder, name)
  }
  const unpack = (...args: string[]) => execFileSync("zstd", ["-dcq", ...args], { maxBuffer: 1 << 26 })
  const small = unpack(frame(smallId, "small.zst"))
  expect(small.equals(contents.get(smallId) ?? Buffer.alloc(0))).toBe(true)
  writeFileSync(join(folder, "base"), small)
  expect(
    unpack("-D", join(folder, "base"), frame(leaningId, "next.zst")).equals(contents.get(leaningId) ?? small),
  ).toBe(true)
  cpSync(largePath, join(folder, "large.zst"))
  expect(unpack(join(folder, "large.zst")).equals(contents.get(largeId) ?? small)).toBe(true)
  db.close()
})

function temporaryCopy(folder: string): string {
  const copy = join(folder, "copy")
  cpSync(join(folder, "blobs"), join(copy, "blobs"), { recursive: true })
  for (const name of ["galley.db-wal", "galley.db-shm"]) writeFileSync(join(copy, name), "")
  cpSync(join(folder, "galley.db"), join(copy, "galley.db"))
  return copy
}

function hasTool(name: string): boolean {
  try {
    execFileSync(name, ["--version"], { stdio: "pipe" })
    return true
  } catch {
    return false
  }
}
