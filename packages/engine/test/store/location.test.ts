import { execFileSync } from "node:child_process"
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { galleyHome, knownStore, locateStore, sameWorkspace } from "../../src/store/location.ts"
import type { FolderIdentity } from "../../src/store/disk.ts"
import { temporaryFolder } from "./samples.ts"

function setting() {
  const top = temporaryFolder()
  const root = join(top, "project")
  mkdirSync(root)
  const surroundings = { variables: { GALLEY_HOME: join(top, "home") }, userHome: "/nowhere" }
  return { top, root, surroundings, locate: (folder: string) => locateStore(folder, surroundings) }
}

describe("where stores are", () => {
  const check = (variables: Record<string, string>, expected: string) =>
    it(`${JSON.stringify(variables)} → ${expected}`, () =>
      expect(galleyHome({ variables, userHome: "/u" })).toBe(expected))
  check({}, "/u/.local/share/galley")
  check({ XDG_DATA_HOME: "/x" }, "/x/galley")
  check({ XDG_DATA_HOME: "x" }, "/u/.local/share/galley")
  check({ XDG_DATA_HOME: "" }, "/u/.local/share/galley")
  check({ GALLEY_HOME: "/g", XDG_DATA_HOME: "/x" }, "/g")
  check({ GALLEY_HOME: "", XDG_DATA_HOME: "/x" }, "/x/galley")
})

describe("a workspace", () => {
  it("finds its store again, and through a symlink", () => {
    const { top, root, locate } = setting()
    const first = locate(root)
    symlinkSync(root, join(top, "link"))
    expect(locate(root)).toEqual(first)
    expect(locate(join(top, "link"))).toEqual(first)
    expect(first.root).toBe(root)
  })
  it("that was moved or renamed finds its store (S55)", () => {
    const { top, root, locate } = setting()
    const first = locate(root)
    mkdirSync(join(top, "elsewhere"))
    renameSync(root, join(top, "elsewhere", "renamed"))
    const moved = locate(join(top, "elsewhere", "renamed"))
    expect([moved.id, moved.formerRoot]).toEqual([first.id, root])
    expect(locate(join(top, "elsewhere", "renamed")).formerRoot).toBeNull()
  })
  it("and a new one at the place it left are two", () => {
    const { top, root, locate } = setting()
    const first = locate(root)
    renameSync(root, join(top, "old"))
    mkdirSync(root)
    expect(locate(root).id).not.toBe(first.id)
    expect(locate(join(top, "old")).id).toBe(first.id)
  })
  it("and its copy are two, also when the copy takes its place", () => {
    const { top, root, locate } = setting()
    writeFileSync(join(root, "a"), "a")
    const first = locate(root)
    cpSync(root, join(top, "copy"), { recursive: true, preserveTimestamps: true })
    const copy = locate(join(top, "copy"))
    expect(copy.id).not.toBe(first.id)
    renameSync(root, join(top, "aside"))
    renameSync(join(top, "copy"), root)
    expect(locate(root).id).toBe(copy.id)
  })
  it("through a bind mount is the same (S56)", () => {
    const { top, root, locate } = setting()
    const mount = join(top, "mount")
    mkdirSync(mount)
    try {
      execFileSync("mount", ["--bind", root, mount], { stdio: "pipe" })
    } catch {
      return console.log("case skipped: this user may not bind-mount")
    }
    onTestFinished(() => void execFileSync("umount", [mount]))
    const first = locate(root)
    expect(locate(mount).id).toBe(first.id)
    expect(locate(root).id).toBe(first.id)
  })
  it("is known only after it was opened, and asking makes nothing", () => {
    const { top, root, surroundings, locate } = setting()
    expect(knownStore(root, surroundings)).toBeNull()
    expect(() => statSync(join(top, "home"))).toThrow("ENOENT")
    const { id } = locate(root)
    expect(knownStore(root, surroundings)?.id).toBe(id)
    expect(knownStore(join(top, "none"), surroundings)).toBeNull()
  })
  it("that is no folder is NOT_FOUND", () => {
    const { top, locate } = setting()
    writeFileSync(join(top, "file"), "")
    for (const name of ["none", "file"]) expect(() => locate(join(top, name))).toThrow(/no folder/)
  })
  it("whose record is damaged or gone finds its store all the same", () => {
    const { root, locate } = setting()
    const { id, folder } = locate(root)
    for (const text of ["", "{", "[]", "null", '{"path":1,"dev":2,"ino":3,"born":4}']) {
      writeFileSync(join(folder, "workspace.json"), text)
      expect(locate(root).id).toBe(id)
    }
    rmSync(join(folder, "workspace.json"))
    expect(locate(root).id).toBe(id)
    expect(JSON.parse(readFileSync(join(folder, "workspace.json"), "utf8"))).toMatchObject({ path: root })
  })
  it("keeps its store to its owner: folders 0700, record 0600, a shared GALLEY_HOME itself left as it is", () => {
    const { top, root, locate } = setting()
    mkdirSync(join(top, "home"))
    chmodSync(join(top, "home"), 0o755)
    const { folder } = locate(root)
    const mode = (path: string) => (statSync(path).mode & 0o777).toString(8)
    expect([folder, join(folder, ".."), join(folder, "workspace.json"), join(top, "home")].map(mode)).toEqual([
      "700",
      "700",
      "600",
      "755",
    ])
  })
})

describe("the same folder", () => {
  const was = { path: "/p", dev: "1", ino: "2", born: "3" }
  const check = (what: string, seen: Partial<FolderIdentity>, expected: boolean) =>
    it(`${what}: ${expected ? "yes" : "no"}`, () => expect(sameWorkspace(was, { ...was, ...seen })).toBe(expected))
  check("unchanged", {}, true)
  check("moved", { path: "/q" }, true)
  check("moved, on a disk that keeps no birth", { path: "/q", born: null }, true)
  check("another folder with the number of a deleted one", { path: "/q", born: "4" }, false)
  check("after a reboot that numbered disks anew", { dev: "9" }, true)
  check("copied up by overlayfs", { born: "4" }, true)
  check("the root of another btrfs subvolume", { path: "/q", dev: "9" }, false)
  check("another folder at the same path", { ino: "7", born: "4" }, false)
})
