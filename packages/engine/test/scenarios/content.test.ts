import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { Story } from "../story.ts"
import { five, stories } from "./stories.ts"

const story = stories()

const bytes = (s: Story, path: string): string => readFileSync(join(s.root, path)).toString("hex")

test("S01 another hunk of the person's stays when the agent's is rewound", async () => {
  const s = await story({ files: { f: five } })
  const agent = s.agent()
  const message = await agent.message("m")
  await agent.replace("f", "two", "TWO")
  s.write("f", "one\nTWO\nthree\nfour\nfive!\n")
  await s.person.rewind({ message })
  expect(s.read("f")).toBe("one\ntwo\nthree\nfour\nfive!\n")
})

test("S02 the same line by both: a conflict with both texts kept, the file untouched until it is settled", async () => {
  const s = await story({ files: { f: five } })
  const agent = s.agent()
  const message = await agent.message("m")
  await agent.replace("f", "three", "THREE")
  s.write("f", "one\ntwo\nmine\nfour\nfive\n")
  const plan = await s.person.rewind({ message, plan: true })
  expect(plan.steps).toMatchObject([{ path: "f", action: "conflict" }])
  await expect(s.person.rewind({ message })).rejects.toMatchObject({ code: "CONFLICT" })
  expect(s.read("f")).toBe("one\ntwo\nmine\nfour\nfive\n")
  await s.person.rewind({ message, onConflict: "keep-mine" })
  expect(s.read("f")).toBe("one\ntwo\nmine\nfour\nfive\n")
})

test("S02 settled by region: what does not overlap is put back all the same", async () => {
  const s = await story({ files: { f: five } })
  const agent = s.agent()
  const message = await agent.message("m")
  await agent.replace("f", "one", "ONE")
  await agent.replace("f", "five", "FIVE")
  s.write("f", "ONE\ntwo\nthree\nfour\nmine\n")
  await s.person.rewind({ message, onConflict: "keep-mine" })
  expect(s.read("f")).toBe("one\ntwo\nthree\nfour\nmine\n")
})

test("S04 and S05 a created file goes only as it was created", async () => {
  const s = await story()
  const agent = s.agent()
  const message = await agent.message("m")
  await agent.create("touched", "made\n")
  await agent.create("plain", "made\n")
  s.write("touched", "made\nmine\n")
  await expect(s.person.rewind({ message })).rejects.toMatchObject({ code: "CONFLICT" })
  await s.person.rewind({ message, onConflict: "keep-mine" })
  expect([s.read("touched"), s.read("plain")]).toEqual(["made\nmine\n", null])
  await s.person.undo({})
  expect(s.read("plain")).toBe("made\n")
})

test("S07 a file that the person makes during the turn is theirs", async () => {
  const s = await story()
  const agent = s.agent()
  const message = await agent.message("m")
  await agent.create("a", "agent\n")
  s.write("g", "mine\n")
  await agent.create("b", "agent\n")
  await s.person.rewind({ message })
  expect([s.read("a"), s.read("b"), s.read("g")]).toEqual([null, null, "mine\n"])
})

test("S08 a file that an agent found missing and a person made stays", async () => {
  const s = await story()
  const agent = s.agent()
  const message = await agent.message("m")
  await agent.requests.call({ tool: "str_replace_editor", input: { command: "view", path: "later" } })
  await agent.create("other", "x\n")
  s.write("later", "mine\n")
  await s.person.rewind({ message })
  expect(s.read("later")).toBe("mine\n")
})

test("S10 a rename is one file in the review, and is taken back as one", async () => {
  const s = await story({ files: { a: five } })
  const agent = s.agent()
  const message = await agent.message("m")
  await agent.bash("mv a b")
  expect((await s.pending()).map(file => [file.path, file.from, file.kinds])).toEqual([["b", "a", ["rename"]]])
  await s.person.rewind({ message })
  expect([s.read("a"), s.read("b")]).toEqual([five, null])
  await s.person.undo({})
  expect((await s.pending()).map(file => [file.path, file.from])).toEqual([["b", "a"]])
  expect([s.read("a"), s.read("b")]).toEqual([null, five])
})

