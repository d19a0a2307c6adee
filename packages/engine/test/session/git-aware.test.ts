import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { resolveConfig } from "../../src/session/config.ts"
import { realEnv } from "../../src/io/env.ts"
import { openWorkspace } from "../../src/open.ts"
import type { Story } from "../story.ts"
import { gitBytes } from "../scenarios/git-bytes.ts"
import { stories } from "../scenarios/stories.ts"

const story = stories()

const wide = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n"

async function shown(s: Story): Promise<unknown> {
  return (await s.pending()).map(file => [file.path, file.parked ? "parked" : file.hunks.map(hunk => hunk.oldStart)])
}

test("index, HEAD, refs and their logs are byte for byte the same through everything that Galley does", async () => {
  const s = await story({ git: true, files: { f: wide, g: wide, h: wide } })
  const agent = s.agent()
  const before = gitBytes(join(s.root, ".git"))
  const same = (what: string): void => expect(gitBytes(join(s.root, ".git")), what).toEqual(before)
  const message = await agent.message("m")
  await agent.replace("f", "one", "ONE")
  await agent.create("made", "made\n")
  same("an edit")
  await agent.bash("echo x >> g; rm h; mkdir -p new/dir; echo y > new/dir/file")
  same("a command")
  await s.pending()
  same("a look")
  await s.person.write({ path: "f", text: wide.replace("one", "ONE").replace("nine", "mine") })
  await s.person.accept({ path: "f" })
  await s.person.reject({ path: "g" })
  same("decisions")
  await s.person.undo({})
  await s.person.redo({})
  same("undo and redo")
  await s.person.rewind({ message, onConflict: "keep-mine" })
  same("a rewind")
  await s.person.rewind({ message, after: true, onConflict: "keep-mine" })
  await s.person.gc({})
  await s.person.purge({ path: "new" }).catch(() => undefined)
  same("the rest")
})

test("a commit of some hunks accepts those and leaves the others", async () => {
  const s = await story({ git: true, files: { f: wide } })
  const agent = s.agent()
  await agent.replace("f", "one", "ONE")
  await agent.replace("f", "nine", "NINE")
  const patch = "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n-one\n+ONE\n two\n three\n"
  s.write(".git/part", patch)
  s.git("apply", "--cached", ".git/part")
  s.git("commit", "-q", "-m", "first hunk")
  expect(await shown(s)).toEqual([["f", [9]]])
  s.git("commit", "-q", "-a", "--amend", "-m", "both")
  expect(await shown(s)).toEqual([])
  await s.person.rewind({ message: (await s.person.log({})).messages[0]?.id ?? "" })
  expect(s.read("f")).toBe(wide)
})

test("a commit accepts created, deleted and renamed files that it holds", async () => {
  const s = await story({ git: true, files: { gone: wide, old: `${wide}old\n` } })
  await s.agent().bash("rm gone; mv old new; echo made > made")
  expect((await s.pending()).map(file => file.path)).toEqual(["gone", "made", "new"])
  s.git("add", "-A")
  s.git("commit", "-q", "-m", "all")
  expect(await shown(s)).toEqual([])
})

test("files with CRLF that git keeps with LF are accepted by their commit", async () => {
  const s = await story({ git: true, files: { ".gitattributes": "*.txt text eol=crlf\n" } })
  s.write("f.txt", wide.replaceAll("\n", "\r\n"))
  s.git("add", "-A")
  s.git("commit", "-q", "-m", "crlf")
  await s.agent().replace("f.txt", "one", "ONE")
  expect(await shown(s)).toEqual([["f.txt", [1]]])
  s.git("commit", "-q", "-a", "-m", "mine")
  expect(await shown(s)).toEqual([])
})

test("what is held is not accepted by a commit, and not written for it", async () => {
  const s = await story({ git: true, files: { f: wide } })
  await s.agent("c", "hold").replace("f", "one", "ONE")
  s.git("commit", "-q", "--allow-empty", "-m", "nothing")
  expect(await shown(s)).toEqual([["f", [1]]])
  expect(s.read("f")).toBe(wide)
})

test("the person's commit just before an agent's own is still told from it", async () => {
  const s = await story({ git: true, files: { f: wide, g: wide } })
  await s.agent().replace("f", "one", "ONE")
  await s.pending()
  s.git("commit", "-q", "-a", "-m", "mine")
  await s.agent().bash("echo x >> g; git -c user.name=A -c user.email=a@example.invalid commit -q -a -m agents")
  expect((await s.pending()).map(file => file.path)).toEqual(["g"])
})

