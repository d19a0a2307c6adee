import { Failure } from "@galley/core/failure.ts"
import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { ToolFiles } from "../../src/session/tool-files.ts"
import { createEditTool, type EditResult } from "../../src/tools/edit-tool.ts"
import { type ToolOnDisk, toolOnDisk } from "./tool-on-disk.ts"

const replace = (path: string, oldStr: string, newStr: string) =>
  ({ command: "str_replace", path, old_str: oldStr, new_str: newStr }) as const

function code(result: EditResult): string {
  return result.ok ? "ok" : (result.error?.code ?? "")
}

describe("what a call answers", () => {
  test("a view: header, numbered rows, version", async () => {
    const on = await toolOnDisk()
    await on.put("/w/a.txt", "one\n\ttwo\n")
    const result = await on.call({ command: "view", path: "/w/a.txt" })
    expect(result).toMatchObject({ ok: true, locations: [{ path: "/w/a.txt" }], diffs: [], changes: [] })
    expect(result.text).toBe("/w/a.txt, 3 lines\n     1\tone\n     2\t\ttwo\n     3\t")
    expect(result.version).toBeTypeOf("string")
  })
  test("a create: a sentence, a card against nothing", async () => {
    const on = await toolOnDisk()
    const result = await on.call({ command: "create", path: "/w/p/q/a.txt", file_text: "x\r\n\ty" })
    expect(result).toMatchObject({
      ok: true,
      text: "Created /w/p/q/a.txt.",
      diffs: [{ path: "/w/p/q/a.txt", oldText: null, newText: "x\r\n\ty" }],
      changes: [{ path: "/w/p/q/a.txt", kind: "create" }],
    })
    expect(await on.text("/w/p/q/a.txt")).toBe("x\r\n\ty")
  })
  test("a str_replace: a sentence, the place, the two texts as they are in the file", async () => {
    const on = await toolOnDisk()
    await on.put("/w/a.txt", "a\r\nb\r\nc\r\n")
    const result = await on.call(replace("/w/a.txt", "b\nc", "B\nC"))
    expect(result).toMatchObject({
      ok: true,
      locations: [{ path: "/w/a.txt", line: 2 }],
      diffs: [{ path: "/w/a.txt", oldText: "b\r\nc", newText: "B\r\nC" }],
      changes: [{ path: "/w/a.txt", kind: "modify" }],
    })
    expect(result.text).toBe("Replaced text at line 2 of /w/a.txt. Line endings were fitted to the file's.")
  })
  test("an insert: a sentence and the place, no card", async () => {
    const on = await toolOnDisk()
    await on.put("/w/a.txt", "a\nb\n")
    const result = await on.call({ command: "insert", path: "/w/a.txt", insert_line: 1, new_str: "x" })
    expect(result).toMatchObject({ ok: true, locations: [{ path: "/w/a.txt", line: 2 }], diffs: [] })
    expect(await on.text("/w/a.txt")).toBe("a\nx\nb\n")
  })
  test("a failure: code, words, places, no card, no change", async () => {
    const on = await toolOnDisk()
    await on.put("/w/a.txt", "a\n")
    const result = await on.call(replace("/w/a.txt", "zzz", "b"))
    expect(result).toMatchObject({
      ok: false,
      error: { code: "NO_MATCH" },
      locations: [{ path: "/w/a.txt" }],
      diffs: [],
      changes: [],
    })
    expect(result.text).toContain(result.error?.message)
  })
})