test("S10 the text of a renamed file and its name are decided apart", async () => {
  const s = await story({ files: { a: five } })
  const agent = s.agent()
  await agent.bash("mv a b && sed -i s/one/ONE/ b")
  const [file] = await s.pending()
  await s.person.reject({ path: "b", hunks: [file?.hunks[0]?.id ?? ""] })
  expect((await s.pending()).map(one => [one.path, one.from, one.hunks.length])).toEqual([["b", "a", 0]])
  expect([s.read("a"), s.read("b")]).toEqual([null, five])
  await s.person.undo({})
  await s.person.reject({ path: "b", properties: ["existence"] })
  expect([s.read("a"), s.read("b")]).toEqual([five.replace("one", "ONE"), null])
  expect((await s.pending()).map(one => [one.path, one.from, one.hunks.length])).toEqual([["a", undefined, 1]])
  await s.person.undo({})
  await s.person.accept({ path: "b", properties: ["existence"] })
  expect((await s.pending()).map(one => [one.path, one.from, one.hunks.length])).toEqual([["b", undefined, 1]])
})

test("S11 a renamed file that the person edits: their text is nowhere lost", async () => {
  const s = await story({ files: { a: five } })
  const agent = s.agent()
  const message = await agent.message("m")
  await agent.bash("mv a b")
  s.write("b", `${five}mine\n`)
  const outcome = await s.person.rewind({ message }).catch((error: { code: string }) => error.code)
  expect(outcome).toBe("CONFLICT")
  expect(s.read("b")).toBe(`${five}mine\n`)
  await s.person.reject({ path: "b" })
  expect([s.read("a"), s.read("b")]).toEqual([`${five}mine\n`, null])
})

test("S13 a file made a folder, in which the person puts something: theirs stays, and it is said", async () => {
  const s = await story({ files: { x: "file\n" } })
  const agent = s.agent()
  const message = await agent.message("m")
  await agent.bash("rm x && mkdir x && echo y > x/y")
  expect(s.read("x/y")).toBe("y\n")
  s.write("x/z", "mine\n")
  await expect(s.person.rewind({ message })).rejects.toMatchObject({ name: "Failure" })
  expect([s.read("x/y"), s.read("x/z")]).toEqual(["y\n", "mine\n"])
  rmSync(join(s.root, "x/z"))
  await s.person.rewind({ message })
  expect(s.read("x")).toBe("file\n")
})

test("S14 a folder made a file comes back", async () => {
  const s = await story({ files: { "x/y": "y\n", "x/deep/z": "z\n" } })
  const agent = s.agent()
  const message = await agent.message("m")
  await agent.bash("rm -r x && echo file > x")
  expect(s.read("x")).toBe("file\n")
  await s.person.rewind({ message })
  expect([s.read("x/y"), s.read("x/deep/z")]).toEqual(["y\n", "z\n"])
  await s.person.undo({})
  expect(s.read("x")).toBe("file\n")
})

test("S16 names that look the same and are not are two files", async () => {
  const [nfc, nfd] = ["\u00e9.txt", "e\u0301.txt"]
  const s = await story({ files: { [nfc]: "c\n", [nfd]: "d\n" } })
  const agent = s.agent()
  const message = await agent.message("m")
  await agent.replace(nfc, "c", "C")
  await agent.replace(nfd, "d", "D")
  expect((await s.pending()).map(file => file.path).toSorted()).toEqual([nfd, nfc])
  await s.person.reject({ path: nfd })
  expect([s.read(nfc), s.read(nfd)]).toEqual(["C\n", "d\n"])
  await s.person.rewind({ message })
  expect([s.read(nfc), s.read(nfd)]).toEqual(["c\n", "d\n"])
})

