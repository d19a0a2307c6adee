import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { pathFromBytes } from "@galley/core/path.ts"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { typedWords } from "../../src/typed-words.ts"
import { version } from "../../src/version.ts"
import { workspaceRoot } from "../../src/workspace-root.ts"

const bin = fileURLToPath(new URL("../../bin/galley.mjs", import.meta.url))

let folder = ""
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "galley-bin-")))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Starts the program with a Node that says it is of another version. */
function startOn(nodeVersion: string, env: Readonly<Record<string, string>> = {}) {
  const lie = `Object.defineProperty(process.versions, "node", { value: ${JSON.stringify(nodeVersion)} })`
  const words = ["--import", `data:text/javascript,${encodeURIComponent(lie)}`, bin, "--version"]
  return spawnSync(process.execPath, words, { encoding: "utf8", env: { HOME: folder, GALLEY_HOME: folder, ...env } })
}

describe("an old Node", () => {
  for (const old of ["20.20.2", "22.22.9", "18.0.0"])
    it(`${old} is refused in one line, before anything newer is loaded`, () => {
      const { status, stdout, stderr } = startOn(old, { GALLEY_TOOK_OVER: "1" })
      expect([status, stdout]).toEqual([1, ""])
      expect(stderr).toMatch(new RegExp(`^galley: needs Node 22\\.23 or newer; this is ${old} \\(.*\\)\\.\\n$`))
    })
  it("gives way to the one that was installed beside it", () => {
    expect(startOn("20.20.2")).toMatchObject({ status: 0, stdout: `${version}\n`, stderr: "" })
  })
  it("is one before 22.23 only", () => {
    for (const good of ["22.23.0", "23.0.0", "24.21.0"])
      expect(startOn(good, { GALLEY_TOOK_OVER: "1" })).toMatchObject({ status: 0, stdout: `${version}\n`, stderr: "" })
  })
})

describe("the version", () => {
  it("is the package's", () => {
    const about: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"))
    expect(about).toMatchObject({ version })
  })
})

describe("the workspace that is meant", () => {
  const at = (path: string): string => join(folder, path)
  const none = (): boolean => false
  beforeEach(() => {
    mkdirSync(at("repo/.git"), { recursive: true })
    mkdirSync(at("repo/a/b"), { recursive: true })
    mkdirSync(at("tree/a"), { recursive: true })
    writeFileSync(at("tree/.git"), "gitdir: elsewhere\n")
    mkdirSync(at("plain/a/b"), { recursive: true })
    symlinkSync(at("repo"), at("link"))
  })
  const rows: readonly [string, string | undefined, string, string][] = [
    ["the nearest folder upward with .git", undefined, "repo/a/b", "repo"],
    ["also where .git is a file", undefined, "tree/a", "tree"],
    ["the nearest that Galley knows", undefined, "plain/a/b", "plain/a"],
    ["a named one, even inside another", "a", "repo", "repo/a"],
    ["a named one through a link, where it really is", "link", "", "repo"],
  ]
  for (const [name, named, cwd, expected] of rows)
    it(`is ${name}`, () => {
      expect(workspaceRoot(named, at(cwd), known => known === at("plain/a"))).toBe(at(expected))
    })
  it("is the current folder where there is neither", () => {
    expect(workspaceRoot(undefined, at("plain/a/b"), none)).toBe(at("plain/a/b"))
  })
  it("is refused if it is not there, or no folder", () => {
    expect(() => workspaceRoot("nowhere", folder, none)).toThrow(/There is no folder/)
    expect(() => workspaceRoot("tree/.git", folder, none)).toThrow(/is not a folder/)
  })
})

describe("words of the command line", () => {
  it("are as Node gives them unless something was lost", () => {
    const words = ["a", "é"]
    expect(typedWords(words)).toBe(words)
  })
  it("that lost bytes are asked of the kernel", () => {
    // This process was started without such a word: the last words of its own command line come back.
    const own = pathFromBytes(readFileSync("/proc/self/cmdline"))
      .split("\0")
      .filter(word => word !== "")
    expect(typedWords(["\ufffd"])).toEqual(own.slice(-1))
  })
})
