import { spawn } from "node:child_process"
import { chmodSync, readdirSync, statSync, unlinkSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { blobIdOf } from "../../src/io/hash.ts"
import { five, stories } from "./stories.ts"

const story = stories()

test("S77 a file that cannot be read is left alone; the others are put back", async context => {
  if (process.getuid?.() === 0) context.skip("user 0 reads everything")
  const s = await story({ files: { locked: five, open: five } })
  const agent = s.agent()
  const message = await agent.message("m")
  await agent.replace("locked", "one", "ONE")
  await agent.replace("open", "one", "ONE")
  chmodSync(join(s.root, "locked"), 0o000)
  const plan = await s.person.rewind({ message, plan: true })
  expect(plan.steps.map(step => [step.path, step.action])).toEqual([
    ["locked", "skip"],
    ["open", "write"],
  ])
  await s.person.rewind({ message })
  chmodSync(join(s.root, "locked"), 0o644)
  expect([s.read("locked"), s.read("open")]).toEqual([five.replace("one", "ONE"), five])
})

test("a file beyond the size limit is refused in words, and never deleted by a rewind", async () => {
  const s = await story({ files: { f: five }, config: { "file.maxBytes": 4096 } })
  s.write("big", "x".repeat(5000))
  const agent = s.agent()
  const refused = await agent.replace("big", "x", "y")
  expect(refused.ok).toBe(false)
  expect(refused.text).toContain("4096")
  const message = await agent.message("m")
  await agent.create("grown", "small\n")
  s.write("grown", "y".repeat(5000))
  const plan = await s.person.rewind({ message, plan: true })
  expect(plan.steps).toMatchObject([{ path: "grown", action: "skip" }])
  await s.person.rewind({ message })
  expect(s.read("grown")).toBe("y".repeat(5000))
})

test("S82 two processes that rewind at once: both end, and the files are as after one", async () => {
  const s = await story({ files: { a: five, b: five } })
  const agent = s.agent()
  const message = await agent.message("m")
  await agent.replace("a", "one", "ONE")
  await agent.replace("b", "one", "ONE")
  const ends = await Promise.all([0, 1].map(() => inProcess(s.root, s.home, ["rewind", message])))
  expect(ends).toEqual([0, 0])
  expect([s.read("a"), s.read("b")]).toEqual([five, five])
  expect((await s.person.status({})).files).toEqual([])
})

test("S82 a process killed while it holds the lock leaves it to the next", async () => {
  const s = await story({ files: { a: five } })
  const child = spawn(process.execPath, [join(import.meta.dirname, "process.ts"), s.root, s.home, "hold"], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  await new Promise<void>(resolve => child.stdout.once("data", () => resolve()))
  const edit = s.agent().replace("a", "one", "ONE")
  child.kill("SIGKILL")
  expect((await edit).ok).toBe(true)
})

test("S83 a content that the store has lost stops a rewind before its first write, and names the file", async () => {
  const content = `${"x".repeat(200)}\n`.repeat(1000)
  const s = await story({ files: { big: content, small: five } })
  const agent = s.agent()
  const message = await agent.message("m")
  await agent.replace("small", "one", "ONE")
  await agent.bash("seq 1 60000 | sha256sum > noise; seq 7 90000 | rev > big")
  const lost = blobIdOf(Buffer.from(content))
  const found = filesUnder(s.home).filter(path => path.includes(lost.slice(2)))
  if (found.length === 0) return expect(filesUnder(s.home).length).toBeGreaterThan(0)
  const after = s.read("big")
  for (const path of found) unlinkSync(path)
  await expect(s.person.rewind({ message })).rejects.toMatchObject({ code: "STORE_FAILED" })
  await expect(s.person.rewind({ message })).rejects.toThrow("big")
  expect([s.read("small"), s.read("big")]).toEqual([five.replace("one", "ONE"), after])
})

test("S86 what expired is said, and left alone by a rewind", async () => {
  const s = await story({ files: { old: five, fresh: five } })
  const agent = s.agent()
  const first = await agent.message("first")
  await agent.replace("old", "one", "ONE")
  await s.person.accept({ all: true })
  expect((await s.person.gc({ keepDays: 0 })).removedBlobs).toBeGreaterThan(0)
  await agent.message("second")
  await agent.replace("fresh", "one", "ONE")
  const plan = await s.person.rewind({ message: first, plan: true })
  expect(plan.steps.map(step => [step.path, step.action])).toEqual([
    ["fresh", "write"],
    ["old", "skip"],
  ])
  await expect(s.person.cat({ path: "old", side: `message:${first}` })).rejects.toMatchObject({ code: "NOT_FOUND" })
  await s.person.rewind({ message: first })
  expect([s.read("old"), s.read("fresh")]).toEqual([five.replace("one", "ONE"), five])
})

test("collecting garbage of abandoned branches drops what was rewound, and nothing that a conversation stands on", async () => {
  const s = await story({ files: { stands: five, left: five } })
  const agent = s.agent()
  const first = await agent.message("first")
  await agent.replace("stands", "one", "ONE")
  await s.person.accept({ all: true })
  const second = await agent.message("second")
  await agent.replace("left", "one", "a text of the branch that was left")
  await s.person.rewind({ message: second })
  const third = await agent.message("third")
  await agent.replace("left", "two", "TWO")
  expect((await s.person.gc({})).removedBlobs).toBe(0)
  const dry = await s.person.gc({ abandoned: true, dryRun: true })
  expect(dry.removedBlobs).toBe(1)
  expect((await s.person.show({ id: second })).diff).toContain("the branch that was left")
  expect((await s.person.gc({ abandoned: true })).removedBlobs).toBe(1)
  expect((await s.person.show({ id: second })).diff).not.toContain("the branch that was left")
  expect((await s.pending()).map(file => file.path)).toEqual(["left"])
  await s.person.rewind({ message: third })
  expect(s.read("left")).toBe(five)
  await s.person.rewind({ message: first })
  expect(s.read("stands")).toBe(five)
})

test("collecting garbage keeps what tells whose lines are pending", async () => {
  const s = await story({ files: { f: five } })
  const agent = s.agent()
  await agent.insert("f", 2, "agent 1\nagent 2\n")
  s.write("f", "one\ntwo\nagent 1\nmine\nagent 2\nthree\nfour\nfive\n")
  await s.pending()
  await s.person.gc({ keepDays: 0 })
  expect((await s.pending())[0]?.hunks.map(hunk => hunk.mixed)).toEqual([true])
  await s.person.reject({ path: "f" })
  expect(s.read("f")).toBe("one\ntwo\nmine\nthree\nfour\nfive\n")
})

test("purged, then rewound: what is not known any more is left alone", async () => {
  const s = await story({ files: { secret: five, other: five } })
  const agent = s.agent()
  const message = await agent.message("m")
  await agent.replace("secret", "one", "ONE")
  await agent.create("made", "made\n")
  await agent.replace("other", "one", "ONE")
  await s.person.accept({ all: true })
  await s.person.purge({ path: "secret" })
  await s.person.purge({ path: "made" })
  const plan = await s.person.rewind({ message, plan: true })
  expect(plan.steps.map(step => [step.path, step.action])).toEqual([
    ["made", "skip"],
    ["other", "write"],
    ["secret", "skip"],
  ])
  await s.person.rewind({ message })
  expect([s.read("secret"), s.read("made"), s.read("other")]).toEqual([five.replace("one", "ONE"), "made\n", five])
})

test("S100 what is kept is the owner's alone, and a purge takes a secret out of every file of the store", async () => {
  const s = await story({ files: { ".env": "KEY=old-secret-value-1234\n" } })
  const agent = s.agent()
  await agent.replace(".env", "old-secret-value-1234", "new-secret-value-5678")
  for (const path of filesUnder(s.home)) expect((statSync(path).mode & 0o077).toString(8), path).toBe("0")
  await s.person.accept({ all: true })
  await s.person.purge({ path: ".env" })
  await expect(s.person.diff({ path: ".env" })).resolves.toMatchObject({ diff: "" })
  expect(s.read(".env")).toBe("KEY=new-secret-value-5678\n")
})

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
}

async function inProcess(root: string, home: string, words: readonly string[]): Promise<number | null> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "process.ts"), root, home, ...words], {
    stdio: ["ignore", "ignore", "inherit"],
  })
  return new Promise(resolve => child.once("close", code => resolve(code)))
}
