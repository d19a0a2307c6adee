import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { pathFromBytes, pathToBytes } from "@galley/core/path.ts"
import { realFiles } from "../../src/io/real-files.ts"
import { writeChange } from "../../src/session/journal.ts"
import { memoryStore } from "../../src/store/memory.ts"
import { batchOf, keepTexts, movesOf, writerOn } from "../session/world.ts"

/** Python's os.setxattr: what Node lacks and no package of a bare Debian gives. */
const python = `
import os, struct, sys
def acl(*entries): return struct.pack('<I', 2) + b''.join(struct.pack('<HHI', *entry) for entry in entries)
none = 0xffffffff
granting = acl((1, 6, none), (2, 6, 1234), (4, 4, none), (16, 6, none), (32, 4, none))
verb, path = sys.argv[1], sys.stdin.buffer.read()
if verb == 'user': os.setxattr(path, 'user.note', b'kept')
if verb == 'acl': os.setxattr(path, 'system.posix_acl_access', granting)
if verb == 'default': os.setxattr(path, 'system.posix_acl_default', granting)
print(' '.join(sorted(os.listxattr(path))))
`
const pythonRuns = spawnSync("python3", ["-c", "import os; os.listxattr('/')"]).status === 0
if (!pythonRuns) console.log("attributes.test.ts: skipped, python3 with os.listxattr is needed to set attributes")

let folder = ""
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "galley-attributes-"))
})
afterEach(() => rmSync(folder, { recursive: true }))

function attributes(verb: "user" | "acl" | "default" | "list", path: string): string {
  return execFileSync("python3", ["-c", python, verb], { input: pathToBytes(path) })
    .toString()
    .trim()
}

const files = realFiles()

test.skipIf(!pythonRuns)(
  "files with attributes or ACLs, and those in a folder that gives some, are found among many",
  async () => {
    const names = ["plain", "user", "acl", "-dash", "line\nbreak", pathFromBytes(Buffer.from([0x66, 0xff])), "large"]
    for (const name of names) await files.create(`${folder}/${name}`, Buffer.from("x".repeat(1000)), 0o644)
    mkdirSync(`${folder}/giving`)
    writeFileSync(`${folder}/giving/old`, "made before the default ACL")
    attributes("default", `${folder}/giving`)
    for (const name of ["user", "-dash", "line\nbreak", names[5] ?? ""]) attributes("user", `${folder}/${name}`)
    attributes("acl", `${folder}/acl`)
    await files.overwrite(`${folder}/large`, Buffer.alloc((1 << 20) + 1))
    const found = await files.withAttributes([...names, "giving/old"].map(name => `${folder}/${name}`))
    const expected = names.filter(name => name !== "plain" && name !== "large").concat("giving/old")
    expect([...(found ?? [])].toSorted()).toEqual(expected.map(name => `${folder}/${name}`).toSorted())
    expect(await files.withAttributes([`${folder}/plain`, `${folder}/gone`])).toEqual(
      new Set([`${folder}/plain`, `${folder}/gone`]),
    )
  },
)

test.skipIf(!pythonRuns)(
  "each question is answered by the disk as it is then, whatever was asked before or beside it",
  async () => {
    const fake = `d/crw-rw-rw- 0/0 1,3 2026-11-30 22:46 /dev/null`
    mkdirSync(`${folder}/d/crw-rw-rw- 0/0 1,3 2026-11-30 22:46 /dev`, { recursive: true })
    for (const name of ["a", "b", "c", fake]) await files.create(`${folder}/${name}`, Buffer.from("x"), 0o644)
    const asked = async (...names: string[]) =>
      [...((await files.withAttributes(names.map(name => `${folder}/${name}`))) ?? ["not told"])].map(path =>
        path.slice(folder.length + 1),
      )
    expect(await asked("a", "b", fake)).toEqual([])
    attributes("user", `${folder}/b`)
    attributes("user", `${folder}/${fake}`)
    expect(await Promise.all([asked("a", "b"), asked("b", "a", "c"), asked(fake), asked()])).toEqual([
      ["b"],
      ["b"],
      [fake],
      [],
    ])
    // The answer that lacks a line spoils no other.
    expect(await Promise.all([asked("a", "gone"), asked("a"), asked("b")])).toEqual([["a", "gone"], [], ["b"]])
    attributes("acl", `${folder}/a`)
    expect(await asked("a", "c")).toEqual(["a"])
  },
)

test("the process that is asked keeps no program from ending, and ends with it", () => {
  writeFileSync(`${folder}/a`, "x")
  const source = `
    import { readFileSync } from "node:fs"
    import { realFiles } from ${JSON.stringify(new URL("../../src/io/real-files.ts", import.meta.url).href)}
    await realFiles().withAttributes([${JSON.stringify(`${folder}/a`)}])
    console.log(readFileSync("/proc/self/task/" + process.pid + "/children", "utf8").trim())`
  const ran = spawnSync(process.execPath, ["--input-type=module", "-e", source], { encoding: "utf8", timeout: 60_000 })
  expect([ran.status, ran.stderr]).toEqual([0, ""])
  for (const child of ran.stdout.trim().split(" ").filter(Boolean)) expect(endsSoon(Number(child))).toBe(true)
})

test("where there is no such tar, it is said that it cannot be told", async () => {
  const path = process.env["PATH"]
  process.env["PATH"] = folder
  try {
    expect(await realFiles().withAttributes([`${folder}/a`])).toBe(null)
  } finally {
    process.env["PATH"] = path
  }
})

/** Waits for its end; false after ten seconds. */
function endsSoon(pid: number): boolean {
  const until = Date.now() + 10_000
  while (existsSync(`/proc/${pid}`)) {
    if (Date.now() > until) return false
    spawnSync("sleep", ["0.02"])
  }
  return true
}

test.skipIf(!pythonRuns)(
  "a rewritten file keeps attributes, ACL and mode; a new mode stays exact; a plain one gets no default ACL",
  async () => {
    const odd = pathFromBytes(Buffer.from([0x6f, 0xff]))
    const store = memoryStore()
    const writer = await writerOn(files, folder, store)
    for (const name of ["both", odd, "narrowed"]) {
      await files.create(`${folder}/${name}`, Buffer.from("old"), 0o664)
      attributes("user", `${folder}/${name}`)
      attributes("acl", `${folder}/${name}`)
    }
    mkdirSync(`${folder}/giving`)
    await files.create(`${folder}/giving/plain`, Buffer.from("old"), 0o640)
    attributes("default", `${folder}/giving`)
    const moves = movesOf({
      both: ["0664:old", "0664:new"],
      [odd]: ["0664:old", "0664:new"],
      narrowed: ["0664:old", "0600:new"],
      "giving/plain": ["0640:old", "0640:new"],
    })
    await keepTexts(store, ["new"])
    expect(await writeChange(writer, { moves, batch: batchOf(moves) })).toEqual({
      kind: "written",
      remarks: [],
      keptFolders: [],
    })
    const seen = await Promise.all(
      ["both", odd, "narrowed", "giving/plain"].map(async name => {
        const stat = await files.lstat(`${folder}/${name}`)
        const read = await files.read(`${folder}/${name}`, 99)
        return [
          stat?.mode.toString(8),
          attributes("list", `${folder}/${name}`),
          read === "tooLarge" ? read : Buffer.from(read.bytes).toString(),
        ]
      }),
    )
    const all = "system.posix_acl_access user.note"
    expect(seen).toEqual([
      ["664", all, "new"],
      ["664", all, "new"],
      ["600", all, "new"],
      ["640", "", "new"],
    ])
  },
)
