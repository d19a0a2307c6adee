import { execFileSync } from "node:child_process"
import {
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { Story } from "../story.ts"
import { five, stories } from "./stories.ts"

const story = stories()

const at = (s: Story, path: string): string => join(s.root, path)

test("S26 a key of mode 0600 stays one, and comes back one", async () => {
  const s = await story()
  s.write("key", "secret\nold\n", 0o600)
  const agent = s.agent()
  const message = await agent.message("m")
  await agent.replace("key", "old", "new")
  expect(s.mode("key")).toBe("600")
  await s.person.rewind({ message })
  expect([s.mode("key"), s.read("key")]).toEqual(["600", "secret\nold\n"])
})

test("S26 a key that was deleted comes back with its mode", async () => {
  const s = await story()
  s.write("key", "secret\n", 0o600)
  const message = await s.agent().message("m")
  await s.agent().bash("rm key")
  await s.person.rewind({ message })
  expect(s.mode("key")).toBe("600")
})

test("S28 a folder's mode is shown and taken back", async () => {
  const s = await story({ files: { "d/f": five } })
  const message = await s.agent().message("m")
  await s.agent().bash("chmod 700 d")
  expect((await s.pending()).map(file => [file.path, file.kinds, file.properties])).toEqual([
    ["d", ["folder", "mode"], ["mode 755 → 700"]],
  ])
  await s.person.rewind({ message })
  expect(s.mode("d")).toBe("755")
})

test("a mode and a text in one file are decided each alone", async () => {
  const s = await story({ files: { f: five } })
  await s.agent().bash("chmod 755 f && sed -i s/one/ONE/ f")
  const [file] = await s.pending()
  expect([file?.kinds, file?.hunks.length]).toEqual([["mode", "modify"], 1])
  await s.person.reject({ path: "f", properties: ["mode"] })
  expect([s.mode("f"), s.read("f")]).toEqual(["644", five.replace("one", "ONE")])
  await s.person.undo({})
  await s.person.accept({ path: "f", properties: ["mode"] })
  await s.person.reject({ path: "f" })
  expect([s.mode("f"), s.read("f")]).toEqual(["755", five])
  await s.person.undo({})
  await s.person.undo({})
  expect([s.mode("f"), s.read("f")]).toEqual(["755", five.replace("one", "ONE")])
  expect((await s.pending())[0]?.properties).toEqual(["mode 644 → 755"])
})

test("S29 setuid and sticky bits are recorded and come back", async () => {
  const s = await story()
  s.write("tool", "#!/bin/sh\n", 0o755)
  const message = await s.agent().message("m")
  await s.agent().bash("chmod 4755 tool")
  if ((await s.pending()).length === 0) return expect(s.mode("tool")).toBe("755")
  await s.person.rewind({ message })
  expect(s.mode("tool")).toBe("755")
})

test("S31 a hard-linked pair stays a pair through an edit and a rewind", async () => {
  const s = await story({ files: { h1: five } })
  linkSync(at(s, "h1"), at(s, "h2"))
  const agent = s.agent()
  const message = await agent.message("m")
  await agent.replace("h1", "one", "ONE")
  expect(s.read("h2")).toBe(five.replace("one", "ONE"))
  await s.person.rewind({ message })
  expect([s.read("h1"), s.read("h2")]).toEqual([five, five])
  expect(statSync(at(s, "h1")).ino).toBe(statSync(at(s, "h2")).ino)
})

test("S34 a symlink that is retargeted, replaced, or replaces a file comes back as it was", async () => {
  const s = await story({ files: { file: five, target: "t\n" } })
  symlinkSync("target", at(s, "link"))
  symlinkSync("target", at(s, "moved"))
  const message = await s.agent().message("m")
  await s.agent().bash("ln -sfn file moved; rm link; echo plain > link; rm file; ln -s target file")
  expect((await s.pending()).map(one => [one.path, one.kinds.includes("symlink")])).toEqual([
    ["file", true],
    ["link", true],
    ["moved", true],
  ])
  await s.person.rewind({ message })
  expect([readlinkSync(at(s, "link")), readlinkSync(at(s, "moved"))]).toEqual(["target", "target"])
  expect([lstatSync(at(s, "file")).isFile(), s.read("file"), s.read("target")]).toEqual([true, five, "t\n"])
  await s.person.undo({})
  expect([readlinkSync(at(s, "moved")), readlinkSync(at(s, "file")), s.read("link")]).toEqual([
    "file",
    "target",
    "plain\n",
  ])
  await s.person.reject({ path: "moved" })
  expect(readlinkSync(at(s, "moved"))).toBe("target")
})

test("S35 an edit through a dangling symlink is refused or makes its target; the link stays", async () => {
  const s = await story()
  symlinkSync("nowhere", at(s, "dangling"))
  const agent = s.agent()
  const replaced = await agent.replace("dangling", "a", "b")
  expect(replaced.ok).toBe(false)
  const created = await agent.create("dangling", "text\n")
  expect(created.ok).toBe(false)
  expect(readlinkSync(at(s, "dangling"))).toBe("nowhere")
})

test("S37 a folder swapped for a symlink is not written through, nor taken for deleted", async () => {
  const s = await story({ files: { "d/f": five } })
  const outside = join(s.root, "../outside")
  mkdirSync(outside)
  writeFileSync(join(outside, "f"), "somebody else's\n")
  const agent = s.agent()
  const message = await agent.message("m")
  await agent.replace("d/f", "one", "ONE")
  rmSync(at(s, "d"), { recursive: true })
  symlinkSync(outside, at(s, "d"))
  const plan = await s.person.rewind({ message, plan: true })
  expect(plan.steps).toMatchObject([{ path: "d/f", action: "skip" }])
  await s.person.rewind({ message })
  expect(readFileSync(join(outside, "f"), "utf8")).toBe("somebody else's\n")
  expect(lstatSync(at(s, "d")).isSymbolicLink()).toBe(true)
})

test("S37 a loop of symlinks is refused in words", async () => {
  const s = await story()
  symlinkSync("b", at(s, "a"))
  symlinkSync("a", at(s, "b"))
  expect((await s.agent().replace("a", "x", "y")).error?.code).toBe("BAD_ARGUMENT")
})

test("S38 fifos are never read, and disturb nothing", async () => {
  const s = await story({ files: { f: five } })
  execFileSync("mkfifo", [at(s, "pipe")])
  const agent = s.agent()
  const message = await agent.message("m")
  expect((await agent.replace("pipe", "x", "y")).ok).toBe(false)
  await agent.replace("f", "one", "ONE")
  await expect(s.person.cat({ path: "pipe", side: "disk" })).rejects.toMatchObject({ code: "NOT_TEXT" })
  await s.person.rewind({ message })
  expect([s.read("f"), lstatSync(at(s, "pipe")).isFIFO()]).toEqual([five, true])
})

test("S40 what is put back is new to make: its mtime is now", async () => {
  const s = await story({ files: { f: five } })
  const agent = s.agent()
  const message = await agent.message("m")
  await agent.replace("f", "one", "ONE")
  const edited = statSync(at(s, "f")).mtimeMs
  await s.person.rewind({ message })
  expect(statSync(at(s, "f")).mtimeMs).toBeGreaterThanOrEqual(edited)
})
