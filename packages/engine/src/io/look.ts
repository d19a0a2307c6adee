import { mkdirSync, writeFileSync } from "node:fs"
import { pathFromBytes, showPath, type WorkspacePath } from "@galley/core/path.ts"
import { findGitFolder, type GitFolder, readRefs, type RefMove, type Refs, refMoves } from "./git-folder.ts"
import { type GitObjects, openGitObjects } from "./git-objects.ts"
import { type Keeper, type KeepLimits, keyOf, type Kept, openKeeper } from "./kept.ts"
import { emptyFoldersSince, foldersGoneWith, foldersMadeFor } from "./look-folders.ts"
import {
  copyIndex,
  exactBlobs,
  gitLook,
  isIgnoredWhole,
  notedInodes,
  type TrackedBefore,
  untrackedFolders,
} from "./look-git.ts"
import { walkFolder, type Walk } from "./look-walk.ts"
import { type ProcessEnd, type ProcessRequest, runProcess } from "./processes.ts"
import { pairRenames } from "./renames.ts"
import { type DiskChange, sameSeen, type Seen, seenAbsent, seenAt, statOf } from "./seen.ts"
import { makeRunFolder, removeTree } from "./view-folder.ts"

/** What a look needs to know. */
export interface LookRequest {
  /** Absolute, symlinks resolved. */
  readonly root: string
  /** Looked at and kept whatever git says: paths named in the command, paths the agent touched before. */
  readonly atRisk: readonly WorkspacePath[]
  readonly keep: KeepLimits
  /** Entries looked at outside git. */
  readonly walkLimit: number
  /** Names of folders not entered outside git. */
  readonly dependencyFolders: readonly string[]
  readonly scratch: string
  readonly id: string
}

/** A change seen by comparing two looks. */
export interface LookChange extends DiskChange {
  /** `recorded`: `before` is exactly what stood there. `detected`: something changed, and the old content is not known. */
  readonly capture: "recorded" | "detected"
}

export interface SecondLook {
  readonly changes: readonly LookChange[]
  /** Where changes would not have been seen, in words. */
  readonly unseen: readonly string[]
  readonly refsMoved: readonly RefMove[]
}

/** The disk as it stood, until it is compared or given up. */
export interface FirstLook {
  /**
   * Looks again and tells what changed. May be asked more than once (a background job). Who made a change cannot be told: all that
   * changed between the looks is in it.
   */
  again(): Promise<SecondLook>
  /** Removes what was kept; `before.read` of changes may fail afterwards. */
  close(): Promise<void>
}

/**
 * Keeps what is at risk before a command runs directly on the disk (no view could be had): in a git repository what differs from the
 * index and what is untracked, with the paths of `atRisk`; clean files are in git's object database. Outside git all files up to the
 * limits. Nothing of git is written: it works on a copy of the index.
 *
 * The cost is git's own look at the worktree, about 0.3 s for 100,000 files, and reading what is at risk.
 */
export async function lookBefore(request: LookRequest): Promise<FirstLook> {
  const run = makeRunFolder(request.scratch, request.id)
  try {
    writeFileSync(`${run}/start`, "")
    const nowNs = statOf(`${run}/start`)?.ctimeNs ?? 0n
    const keeper = openKeeper(request.root, request.keep, nowNs)
    await keeper.keep(request.atRisk)
    const git = await findGitFolder(request.root)
    const index = git === null || (await isIgnoredWhole(git, request.root)) ? null : indexFor(git, run)
    const look = index === null ? null : await gitLook(request.root, index)
    const refs = git === null ? null : await readRefs(git)
    const objects = openGitObjects(request.root)
    const close = async (): Promise<void> => {
      objects.close()
      removeTree(run)
      await Promise.resolve()
    }
    const moved = async (): Promise<readonly RefMove[]> =>
      movesSince(git, refs, git === null ? null : await readRefs(git))
    if (index !== null && look !== null) {
      await keeper.keep([...look.differing.map(entry => entry.path), ...look.untracked])
      const first: InGit = { request, index, keeper, objects, nested: look.nested, startNs: nowNs }
      return { again: async () => ({ ...(await secondInGit(first)), refsMoved: await moved() }), close }
    }
    const walk = await walkFolder(request.root, request.walkLimit, request.dependencyFolders)
    await keeper.keep([...walk.keys.keys()])
    return {
      again: async () => ({ ...(await secondWalk(request, walk, keeper, nowNs)), refsMoved: await moved() }),
      close,
    }
  } catch (error) {
    removeTree(run)
    throw error
  }
}

export interface DirectRun extends ProcessEnd, SecondLook {
  close(): Promise<void>
}

/** Runs a command directly on the disk between two looks. */
export async function runBetweenLooks(request: LookRequest & ProcessRequest): Promise<DirectRun> {
  const first = await lookBefore(request)
  try {
    const end = await runProcess(request)
    const second = await first.again()
    return { ...end, ...second, close: async () => await first.close() }
  } catch (error) {
    await first.close()
    throw error
  }
}