describe("encodings are kept", () => {
  const utf16 = (text: string, little: boolean): Uint8Array => {
    const bytes = Buffer.from(`\uFEFF${text}`, "utf16le")
    return Uint8Array.from(little ? bytes : bytes.swap16())
  }
  const kept: readonly (readonly [string, Uint8Array, Uint8Array])[] = [
    ["a UTF-8 mark", Buffer.from("\uFEFFhé\n"), Buffer.from("\uFEFFyo\n")],
    ["UTF-16LE", utf16("hé\n", true), utf16("yo\n", true)],
    ["UTF-16BE", utf16("hé\n", false), utf16("yo\n", false)],
    ["CRLF", Buffer.from("a\r\nhé\r\n"), Buffer.from("a\r\nyo\r\n")],
    ["mixed endings and no last one", Buffer.from("a\r\nb\nhé"), Buffer.from("a\r\nb\nyo")],
    ["lone carriage returns", Buffer.from("a\rb\rhé\r"), Buffer.from("a\rb\ryo\r")],
  ]
  test.each(kept)("%s", async (_, before, after) => {
    const on = await toolOnDisk()
    await on.put("/w/a", Uint8Array.from(before))
    expect(code(await on.call(replace("/w/a", "hé", "yo")))).toBe("ok")
    expect(await on.bytes("/w/a")).toEqual(Uint8Array.from(after))
  })
  test("a declared charset is read, kept, and its limits are limits", async () => {
    const latin1 = { charset: "latin1", codec: { decode: () => null, encode: () => null } }
    const on = await toolOnDisk({ wrapTool: files => ({ ...files, charsetFor: () => Promise.resolve(latin1) }) })
    await on.put("/w/a", Uint8Array.of(0xe9, 0x0a))
    expect(code(await on.call(replace("/w/a", "é", "éü")))).toBe("ok")
    expect(await on.bytes("/w/a")).toEqual(Uint8Array.of(0xe9, 0xfc, 0x0a))
    expect(code(await on.call(replace("/w/a", "é", "→")))).toBe("NOT_TEXT")
    expect(await on.bytes("/w/a")).toEqual(Uint8Array.of(0xe9, 0xfc, 0x0a))
    expect(code(await on.call({ command: "create", path: "/w/b", file_text: "ü" }))).toBe("ok")
    expect(await on.bytes("/w/b")).toEqual(Uint8Array.of(0xfc))
    // These two letters are the bytes of a UTF-16 mark: the file would be another text next time.
    expect(code(await on.call({ command: "create", path: "/w/c", file_text: "ÿþ" }))).toBe("NOT_TEXT")
    expect(await on.bytes("/w/c")).toBeNull()
  })
  test("what is no text stays out", async () => {
    const on = await toolOnDisk()
    await on.put("/w/a", "a\n")
    for (const bad of ["a\0b", "\ud800"]) {
      expect(code(await on.call({ command: "create", path: "/w/new", file_text: bad }))).toBe("NOT_TEXT")
      expect(code(await on.call(replace("/w/a", "a", bad)))).toBe("NOT_TEXT")
      expect(code(await on.call({ command: "insert", path: "/w/a", insert_line: 0, insert_text: bad }))).toBe(
        "NOT_TEXT",
      )
    }
    expect(await on.text("/w/a")).toBe("a\n")
    expect(await on.bytes("/w/new")).toBeNull()
  })
})

