import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { openSqliteStore } from "../../src/store/sqlite.ts"
import { noise, operation, temporaryFolder } from "./samples.ts"

/** Which 16-byte pieces of `secret` stand anywhere in any file under `folder`. */
function traces(folder: string, secret: Uint8Array): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .flatMap(entry => {
      const raw = readFileSync(join(entry.parentPath, entry.name))
      for (let at = 0; at + 16 <= secret.length; at += 16)
        if (raw.includes(Buffer.from(secret.subarray(at, at + 16)))) return [`${entry.name} holds byte ${at}`]
      return []
    })
}

describe("a purge", () => {
  for (const [size, place] of [
    [5_000, "a row"],
    [90_000, "a file"],
  ] as const)
    it(`leaves no byte of ${place} in any file, and what was packed with it stays readable`, async () => {
      const folder = temporaryFolder()
      const store = await openSqliteStore({ folder })
      const secret = noise(size, 7)
      const plain = noise(size, 6)
      const [before = ""] = await store.putBlobs([{ bytes: plain }])
      const [id = ""] = await store.putBlobs([{ bytes: new Uint8Array([...plain, ...secret, ...noise(size, 8)]) }])
      // A later version without the secret, packed with the one that has it as dictionary, and one more on top.
      const cleaned = new Uint8Array([...plain, ...noise(size, 8)])
      const [next = ""] = await store.putBlobs([{ bytes: cleaned, near: id }])
      const [last = ""] = await store.putBlobs([{ bytes: new Uint8Array([...cleaned, 2]), near: next }])
      await store.commit({ operations: [operation("o", next, ["a"])] })
      expect(traces(folder, secret), "the test can see the secret").not.toEqual([])
      const packed = (await store.blobSizes()).find(blob => blob.id === next)?.storedBytes
      expect(packed, "it leans on the secret").toBeLessThan(1000)
      await store.purgeBlobs([id])
      expect(traces(folder, secret)).toEqual([])
      expect(await store.blob(next)).toEqual(cleaned)
      expect(await store.blob(last)).toEqual(new Uint8Array([...cleaned, 2]))
      expect(await store.missingBlobs([before, id, next, last])).toEqual([id])
      expect(await store.check()).toEqual([])
      await store.close()
      expect(traces(folder, secret)).toEqual([])
    })

  it("also takes the text of redacted operations and dropped rows", async () => {
    const folder = temporaryFolder()
    const store = await openSqliteStore({ folder })
    const secret = "sk-live-51HxT0pS3cretV4lue"
    const [id = "", gone = ""] = await store.putBlobs([{ bytes: noise(9, 1) }, { bytes: noise(9, 2) }])
    await store.commit({ operations: [operation("o", id, ["a"], { title: secret })], settings: { note: secret } })
    const was = await store.operation("o")
    if (was === null) throw new Error("the operation is not there")
    await store.commit({ redacted: [{ ...was, title: "purged" }], settings: { note: undefined } })
    await store.purgeBlobs([gone])
    expect(traces(folder, new TextEncoder().encode(secret.slice(0, 16)))).toEqual([])
    await store.close()
  })

  it("takes the staged file that a killed writer left", async () => {
    const folder = temporaryFolder()
    const store = await openSqliteStore({ folder })
    const secret = noise(90_000, 3)
    const [id = ""] = await store.putBlobs([{ bytes: secret }])
    const [other = ""] = await store.putBlobs([{ bytes: noise(90_000, 4) }])
    writeFileSync(join(folder, "blobs", "tmp", `${id}.1.aaaa`), secret)
    writeFileSync(join(folder, "blobs", "tmp", `${other}.1.aaaa`), "another's work")
    await store.purgeBlobs([id])
    expect(traces(folder, secret)).toEqual([])
    expect(readdirSync(join(folder, "blobs", "tmp"))).toEqual([`${other}.1.aaaa`])
    await store.close()
  })

  it("that another process's reader holds up says so, and the next start ends it", async () => {
    const { DatabaseSync } = await import("node:sqlite")
    const folder = temporaryFolder()
    const impatient = { sleep: async () => {}, newId: () => "zzzzzz" }
    const store = await openSqliteStore({ folder, env: impatient })
    const secret = noise(5_000, 7)
    const [id = ""] = await store.putBlobs([{ bytes: secret }])
    const reader = new DatabaseSync(join(folder, "galley.db"))
    reader.exec("BEGIN; SELECT count(*) FROM blobs")
    await expect(store.purgeBlobs([id])).rejects.toMatchObject({ code: "STORE_FAILED" })
    expect(await store.missingBlobs([id])).toEqual([id])
    reader.close()
    await store.close()
    await (await openSqliteStore({ folder })).close()
    expect(traces(folder, secret)).toEqual([])
  })

  it("does not touch the file of a content that is put again before the scrubbing", async () => {
    const folder = temporaryFolder()
    const store = await openSqliteStore({ folder })
    const other = await openSqliteStore({ folder })
    const secret = noise(90_000, 3)
    const [id = ""] = await store.putBlobs([{ bytes: secret }])
    // The deletion is done when the first row read finds it absent; the put then races with every later step.
    const purging = store.purgeBlobs([id])
    while ((await other.missingBlobs([id])).length === 0) await new Promise(resolve => setImmediate(resolve))
    await other.putBlobs([{ bytes: secret }])
    await purging
    expect(await store.blob(id)).toEqual(secret)
    await store.close()
    await other.close()
  })

  it("gives the room back", async () => {
    const folder = temporaryFolder()
    const store = await openSqliteStore({ folder })
    const ids = await store.putBlobs(Array.from({ length: 50 }, (_, at) => ({ bytes: noise(30_000, at) })))
    await store.purgeBlobs(ids)
    expect(statSync(join(folder, "galley.db")).size).toBeLessThan(300_000)
    await store.close()
  })
})