test("switching branches parks what git rewrote, keeps what it carried, and takes it up again on the way back", async () => {
  const s = await story({ git: true, files: { f: wide, g: wide } })
  s.git("switch", "-q", "-c", "other")
  s.write("f", wide.replace("five", "other"))
  s.git("commit", "-q", "-a", "-m", "other")
  s.git("switch", "-q", "main")
  await s.agent("c", "hold").replace("f", "one", "HELD")
  await s.agent("c").replace("g", "one", "ONE")
  await s.pending()
  s.git("switch", "-q", "other")
  expect(await shown(s)).toEqual([
    ["g", [1]],
    ["f", "parked"],
  ])
  const [, parked] = await s.pending()
  expect([parked?.branch, parked?.hunks.length]).toEqual(["main", 1])
  expect((await s.person.diff({ path: "f" })).diff).toContain("+HELD")
  expect((await s.person.file({ path: "f" })).current).toBe(wide.replace("one", "HELD"))
  s.git("switch", "-q", "main")
  expect(await shown(s)).toEqual([
    ["f", [1]],
    ["g", [1]],
  ])
})

test("an editor's change that a switch carries along is folded, not parked", async () => {
  const s = await story({ git: true, files: { f: wide } })
  s.git("branch", "other")
  s.git("commit", "-q", "--allow-empty", "-m", "ahead")
  await s.agent().replace("f", "one", "ONE")
  await s.pending()
  s.write("f", wide.replace("one", "ONE").replace("nine", "mine"))
  s.git("switch", "-q", "other")
  expect(await shown(s)).toEqual([["f", [1]]])
  await s.person.reject({ path: "f" })
  expect(s.read("f")).toBe(wide.replace("nine", "mine"))
})

test("a parked change is accepted into the file as it is now, or dropped; both can be undone", async () => {
  const s = await story({ git: true, files: { f: wide } })
  await s.agent().replace("f", "one", "ONE")
  await s.pending()
  s.git("stash", "-q")
  expect(await shown(s)).toEqual([["f", "parked"]])
  await s.person.accept({ all: true })
  expect(await shown(s)).toEqual([["f", "parked"]])
  s.write("f", wide.replace("nine", "mine"))
  await s.person.accept({ path: "f" })
  expect(s.read("f")).toBe(wide.replace("one", "ONE").replace("nine", "mine"))
  expect(await shown(s)).toEqual([])
  await s.person.undo({})
  expect(s.read("f")).toBe(wide.replace("nine", "mine"))
  expect(await shown(s)).toEqual([["f", "parked"]])
  await s.person.reject({ path: "f" })
  expect(await shown(s)).toEqual([])
  await s.person.undo({})
  expect(await shown(s)).toEqual([["f", "parked"]])
  s.write("f", wide.replace("one", "first"))
  await expect(s.person.accept({ path: "f" })).rejects.toMatchObject({ code: "CONFLICT" })
  await s.person.accept({ path: "f", onConflict: "take-theirs" })
  expect(s.read("f")).toBe(wide.replace("one", "ONE"))
})

test("git checkout of a pending file is the person's wish: nothing is pending, the text is in the log", async () => {
  const s = await story({ git: true, files: { f: wide } })
  await s.agent().replace("f", "one", "ONE")
  await s.pending()
  s.git("checkout", "-q", "--", "f")
  expect(await shown(s)).toEqual([])
  expect(s.read("f")).toBe(wide)
  const { operations } = await s.person.operations({ path: "f" })
  expect((await s.person.show({ id: operations.at(-1)?.id ?? "" })).diff).toContain("-ONE")
})

test("a rebase with an autostash, looked at half way: parked, never mixed in, and taken up when it is back", async () => {
  const s = await story({ git: true, files: { f: wide, c: "base\n" } })
  s.git("switch", "-q", "-c", "topic")
  s.write("c", "topic\n")
  s.git("commit", "-q", "-a", "-m", "topic")
  s.git("switch", "-q", "main")
  s.write("c", "main\n")
  s.git("commit", "-q", "-a", "-m", "main")
  s.git("switch", "-q", "topic")
  await s.agent().replace("f", "one", "ONE")
  await s.pending()
  expect(() => s.git("rebase", "-q", "--autostash", "main")).toThrow()
  expect(s.read("f")).toBe(wide)
  expect(await shown(s)).toEqual([["f", "parked"]])
  expect((await s.person.status({})).notices?.join()).toContain("rebase")
  s.write("c", "both\n")
  s.git("add", "c")
  s.git("-c", "core.editor=true", "rebase", "--continue")
  expect(s.read("f")).toBe(wide.replace("one", "ONE"))
  expect(await shown(s)).toEqual([["f", [1]]])
})

