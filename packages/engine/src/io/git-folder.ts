import { lstat, readdir, readFile, readlink, realpath } from "node:fs/promises"
import { basename, dirname, isAbsolute, join, resolve } from "node:path"
import type { GitHead } from "@galley/core/history/operation.ts"

/** An operation of git that spans several commands; nothing is written while one is under way (DESIGN §3, "Git"). */
export type GitBusy = "rebase" | "merge" | "bisect" | "cherry-pick" | "revert"

/** Where the repository of a workspace keeps its things. Paths are absolute and real. */
export interface GitFolder {
  /** Of this worktree: HEAD, index, MERGE_HEAD. The same as `commonDir` but in linked worktrees. */
  readonly gitDir: string
  /** Shared by all worktrees: objects, refs, config. */
  readonly commonDir: string
  /** Top folder of the worktree: the one that holds `.git`. The workspace root is it or inside it. */
  readonly worktree: string
}

export interface GitState extends GitFolder {
  /** `commit` is null on an unborn branch, `branch` on a detached head, both where refs cannot be read (see `refs`). */
  readonly head: GitHead
  readonly busy: GitBusy | null
  /** `"unknown"`: a ref storage other than files (reftable, git ≥ 2.45), or they could not be read; HEAD is then not told. */
  readonly refs: "files" | "unknown"
}

/**
 * Finds the repository that a folder belongs to, as git would from there, but heeding no environment variable; null outside
 * one. A bare repository has no worktree and counts as outside. Reads files only.
 */
export async function findGitFolder(root: string): Promise<GitFolder | null> {
  let folder = await realpath(root).catch(() => null)
  while (folder !== null) {
    const gitDir = await gitDirIn(folder)
    if (gitDir !== null) return { ...gitDir, worktree: folder }
    const parent = dirname(folder)
    folder = parent === folder ? null : parent
  }
  return null
}

/**
 * Reads where HEAD stands and what is under way, from files alone: no process is started and nothing is written, so it can
 * be asked before every write. Null outside a repository.
 *
 * During a rebase HEAD is detached and `branch` is null, as git itself says.
 */
export async function readGitState(root: string): Promise<GitState | null> {
  const folder = await findGitFolder(root)
  if (folder === null) return null
  const nowhere = { commit: null, branch: null, worktree: folder.worktree }
  try {
    const [head, busy, refs] = await Promise.all([readHead(folder), readBusy(folder.gitDir), refStorage(folder)])
    return { ...folder, head: refs === "files" ? { ...head, worktree: folder.worktree } : nowhere, busy, refs }
  } catch {
    // What could not be read is not absent: taken for an unborn branch it would look as if HEAD had moved.
    return { ...folder, head: nowhere, busy: null, refs: "unknown" }
  }
}

/** Refs at one moment. Values are object ids or, for symbolic ones, `ref: NAME`. */
export interface Refs {
  readonly loose: ReadonlyMap<string, string>
  /** Text of `packed-refs`, parsed only where it changed: repositories with 50,000 packed refs exist. */
  readonly packed: string
}

export interface RefMove {
  /** `HEAD`, `refs/heads/main`, `refs/stash`, … */
  readonly ref: string
  /** Null where the ref did not exist. */
  readonly before: string | null
  readonly after: string | null
}

/** Reads HEAD and all refs of a repository that keeps them in files. */
export async function readRefs(folder: Pick<GitFolder, "gitDir" | "commonDir">): Promise<Refs> {
  const loose = new Map<string, string>()
  const own = folder.gitDir === folder.commonDir ? [] : [looseRefs(folder.gitDir, loose)]
  await Promise.all([looseRefs(folder.commonDir, loose), ...own])
  const head = await headText(folder.gitDir).catch(() => null)
  if (head !== null) loose.set("HEAD", head)
  return { loose, packed: (await quietText(join(folder.commonDir, "packed-refs"))) ?? "" }
}

/** The refs that differ, by name. A ref that was only packed (`git pack-refs`) did not move. */
export function refMoves(before: Refs, after: Refs): readonly RefMove[] {
  const names = new Set([...before.loose.keys(), ...after.loose.keys()])
  const packedBefore = packedRefs(before.packed)
  const packedAfter = before.packed === after.packed ? packedBefore : packedRefs(after.packed)
  if (packedAfter !== packedBefore) for (const name of [...packedBefore.keys(), ...packedAfter.keys()]) names.add(name)
  return [...names]
    .sort()
    .map(ref => ({
      ref,
      before: before.loose.get(ref) ?? packedBefore.get(ref) ?? null,
      after: after.loose.get(ref) ?? packedAfter.get(ref) ?? null,
    }))
    .filter(move => move.before !== move.after)
}

/** The git directory that `folder/.git` is or names, if it looks like one to git (HEAD, objects, refs). */
async function gitDirIn(folder: string): Promise<Pick<GitFolder, "gitDir" | "commonDir"> | null> {
  const entry = join(folder, ".git")
  const stat = await lstat(entry).catch(() => null)
  if (stat === null) return null
  let named: string | null = entry
  if (stat.isFile()) named = pointedTo(folder, (await quietText(entry)) ?? "")
  const gitDir = named === null ? null : await realpath(named).catch(() => null)
  if (gitDir === null) return null
  const common = (await quietText(join(gitDir, "commondir")))?.trimEnd()
  const commonDir = common === undefined ? gitDir : await realpath(resolve(gitDir, common)).catch(() => null)
  if (commonDir === null || (await headText(gitDir).catch(() => null)) === null) return null
  const parts = await Promise.all(["objects", "refs"].map(name => isFolder(join(commonDir, name))))
  return parts.every(Boolean) ? { gitDir, commonDir } : null
}

