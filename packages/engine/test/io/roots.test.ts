import { describe, expect, test } from "vitest"
import { Failure, type FailureCode } from "@galley/core/failure.ts"
import { memoryFiles } from "../../src/io/memory-files.ts"
import { isGitPath, openRoot, type Root } from "../../src/io/roots.ts"
import { buildTree } from "../session/world.ts"

/** /home/me/link → ws; the workspace is /home/me/ws; beside it stands /home/me/other. */
async function root(given = "/home/me/ws"): Promise<Root> {
  const files = memoryFiles(() => 0)
  for (const folder of ["/home", "/home/me", "/home/me/ws", "/home/me/ws2"]) await files.makeFolder(folder, 0o755)
  await buildTree(files, "/home/me", { link: "-> ws", "other/secret": "s", up: "-> /home" })
  await buildTree(files, "/home/me/ws", {
    "a.txt": "a",
    "d/b.txt": "b",
    in: "-> d",
    file: "-> a.txt",
    "d/back": "-> ../in/b.txt",
    out: "-> ../other",
    abs: "-> /home/me/ws/d",
    far: "-> /etc/passwd",
    dangling: "-> d/new.txt",
    "dangling-out": "-> ../other/new",
    loop: "-> loop2",
    loop2: "-> loop",
    round: "-> ../ws/d",
  })
  return openRoot(files, given)
}

function check(given: string, expected: string | { readonly code: FailureCode }, entry?: string): void {
  test(JSON.stringify(given.length > 60 ? `${given.slice(0, 60)}…` : given), async () => {
    const answer = async (work: Promise<string>) =>
      work.catch((error: unknown) => ({ code: error instanceof Failure ? error.code : String(error) }))
    expect(await answer((await root()).resolve(given))).toEqual(expected)
    if (entry !== undefined) expect(await answer((await root()).resolveEntry(given))).toBe(entry)
  })
}

const outside = { code: "OUTSIDE_WORKSPACE" } as const
const bad = { code: "BAD_ARGUMENT" } as const

describe("inside", () => {
  check("a.txt", "a.txt")
  check("./d//b.txt", "d/b.txt")
  check("d/", "d")
  check(".", "")
  check("/home/me/ws", "")
  check("/home/me/ws/", "")
  check("/home/me/ws/d/b.txt", "d/b.txt")
  check("/home/me/link/d/b.txt", "d/b.txt")
  check("/home/me/ws/../ws/a.txt", "a.txt")
  check("../ws/a.txt", "a.txt")
  check("/../home/me/ws/a.txt", "a.txt")
  check("d/../a.txt", "a.txt")
  check("new/deep/file", "new/deep/file")
  check("new/../a.txt", "a.txt")
  check("a.txt/below", "a.txt/below")
})

describe("through symlinks inside, as the kernel goes (S35: a dangling one leads to its target)", () => {
  check("in", "d", "in")
  check("in/b.txt", "d/b.txt", "d/b.txt")
  check("in/../a.txt", "a.txt")
  check("d/back", "d/b.txt", "d/back")
  check("file", "a.txt", "file")
  check("abs/b.txt", "d/b.txt")
  check("round/b.txt", "d/b.txt")
  check("dangling", "d/new.txt", "dangling")
  check("/home/me/up/me/ws/in/x", "d/x")
})

describe("outside", () => {
  check("..", outside)
  check("../other/secret", outside)
  check("../ws2", outside)
  check("/home/me/ws2/a", outside)
  check("/home/me/wsx", outside)
  check("/etc/passwd", outside)
  check("/", outside)
  check("out/secret", outside)
  check("out", outside, "out")
  check("far", outside, "far")
  check("dangling-out", outside, "dangling-out")
  check("d/../../other/secret", outside)
  check("new/../../other", outside)
  check("in/../../other/secret", outside)
})

describe("no path", () => {
  check("", bad)
  check("a\0b", bad)
  check("/home/me/ws/a\0", bad)
  check("loop", bad, "loop")
  check("loop/x", bad)
  check("n".repeat(256), bad)
  check("é".repeat(128), bad)
  check("d/".repeat(2100), bad)
  check("n".repeat(255), "n".repeat(255))
})

test("a root that is reached through a symlink is its real place; its own spelling still leads inside", async () => {
  const linked = await root("/home/me/link")
  expect(linked.path).toBe("/home/me/ws")
  expect(await linked.resolve("/home/me/link/a.txt")).toBe("a.txt")
  expect(linked.absolute("d/b.txt")).toBe("/home/me/ws/d/b.txt")
  expect(linked.absolute("")).toBe("/home/me/ws")
})

test("a root must be a folder", async () => {
  await expect(root("/home/me/ws/a.txt")).rejects.toMatchObject({ code: "NOT_FOUND" })
  await expect(root("/home/me/none")).rejects.toMatchObject({ code: "NOT_FOUND" })
})

test("the whole file system as a root", async () => {
  const all = await root("/")
  expect(await all.resolve("/home/me/link/a.txt")).toBe("home/me/ws/a.txt")
  expect(await all.resolve("/")).toBe("")
  expect(all.absolute("home")).toBe("/home")
})

test("git directories, nested ones and the .git files of worktrees, are told by name", () => {
  for (const path of [".git", ".git/index", "sub/.git", "sub/.git/HEAD", "a/.GIT/config"])
    expect(isGitPath(path)).toBe(true)
  for (const path of [".gitignore", "a.git", ".github/x", "git", "x.git/y"]) expect(isGitPath(path)).toBe(false)
})