describe("what stands in the way is named, and the file is as it was", () => {
  async function prepared(): Promise<ToolOnDisk> {
    const on = await toolOnDisk({ limit: 1000 })
    await on.put("/w/file", "text\n")
    await on.put("/w/empty", "")
    await on.put("/w/binary", Uint8Array.of(1, 0, 2))
    await on.put("/w/latin1", Uint8Array.of(0xe9))
    await on.put("/w/halfutf16", Uint8Array.of(0xff, 0xfe, 0x41))
    await on.put("/w/large", "x".repeat(1001))
    await on.put("/outside", "secret\n")
    await on.disk.makeFolder("/w/dir", 0o755)
    await on.disk.makeSpecial("/w/fifo", "fifo")
    await on.disk.makeSpecial("/w/device", "device")
    await on.disk.makeSpecial("/w/socket", "socket")
    await on.disk.symlink("file", "/w/inside-link")
    await on.disk.symlink("/outside", "/w/outside-link")
    await on.disk.symlink("nowhere", "/w/dangling")
    await on.disk.symlink("loop", "/w/loop")
    return on
  }
  const each: readonly (readonly [string, string, string, string])[] = [
    // path, view, str_replace and insert, create
    ["/w/file", "ok", "NO_MATCH", "BAD_ARGUMENT"],
    ["/w/empty", "ok", "NO_MATCH", "BAD_ARGUMENT"],
    ["/w/binary", "NOT_TEXT", "NOT_TEXT", "BAD_ARGUMENT"],
    ["/w/latin1", "NOT_TEXT", "NOT_TEXT", "BAD_ARGUMENT"],
    ["/w/halfutf16", "NOT_TEXT", "NOT_TEXT", "BAD_ARGUMENT"],
    ["/w/large", "BAD_ARGUMENT", "BAD_ARGUMENT", "BAD_ARGUMENT"],
    ["/w/dir", "ok", "BAD_ARGUMENT", "BAD_ARGUMENT"],
    ["/w/dir/", "ok", "BAD_ARGUMENT", "BAD_ARGUMENT"],
    ["/w", "ok", "BAD_ARGUMENT", "BAD_ARGUMENT"],
    ["/w/fifo", "NOT_TEXT", "NOT_TEXT", "BAD_ARGUMENT"],
    ["/w/device", "NOT_TEXT", "NOT_TEXT", "BAD_ARGUMENT"],
    ["/w/socket", "NOT_TEXT", "NOT_TEXT", "BAD_ARGUMENT"],
    ["/w/inside-link", "ok", "NO_MATCH", "BAD_ARGUMENT"],
    ["/w/outside-link", "OUTSIDE_WORKSPACE", "OUTSIDE_WORKSPACE", "BAD_ARGUMENT"],
    ["/w/dangling", "NOT_FOUND", "NOT_FOUND", "BAD_ARGUMENT"],
    ["/w/loop", "BAD_ARGUMENT", "BAD_ARGUMENT", "BAD_ARGUMENT"],
    ["/w/absent", "NOT_FOUND", "NOT_FOUND", "ok"],
    ["/w/absent/deeper", "NOT_FOUND", "NOT_FOUND", "ok"],
    ["/w/file/child", "NOT_FOUND", "NOT_FOUND", "BAD_ARGUMENT"],
    ["/outside", "OUTSIDE_WORKSPACE", "OUTSIDE_WORKSPACE", "OUTSIDE_WORKSPACE"],
    ["/w/../outside", "OUTSIDE_WORKSPACE", "OUTSIDE_WORKSPACE", "OUTSIDE_WORKSPACE"],
    ["/w/outside-link/../w2", "OUTSIDE_WORKSPACE", "OUTSIDE_WORKSPACE", "OUTSIDE_WORKSPACE"],
    ["/w2", "OUTSIDE_WORKSPACE", "OUTSIDE_WORKSPACE", "OUTSIDE_WORKSPACE"],
    ["/w/a\0b", "BAD_ARGUMENT", "BAD_ARGUMENT", "BAD_ARGUMENT"],
    [`/w/${"n".repeat(256)}`, "BAD_ARGUMENT", "BAD_ARGUMENT", "BAD_ARGUMENT"],
    [`/w/${"d/".repeat(2100)}f`, "BAD_ARGUMENT", "BAD_ARGUMENT", "BAD_ARGUMENT"],
  ]
  test.each(each)("%s", async (path, view, edit, create) => {
    const on = await prepared()
    const before = await everything(on)
    expect(code(await on.call({ command: "view", path }))).toBe(view)
    expect(code(await on.call(replace(path, "zzzz", "y")))).toBe(edit)
    const inserted = await on.call({ command: "insert", path, insert_line: 99, insert_text: "y" })
    expect(code(inserted)).toBe(edit === "NO_MATCH" ? "BAD_ARGUMENT" : edit)
    if (create !== "ok") {
      expect(code(await on.call({ command: "create", path, file_text: "y" }))).toBe(create)
      expect(await everything(on)).toEqual(before)
    } else {
      expect(await everything(on)).toEqual(before)
      expect(code(await on.call({ command: "create", path, file_text: "y" }))).toBe("ok")
      expect(await on.text(path)).toBe("y")
    }
  })
  test("a range of a directory", async () => {
    const on = await prepared()
    const result = await on.call({ command: "view", path: "/w/dir", view_range: [1, 2] })
    expect(code(result)).toBe("BAD_ARGUMENT")
  })
  test("editing through a symlink inside leaves the link and changes the file", async () => {
    const on = await prepared()
    expect(code(await on.call(replace("/w/inside-link", "text", "new")))).toBe("ok")
    expect((await on.disk.lstat("/w/inside-link"))?.kind).toBe("symlink")
    expect(await on.text("/w/file")).toBe("new\n")
  })
  test("mode and hard links stay", async () => {
    const on = await prepared()
    await on.put("/w/tool.sh", "echo\n", 0o755)
    await on.disk.link("/w/tool.sh", "/w/second")
    expect(code(await on.call(replace("/w/tool.sh", "echo", "true")))).toBe("ok")
    expect((await on.disk.lstat("/w/tool.sh"))?.mode).toBe(0o755)
    expect(await on.text("/w/second")).toBe("true\n")
  })
})