interface InGit {
  readonly request: LookRequest
  readonly index: string
  readonly keeper: Keeper
  readonly objects: GitObjects
  readonly nested: readonly WorkspacePath[]
  /** When the first look began. */
  readonly startNs: bigint
}

type Seconds = Pick<SecondLook, "changes" | "unseen">

function indexFor(git: GitFolder, run: string): string {
  const copy = copyIndex(git.gitDir, `${run}/index`)
  // Without an index everything is untracked; git takes a missing file for an empty index.
  if (copy === null) mkdirSync(`${run}/no-index`)
  return copy ?? `${run}/no-index/index`
}

function movesSince(git: GitFolder | null, before: Refs | null, after: Refs | null): readonly RefMove[] {
  return git === null || before === null || after === null ? [] : refMoves(before, after)
}

async function secondInGit(first: InGit): Promise<Seconds> {
  const { request, index, keeper, objects } = first
  const unseen = ["files that git ignores, unless named in the command", "modes of folders, and empty ones that went"]
  const [second, folders] = await Promise.all([gitLook(request.root, index), untrackedFolders(request.root, index)])
  if (second === null) return { changes: [], unseen: ["everything: git could not tell what changed"] }
  for (const path of new Set([...first.nested, ...second.nested])) unseen.push(`the repository in ${showPath(path)}`)
  const clean = second.differing.filter(entry => !keeper.kept.has(entry.path))
  const exact = await exactBlobs(request.root, index, clean)
  const changes: LookChange[] = []
  for (const [path, kept] of keeper.kept) changes.push(...(await changeOfKept(request.root, path, kept)))
  for (const entry of clean)
    changes.push(...(await changeOfTracked(request.root, entry, exact.get(entry.path) ?? null, objects)))
  const rulesChanged = changes.some(change => /(^|\/)\.gitignore$/.test(change.path))
  for (const path of second.untracked)
    if (!keeper.kept.has(path)) changes.push(...changeOfNew(request.root, path, rulesChanged))
  const nested = new Set([...first.nested, ...second.nested].map(path => path.replace(/\/$/, "")))
  const own = (folders ?? []).filter(folder => !nested.has(folder))
  for (const path of emptyFoldersSince(request.root, own, first.startNs))
    changes.push(...changeOfNew(request.root, path, false))
  const linked = changes.filter(each => !keeper.kept.has(each.path) && isLinkedFile(request.root, each))
  const noted = await notedInodes(
    request.root,
    index,
    linked.map(each => each.path),
  )
  const told = await withLinks(request.root, withFolders(request.root, changes, first.startNs), keeper, noted)
  return { changes: await ordered(told), unseen }
}

/** The changes, with the folders that came and went with them. */
function withFolders(root: string, changes: readonly LookChange[], startNs: bigint): readonly LookChange[] {
  return changes.map(each => {
    const { path, before, after } = each
    const came = before.kind === "absent" ? foldersMadeFor(root, path, startNs) : []
    const went = after.kind === "absent" ? foldersGoneWith(root, path) : []
    return {
      ...each,
      ...(came.length === 0 ? {} : { madeFolders: came }),
      ...(went.length === 0 ? {} : { goneFolders: went }),
    }
  })
}

/**
 * Tells of files with several names whether they had been these very files before. Where some name of a file is not among the changes (it had
 * this text before, or lies elsewhere), it is not known whether it was a name of this file already: a write through it could reach what
 * nobody recorded.
 */
async function withLinks(
  root: string,
  changes: readonly LookChange[],
  keeper: Keeper,
  noted: ReadonlyMap<WorkspacePath, bigint>,
): Promise<readonly LookChange[]> {
  const stats = new Map(
    changes.filter(each => isLinkedFile(root, each)).map(({ path }) => [path, statOf(`${root}/${path}`)] as const),
  )
  const found = new Map<bigint | undefined, bigint>()
  for (const stat of stats.values()) found.set(stat?.ino, (found.get(stat?.ino) ?? 0n) + 1n)
  const told: LookChange[] = []
  for (const each of changes) {
    if (!stats.has(each.path)) {
      told.push(each)
      continue
    }
    const stat = stats.get(each.path)
    const kept = keeper.kept.get(each.path)?.key?.split(" ")[1]
    const isSame =
      kept === undefined ? noted.get(each.path) === (stat?.ino ?? 0n) % 2n ** 32n : kept === String(stat?.ino)
    const isWhole = found.get(stat?.ino) === stat?.nlink || (await isModeAlone(each))
    told.push({ ...each, link: !isSame ? "made" : isWhole ? "written" : "unknown" })
  }
  return told.map(each => withSharedMode(each, told, keeper, stats))
}

/** Names of one file had one mode: git tells only whether a file may be run, a name that was kept before the command tells all of it. */
function withSharedMode(
  each: LookChange,
  all: readonly LookChange[],
  keeper: Keeper,
  stats: ReadonlyMap<WorkspacePath, { readonly ino: bigint } | null>,
): LookChange {
  if (each.link !== "written" || each.before.kind !== "file" || keeper.kept.has(each.path)) return each
  const ino = stats.get(each.path)?.ino
  const kept = all.find(
    other => other.link === "written" && keeper.kept.has(other.path) && stats.get(other.path)?.ino === ino,
  )
  return kept?.before.kind === "file" ? { ...each, before: { ...each.before, mode: kept.before.mode } } : each
}

