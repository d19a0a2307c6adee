import * as fc from "fast-check"
import { describe, expect, it, onTestFinished } from "vitest"
import { absent } from "@galley/core/state.ts"
import type { Batch, Store } from "../../src/store/store.ts"
import { file, intent, item, note, operation, parked, waiting } from "./samples.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const shaAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
const nowhere = "0".repeat(64)
const runs = Number(process.env["STORE_RUNS"] ?? 25)

/** What every implementation of `Store` must do. */
export function conformance(name: string, make: () => Promise<Store>): void {
  const opened = async () => {
    const store = await make()
    onTestFinished(() => store.close())
    return store
  }
  const put = async (store: Store, text: string) => (await store.putBlobs([{ bytes: bytes(text) }]))[0] ?? ""
  const failure = (code: string) => expect.objectContaining({ code })

  describe(`${name}: contents`, () => {
    it("are named by their SHA-256 (FIPS 180-2, appendix B.1)", async () => {
      expect(await put(await opened(), "abc")).toBe(shaAbc)
    })
    it("come back byte for byte, the empty one too", async () => {
      const store = await opened()
      for (const text of ["", "abc", "\0\r\n\ufeff", "x".repeat(300_000)])
        expect(await store.blob(await put(store, text))).toEqual(bytes(text))
    })
    it("come back byte for byte along any chain of neighbours", async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(fc.uint8Array({ maxLength: 400 }), fc.nat(20)), { maxLength: 60 }),
          fc.boolean(),
          async (contents, atOnce) => {
            const store = await make()
            const ids: string[] = []
            const blobs = contents.map(([content], at) => ({ content, at }))
            if (atOnce) {
              const plain = contents.map(([content]) => ({ bytes: content }))
              ids.push(...(await store.putBlobs(plain)))
            } else
              for (const { content, at } of blobs) {
                const near = ids[Math.max(at - 1 - (contents[at]?.[1] ?? 0), 0)]
                ids.push(
                  ...(await store.putBlobs([near === undefined ? { bytes: content } : { bytes: content, near }])),
                )
              }
            for (const { content, at } of blobs) expect(await store.blob(ids[at] ?? "")).toEqual(content)
            expect(await store.check()).toEqual([])
            await store.close()
          },
        ),
        { numRuns: runs },
      )
    })
    it("are kept once, and a batch may repeat one", async () => {
      const store = await opened()
      const ids = await store.putBlobs([{ bytes: bytes("a") }, { bytes: bytes("b") }, { bytes: bytes("a") }])
      expect(ids[0]).toBe(ids[2])
      await put(store, "a")
      expect(await store.blobSizes()).toHaveLength(2)
    })
    it("may lean on a neighbour of the same batch, and on one that is not there", async () => {
      const store = await opened()
      const long = "line\n".repeat(5000)
      const [first = ""] = await store.putBlobs([{ bytes: bytes(long) }, { bytes: bytes(`${long}!`), near: nowhere }])
      const [next = ""] = await store.putBlobs([{ bytes: bytes(`${long}?`), near: first }])
      expect(await store.blob(next)).toEqual(bytes(`${long}?`))
    })
    it("are not changed by who put them or got them", async () => {
      const store = await opened()
      const mine = bytes("mine")
      const [id = ""] = await store.putBlobs([{ bytes: mine }])
      mine.fill(0)
      ;(await store.blob(id)).fill(0)
      expect(await store.blob(id)).toEqual(bytes("mine"))
    })
    it("that are missing are told apart, and asking for one fails", async () => {
      const store = await opened()
      const id = await put(store, "a")
      expect(await store.missingBlobs([id, nowhere, nowhere])).toEqual([nowhere])
      await expect(store.blob(nowhere)).rejects.toEqual(failure("STORE_FAILED"))
    })
    for (const way of ["purgeBlobs", "removeBlobs"] as const)
      it(`are gone after ${way}, and what leaned on them is not`, async () => {
        const store = await opened()
        const versions = [0, 1, 2, 3].map(at => `${"word ".repeat(3000)}${at}`)
        const ids: string[] = []
        for (const version of versions) {
          const near = ids.at(-1)
          ids.push(...(await store.putBlobs([{ bytes: bytes(version), ...(near === undefined ? {} : { near }) }])))
        }
        await store[way]([ids[0] ?? "", ids[2] ?? "", nowhere])
        expect(await store.missingBlobs(ids)).toEqual([ids[0], ids[2]])
        expect(await store.blob(ids[1] ?? "")).toEqual(bytes(versions[1] ?? ""))
        expect(await store.blob(ids[3] ?? "")).toEqual(bytes(versions[3] ?? ""))
        expect(await store.check()).toEqual([])
        expect(await put(store, versions[0] ?? "")).toBe(ids[0])
        expect(await store.missingBlobs(ids)).toEqual([ids[2]])
      })
  })

  describe(`${name}: a commit`, () => {
    it("gives operations their places from 1 on, without gaps", async () => {
      const store = await opened()
      const id = await put(store, "a")
      await store.commit({ operations: [operation("x", id, ["a"]), operation("y", id, ["b"])] })
      await store.commit({ operations: [operation("z", id, ["a"])] })
      expect((await store.operations({})).map(({ id, seq }) => `${id}${seq}`)).toEqual(["x1", "y2", "z3"])
      expect(await store.operation("y")).toEqual({ ...operation("y", id, ["b"]), seq: 2 })
      expect(await store.operation("n")).toBeNull()
    })
    it("about a content that is not there is refused whole", async () => {
      const store = await opened()
      const bad = file(nowhere)
      const batches: Batch[] = [
        { operations: [operation("x", nowhere, ["a"])] },
        { items: [item("a", absent, bad)] },
        { items: [{ ...item("a", absent, absent), conflictOrigin: bad }] },
        { parked: [parked("p", item("a", bad, absent))] },
        { begin: intent("i", {}, bad) },
      ]
      for (const batch of batches)
        await expect(store.commit({ ...batch, settings: { seen: true } })).rejects.toEqual(failure("STORE_FAILED"))
      expect(await store.setting("seen")).toBeUndefined()
      expect(await store.revision()).toBe(0)
    })
    it("that is our bug leaves nothing behind: a repeated operation, an intent settled twice, a redaction of nothing", async () => {
      const store = await opened()
      const id = await put(store, "a")
      await store.commit({ operations: [operation("x", id, ["a"])], begin: intent("i", {}) })
      await store.commit({ settle: "i" })
      const batches: Batch[] = [
        { operations: [operation("w", id, []), operation("x", id, [])] },
        { operations: [operation("w", id, []), operation("w", id, [])] },
        { operations: [operation("w", id, [])], settle: "i" },
        { operations: [operation("w", id, [])], redacted: [{ ...operation("v", id, []), seq: 1 }] },
      ]
      for (const batch of batches) await expect(store.commit(batch)).rejects.toThrow(/^BUG/)
      expect(await store.operations({})).toHaveLength(1)
    })
    it("makes the revision grow", async () => {
      const store = await opened()
      expect(await store.revision()).toBe(0)
      await store.commit({})
      await store.commit({ settings: { a: 1 } })
      expect(await store.revision()).toBe(2)
    })
    it("begins an intent and settles it together with what it was for", async () => {
      const store = await opened()
      const id = await put(store, "a")
      const begun = intent("i", { operations: [operation("x", id, ["a"])], settle: "i" }, file(id))
      await store.commit({ begin: begun })
      await store.commit({ begin: intent("j", {}) })
      expect(await store.intents()).toEqual([begun, intent("j", {})])
      expect(await store.operations({})).toEqual([])
      await store.commit(begun.then)
      expect(await store.intents()).toEqual([intent("j", {})])
      expect((await store.operations({})).map(({ id }) => id)).toEqual(["x"])
    })
  })

  describe(`${name}: questions`, () => {
    it("about operations: by path, conversation, message, place and newest", async () => {
      const store = await opened()
      const id = await put(store, "a")
      const of = (name: string, paths: string[], conversation: string, message: string) =>
        operation(name, id, paths, { conversation, message })
      await store.commit({
        operations: [
          of("1", ["a", "a"], "c", "m"),
          of("2", ["a", "b"], "c", "n"),
          of("3", ["b"], "d", "o"),
          { ...of("4", ["a"], "d", "o"), actor: "person" },
        ],
      })
      const check = async (query: Parameters<Store["operations"]>[0], expected: string) =>
        expect((await store.operations(query)).map(({ id }) => id).join("")).toBe(expected)
      await check({ path: "a" }, "124")
      await check({ path: "c" }, "")
      await check({ conversation: "c" }, "12")
      await check({ message: "o" }, "34")
      await check({ actor: "person" }, "4")
      await check({ actor: "person", path: "a" }, "4")
      await check({ actor: "person", path: "b" }, "")
      await check({ path: "a", conversation: "d" }, "4")
      await check({ path: "b", message: "n" }, "2")
      await check({ afterSeq: 2 }, "34")
      await check({ path: "a", afterSeq: 1, limit: 1 }, "4")
      await check({ limit: 2 }, "34")
      await check({ limit: 0 }, "")
      await check({ conversation: "c", limit: 1 }, "2")
    })
    it("about items: pending, under a folder, by path, in the order of their bytes", async () => {
      const store = await opened()
      const id = await put(store, "a")
      const escaped = "d/\udcff\udc80"
      const made = ["d0", "d/b", "d", "d/a/x", "d-", escaped, "\u{1f600}", "\uffff"].map(path =>
        item(path, absent, file(id)),
      )
      await store.commit({
        items: [...made, item("same", file(id), file(id)), item("d/lost", { kind: "unknown" }, { kind: "unknown" })],
      })
      const check = async (query: Parameters<Store["items"]>[0], expected: string[]) =>
        expect((await store.items(query)).map(({ path }) => path)).toEqual(expected)
      await check({ pending: true }, ["d", "d-", "d/a/x", "d/b", escaped, "d0", "\uffff", "\u{1f600}"])
      await check({ pending: false }, ["d/lost", "same"])
      await check({ under: "d" }, ["d", "d/a/x", "d/b", "d/lost", escaped])
      await check({ under: "d", pending: true }, ["d", "d/a/x", "d/b", escaped])
      await check({ under: "", pending: false }, ["d/lost", "same"])
      await check({ paths: ["same", "d", "d", "none"] }, ["d", "same"])
      await check({ paths: ["same", "d"], pending: true }, ["d"])
      await check({ paths: ["same", "d/b"], under: "d" }, ["d/b"])
      await check({ paths: [] }, [])
      expect(await store.item(escaped)).toEqual(item(escaped, absent, file(id)))
      await store.commit({ forget: ["d", escaped], items: [{ ...item("d/b", file(id), file(id)), revision: 2 }] })
      await check({ under: "d", pending: true }, ["d/a/x"])
      expect(await store.item("d/b")).toEqual({ ...item("d/b", file(id), file(id)), revision: 2 })
      expect(await store.item("d")).toBeNull()
    })
    it("two names that differ in one undecodable byte are two items", async () => {
      const store = await opened()
      await store.commit({
        items: [item("\udc80", absent, absent), item("\udc81", absent, absent), item("\ufffd", absent, absent)],
      })
      expect((await store.items({})).map(({ path }) => path)).toEqual(["\udc80", "\udc81", "\ufffd"])
    })
    it("about conversations, newest first, and their messages, in the order they were made", async () => {
      const store = await opened()
      const conversation = (id: string, createdAt: number, head: string | null = null) => ({
        id,
        title: id,
        head,
        createdAt,
      })
      const message = (id: string, of: string, title = id) => ({
        id,
        conversation: of,
        parent: null,
        title,
        createdAt: 1,
      })
      await store.commit({
        conversations: [conversation("old", 1), conversation("new", 3), conversation("new2", 3)],
        messages: [message("z", "old"), message("a", "old"), message("m", "new")],
      })
      await store.commit({ conversations: [conversation("old", 1, "a")], messages: [message("z", "old", "told")] })
      expect((await store.conversations()).map(({ id }) => id)).toEqual(["new2", "new", "old"])
      expect(await store.conversation("old")).toEqual(conversation("old", 1, "a"))
      expect(await store.messages("old")).toEqual([message("z", "old", "told"), message("a", "old")])
      expect(await store.messages()).toHaveLength(3)
      expect(await store.message("m")).toEqual(message("m", "new"))
      expect([await store.message("q"), await store.conversation("q")]).toEqual([null, null])
    })
    it("ids of foreign programs never meet, however odd", async () => {
      const store = await opened()
      const ids = [
        "",
        "a",
        "a\0",
        "a\0b",
        "\ud800",
        "\ud801",
        "\ufffd",
        '"a"',
        '"\\ud800"',
        "__proto__",
        "é",
        "e\u0301",
      ]
      await store.commit({ messages: ids.map(id => ({ id, conversation: id, parent: null, title: id, createdAt: 1 })) })
      for (const id of ids) {
        expect((await store.message(id))?.id).toBe(id)
        expect((await store.messages(id)).map(message => message.id)).toEqual([id])
      }
    })
    it("about notes, waiting calls, parked items and settings", async () => {
      const store = await opened()
      const one = item("a", absent, absent)
      await store.commit({
        notes: [note("1", "a", null), note("2", null, null), note("3", "a", 5)],
        waiting: [waiting("w"), waiting("v")],
        parked: [parked("p", one), parked("q", one)],
        settings: { mode: "hold", list: [1, { a: null }], off: false },
      })
      const notes = async (query: Parameters<Store["notes"]>[0]) =>
        (await store.notes(query)).map(({ id }) => id).join("")
      expect(await notes({})).toBe("123")
      expect(await notes({ undelivered: true })).toBe("12")
      expect(await notes({ undelivered: false })).toBe("3")
      expect(await notes({ path: "a" })).toBe("13")
      expect(await notes({ path: "a", undelivered: true })).toBe("1")
      await store.commit({
        notes: [note("1", "a", 9)],
        waitingDone: ["w"],
        unparked: ["p"],
        settings: { mode: "ask", off: undefined },
      })
      expect(await notes({ undelivered: true })).toBe("2")
      expect((await store.waiting()).map(({ id }) => id)).toEqual(["v"])
      expect(await store.parked()).toEqual([parked("q", one)])
      expect(await store.setting("mode")).toBe("ask")
      expect(await store.setting("list")).toEqual([1, { a: null }])
      expect([await store.setting("off"), await store.setting("none")]).toEqual([undefined, undefined])
    })
    it("a redacted operation keeps its place and loses what it said", async () => {
      const store = await opened()
      const id = await put(store, "a")
      await store.commit({ operations: [operation("x", id, ["secret"]), operation("y", id, ["b"])] })
      const was = await store.operation("x")
      if (was === null) throw new Error("the operation is not there")
      await store.commit({ redacted: [{ ...was, seq: 99, title: "purged", changes: [] }] })
      expect(await store.operation("x")).toEqual({ ...was, title: "purged", changes: [] })
      expect(await store.operations({ path: "secret" })).toEqual([])
      expect((await store.operations({})).map(({ seq }) => seq)).toEqual([1, 2])
    })
    it("answers are not shared with the store", async () => {
      const store = await opened()
      const mine = item("a", absent, absent)
      await store.commit({ items: [mine] })
      Object.assign(mine, { revision: 7 })
      Object.assign((await store.item("a")) ?? {}, { revision: 8 })
      expect((await store.item("a"))?.revision).toBe(1)
    })
  })
}
