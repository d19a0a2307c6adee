import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { type GitBusy, readGitState, readRefs, refMoves } from "../../src/io/git-folder.ts"
import { committedBlob, openGitObjects } from "../../src/io/git-objects.ts"

const home = realpathSync(mkdtempSync(join(tmpdir(), "galley-git-")))
afterAll(() => rmSync(home, { recursive: true, force: true }))

function git(cwd: string, ...args: string[]): string {
  const env = { PATH: process.env["PATH"], HOME: home, GIT_CONFIG_NOSYSTEM: "1", GIT_EDITOR: "true" }
  const who = ["-c", "user.name=T", "-c", "user.email=t@example.invalid", "-c", "protocol.file.allow=always"]
  return execFileSync("git", [...who, ...args], { cwd, env, encoding: "utf8", stdio: "pipe" }).trim()
}

function tries(cwd: string, ...args: string[]): void {
  try {
    git(cwd, ...args)
  } catch {
    // Stops at a conflict, as the case wants.
  }
}

let count = 0
function repository(): string {
  const root = join(home, `r ${count++}`)
  mkdirSync(root)
  git(root, "init", "-q", "-b", "main")
  writeFileSync(join(root, "a"), "one\n")
  git(root, "add", ".")
  git(root, "commit", "-qm", "first")
  return root
}

/** Two branches that change the same line: `main` is checked out. */
function diverged(): string {
  const root = repository()
  git(root, "switch", "-qc", "side")
  writeFileSync(join(root, "a"), "side\n")
  git(root, "commit", "-qam", "side")
  git(root, "switch", "-q", "main")
  writeFileSync(join(root, "a"), "main\n")
  git(root, "commit", "-qam", "main")
  return root
}

test("tells branch, commit and worktree, also from a folder inside", async () => {
  const root = repository()
  mkdirSync(join(root, "in/side"), { recursive: true })
  const state = await readGitState(join(root, "in/side"))
  expect(state?.head).toEqual({ commit: git(root, "rev-parse", "HEAD"), branch: "main", worktree: root })
  expect(state).toMatchObject({ gitDir: join(root, ".git"), commonDir: join(root, ".git"), busy: null, refs: "files" })
})

test("outside a repository, and in a folder with a broken .git, there is none", async () => {
  const folder = join(home, "none")
  mkdirSync(join(folder, ".git"), { recursive: true })
  expect(await readGitState(folder)).toBeNull()
  expect(await readGitState(join(home, "missing"))).toBeNull()
})

test("an unborn branch has no commit, a detached head no branch", async () => {
  const unborn = join(home, "unborn")
  mkdirSync(unborn)
  git(unborn, "init", "-q", "-b", "fresh/start")
  expect((await readGitState(unborn))?.head).toMatchObject({ commit: null, branch: "fresh/start" })
  const root = repository()
  git(root, "checkout", "-q", "--detach")
  expect((await readGitState(root))?.head).toMatchObject({ commit: git(root, "rev-parse", "HEAD"), branch: null })
})

test("a packed branch and a symbolic branch resolve", async () => {
  const root = repository()
  git(root, "pack-refs", "--all")
  expect((await readGitState(root))?.head.commit).toBe(git(root, "rev-parse", "HEAD"))
  git(root, "symbolic-ref", "refs/heads/alias", "refs/heads/main")
  git(root, "symbolic-ref", "HEAD", "refs/heads/alias")
  expect((await readGitState(root))?.head).toMatchObject({ commit: git(root, "rev-parse", "HEAD"), branch: "alias" })
})

test("a ref that points to itself ends", async () => {
  const root = repository()
  writeFileSync(join(root, ".git/refs/heads/loop"), "ref: refs/heads/loop\n")
  writeFileSync(join(root, ".git/HEAD"), "ref: refs/heads/loop\n")
  expect((await readGitState(root))?.head).toMatchObject({ commit: null, branch: "loop" })
})

test("a HEAD that is a symlink is read as old git wrote it", async () => {
  const root = repository()
  rmSync(join(root, ".git/HEAD"))
  symlinkSync("refs/heads/main", join(root, ".git/HEAD"))
  expect((await readGitState(root))?.head).toMatchObject({ commit: git(root, "rev-parse", "HEAD"), branch: "main" })
})

test("a linked worktree has its own HEAD and shares the rest", async () => {
  const root = repository()
  const tree = join(home, "linked tree")
  git(root, "worktree", "add", "-q", "-b", "other", tree)
  const state = await readGitState(tree)
  expect(state?.head).toEqual({ commit: git(root, "rev-parse", "HEAD"), branch: "other", worktree: tree })
  expect(state?.commonDir).toBe(join(root, ".git"))
  expect(state?.gitDir).toBe(join(root, ".git/worktrees/linked-tree"))
})

