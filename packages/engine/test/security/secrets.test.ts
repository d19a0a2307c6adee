import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { once } from "node:events"
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { tell, type Story } from "../story.ts"

/** Every file below a folder with its bytes. */
function filesBelow(folder: string): { readonly path: string; readonly bytes: Buffer }[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map(name => join(folder, name))
    .filter(path => lstatSync(path).isFile())
    .map(path => ({ path, bytes: readFileSync(path) }))
}

/** Contents that compression cannot hide from a search: noise, in hexadecimal. */
const noise = (seed: string, lines: number) =>
  Array.from({ length: lines }, (_, at) => createHash("sha256").update(`${seed} ${at}`).digest("hex")).join("\n")

test("purge leaves no byte of a secret: database, journal, free pages, contents, what is packed with it, scratch of views", async () => {
  const small = "password = correct-horse-battery-staple-7391"
  const s = await tell({ git: true, files: { "notes.txt": "n\n", "big.pem": `${noise("before", 3000)}\n` } })
  const agent = s.agent()
  const big = noise("secret", 3000)
  await agent.message("write the secrets")
  await agent.create("secrets/.env", `${small}\n`)
  await agent.create("secrets/big.pem", `${big}\n`)
  await agent.bash(
    "cat secrets/.env >/dev/null; cp secrets/.env secrets/copy.env; echo more >> notes.txt; echo done > secrets/out.txt",
  )
  await s.agent("c2", "hold").replace("secrets/.env", "password", "passphrase")
  await s.agent("c2", "hold").bash("cat secrets/.env > secrets/held-copy.txt")
  await s.person.accept({ all: true })
  await agent.replace("secrets/.env", "7391", "7392")
  await s.person.reject({ all: true })
  await s.person.comment({ path: "secrets/.env", line: 1, text: `is ${small} safe?` })
  const probes = [small, "correct-horse", big.slice(0, 64), big.slice(-64), big.slice(65 * 1500, 65 * 1500 + 60)]
  const found = (): string[] =>
    filesBelow(s.home).flatMap(({ path, bytes }) =>
      probes
        .filter(probe => bytes.includes(probe))
        .map(probe => `${probe.slice(0, 30)} in ${path.slice(s.home.length)}`),
    )
  expect(found().length, "the search would find it").toBeGreaterThan(0)
  await s.person.purge({ path: "secrets" })
  expect(found()).toEqual([])
  const reopened = await s.reopen()
  expect(found()).toEqual([])
  expect(reopened.read("secrets/.env")).toContain("passphrase")
  const log = await reopened.person.operations({})
  expect(log.operations.length).toBeGreaterThan(4)
  await reopened.end()
})

test("purge finds what a file held under the names that it had before; a later file of such a name keeps its history", async () => {
  const s = await tell({ git: true, files: { "n.txt": "n\n" } })
  const agent = s.agent()
  const secret = "correct-horse-battery-staple-8402"
  await agent.create("first.env", `key = ${secret}\n`)
  await s.person.accept({ all: true })
  await agent.bash("mv first.env second.env")
  await s.person.accept({ all: true })
  renameSync(join(s.root, "second.env"), join(s.root, "third.env"))
  await s.person.renamed({ files: [{ from: "second.env", to: "third.env" }] })
  await agent.replace("third.env", "key = ", "token = ")
  await s.person.accept({ all: true })
  await agent.create("first.env", "another file\n")
  await s.person.accept({ all: true })
  const found = () => filesBelow(s.home).filter(({ bytes }) => bytes.includes(secret))
  expect(found().length, "the search would find it").toBeGreaterThan(0)
  await s.person.purge({ path: "third.env" })
  expect(found().map(({ path }) => path)).toEqual([])
  await s.person.undo({})
  expect((await s.pending()).map(file => [file.path, file.kinds])).toEqual([["first.env", ["create"]]])
  await s.end()
})

test("everything of ours is the owner's alone, also while a command runs and after", async () => {
  const before = process.umask(0o000)
  const s: Story = await tell({ git: true, files: { "a.txt": "a\n" } })
  try {
    const open = (): string[] =>
      readdirSync(s.home, { recursive: true, encoding: "utf8" }).flatMap(name => {
        const stat = lstatSync(join(s.home, name), { throwIfNoEntry: false })
        // Inside a run's own folder (0700) the command's file system looks as commands expect it: /tmp is 1777.
        if (stat === undefined || /views\/run-[^/]+\//.test(name)) return []
        return (stat.mode & 0o077) === 0 ? [] : [`${name} ${(stat.mode & 0o777).toString(8)}`]
      })
    await s.agent().create("big.txt", noise("x", 4000))
    const running = s.agent().bash("echo b > b.txt; sleep 1")
    await new Promise(resolve => setTimeout(resolve, 700))
    expect(open()).toEqual([])
    await running
    await s.person.accept({ all: true })
    await s.agent("c2", "hold").replace("a.txt", "a", "b")
    expect(open()).toEqual([])
    expect((statSync(s.home).mode & 0o777).toString(8)).toBe("700")
  } finally {
    process.umask(before)
    await s.end()
  }
})

test("a 0600 file that is rewritten again and again is never a moment wider, nor is anything beside it", async () => {
  const s = await tell({})
  const folder = join(s.root, "keys")
  mkdirSync(folder)
  writeFileSync(join(folder, "id"), "key 0\n")
  chmodSync(join(folder, "id"), 0o600)
  const watcher = spawn(process.execPath, [join(import.meta.dirname, "mode-watcher.ts"), folder], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  let said = ""
  watcher.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()))
  try {
    while (!said.includes("watching")) await once(watcher.stdout, "data")
    const agent = s.agent()
    for (let round = 0; round < 25; round++) {
      expect((await agent.replace("keys/id", `key ${round}\n`, `key ${round + 1}\n`)).ok).toBe(true)
      if (round % 5 === 4) {
        await s.person.reject({ all: true })
        await s.person.undo({})
      }
    }
    await s.person.accept({ all: true })
    // What is wider is seen: the watcher sees this one.
    writeFileSync(join(folder, "wide"), "x", { mode: 0o644 })
    while (!said.includes("wide")) await once(watcher.stdout, "data")
    expect(said).toBe("watching\nwide 644\n")
    expect(s.mode("keys/id")).toBe("600")
  } finally {
    watcher.kill("SIGKILL")
    await s.end()
  }
})
