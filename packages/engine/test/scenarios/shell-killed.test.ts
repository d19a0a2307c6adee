import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { expect, test } from "vitest"
import { five, stories } from "./stories.ts"
import { until } from "./shell-ways.ts"

/** Galley is killed while a command that it started writes the disk itself. */
const story = stories()

const processFile = join(import.meta.dirname, "process.ts")

test("a command that killed Galley: what it did to files Galley knows is on record as its work, and can be taken back", async () => {
  const s = await story({ git: true, files: { "a.txt": five, "b.txt": five, "c.txt": five } })
  // Met before: a quiet item, a pending one, and one that the command names.
  await s.agent("c1").replace("b.txt", "one", "ONE")
  await s.person.accept({ all: true })
  await s.agent("c1").replace("c.txt", "one", "ONE")
  s.write("c.txt", `${five.replace("one", "ONE")}mine\n`)
  await s.workspace.close()
  const command = "echo agent >> a.txt; for f in b c; do echo agent >> $f.txt; done; kill -9 $PPID"
  const killed = spawnSync(process.execPath, [processFile, s.root, s.home, "bash", command], { encoding: "utf8" })
  expect(killed.signal).toBe("SIGKILL")
  await until(() => s.read("c.txt")?.endsWith("agent\n") === true)
  const again = await s.reopen()
  expect(again.workspace.notices.join()).toContain(
    "Galley ended before it had recorded what a command did (echo agent >> a.txt;",
  )
  const last = (await again.person.operations({ limit: 1 })).operations.at(-1)
  expect([last?.actor, last?.kind, last?.conversation, last?.paths]).toEqual([
    "agent",
    "command",
    "killed",
    ["a.txt", "b.txt", "c.txt"],
  ])
  expect((await again.pending()).map(file => [file.path, file.hunks.some(hunk => hunk.mixed)])).toEqual([
    ["a.txt", false],
    ["b.txt", false],
    ["c.txt", false],
  ])
  await again.person.rewind({ message: last?.message ?? "" })
  const ours = five.replace("one", "ONE")
  expect([again.read("a.txt"), again.read("b.txt"), again.read("c.txt")]).toEqual([five, ours, `${ours}mine\n`])
  const later = await again.reopen()
  expect(later.workspace.notices).toEqual([])
  await later.end()
})

test("a background job whose Galley is killed", async () => {
  const s = await story({ git: true, files: { "a.txt": five } })
  await s.workspace.close()
  const command = "while ! [ -e go ]; do sleep 0.05; done; echo job >> a.txt"
  const child = spawn(process.execPath, [processFile, s.root, s.home, "bash", command, "background"])
  await once(child.stdout, "data")
  child.kill("SIGKILL")
  await once(child, "exit")
  s.write("go", "")
  await until(() => s.read("a.txt")?.endsWith("job\n") === true)
  const again = await s.reopen()
  expect((await again.person.operations({ limit: 1 })).operations.at(-1)).toMatchObject({
    actor: "agent",
    kind: "command",
    paths: ["a.txt"],
  })
  await again.end()
})

test("another process that looks meanwhile does not take a running command for lost", async () => {
  const s = await story({ git: true, files: { "a.txt": five } })
  const command = "touch started; while ! [ -e go ]; do sleep 0.05; done; echo job >> a.txt"
  const child = spawn(process.execPath, [processFile, s.root, s.home, "bash", command])
  await until(() => s.read("started") === "")
  const other = await s.reopen()
  other.write("go", "")
  await once(child, "exit")
  const { operations } = await other.person.operations({})
  expect(operations.map(one => [one.actor, one.kind, one.paths])).toContainEqual([
    "agent",
    "command",
    ["a.txt", "go", "started"],
  ])
  await other.end()
})