test("a submodule is a repository of its own", async () => {
  const inner = repository()
  const root = repository()
  git(root, "submodule", "add", "-q", inner, "sub")
  const state = await readGitState(join(root, "sub"))
  expect(state?.worktree).toBe(join(root, "sub"))
  expect(state?.gitDir).toBe(join(root, ".git/modules/sub"))
  expect(state?.head.commit).toBe(git(inner, "rev-parse", "HEAD"))
})

test("another ref storage is unknown, not guessed", async () => {
  const root = repository()
  mkdirSync(join(root, ".git/reftable"))
  writeFileSync(join(root, ".git/HEAD"), "ref: refs/heads/.invalid\n")
  expect(await readGitState(root)).toMatchObject({ refs: "unknown", head: { commit: null, branch: null } })
})

const underWay: readonly (readonly [GitBusy | null, readonly string[]])[] = [
  [null, ["status"]],
  ["merge", ["merge", "side"]],
  ["rebase", ["rebase", "side"]],
  ["rebase", ["rebase", "--apply", "side"]],
  ["cherry-pick", ["cherry-pick", "side"]],
  ["revert", ["revert", "--no-commit", "HEAD"]],
  ["bisect", ["bisect", "start"]],
]
for (const [busy, args] of underWay)
  test(`after git ${args.join(" ")} ${busy ?? "nothing"} is under way`, async () => {
    const root = diverged()
    tries(root, ...args)
    expect((await readGitState(root))?.busy).toBe(busy)
  })

test("ref moves tell commits, new branches, deleted ones and the stash, and packing is no move", async () => {
  const root = diverged()
  const folder = { gitDir: join(root, ".git"), commonDir: join(root, ".git") }
  const before = await readRefs(folder)
  const [main, side] = [git(root, "rev-parse", "main"), git(root, "rev-parse", "side")]
  git(root, "pack-refs", "--all")
  expect(refMoves(before, await readRefs(folder))).toEqual([])
  git(root, "branch", "-D", "side")
  writeFileSync(join(root, "a"), "stashed\n")
  git(root, "stash", "-q")
  git(root, "switch", "-qc", "new")
  git(root, "commit", "-q", "--allow-empty", "-m", "x")
  expect(refMoves(before, await readRefs(folder))).toEqual([
    { ref: "HEAD", before: "ref: refs/heads/main", after: "ref: refs/heads/new" },
    { ref: "refs/heads/new", before: null, after: git(root, "rev-parse", "new") },
    { ref: "refs/heads/side", before: side, after: null },
    { ref: "refs/stash", before: null, after: git(root, "rev-parse", "stash") },
  ])
  expect(main).not.toBe(side)
})

test("reads committed content of awkward names, absence, and says when it cannot tell", async () => {
  const root = repository()
  mkdirSync(join(root, "in"))
  const names = ["in/plain", "in/with space", "in/ключ", "in/line\nbreak", "in/a:b"]
  for (const name of names) writeFileSync(join(root, name), `content of ${name}\0\n`)
  const escaped = "in/bad\udcff"
  writeFileSync(Buffer.concat([Buffer.from(`${root}/in/bad`), Buffer.of(0xff)]), "bytes")
  git(root, "add", ".")
  git(root, "commit", "-qm", "names")
  const objects = openGitObjects(root)
  for (const name of names) {
    const found = await objects.committed(name)
    expect(found.kind === "blob" ? Buffer.from(found.bytes).toString() : found).toBe(`content of ${name}\0\n`)
  }
  const bad = await objects.committed(escaped)
  expect(bad.kind === "blob" ? Buffer.from(bad.bytes).toString() : bad).toBe("bytes")
  expect(await objects.committed("nothing here")).toEqual({ kind: "absent" })
  expect(await objects.committed("in")).toEqual({ kind: "absent" })
  const big = Promise.all(Array.from({ length: 50 }, () => objects.committed("in/plain")))
  expect((await big).every(answer => answer.kind === "blob")).toBe(true)
  objects.close()
  expect((await committedBlob(join(root, "in"), "plain")).kind).toBe("blob")
  expect((await committedBlob(join(home, "none"), "plain")).kind).toBe("unknown")
})

test("a large blob arrives whole", async () => {
  const root = repository()
  const large = Buffer.alloc(3_000_000, "0123456789\n")
  writeFileSync(join(root, "large"), large)
  git(root, "add", ".")
  git(root, "commit", "-qm", "large")
  const found = await committedBlob(root, "large")
  expect(found.kind === "blob" && Buffer.compare(found.bytes, large) === 0).toBe(true)
})