async function isModeAlone({ before, after }: LookChange): Promise<boolean> {
  if (before.kind !== "file" || after.kind !== "file" || before.size !== after.size) return false
  return Buffer.compare(await before.read(), await after.read()) === 0
}

function isLinkedFile(root: string, { path, after }: LookChange): boolean {
  return after.kind === "file" && (statOf(`${root}/${path}`)?.nlink ?? 0n) > 1n
}

async function secondWalk(request: LookRequest, walk: Walk, keeper: Keeper, startNs: bigint): Promise<Seconds> {
  const second = await walkFolder(request.root, request.walkLimit, request.dependencyFolders)
  const unseen = [...new Set([...walk.skipped, ...second.skipped])]
    .slice(0, 20)
    .map(path => `the folder ${showPath(path)}`)
  if (!walk.complete || !second.complete) unseen.push(`what lies beyond ${request.walkLimit} entries`)
  const changes: LookChange[] = []
  for (const [path, kept] of keeper.kept) {
    const key = second.keys.get(path)
    if (key === undefined && !second.complete && statOf(`${request.root}/${path}`) !== null) continue
    changes.push(...(await changeOfKept(request.root, path, kept)))
  }
  // Beyond the first walk's limit it may have stood there before.
  for (const path of second.keys.keys())
    if (!keeper.kept.has(path) && !walk.folders.has(path))
      changes.push(...changeOfNew(request.root, path, !walk.complete))
  const told = await withLinks(request.root, withFolders(request.root, changes, startNs), keeper, new Map())
  return { changes: await ordered(told), unseen }
}

async function changeOfKept(root: string, path: WorkspacePath, kept: Kept): Promise<readonly LookChange[]> {
  const stat = statOf(`${root}/${path}`)
  const key = stat === null ? null : keyOf(stat)
  if (key === kept.key && !(kept.fresh && kept.exact)) return []
  const after = seenAt(`${root}/${path}`)
  if (kept.exact && (await sameSeen(kept.seen, after).catch(() => false))) return []
  const before: Seen = kept.exact ? kept.seen : { kind: "unknown" }
  return [change(path, before, after, kept.exact ? "recorded" : "detected")]
}

async function changeOfTracked(
  root: string,
  entry: TrackedBefore,
  size: number | null,
  objects: GitObjects,
): Promise<readonly LookChange[]> {
  const after = seenAt(`${root}/${entry.path}`)
  const before = entry.mode === "120000" ? await seenLink(entry, objects) : seenBlob(entry, size, after, objects)
  if (before === null) return [change(entry.path, { kind: "unknown" }, after, "detected")]
  return (await sameSeen(before, after).catch(() => false)) ? [] : [change(entry.path, before, after, "recorded")]
}

/** A path that neither stood in the first look nor is tracked. With new ignore rules it may have been there, unseen. */
function changeOfNew(root: string, path: WorkspacePath, uncertain: boolean): readonly LookChange[] {
  const after = seenAt(`${root}/${path}`)
  if (after.kind === "absent") return []
  return [change(path, uncertain ? { kind: "unknown" } : seenAbsent, after, uncertain ? "detected" : "recorded")]
}

/**
 * The state of a clean tracked file. Of its mode git knows only the executable bit; the rest is taken from the file as it is now, or
 * 644 and 755.
 */
function seenBlob(entry: TrackedBefore, size: number | null, after: Seen, objects: GitObjects): Seen | null {
  if (size === null || Number.isNaN(size)) return null
  const executable = entry.mode === "100755"
  const fits = after.kind === "file" && ((after.mode & 0o100) !== 0) === executable
  const mode = fits ? after.mode : executable ? 0o755 : 0o644
  const read = async (): Promise<Uint8Array> => {
    const blob = await objects.object(entry.blob)
    if (blob.kind !== "blob") throw new Error(`git object ${entry.blob} is gone`)
    return blob.bytes
  }
  return { kind: "file", mode, size, read }
}

async function seenLink(entry: TrackedBefore, objects: GitObjects): Promise<Seen | null> {
  const blob = await objects.object(entry.blob)
  return blob.kind === "blob" ? { kind: "symlink", target: pathFromBytes(blob.bytes) } : null
}

function change(path: WorkspacePath, before: Seen, after: Seen, capture: LookChange["capture"]): LookChange {
  return { path, before, after, capture, ignored: false, movedSince: () => false }
}

async function ordered(changes: readonly LookChange[]): Promise<readonly LookChange[]> {
  const captures = new Map(changes.map(each => [each.path, each.capture]))
  const paired = await pairRenames(changes)
  return paired
    .map(each => ({ ...each, capture: captures.get(each.path) ?? "detected" }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}
