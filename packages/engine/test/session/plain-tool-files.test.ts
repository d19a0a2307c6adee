import { execFileSync } from "node:child_process"
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { realEnv } from "../../src/io/env.ts"
import type { Files } from "../../src/io/files.ts"
import type { MemoryFiles } from "../../src/io/memory-files.ts"
import { realFiles } from "../../src/io/real-files.ts"
import { plainToolFiles } from "../../src/session/plain-tool-files.ts"
import { createEditTool, type EditResult } from "../../src/tools/edit-tool.ts"
import { anyCall, type ToolOnDisk, toolOnDisk } from "../tools/tool-on-disk.ts"

/** The disk, of whose calls the n-th (from 0) after `arm` fails once. */
function failing(files: MemoryFiles, n: number, code: string): { disk: Files; arm(): void; calls(): number } {
  let calls = 0
  let armed = false
  const disk = new Proxy<Files>(files, {
    get: (whole, name) => {
      const member: unknown = Reflect.get(whole, name)
      if (typeof member !== "function" || !armed) return member
      return (...given: unknown[]): unknown =>
        calls++ === n ? Promise.reject(Object.assign(new Error(code), { code })) : Reflect.apply(member, whole, given)
    },
  })
  return { disk, arm: () => (armed = true), calls: () => calls }
}

describe.each(["ENOSPC", "EACCES", "EIO"])("a disk that fails once with %s, at every call", errno => {
  type Story = readonly [string, string, (on: ToolOnDisk) => Promise<EditResult>]
  const stories: readonly Story[] = [
    ["a replace", "a new", on => on.call({ command: "str_replace", path: "/w/a", old_str: "old", new_str: "new" })],
    [
      "a replace through a hard link",
      "b new",
      on => on.call({ command: "str_replace", path: "/w/b", old_str: "old", new_str: "new" }),
    ],
    ["a create", "made", on => on.call({ command: "create", path: "/w/made", file_text: "made" })],
    ["a create with parents", "made", on => on.call({ command: "create", path: "/w/p/q/made", file_text: "made" })],
  ]
  test.each(stories)("%s is done or leaves no trace", async (_, after, act) => {
    for (let n = 0; ; n++) {
      let broken: ReturnType<typeof failing> | undefined
      const on = await toolOnDisk({ wrapDisk: files => (broken = failing(files, n, errno)).disk })
      await on.put("/w/a", "a old")
      await on.put("/w/b", "b old")
      await on.disk.link("/w/b", "/w/b2")
      const before = await listing(on)
      broken?.arm()
      const result = await act(on)
      const left = await listing(on)
      if (result.ok) expect(left.join("\n")).toContain(after)
      else expect(left).toEqual(before)
      // A temporary file may outlive only the failure of its own removal.
      if (left.some(row => row.includes(".galley-"))) expect(result.ok).toBe(true)
      if ((broken?.calls() ?? 0) <= n) break
      expect(n).toBeLessThan(200)
    }
  })
})

test.each(["view", "str_replace", "create"])(
  "a folder swapped for a symlink after %s resolved it leads nowhere",
  async command => {
    for (let n = 0; n < 3; n++) {
      let left = Number.POSITIVE_INFINITY
      const on: ToolOnDisk = await toolOnDisk({
        wrapDisk: files => ({
          ...files,
          openFolder: async (root, folder) => {
            if (left-- === 0) {
              await files.rename("/w/dir", "/w/moved")
              await files.symlink("/out", "/w/dir")
            }
            return files.openFolder(root, folder)
          },
        }),
      })
      for (const folder of ["/out", "/w/dir"]) {
        await on.disk.makeFolder(folder, 0o755)
        await on.put(`${folder}/f`, `${folder} old`)
      }
      left = n
      const path = command === "create" ? "/w/dir/new/g" : "/w/dir/f"
      const result = await on.call({ command, path, old_str: "old", new_str: "new", file_text: "g" })
      if (n === 0) expect(result.ok).toBe(false)
      expect(result.text).not.toContain("/out old")
      expect(await listing(on, "/out")).toEqual(["file /out/f /out old"])
    }
  },
)

async function listing(on: ToolOnDisk, folder = "/w"): Promise<string[]> {
  const rows: string[] = []
  for (const { name, kind } of await on.disk.list(folder)) {
    const path = `${folder}/${name}`
    rows.push(`${kind} ${path} ${kind === "file" ? await on.text(path) : ""}`)
    if (kind === "folder") rows.push(...(await listing(on, path)))
  }
  return rows.toSorted()
}

describe("on the real disk", () => {
  let root = ""
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), "galley-edit-"))
  })
  afterAll(() => rmSync(root, { recursive: true, force: true }))

  async function call(input: Readonly<Record<string, unknown>>): Promise<EditResult> {
    const files = await plainToolFiles({ files: realFiles(), env: realEnv(), root })
    return createEditTool({ files, config: { expandTabsOnMutation: false } }).call(input, anyCall)
  }

  test("create, replace, insert, view", async () => {
    const path = join(root, "deep/er/a.txt")
    expect((await call({ command: "create", path, file_text: "one\n\ttwo\n" })).ok).toBe(true)
    expect((await call({ command: "str_replace", path, old_str: "one", new_str: "1" })).ok).toBe(true)
    expect((await call({ command: "insert", path, insert_line: 1, insert_text: "x" })).ok).toBe(true)
    expect((await call({ command: "view", path })).text).toContain("     1\t1\n     2\tx\n     3\t\ttwo")
    expect(readFileSync(path, "utf8")).toBe("1\nx\n\ttwo\n")
    expect(statSync(path).mode & 0o777).toBe(0o666 & ~process.umask())
  })
  test("mode, symlink and hard link stay", async () => {
    const path = join(root, "script")
    writeFileSync(path, "echo\n")
    chmodSync(path, 0o755)
    symlinkSync("script", join(root, "link"))
    expect(
      (await call({ command: "str_replace", path: join(root, "link"), old_str: "echo", new_str: "true" })).ok,
    ).toBe(true)
    expect(statSync(path).mode & 0o777).toBe(0o755)
    expect(readFileSync(path, "utf8")).toBe("true\n")
  })
  test("a FIFO and a device are refused without waiting", async () => {
    const path = join(root, "fifo")
    execFileSync("mkfifo", [path])
    expect((await call({ command: "view", path })).error?.code).toBe("NOT_TEXT")
    expect((await call({ command: "str_replace", path, old_str: "a", new_str: "b" })).error?.code).toBe("NOT_TEXT")
    expect((await call({ command: "create", path, file_text: "" })).error?.code).toBe("BAD_ARGUMENT")
    symlinkSync("/dev/zero", join(root, "zero"))
    expect((await call({ command: "view", path: join(root, "zero") })).error?.code).toBe("OUTSIDE_WORKSPACE")
  })
  test("a write-protected file is refused where the system protects it from us", async context => {
    if (process.getuid?.() === 0) context.skip("user 0 may write everything")
    const path = join(root, "protected")
    writeFileSync(path, "a")
    chmodSync(path, 0o444)
    expect((await call({ command: "str_replace", path, old_str: "a", new_str: "b" })).error?.code).toBe("DENIED")
    expect(readFileSync(path, "utf8")).toBe("a")
  })
  test("a name that is not UTF-8 is listed inertly", async () => {
    execFileSync("sh", ["-c", 'touch "$(printf "bad\\377name")"'], { cwd: root })
    expect((await call({ command: "view", path: root })).text).toContain("bad\\xffname")
  })
})
