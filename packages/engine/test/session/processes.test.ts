import { type ChildProcess, spawn } from "node:child_process"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { Story } from "../story.ts"
import { stories } from "../scenarios/stories.ts"

const story = stories()

/** Another process at work on the story; `said` resolves with its n-th line. */
function another(
  s: Story,
  ...words: string[]
): { child: ChildProcess; said(line: string): Promise<void>; end(): Promise<number | null> } {
  const script = join(import.meta.dirname, "../scenarios/process.ts")
  const child = spawn(process.execPath, [script, s.root, s.home, ...words], { stdio: ["ignore", "pipe", "inherit"] })
  let text = ""
  child.stdout.on("data", (piece: Buffer) => (text += piece.toString()))
  const ended = new Promise<number | null>(resolve => child.once("close", code => resolve(code)))
  return {
    child,
    said: async line => {
      for (;;) {
        if (text.split("\n").includes(line)) return
        if (child.exitCode !== null) throw new Error(`The process ended without saying ${line}: ${text}`)
        await new Promise(resolve => setTimeout(resolve, 20))
      }
    },
    end: () => ended,
  }
}

test("writers, readers and a call that waits, all at once: nothing is lost, nothing is doubled", async () => {
  const s = await story({ files: { shared: "end\n", "own-a": "end\n", "own-b": "end\n" } })
  const asker = another(s, "ask", "asked")
  await asker.said("asking")
  const others = [another(s, "append", "a", "6"), another(s, "append", "b", "6"), another(s, "status", "8")]
  for (const other of others) expect(await other.end()).toBe(0)
  expect((s.read("own-a") ?? "").split("\n").toReversed().slice(2)).toEqual(["a 0", "a 1", "a 2", "a 3", "a 4", "a 5"])
  const lines = (s.read("shared") ?? "").trimEnd().split("\n")
  expect(lines.toSorted()).toEqual(
    [0, 1, 2, 3, 4, 5]
      .flatMap(at => [`a ${at}`, `b ${at}`])
      .concat("end")
      .toSorted(),
  )
  expect(s.read("asked")).toBe(null)
  const [waiting] = (await s.person.status({})).waiting
  await s.person.answer({ id: waiting?.id ?? "", decision: "allow" })
  expect(await asker.end()).toBe(0)
  expect(s.read("asked")).toBe("asked\n")
  const { operations } = await s.person.operations({ path: "shared" })
  expect(operations.filter(operation => operation.kind === "edit")).toHaveLength(12)
  await s.person.reject({ all: true })
  expect([s.read("shared"), s.read("own-a"), s.read("own-b")]).toEqual(["end\n", "end\n", "end\n"])
})

test("a process killed at any moment leaves no lock, no half file, no half operation", async () => {
  const s = await story({ files: { shared: "end\n", "own-k": "end\n" } })
  for (let round = 0; round < 6; round++) {
    const writer = another(s, "append", "k", "1000")
    await writer.said("k 0")
    await new Promise(resolve => setTimeout(resolve, 17 * round))
    writer.child.kill("SIGKILL")
    await writer.end()
    for (const file of await s.pending()) {
      const disk = await s.person.cat({ path: file.path, side: "disk" })
      expect(disk.text, file.path).toBe((await s.person.cat({ path: file.path, side: file.disk })).text)
      if (!file.path.startsWith("after")) expect(disk.text).toMatch(/^(k \d+\n)*end\n$/)
    }
    expect((await s.agent("me").create(`after-${round}`, "x\n")).ok).toBe(true)
    expect(readdirSync(s.root).filter(name => name.includes("galley"))).toEqual([])
  }
  const [message] = (await s.person.log({})).messages.filter(one => one.conversation === "k")
  await s.person.reject({ all: true })
  expect([s.read("shared"), s.read("own-k"), s.read("after-0")]).toEqual(["end\n", "end\n", null])
  expect(message).toBeDefined()
})

test("a call whose process was killed while it waited is no question any more; its change stays pending", async () => {
  const s = await story()
  const asker = another(s, "ask", "asked")
  await asker.said("asking")
  while ((await s.person.status({})).waiting.length === 0) await new Promise(resolve => setTimeout(resolve, 30))
  asker.child.kill("SIGKILL")
  await asker.end()
  expect((await s.person.status({})).waiting).toEqual([])
  expect((await s.pending()).map(file => [file.path, file.disk])).toEqual([["asked", "base"]])
  await s.person.accept({ path: "asked" })
  expect(s.read("asked")).toBe("asked\n")
})

test("what another process does is announced without asking", async () => {
  const s = await story({ files: { shared: "end\n", "own-a": "end\n" } })
  await s.pending()
  const revisions: number[] = []
  const stop = s.workspace.onChange(event => revisions.push(event.revision))
  const writer = another(s, "append", "a", "2")
  expect(await writer.end()).toBe(0)
  for (let turns = 0; turns < 100 && revisions.length === 0; turns++)
    await new Promise(resolve => setTimeout(resolve, 50))
  expect(revisions.length).toBeGreaterThan(0)
  expect(revisions).toEqual(revisions.toSorted((x, y) => x - y))
  expect(new Set(revisions).size).toBe(revisions.length)
  for (let turns = 0; turns < 100 && (await s.pending()).length < 2; turns++)
    await new Promise(resolve => setTimeout(resolve, 50))
  expect((await s.pending()).map(file => file.path)).toEqual(["own-a", "shared"])
  stop()
  const heard = revisions.length
  await s.agent().create("later", "x\n")
  await new Promise(resolve => setTimeout(resolve, 400))
  expect(revisions.length).toBe(heard)
})

test("two agents of one process at once in one file: each edit is made, or refused as overtaken", async () => {
  const s = await story({ files: { f: "start\n" } })
  const results = await Promise.all(
    Array.from({ length: 12 }, (_, at) => s.agent(`c${at % 3}`).insert("f", 1, `line ${at}\n`)),
  )
  const made = results.flatMap((result, at) => (result.ok ? [`line ${at}`] : []))
  for (const result of results) if (!result.ok) expect(result.error?.code).toBe("FILE_CHANGED_SINCE_READ")
  expect(made.length).toBeGreaterThan(0)
  expect((s.read("f") ?? "").trimEnd().split("\n").slice(1).toSorted()).toEqual(made.toSorted())
})