test("while a merge is under way decisions that write are refused, those that only agree are not", async () => {
  const s = await story({ git: true, files: { f: wide, c: "base\n" } })
  s.git("switch", "-q", "-c", "topic")
  s.write("c", "topic\n")
  s.git("commit", "-q", "-a", "-m", "topic")
  s.git("switch", "-q", "main")
  s.write("c", "main\n")
  s.git("commit", "-q", "-a", "-m", "main")
  await s.agent().replace("f", "one", "ONE")
  await s.agent().replace("f", "nine", "NINE")
  expect(() => s.git("merge", "-q", "topic")).toThrow()
  await expect(s.person.reject({ path: "f" })).rejects.toMatchObject({ code: "CONFLICT" })
  await s.person.accept({ path: "f", hunks: ["1"] })
  expect(await shown(s)).toEqual([["f", [9]]])
  s.git("merge", "--abort")
  await s.person.reject({ path: "f" })
  expect(s.read("f")).toBe(wide.replace("one", "ONE"))
})

test("who knows of the merge may decide in the middle of it all the same, and take that back", async () => {
  const s = await story({ git: true, files: { f: wide, c: "base\n" } })
  s.git("switch", "-q", "-c", "topic")
  s.write("c", "topic\n")
  s.git("commit", "-q", "-a", "-m", "topic")
  s.git("switch", "-q", "main")
  s.write("c", "main\n")
  s.git("commit", "-q", "-a", "-m", "main")
  await s.agent().replace("f", "one", "ONE")
  expect(() => s.git("merge", "-q", "topic")).toThrow()
  await s.person.reject({ path: "f", force: true })
  expect(s.read("f")).toBe(wide)
  await expect(s.person.undo({})).rejects.toMatchObject({ code: "CONFLICT" })
  await s.person.undo({ force: true })
  expect(s.read("f")).toBe(wide.replace("one", "ONE"))
  await s.person.redo({ force: true })
  await expect(s.person.write({ path: "f", text: "mine\n" })).rejects.toMatchObject({ code: "CONFLICT" })
  await s.person.write({ path: "f", text: "mine\n", force: true })
  expect(s.read("f")).toBe("mine\n")
})

test("a bisect moves files under what is pending: parked while it is under way, pending again after", async () => {
  const s = await story({ git: true, files: { f: wide, g: wide } })
  for (const word of ["a", "b", "c"]) {
    s.write("f", `${wide}${word}\n`)
    s.git("commit", "-q", "-a", "-m", word)
  }
  await s.agent("c", "hold").replace("f", "one", "HELD")
  await s.pending()
  s.git("bisect", "start", "HEAD", "HEAD~3")
  expect(await shown(s)).toEqual([["f", "parked"]])
  s.git("bisect", "reset")
  expect(await shown(s)).toEqual([["f", [1]]])
  expect(s.read("f")).toBe(`${wide}c\n`)
})

test("a move of HEAD that no commit explains is an operation of git's in the log", async () => {
  const s = await story({ git: true, files: { f: wide } })
  await s.agent().replace("f", "one", "ONE")
  s.git("branch", "other")
  s.git("switch", "-q", "other")
  await s.pending()
  const { operations } = await s.person.operations({})
  expect(operations.at(-1)).toMatchObject({ kind: "git", actor: "git", paths: [] })
  expect(operations.at(-1)?.title).toMatch(/^HEAD moved: main \w{8} → other \w{8}$/)
})

test("two worktrees of one repository are two workspaces, each with what is its own", async () => {
  const s = await story({ git: true, files: { f: wide } })
  s.git("worktree", "add", "-q", "../tree", "-b", "tree")
  const tree = await openWorkspace({
    root: join(s.root, "../tree"),
    home: s.home,
    config: resolveConfig([]),
    env: realEnv(),
  })
  await s.agent().replace("f", "one", "ONE")
  const there = tree.as({ actor: "person" })
  expect((await there.status({})).files).toEqual([])
  s.git("commit", "-q", "-a", "-m", "mine")
  expect(await shown(s)).toEqual([])
  expect((await there.operations({})).operations.filter(operation => operation.kind !== "git")).toEqual([])
  await tree.close()
})

test("a submodule's files are items, its .git file is not", async () => {
  const s = await story({ git: true, files: { f: wide } })
  mkdirSync(join(s.root, "../lib"))
  s.git("init", "-q", "../lib")
  s.write("../lib/l", wide)
  s.git("-C", "../lib", "add", "-A")
  s.git("-C", "../lib", "commit", "-q", "-m", "lib")
  s.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", "../lib", "sub")
  const agent = s.agent()
  expect((await agent.replace("sub/l", "one", "ONE")).ok).toBe(true)
  expect((await agent.replace("sub/.git", "gitdir", "x")).error?.code).toBe("DENIED")
  await s.person.reject({ path: "sub/l" })
  expect(s.read("sub/l")).toBe(wide)
})