test.each([
  ["имя.txt"],
  ["tab\there"],
  ["new\nline"],
  ["-n"],
  ["a*b?[c]"],
  ["trailing "],
  [" leading"],
  ["quote'\"`$x"],
  ["back\\slash"],
])("S17 the name %j is taken exactly", async name => {
  const s = await story({ files: { [name]: "one\ntwo\n", other: "other\n" } })
  const agent = s.agent()
  const message = await agent.message("m")
  expect((await agent.replace(name, "one", "ONE")).ok).toBe(true)
  await agent.create(`made ${name}`, "made\n")
  expect((await s.pending()).map(file => file.path).toSorted()).toEqual([name, `made ${name}`].toSorted())
  await s.person.rewind({ message })
  expect([s.read(name), s.read(`made ${name}`), s.read("other")]).toEqual(["one\ntwo\n", null, "other\n"])
})

test("S17 a name that is not UTF-8 is decided, read and purged by its bytes", async () => {
  const s = await story()
  const name = Buffer.concat([Buffer.from(`${s.root}/bad`), Buffer.from([0xff])])
  writeFileSync(name, "one\n")
  const done = await s.agent().bash('for f in bad*; do echo two >> "$f"; done')
  const [file] = await s.pending()
  const pathBytes = file?.pathBytes ?? ""
  expect(Buffer.from(pathBytes, "base64")).toEqual(Buffer.concat([Buffer.from("bad"), Buffer.from([0xff])]))
  expect(done.changes).toEqual([{ path: "bad\ufffd", pathBytes, kind: "modify" }])
  const [message] = (await s.person.log({})).messages
  expect(message?.files).toEqual([{ path: "bad\ufffd", pathBytes, added: 1, removed: 0 }])
  expect((await s.person.show({ id: message?.id ?? "" })).files).toEqual(message?.files)
  expect((await s.person.cat({ path: "", pathBytes, side: "current" })).text).toBe("one\ntwo\n")
  expect((await s.person.file({ path: "", pathBytes })).current).toBe("one\ntwo\n")
  await s.person.reject({ pathBytes })
  expect(readFileSync(name, "utf8")).toBe("one\n")
  expect(await s.pending()).toEqual([])
  expect((await s.person.purge({ path: "", pathBytes })).blobs).toBeGreaterThan(0)
})

const texts: readonly (readonly [string, Uint8Array, string, string])[] = [
  ["CRLF", Buffer.from("one\r\ntwo\r\nthree\r\n"), "two", "TWO"],
  ["a lone CR", Buffer.from("one\rstill one\ntwo\nthree\n"), "two", "TWO"],
  ["mixed ends", Buffer.from("one\r\ntwo\nthree\r\nfour\n"), "two", "TWO"],
  ["no final newline", Buffer.from("one\ntwo\nthree"), "three", "THREE"],
  ["a BOM", Buffer.from("\ufeffone\ntwo\nthree\n"), "two", "TWO"],
  ["UTF-16LE", Buffer.from("\ufeffone\ntwo\nthree\n", "utf16le"), "two", "TWO"],
  ["UTF-16BE", Buffer.from("\ufeffone\r\ntwo\r\nthree", "utf16le").swap16(), "three", "THREE"],
]
test.each(texts)("S19 %s: edited, shown, and taken back byte for byte", async (_, content, from, to) => {
  const s = await story({ files: { f: content } })
  const agent = s.agent()
  const before = bytes(s, "f")
  const message = await agent.message("m")
  expect((await agent.replace("f", from, to)).ok).toBe(true)
  expect((await s.pending())[0]?.hunks).toHaveLength(1)
  await s.person.reject({ path: "f", hunks: ["1"] })
  expect(bytes(s, "f")).toBe(before)
  await s.person.undo({})
  await s.person.rewind({ message })
  expect(bytes(s, "f")).toBe(before)
})

