import { Failure } from "@galley/core/failure.ts"
import { expect, test } from "vitest"
import { type ToolOnDisk, type ToolOnDiskParts, toolOnDisk } from "./tool-on-disk.ts"

/** A root with these entries: a name ending in `/` is a folder. */
async function tree(names: readonly string[], parts: ToolOnDiskParts = {}): Promise<ToolOnDisk> {
  const on = await toolOnDisk(parts)
  for (const name of names) {
    if (name.endsWith("/")) await on.disk.makeFolder(`/w/${name.slice(0, -1)}`, 0o755)
    else await on.put(`/w/${name}`, "")
  }
  return on
}

async function view(on: ToolOnDisk, path = "/w"): Promise<string> {
  const result = await on.call({ command: "view", path })
  expect(result.ok).toBe(true)
  return result.text
}

test("two levels, sorted, without hidden entries, dependencies and caches", async () => {
  const on = await tree([
    "src/",
    "src/z.ts",
    "src/a.ts",
    "src/deep/",
    "src/deep/too-deep.ts",
    "src/__pycache__/",
    "src/m.pyc",
    "node_modules/",
    "node_modules/x.js",
    "node_modules_old/",
    "node_modules_old/y.js",
    ".git/",
    ".git/config",
    ".env",
    "README",
  ])
  expect(await view(on)).toBe(
    [
      "/w, two levels deep",
      "/w/README",
      "/w/node_modules_old/",
      "/w/node_modules_old/y.js",
      "/w/src/",
      "/w/src/a.ts",
      "/w/src/deep/",
      "/w/src/z.ts",
      "[5 hidden, dependency or cache entries left out.]",
    ].join("\n"),
  )
})

test("a hidden folder or a dependency asked for by name is shown", async () => {
  const on = await tree([".config/", ".config/a", "node_modules/", "node_modules/x/", "node_modules/x/i.js"])
  expect(await view(on, "/w/.config/")).toContain("/w/.config/a")
  expect(await view(on, "/w/node_modules")).toContain("/w/node_modules/x/i.js")
})

test("an empty folder", async () => {
  expect(await view(await tree([]))).toBe("/w, two levels deep: nothing to show")
  expect(await view(await tree([".x"]))).toContain("[1 hidden, dependency or cache entry left out.]")
})

test("symlinks are named, not followed, so a loop is none; odd names are inert", async () => {
  const on = await tree(["d/", "d/a b", "d/-n", "d/q'\"", "d/line\nbreak", "d/\u001b[31m", "d/\u202egnp.exe"])
  await on.disk.symlink("/w", "/w/d/loop")
  const text = await view(on)
  for (const row of [
    "/w/d/a b",
    "/w/d/-n",
    "/w/d/q'\"",
    "/w/d/line\\nbreak",
    "/w/d/\\x1b[31m",
    "/w/d/\\u{202e}gnp.exe",
    "/w/d/loop (symlink)",
  ])
    expect(text.split("\n")).toContain(row)
})

test("a folder that cannot be read does not hide its neighbours", async () => {
  const on = await tree(["a/", "b/", "b/x"], {
    wrapTool: files => ({
      ...files,
      list: (folder, call) =>
        folder === "/w/a" ? Promise.reject(new Failure("DENIED", "closed")) : files.list(folder, call),
    }),
  })
  expect(await view(on)).toContain("/w/a/ (unreadable)\n/w/b/\n/w/b/x")
})

test("a large folder is clipped at whole rows, and the rest is counted", async () => {
  const names = Array.from({ length: 300 }, (_, at) => `f${String(at).padStart(3, "0")}`)
  const on = await tree(names, { config: { maxOutputChars: 100 } })
  const rows = (await view(on)).split("\n")
  expect(rows.slice(1, -1)).toEqual(names.slice(0, 12).map(name => `/w/${name}`))
  expect(rows.at(-1)).toBe(
    "[Clipped: 95 characters are shown, 288 or more entries are not. View a subdirectory to see more.]",
  )
})

test("folders behind the limit are not read", async () => {
  const listed: string[] = []
  const names = Array.from({ length: 100 }, (_, at) => `d${at + 100}/`)
  const on = await tree(names, {
    config: { maxOutputChars: 50 },
    wrapTool: files => ({
      ...files,
      list: (folder, call) => {
        listed.push(folder)
        return files.list(folder, call)
      },
    }),
  })
  await view(on)
  expect(listed.length).toBeLessThan(10)
})
