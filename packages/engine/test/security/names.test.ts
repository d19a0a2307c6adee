import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, describe, expect, test } from "vitest"
import { pathToBytes } from "@galley/core/path.ts"
import { tell, type Story } from "../story.ts"
import { hostileNames } from "./hostile-names.ts"

let story: Story | null = null
afterEach(async () => {
  await story?.end()
  story = null
})

const bytes = (path: string): Buffer => Buffer.from(pathToBytes(path))
const place = (root: string, path: string): Buffer => Buffer.concat([Buffer.from(`${root}/`), bytes(path)])
const read = (root: string, path: string): string | null =>
  existsSync(place(root, path)) ? readFileSync(place(root, path), "utf8") : null

describe("a hostile name is a name", () => {
  test("created, edited, accepted, rejected, rewound and undone, in a hostile folder too", {
    timeout: 240_000,
  }, async () => {
    const s = (story = await tell({ git: true, files: { "bystander.txt": "b\n" } }))
    const paths = Object.values(hostileNames).map((name, at) =>
      at % 2 === 0 ? name : `${name.slice(0, 60)} folder/${name}`,
    )
    const expectAll = (text: string): void => {
      for (const path of paths) expect(read(s.root, path), JSON.stringify(path)).toBe(text)
    }
    const agent = s.agent("c \u001b[31m\n")
    await agent.message("first \u202e")
    for (const path of paths)
      expect((await agent.create(path, "one\ntwo\n")).error, JSON.stringify(path)).toBe(undefined)
    for (const path of paths.slice(0, 8)) await s.person.accept({ path })
    await s.person.accept({ all: true })
    const second = await agent.message("second")
    for (const path of paths)
      expect((await agent.replace(path, "two", "2")).error, JSON.stringify(path)).toBe(undefined)
    expectAll("one\n2\n")
    for (const path of paths) {
      expect((await s.person.diff({ path })).diff, JSON.stringify(path)).toContain("+2")
      expect((await s.person.cat({ path, side: "base" })).text, JSON.stringify(path)).toBe("one\ntwo\n")
      expect((await s.person.status({ paths: [path] })).files, JSON.stringify(path)).toHaveLength(1)
    }
    for (const path of paths.slice(8, 16)) await s.person.reject({ path })
    await s.person.reject({ all: true })
    expectAll("one\ntwo\n")
    for (let round = 0; round < 9; round++) await s.person.undo({})
    expectAll("one\n2\n")
    await s.person.rewind({ message: second })
    expectAll("one\ntwo\n")
    await s.person.undo({})
    expectAll("one\n2\n")
    expect(existsSync(join(s.root, "owned")), "no name was run").toBe(false)
    expect(s.read("bystander.txt")).toBe("b\n")
  })

  test("an archive of them, unpacked by an agent's command: every one is reviewable, rejectable and comes back", {
    timeout: 240_000,
  }, async () => {
    const s = (story = await tell({ git: true, files: { "keep.txt": "k\n" } }))
    const packing = mkdtempSync(join(tmpdir(), "galley-archive-"))
    try {
      const names = Object.values(hostileNames)
      for (const name of names) {
        writeFileSync(place(packing, name), `content of ${JSON.stringify(name)}\n`)
        mkdirSync(place(packing, `d${name.slice(0, 80)}`))
        writeFileSync(place(packing, `d${name.slice(0, 80)}/${name}`), "inside\n")
      }
      execFileSync("tar", ["-cf", join(s.root, "nasty.tar"), "-C", packing, "."])
      const agent = s.agent()
      const first = await agent.message("unpack")
      const ran = await agent.bash("tar -xf nasty.tar --exclude=./nasty.tar && rm nasty.tar")
      expect(ran.ok, ran.text).toBe(true)
      // Without views nobody sees the command make its folders, so empty ones stay.
      const standing = (): string[] =>
        readdirSync(s.root, { withFileTypes: true })
          .filter(entry => entry.name !== ".git" && (ran.capture === "previewed" || entry.isFile()))
          .map(entry => entry.name)
          .toSorted()
      const wanted = names.flatMap(name => [name, `d${name.slice(0, 80)}/${name}`])
      for (const name of wanted) expect(read(s.root, name), JSON.stringify(name)).not.toBe(null)
      const log = await s.person.operations({})
      const paths = new Set(log.operations.flatMap(operation => operation.paths))
      for (const name of wanted) expect(paths.has(name.toWellFormed()), `recorded: ${JSON.stringify(name)}`).toBe(true)
      await s.person.rewind({ message: first })
      expect(standing()).toEqual(["keep.txt", "nasty.tar"])
      await s.person.undo({})
      for (const name of names)
        expect(read(s.root, name), JSON.stringify(name)).toBe(`content of ${JSON.stringify(name)}\n`)
      await s.person.reject({ all: true })
      expect(standing()).toEqual(["keep.txt", "nasty.tar"])
    } finally {
      rmSync(packing, { recursive: true, force: true })
    }
  })
})

describe("git directories are never written, whatever they are spelled like", () => {
  const refusedSpellings = [
    ".git/hooks/pre-commit",
    ".git/config",
    ".GIT/config",
    ".Git/hooks/post-checkout",
    "sub/.git/config",
    ".git",
    "./.git/config",
    "x/../.git/config",
    // What Windows and macOS file systems take for `.git` (CVE-2014-9390, CVE-2019-1352): git refuses them in trees.
    "git~1/config",
    "GIT~1/config",
    ".git /config",
    ".git./config",
    ".git::$INDEX_ALLOCATION/config",
    ".g\u200cit/config",
    ".git\u200d/config",
  ]
  test("by the edit tool", async () => {
    const s = (story = await tell({ git: true, files: { "a.txt": "a\n" } }))
    const before = readFileSync(join(s.root, ".git/config"), "utf8")
    for (const path of refusedSpellings) {
      const result = await s.agent().create(path, "[core]\n\tfsmonitor = touch owned\n")
      expect({ path, code: result.error?.code }).toEqual({
        path,
        code: expect.stringMatching(/^(DENIED|BAD_ARGUMENT|NOT_TEXT)$/) as string,
      })
    }
    expect(readFileSync(join(s.root, ".git/config"), "utf8")).toBe(before)
    expect(readdirSync(s.root).toSorted()).toEqual([".git", "a.txt"])
  })

  test("names that only resemble it are names", async () => {
    const s = (story = await tell({ git: true }))
    for (const path of [".gitignore", ".github/workflows/ci.yml", "git/x", "a.git/x", ".gitx/y", "git~12/x"])
      expect((await s.agent().create(path, "x\n")).ok, path).toBe(true)
  })
})
