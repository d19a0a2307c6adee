import { constants, copyFileSync, statSync, utimesSync } from "node:fs"
import { pathFromBytes, pathToBytes, type WorkspacePath } from "@galley/core/path.ts"
import type { GitFolder } from "./git-folder.ts"
import { runGit } from "./git-command.ts"

/** A tracked file that differs from the index of the first look: what the index had. */
export interface TrackedBefore {
  readonly path: WorkspacePath
  /** `100644`, `100755`, `120000`. */
  readonly mode: string
  readonly blob: string
}

/** What git tells of a worktree, against one index. */
export interface GitLook {
  readonly differing: readonly TrackedBefore[]
  /** Paths of files that git neither tracks nor ignores. */
  readonly untracked: readonly WorkspacePath[]
  /** Nested repositories, into which git does not look. */
  readonly nested: readonly WorkspacePath[]
}

/**
 * A copy of the index, to compare the worktree with twice: what the command does to the real one (commit, add, checkout) then
 * makes no difference, and git may refresh the copy, never the real one. Null where there is none yet.
 */
export function copyIndex(gitDir: string, to: string): string | null {
  try {
    copyFileSync(`${gitDir}/index`, to, constants.COPYFILE_FICLONE)
    // Git reads the content of entries that are as young as the index ("racily clean"): the copy must not look younger.
    const second = Math.floor(statSync(`${gitDir}/index`).mtimeMs / 1000)
    utimesSync(to, second, second)
    return to
  } catch {
    return null
  }
}

/** Whether the repository that a folder lies in ignores it whole, so that git can tell nothing of it. */
export async function isIgnoredWhole(folder: GitFolder, root: string): Promise<boolean> {
  if (folder.worktree === root) return false
  return (await runGit(folder.worktree, ["check-ignore", "-q", "--", root])).exitCode === 0
}

/** Compares the worktree below `root` with an index. Null where git fails (another owner's repository, a broken index). */
export async function gitLook(root: string, index: string): Promise<GitLook | null> {
  const env = { GIT_INDEX_FILE: index }
  const [differing, others] = await Promise.all([
    runGit(
      root,
      ["diff-files", "--raw", "-z", "--no-renames", "--relative", "--ignore-submodules=dirty", "--no-abbrev"],
      { env },
    ),
    runGit(root, ["ls-files", "--others", "--exclude-standard", "-z"], { env }),
  ])
  if (differing.exitCode !== 0 || others.exitCode !== 0) return null
  const names = nulParts(others.stdout)
  const entries = rawEntries(differing.stdout)
  return {
    differing: entries.filter(entry => entry.mode !== "160000"),
    untracked: names.filter(name => !name.endsWith("/")),
    nested: [
      ...names.filter(name => name.endsWith("/")),
      ...entries.filter(entry => entry.mode === "160000").map(entry => entry.path),
    ],
  }
}

/** Folders in which git neither tracks nor ignores anything, empty ones among them. Null where git fails. */
export async function untrackedFolders(root: string, index: string): Promise<readonly WorkspacePath[] | null> {
  const words = ["ls-files", "--others", "--directory", "--exclude-standard", "-z"]
  const listed = await runGit(root, words, { env: { GIT_INDEX_FILE: index } })
  if (listed.exitCode !== 0) return null
  return nulParts(listed.stdout).flatMap(name => (name.endsWith("/") ? [name.slice(0, -1)] : []))
}

/**
 * Which of the tracked files had, when they were clean, exactly the bytes of their blob, and how many. No filter, encoding or keyword
 * expansion may stand between; where line ends may be converted, the size that git noted of the file must be the blob's.
 */
export async function exactBlobs(
  root: string,
  index: string,
  entries: readonly TrackedBefore[],
): Promise<ReadonlyMap<WorkspacePath, number>> {
  if (entries.length === 0) return new Map()
  const env = { GIT_INDEX_FILE: index }
  const ids = Buffer.from(entries.map(entry => `${entry.blob}\n`).join(""))
  const names = pathToBytes(entries.map(entry => `${entry.path}\0`).join(""))
  const [blobs, attributes, config] = await Promise.all([
    runGit(root, ["cat-file", "--batch-check=%(objectname) %(objectsize)"], { stdin: ids }),
    runGit(root, ["check-attr", "--stdin", "-z", ...conversions, "text", "eol", "crlf"], { stdin: names }),
    runGit(root, ["config", "--get", "core.autocrlf"]),
  ])
  const sizes = new Map(
    blobs.stdout
      .toString("latin1")
      .split("\n")
      .map(line => sizeLine(line)),
  )
  const { converted, lineEnds } = attributesOf(attributes.stdout)
  const convertsAll = !["", "false"].includes(config.stdout.toString("latin1").trim())
  const doubtful = entries.filter(entry => convertsAll || lineEnds.has(entry.path))
  const noted = doubtful.length === 0 ? null : await notedSizesOf(root, env, doubtful)
  const exact = new Map<WorkspacePath, number>()
  for (const { path, blob } of entries) {
    const size = sizes.get(blob)
    const mayDiffer = convertsAll || lineEnds.has(path)
    if (size === undefined || converted.has(path) || (mayDiffer && noted?.get(path) !== size)) continue
    exact.set(path, size)
  }
  return exact
}

