import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { resolveConfig } from "../../src/session/config.ts"
import { realEnv } from "../../src/io/env.ts"
import { openWorkspace } from "../../src/open.ts"
import type { Story } from "../story.ts"
import { gitBytes } from "./git-bytes.ts"
import { five, stories } from "./stories.ts"

const story = stories()

test("S41 an ignored file that an agent edits is captured, because it was edited", async () => {
  const s = await story({ git: true, files: { ".gitignore": ".env\n" } })
  s.write(".env", "KEY=old\n")
  const agent = s.agent()
  const message = await agent.message("m")
  await agent.replace(".env", "old", "new")
  expect((await s.pending()).map(file => file.path)).toEqual([".env"])
  await s.person.rewind({ message })
  expect(s.read(".env")).toBe("KEY=old\n")
})

test("S43 an edit of .gitignore is taken back as text, and nothing is cleaned", async () => {
  const s = await story({ git: true, files: { ".gitignore": "*.log\n", f: five } })
  s.write("a.log", "mine\n")
  const agent = s.agent()
  const message = await agent.message("m")
  await agent.replace(".gitignore", "*.log", "f")
  await agent.replace("f", "one", "ONE")
  await s.person.rewind({ message })
  expect([s.read(".gitignore"), s.read("f"), s.read("a.log")]).toEqual(["*.log\n", five, "mine\n"])
})

test("S44 files of a nested repository are items like any, its git directory never is", async () => {
  const s = await story({ git: true, files: { f: five } })
  mkdirSync(join(s.root, "nested"))
  s.git("init", "-q", "nested")
  s.write("nested/g", five)
  const agent = s.agent()
  const message = await agent.message("m")
  await agent.replace("nested/g", "one", "ONE")
  const refused = await agent.create("nested/.git/hooks/post-commit", "#!/bin/sh\n")
  expect([refused.ok, refused.error?.code]).toEqual([false, "DENIED"])
  expect((await s.pending()).map(file => file.path)).toEqual(["nested/g"])
  const before = gitBytes(join(s.root, "nested/.git"))
  await s.person.rewind({ message })
  expect(s.read("nested/g")).toBe(five)
  expect(gitBytes(join(s.root, "nested/.git"))).toEqual(before)
})

test("S46 a commit by an agent accepts nothing, and its move of HEAD is in the log", async () => {
  const s = await story({ git: true, files: { f: five } })
  const agent = s.agent()
  const message = await agent.message("m")
  await agent.replace("f", "one", "ONE")
  const result = await agent.bash("git -c user.name=A -c user.email=a@example.invalid commit -q -a -m agent")
  expect(result.exitCode).toBe(0)
  expect((await s.pending()).map(file => [file.path, file.hunks.length])).toEqual([["f", 1]])
  const { operations } = await s.person.operations({})
  expect(operations.some(one => one.kind === "command" && (one.remark ?? "").includes("refs/heads/main moved"))).toBe(
    true,
  )
  const commit = s.git("rev-parse", "HEAD")
  await s.person.rewind({ message })
  expect([s.read("f"), s.git("rev-parse", "HEAD")]).toEqual([five, commit])
})

test("S47 the person's commit stays where it is through a rewind", async () => {
  const s = await story({ git: true, files: { f: five, g: five } })
  const agent = s.agent()
  const message = await agent.message("m")
  await agent.replace("f", "one", "ONE")
  s.write("g", `${five}mine\n`)
  s.git("commit", "-q", "-a", "-m", "both")
  const commit = s.git("rev-parse", "HEAD")
  await s.person.rewind({ message })
  expect([s.read("f"), s.read("g"), s.git("rev-parse", "HEAD")]).toEqual([five, `${five}mine\n`, commit])
  expect(s.git("log", "--oneline")).toContain("both")
})

test("S49 an unmerged index is left alone, and edits are recorded all the same", async () => {
  const s = await story({ git: true, files: { f: five, g: five } })
  s.git("switch", "-q", "-c", "other")
  s.write("f", five.replace("one", "other"))
  s.git("commit", "-q", "-a", "-m", "other")
  s.git("switch", "-q", "main")
  s.write("f", five.replace("one", "main"))
  s.git("commit", "-q", "-a", "-m", "main")
  expect(() => s.git("merge", "-q", "other")).toThrow()
  const agent = s.agent()
  const before = gitBytes(join(s.root, ".git"))
  const message = await agent.message("m")
  expect((await agent.replace("g", "one", "ONE")).ok).toBe(true)
  await expect(s.person.rewind({ message })).rejects.toMatchObject({ code: "CONFLICT" })
  await s.person.rewind({ message, force: true })
  expect(s.read("g")).toBe(five)
  expect(gitBytes(join(s.root, ".git"))).toEqual(before)
})

test("S50 files outside a sparse checkout are not brought back", async () => {
  const s = await story({ git: true, files: { "in/f": five, "out/g": five } })
  s.git("sparse-checkout", "set", "in")
  expect(existsSync(join(s.root, "out/g"))).toBe(false)
  const agent = s.agent()
  const message = await agent.message("m")
  await agent.replace("in/f", "one", "ONE")
  await s.person.rewind({ message })
  expect([s.read("in/f"), existsSync(join(s.root, "out/g"))]).toEqual([five, false])
})

test("S52 a workspace in a sub-directory leaves its siblings alone", async () => {
  const s = await story({ git: true, files: { "sub/f": five, "sibling/f": five } })
  const workspace = await openSub(s, "sub")
  const agent = workspace.as({ actor: "agent", conversation: "c" })
  const edited = await agent.call({
    tool: "str_replace_editor",
    input: { command: "str_replace", path: "f", old_str: "one", new_str: "ONE" },
  })
  expect(edited.ok).toBe(true)
  s.write("sibling/f", "mine\n")
  const person = workspace.as({ actor: "person" })
  const [message] = (await person.log({})).messages
  await person.rewind({ message: message?.id ?? "" })
  expect([s.read("sub/f"), s.read("sibling/f")]).toEqual([five, "mine\n"])
  await workspace.close()
})

test("S53 a path outside the workspace is refused by the tool", async () => {
  const s = await story()
  writeFileSync(join(s.root, "../outside"), "x\n")
  const result = await s.agent().replace("../outside", "x", "y")
  expect(result.error?.code).toBe("OUTSIDE_WORKSPACE")
  expect(readFileSync(join(s.root, "../outside"), "utf8")).toBe("x\n")
})

test("S55 a workspace that was renamed keeps its history and what is pending", async () => {
  const s = await story({ files: { f: five } })
  await s.agent().replace("f", "one", "ONE")
  await s.workspace.close()
  const moved = join(s.root, "../elsewhere")
  renameSync(s.root, moved)
  const again = await openWorkspace({ root: moved, home: s.home, config: resolveConfig([]), env: realEnv() })
  const person = again.as({ actor: "person" })
  expect((await person.status({})).files.map(file => file.path)).toEqual(["f"])
  await person.reject({ path: "f" })
  expect(readFileSync(join(moved, "f"), "utf8")).toBe(five)
  await again.close()
  renameSync(moved, s.root)
})

async function openSub(s: Story, folder: string): ReturnType<typeof openWorkspace> {
  return openWorkspace({ root: join(s.root, folder), home: s.home, config: resolveConfig([]), env: realEnv() })
}