describe("policy is the file system's, and of each call", () => {
  test("read-only reads and refuses to write", async () => {
    const on = await toolOnDisk()
    await on.put("/w/a", "a\n")
    const call = { policy: "read-only" } as const
    expect(code(await on.call({ command: "view", path: "/w/a" }, call))).toBe("ok")
    const refused = await on.call(replace("/w/a", "a", "b"), call)
    expect(refused.error).toMatchObject({ code: "DENIED", message: expect.stringContaining("read-only") })
    expect(code(await on.call({ command: "create", path: "/w/n/b", file_text: "b" }, call))).toBe("DENIED")
    expect(await on.disk.lstat("/w/n")).toBeNull()
    expect(code(await on.call(replace("/w/a", "a", "b")))).toBe("ok")
  })
  test("full-access reaches outside", async () => {
    const on = await toolOnDisk()
    await on.put("/outside", "a\n")
    expect(code(await on.call(replace("/outside", "a", "b"), { policy: "full-access" }))).toBe("ok")
    expect(await on.text("/outside")).toBe("b\n")
  })
})

describe("somebody else writes between the read and the write", () => {
  async function raced(
    now: string | null,
    input: Readonly<Record<string, unknown>>,
  ): Promise<[EditResult, string | null]> {
    const on: ToolOnDisk = await toolOnDisk({
      wrapTool: (files): ToolFiles => ({
        ...files,
        write: async (...given) => {
          await (now === null ? on.disk.unlink("/w/a") : on.put("/w/a", now))
          return files.write(...given)
        },
      }),
    })
    await on.put("/w/a", "one\ntwo\n")
    return [await on.call({ path: "/w/a", ...input }), await on.text("/w/a")]
  }
  const edit = { command: "str_replace", old_str: "two", new_str: "TWO" }
  const insert = { command: "insert", insert_line: 2, insert_text: "x" }
  const stories: readonly (readonly [string, string | null, typeof edit | typeof insert, RegExp])[] = [
    ["old_str still once", "zero\none\ntwo\n", edit, /old_str still occurs exactly once, at line 3/],
    ["old_str gone", "one\n", edit, /old_str no longer occurs/],
    ["old_str twice", "two\ntwo\n", edit, /old_str now occurs more than once, at lines 1, 2/],
    ["the file gone", null, edit, /no longer a text file/],
    ["binary now", "\0", edit, /no longer a text file/],
    ["an insert", "one\ntwo\nthree\n", insert, /insert_line may be another/],
    ["an insert behind the end", "", insert, /insert_line must be 0 to 1/],
  ]
  test.each(stories)("%s", async (_, now, input, said) => {
    const [result, after] = await raced(now, input)
    expect(result.error?.code).toBe("FILE_CHANGED_SINCE_READ")
    expect(result.text).toMatch(said)
    expect(after).toBe(now)
  })
  test("a touched file has not changed", async () => {
    const [result, after] = await raced("one\ntwo\n", edit)
    expect(code(result)).toBe("ok")
    expect(after).toBe("one\nTWO\n")
  })
  test("a create loses to a file that appears", async () => {
    const on: ToolOnDisk = await toolOnDisk({
      wrapTool: (files): ToolFiles => ({
        ...files,
        create: async (...given) => {
          await on.put("/w/n", "theirs")
          return files.create(...given)
        },
      }),
    })
    expect(code(await on.call({ command: "create", path: "/w/n", file_text: "ours" }))).toBe("BAD_ARGUMENT")
    expect(await on.text("/w/n")).toBe("theirs")
  })
})