/** `gitdir: PATH` of a linked worktree or submodule; the path may be relative to the file. */
function pointedTo(folder: string, content: string): string | null {
  const path = /^gitdir: ([^\0]*?)[\r\n]*$/.exec(content)?.[1]
  if (path === undefined || path === "") return null
  return isAbsolute(path) ? path : resolve(folder, path)
}

async function readHead(folder: GitFolder): Promise<{ commit: string | null; branch: string | null }> {
  const head = await headText(folder.gitDir)
  const target = head === null ? null : symbolicTarget(head)
  if (target === null) return { commit: head !== null && isObjectId(head) ? head : null, branch: null }
  const branch = target.startsWith("refs/heads/") ? target.slice("refs/heads/".length) : null
  return { commit: await resolveRef(folder, target, 5), branch }
}

/** Follows at most `depth` symbolic refs, as git does (its limit is 5). */
async function resolveRef(folder: GitFolder, name: string, depth: number): Promise<string | null> {
  if (depth === 0 || !isSafeRefName(name)) return null
  const home = /^refs\/(bisect|worktree|rewritten)\//.test(name) ? folder.gitDir : folder.commonDir
  const loose = (await text(join(home, name)))?.trim()
  if (loose !== undefined) {
    const target = symbolicTarget(loose)
    if (target !== null) return await resolveRef(folder, target, depth - 1)
    return isObjectId(loose) ? loose : null
  }
  const packed = await text(join(folder.commonDir, "packed-refs"))
  return packed === null ? null : packedRef(packed, name)
}

/** HEAD is a file, or in old repositories a symlink into refs. */
async function headText(gitDir: string): Promise<string | null> {
  const path = join(gitDir, "HEAD")
  const link = await readlink(path).catch(() => null)
  if (link?.startsWith("refs/") === true) return `ref: ${link}`
  return (await text(path))?.trim() ?? null
}

/** Most specific first: a rebase that stopped in a cherry-pick is a rebase. */
async function readBusy(gitDir: string): Promise<GitBusy | null> {
  const names = new Set(await readdir(gitDir))
  if (names.has("rebase-merge") || names.has("rebase-apply")) return "rebase"
  if (names.has("MERGE_HEAD")) return "merge"
  if (names.has("CHERRY_PICK_HEAD")) return "cherry-pick"
  if (names.has("REVERT_HEAD")) return "revert"
  if (names.has("sequencer")) return await sequencerBusy(gitDir)
  return names.has("BISECT_LOG") ? "bisect" : null
}

/** Between two picks of `git cherry-pick A B` after a commit by hand, only the list of what is left tells which it is. */
async function sequencerBusy(gitDir: string): Promise<GitBusy | null> {
  const todo = await text(join(gitDir, "sequencer", "todo"))
  if (todo === null) return null
  return /^(revert|r)\s/.test(todo) ? "revert" : "cherry-pick"
}

async function refStorage(folder: GitFolder): Promise<GitState["refs"]> {
  if (await isFolder(join(folder.commonDir, "reftable"))) return "unknown"
  const config = (await text(join(folder.commonDir, "config"))) ?? ""
  const storage = /^\s*refStorage\s*=\s*"?([\w:/.-]+)/im.exec(config)?.[1]
  return storage === undefined || storage === "files" ? "files" : "unknown"
}

async function looseRefs(gitDir: string, into: Map<string, string>): Promise<void> {
  const entries = await readdir(join(gitDir, "refs"), { recursive: true, withFileTypes: true }).catch(() => [])
  await Promise.all(
    entries.map(async entry => {
      if (!entry.isFile() || entry.name.endsWith(".lock")) return
      const path = join(entry.parentPath, entry.name)
      const value = (await quietText(path))?.trim()
      if (value !== undefined && value !== "") into.set(path.slice(gitDir.length + 1), value)
    }),
  )
}

function packedRefs(packed: string): ReadonlyMap<string, string> {
  const refs = new Map<string, string>()
  for (const [, id = "", name = ""] of packed.matchAll(/^([0-9a-f]{40,64}) (.+)$/gm)) refs.set(name, id)
  return refs
}

/** One line `ID NAME`; lines of `#` and `^` are other things. */
function packedRef(packed: string, name: string): string | null {
  const at = packed.indexOf(` ${name}\n`)
  if (at < 0) return null
  const id = packed.slice(packed.lastIndexOf("\n", at) + 1, at)
  return isObjectId(id) ? id : null
}

function symbolicTarget(content: string): string | null {
  return /^ref:\s*(\S.*)$/.exec(content)?.[1] ?? null
}

/** SHA-1 or SHA-256 repositories. */
function isObjectId(value: string): boolean {
  return /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(value)
}

function isSafeRefName(name: string): boolean {
  return name.startsWith("refs/") && !name.split("/").includes("..") && basename(name) !== ""
}

async function isFolder(path: string): Promise<boolean> {
  return await lstat(path).then(
    stat => stat.isDirectory(),
    () => false,
  )
}

/** Null where no file is; throws where it cannot be read. */
async function text(path: string): Promise<string | null> {
  try {
    return await readFile(path, "utf8")
  } catch (error) {
    if (error instanceof Error && "code" in error && ["ENOENT", "ENOTDIR", "EISDIR"].includes(String(error.code)))
      return null
    throw error
  }
}

async function quietText(path: string): Promise<string | null> {
  return await text(path).catch(() => null)
}