test("S19 line endings, BOM and encoding alone are shown by name and decided", async () => {
  const s = await story({ files: { ends: "one\ntwo\n", bom: "one\n", code: "one\n" } })
  await s
    .agent()
    .bash(String.raw`sed -i 's/$/\r/' ends; printf '\357\273\277one\n' > bom; printf '\377\376o\0n\0e\0\n\0' > code`)
  const named = new Map((await s.pending()).map(file => [file.path, file.properties]))
  expect(named.get("ends")).toEqual(["line endings lf → crlf"])
  expect(named.get("bom")).toEqual(["BOM added"])
  expect(named.get("code")?.[0]).toMatch(/^encoding utf-8 → utf-16/)
  await s.person.reject({ path: "bom", properties: ["encoding"] })
  await s.person.reject({ path: "ends" })
  await s.person.accept({ path: "code" })
  expect([s.read("ends"), s.read("bom")]).toEqual(["one\ntwo\n", "one\n"])
  expect(await s.pending()).toEqual([])
  await s.person.undo({})
  await s.person.undo({})
  expect(s.read("ends")).toBe("one\r\ntwo\r\n")
})

test("S20 a binary file is one block, and comes back exactly", async () => {
  const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3, 255, 254])
  const s = await story({ files: { "p.png": png } })
  const message = await s.agent().message("m")
  await s.agent().bash(String.raw`printf '\211PNG\0changed' > p.png`)
  const [file] = await s.pending()
  expect([file?.kinds, file?.hunks]).toEqual([["binary", "modify"], []])
  expect((await s.person.diff({})).diff).toContain("Binary files")
  await s.person.rewind({ message })
  expect(bytes(s, "p.png")).toBe(png.toString("hex"))
})

test("S22 a sparse file comes back with its content", async () => {
  const s = await story()
  const path = join(s.root, "sparse")
  execFileSync("truncate", ["-s", "1M", path])
  const message = await s.agent().message("m")
  await s.agent().bash("printf x | dd of=sparse bs=1 seek=4096 conv=notrunc status=none")
  expect(readFileSync(path)[4096]).toBe(0x78)
  await s.person.rewind({ message })
  expect(readFileSync(path).every(byte => byte === 0)).toBe(true)
  expect(statSync(path).size).toBe(1024 * 1024)
})

test("S23 an empty file is not a missing one", async () => {
  const s = await story({ files: { emptied: "text\n", empty: "", gone: "" } })
  const agent = s.agent()
  const message = await agent.message("m")
  await agent.bash("rm gone; : > emptied; : > made; echo x > empty")
  expect(Object.fromEntries((await s.pending()).map(file => [file.path, file.kinds]))).toEqual({
    emptied: ["modify"],
    empty: ["modify"],
    gone: ["delete"],
    made: ["create"],
  })
  await s.person.rewind({ message })
  expect(["emptied", "empty", "gone", "made"].map(path => s.read(path))).toEqual(["text\n", "", "", null])
  await s.person.undo({})
  expect(["emptied", "empty", "gone", "made"].map(path => s.read(path))).toEqual(["", "x\n", null, ""])
  await s.person.reject({ all: true })
  expect(["emptied", "empty", "gone", "made"].map(path => s.read(path))).toEqual(["text\n", "", "", null])
})

test("S25 edited and edited back is nothing to review", async () => {
  const s = await story({ files: { f: five } })
  const agent = s.agent()
  await agent.replace("f", "one", "ONE")
  await agent.replace("f", "ONE", "one")
  expect(await s.pending()).toEqual([])
})

test("an empty folder is an item, made and taken back", async () => {
  const s = await story({ files: { f: five } })
  mkdirSync(join(s.root, "old"))
  const message = await s.agent().message("m")
  await s.agent().bash("mkdir new && rmdir old")
  expect((await s.pending()).map(file => [file.path, file.kinds])).toEqual([
    ["new", ["create", "folder"]],
    ["old", ["delete", "folder"]],
  ])
  await s.person.rewind({ message })
  expect([existsSync(join(s.root, "new")), existsSync(join(s.root, "old"))]).toEqual([false, true])
})