describe("intents", () => {
  test("announce each change before it, a view never", async () => {
    const heard: string[] = []
    const on: ToolOnDisk = await toolOnDisk({
      intents: [
        async intent => {
          heard.push(
            `${intent.name} ${intent.command} ${intent.path} ${intent.call.conversation} ${await on.text("/w/a")}`,
          )
          return undefined
        },
      ],
    })
    await on.call({ command: "create", path: "/w/a", file_text: "a" })
    await on.call({ command: "view", path: "/w/a" })
    await on.call(replace("/w/a", "a", "b"))
    await on.call({ command: "insert", path: "/w/a", insert_line: 0, insert_text: "x" })
    expect(heard).toEqual([
      "fs/write-intent create /w/a c null",
      "fs/edit-intent str_replace /w/a c a",
      "fs/edit-intent insert /w/a c b",
    ])
  })
  test("can deny, with a reason for the model", async () => {
    const on = await toolOnDisk({ intents: [() => ({ kind: "deny", reason: "generated file" })] })
    await on.put("/w/a", "a")
    const result = await on.call(replace("/w/a", "a", "b"))
    expect(result.error).toMatchObject({ code: "DENIED", message: expect.stringContaining("generated file") })
    expect(code(await on.call({ command: "create", path: "/w/b", file_text: "b" }))).toBe("DENIED")
    expect(await on.text("/w/a")).toBe("a")
    expect(await on.bytes("/w/b")).toBeNull()
  })
  test("can name the version to match", async () => {
    let version = ""
    const on = await toolOnDisk({ intents: [() => ({ kind: "match", version })] })
    await on.put("/w/a", "a\n")
    version = (await on.call({ command: "view", path: "/w/a" })).version ?? ""
    expect(code(await on.call(replace("/w/a", "a", "b")))).toBe("ok")
    const stale = await on.call(replace("/w/a", "b", "c"))
    expect(stale.error?.code).toBe("FILE_CHANGED_SINCE_READ")
    expect(stale.text).toContain("old_str still occurs exactly once, at line 1")
    expect(await on.text("/w/a")).toBe("b\n")
  })
  test("a version for a create allows replacing exactly that", async () => {
    let version = "unknown"
    const on = await toolOnDisk({ intents: [() => ({ kind: "match", version })] })
    await on.put("/w/a", "old")
    const create = { command: "create", path: "/w/a", file_text: "new" }
    expect(code(await on.call(create))).toBe("FILE_CHANGED_SINCE_READ")
    expect(await on.text("/w/a")).toBe("old")
    version = (await on.call({ command: "view", path: "/w/a" })).version ?? ""
    expect(await on.call(create)).toMatchObject({ ok: true, changes: [{ kind: "modify" }] })
    expect(await on.text("/w/a")).toBe("new")
  })
  test("that fail refuse the change", async () => {
    const on = await toolOnDisk({
      intents: [
        () => {
          throw new Failure("STORE_FAILED", "The store is full.")
        },
      ],
    })
    await on.put("/w/a", "a")
    expect(code(await on.call(replace("/w/a", "a", "b")))).toBe("STORE_FAILED")
    expect(await on.text("/w/a")).toBe("a")
  })
})

describe("after a miss", () => {
  test("it is said that the file changed since this conversation saw it, and to no other", async () => {
    const on = await toolOnDisk()
    await on.put("/w/a", "one\n")
    await on.call({ command: "view", path: "/w/a" })
    expect((await on.call(replace("/w/a", "two", "x"))).text).not.toContain("changed since")
    await on.put("/w/a", "three\n")
    expect((await on.call(replace("/w/a", "one", "x"))).text).toContain("changed since you last viewed it")
    expect((await on.call(replace("/w/a", "one", "x"), { conversation: "d" })).text).not.toContain("changed since")
  })
  test("own edits are no surprise", async () => {
    const on = await toolOnDisk()
    await on.put("/w/a", "one\n")
    await on.call({ command: "view", path: "/w/a" })
    await on.call(replace("/w/a", "one", "two"))
    expect((await on.call(replace("/w/a", "one", "two"))).text).toMatch(/made already.*\n.*1\ttwo/s)
  })
})

test("a remark and a hold of the file system reach the answer", async () => {
  const on = await toolOnDisk({
    wrapTool: files => ({
      ...files,
      write: () => Promise.resolve({ kind: "written", version: "v", held: true, remark: "Held for review." }),
    }),
  })
  await on.put("/w/a", "a")
  const result = await on.call(replace("/w/a", "a", "b"))
  expect(result).toMatchObject({ ok: true, held: true, version: "v" })
  expect(result.text).toContain("Held for review.")
})

test("an aborted call writes nothing", async () => {
  const abort = new AbortController()
  const on = await toolOnDisk({
    intents: [
      () => {
        abort.abort()
        return undefined
      },
    ],
  })
  await on.put("/w/a", "a")
  await expect(on.call(replace("/w/a", "a", "b"), { signal: abort.signal })).rejects.toThrow()
  expect(await on.text("/w/a")).toBe("a")
})