const conversions: readonly string[] = ["filter", "ident", "working-tree-encoding"]

function sizeLine(line: string): readonly [string, number] {
  const [id = "", size = ""] = line.split(" ")
  return [id, /^\d+$/.test(size) ? Number(size) : Number.NaN]
}

/** Git compares every path with every entry: many paths cost more than the whole list. */
async function notedSizesOf(
  root: string,
  env: Readonly<Record<string, string>>,
  entries: readonly TrackedBefore[],
): Promise<ReadonlyMap<WorkspacePath, number>> {
  const few = entries.length <= 20 && entries.every(entry => entry.path.isWellFormed())
  const paths = few ? entries.map(entry => entry.path) : []
  return notedSizes(
    (await runGit(root, ["--literal-pathspecs", "ls-files", "--debug", "-s", "-z", "--", ...paths], { env })).stdout,
  )
}

/** Records of `diff-files --raw -z`: `:OLDMODE NEWMODE OLDID NEWID STATUS` NUL path NUL. */
function rawEntries(output: Buffer): readonly TrackedBefore[] {
  const parts = nulParts(output)
  const entries: TrackedBefore[] = []
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [mode = "", , blob = ""] = (parts[at] ?? "").slice(1).split(" ")
    entries.push({ path: parts[at + 1] ?? "", mode, blob })
  }
  return entries
}

function entryPath(part: string): WorkspacePath | null {
  return /(?:^|flags: [0-9a-f]+\n)\d{6} [0-9a-f]{40,64} \d\t([\s\S]+)$/.exec(part)?.[1] ?? null
}

/** `ls-files --debug -s -z`: `MODE ID STAGE TAB path` NUL, then lines of what the index noted of that file. */
function notedSizes(output: Buffer): ReadonlyMap<WorkspacePath, number> {
  const sizes = new Map<WorkspacePath, number>()
  let path: WorkspacePath | null = null
  for (const part of nulParts(output)) {
    const size = /^ {2}size: (\d+)\t/m.exec(part)?.[1]
    if (path !== null && size !== undefined) sizes.set(path, Number(size))
    path = entryPath(part)
  }
  return sizes
}

/** Inodes that the index noted of files: their lower 32 bits, which is all it keeps. */
export async function notedInodes(
  root: string,
  index: string,
  paths: readonly WorkspacePath[],
): Promise<ReadonlyMap<WorkspacePath, bigint>> {
  const wanted = new Set(paths)
  const inodes = new Map<WorkspacePath, bigint>()
  if (paths.length === 0) return inodes
  const listed = await runGit(root, ["ls-files", "--debug", "-s", "-z"], { env: { GIT_INDEX_FILE: index } })
  let path: WorkspacePath | null = null
  for (const part of nulParts(listed.stdout)) {
    const inode = /\tino: (\d+)$/m.exec(part)?.[1]
    if (path !== null && inode !== undefined && wanted.has(path)) inodes.set(path, BigInt(inode))
    path = entryPath(part)
  }
  return inodes
}

/** `check-attr -z`: path NUL attribute NUL value NUL. */
function attributesOf(output: Buffer): {
  readonly converted: ReadonlySet<WorkspacePath>
  readonly lineEnds: ReadonlySet<WorkspacePath>
} {
  const parts = nulParts(output)
  const converted = new Set<WorkspacePath>()
  const lineEnds = new Set<WorkspacePath>()
  for (let at = 0; at + 2 < parts.length; at += 3) {
    const [path = "", attribute = "", value = ""] = parts.slice(at, at + 3)
    if (value === "unspecified" || value === "unset") continue
    if (conversions.includes(attribute)) converted.add(path)
    else lineEnds.add(path)
  }
  return { converted, lineEnds }
}

function nulParts(output: Buffer): readonly string[] {
  const parts: string[] = []
  let start = 0
  for (let end = output.indexOf(0); end >= 0; end = output.indexOf(0, start)) {
    parts.push(pathFromBytes(output.subarray(start, end)))
    start = end + 1
  }
  if (start < output.length) parts.push(pathFromBytes(output.subarray(start)))
  return parts
}