test("two edits at once of one file: none is lost in silence", async () => {
  const on = await toolOnDisk()
  await on.put("/w/a", "one\ntwo\n")
  const results = await Promise.all([on.call(replace("/w/a", "one", "1")), on.call(replace("/w/a", "two", "2"))])
  const expected = results.map((result, at) => (result.ok ? ["1", "2"] : ["one", "two"])[at]).join("\n")
  expect(await on.text("/w/a")).toBe(`${expected}\n`)
})

test("settings: description, relative paths, clipping", async () => {
  const on = await toolOnDisk({ config: { description: "Edits.", requireAbsolutePath: false, maxOutputChars: 20 } })
  expect(on.tool.description).toBe("Edits.")
  await on.put("/w/a", "aaaa\nbbbb\ncccc\n")
  const result = await on.call({ command: "view", path: "a" })
  expect(result.text).toBe(
    "/w/a, 4 lines\n     1\taaaa\n[Clipped after line 1 of 4: 11 characters are shown. view_range [2, -1] goes on from there.]",
  )
  expect(code(await on.call({ command: "view", path: "../outside" }))).toBe("OUTSIDE_WORKSPACE")
})

test("a bad setting fails when the tool is made", async () => {
  const { tool: _, ...on } = await toolOnDisk()
  const files = { root: "/w" } as ToolFiles
  expect(on.disk).toBeDefined()
  for (const config of [{ maxOutputChars: 0 }, { description: " " }])
    expect(() => createEditTool({ files, config })).toThrow(Failure)
})

test("the vocabulary of every failure is the schema's, and no answer is long", async () => {
  const on = await toolOnDisk()
  await on.put("/w/a", "same same\n".repeat(5000))
  const long = "long ".repeat(200_000)
  for (const input of [
    replace("/w/a", "same", "x"),
    replace("/w/a", long, "x"),
    replace("/w/a", "x", long),
    { command: "insert", path: "/w/a", insert_line: 1e6, insert_text: long },
    { command: "create", path: "/w/a", file_text: long },
    { command: "create", path: `/w/${long}`, file_text: "x" },
  ]) {
    const result = await on.call(input)
    expect(result.ok).toBe(false)
    expect(result.text).not.toMatch(/old_string|new_string|replace_all|file_path/)
    expect(result.text.length).toBeLessThan(3000)
  }
})

test("law: whatever is asked, a failure changes no byte and a success only what it says", async () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "\n", "\r\n", "\t", " ", "é"), maxLength: 12 })
  const input = fc.oneof(
    fc.record({ command: fc.constant("str_replace"), old_str: text, new_str: text }),
    fc.record({ command: fc.constant("insert"), insert_line: fc.integer({ min: -1, max: 6 }), insert_text: text }),
    fc.record({
      command: fc.constant("view"),
      view_range: fc.array(fc.integer({ min: -1, max: 6 }), { maxLength: 3 }),
    }),
    fc.record({ command: fc.constant("create"), file_text: text }),
  )
  await fc.assert(
    fc.asyncProperty(text, input, async (before, asked) => {
      const on = await toolOnDisk()
      await on.put("/w/a", before)
      const result = await on.call({ path: "/w/a", ...asked })
      const after = await on.text("/w/a")
      if (!result.ok || asked.command === "view") expect(after).toBe(before)
      else expect(after).not.toBe(before)
      if (result.ok && asked.command === "str_replace") {
        const [card] = result.diffs
        const at = before.indexOf(card?.oldText ?? "")
        expect(after).toBe(
          before.slice(0, at) + (card?.newText ?? "") + before.slice(at + (card?.oldText ?? "").length),
        )
      }
    }),
    { numRuns: 200 },
  )
})

/** Every file's bytes, and what else stands under the root. */
async function everything(on: ToolOnDisk, folder = "/w"): Promise<readonly string[]> {
  const found: string[] = []
  for (const { name, kind } of await on.disk.list(folder)) {
    const path = `${folder}/${name}`
    const bytes = kind === "file" ? Buffer.from((await on.bytes(path)) ?? []).toString("hex") : ""
    found.push(`${kind} ${path} ${bytes}`, ...(kind === "folder" ? await everything(on, path) : []))
  }
  return found.toSorted()
}
