import type { FailureCode } from "@galley/core/failure.ts"
import { parentOf, showPath, type WorkspacePath } from "@galley/core/path.ts"
import { sameState, type BlobId, type State } from "@galley/core/state.ts"
import type { Files, Stat } from "../io/files.ts"
import { isGitPath } from "../io/roots.ts"
import type { Step } from "../store/store.ts"
import { eachOf } from "./each.ts"
import type { Folders } from "./folders.ts"
import { partNames, sharedLast, type Way } from "./linked-names.ts"
import { lookAt, type Look } from "./look.ts"

/** What a change wants of one path on disk: that it holds `after`, if it holds `before` now. */
export interface Move {
  readonly path: WorkspacePath
  readonly before: State
  readonly after: State
  /** A file with other names (hard links) is replaced, so that they keep their text: the change was made to this name alone. */
  readonly breaksLink?: boolean
}

export interface Problem {
  readonly path: WorkspacePath
  readonly code: FailureCode
  /** About the path, which it does not repeat. */
  readonly message: string
  /** What stands there, where that is the problem. */
  readonly found?: State
}

export type Plan =
  | {
      readonly kind: "planned"
      readonly steps: readonly Step[]
      /** Contents of `before` that the store asked for. */
      readonly seen: readonly Uint8Array[]
      /** Folders that should have gone but hold something else, and so stay. */
      readonly keptFolders: readonly WorkspacePath[]
      /** What the person should know: other names of a file that change with it. */
      readonly remarks: readonly string[]
      /** By path: files that had been at rest when they were seen, so that an equal stamp means an equal file. */
      readonly stamps: ReadonlyMap<WorkspacePath, Stat>
    }
  | { readonly kind: "blocked"; readonly problems: readonly Problem[] }

/** What one plan is made with. */
export interface PlanRequest {
  /** Names temporary files. */
  readonly id: string
  /** Contents of `before` to hand back. */
  readonly wanted: ReadonlySet<BlobId>
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** What planning looks through. */
export interface Eyes {
  readonly files: Files
  readonly folders: Folders
  /** Absolute, symlinks resolved. */
  readonly root: string
}

/** Looks at every path and returns the steps in the order of the deed, or all that stands in the way; nothing is written. */
export async function planSteps(eyes: Eyes, moves: readonly Move[], request: PlanRequest): Promise<Plan> {
  const { id, wanted, now } = request
  const problems: Problem[] = []
  const seen: Uint8Array[] = []
  const looks = new Map<WorkspacePath, Look>()
  const real: Move[] = []
  await eachOf(
    moves.filter(move => !sameState(move.before, move.after)),
    16,
    async move => {
      const found = await lookAt(eyes.files, eyes.folders, eyes.root, move.path)
      looks.set(move.path, { state: found.state, stat: found.stat })
      const verdict = judge(move, found)
      if ("code" in verdict) problems.push(verdict)
      else real.push(verdict)
      if (found.bytes && found.state.kind === "file" && wanted.has(found.state.blob)) seen.push(found.bytes)
    },
  )
  const keptFolders: WorkspacePath[] = []
  const swept = await sweepFolders(eyes, real, problems, keptFolders)
  const ordered = orderMoves(swept)
  const layout = await layFolders(eyes, ordered, problems)
  await checkWritable(eyes, ordered, looks, problems)
  if (problems.length > 0) return { kind: "blocked", problems: problems.toSorted((a, b) => compare(a.path, b.path)) }
  const steps: Step[] = []
  const remarks: string[] = []
  const stamps = new Map<WorkspacePath, Stat>()
  const ways: Way[] = []
  const { moves: single, parted } = partNames(ordered, looks)
  for (const move of single) {
    const stat = looks.get(move.path)?.stat ?? null
    if (stat?.kind === "file" && isAtRest(stat, now)) stamps.set(move.path, stat)
    const inPlace = !parted.has(move.path) && (await writesInPlace(eyes, move, stat))
    if (inPlace && stat && stat.links > 1)
      remarks.push(`${showPath(move.path)} has ${stat.links} names (hard links); all of them now hold the new text.`)
    const isShared = inPlace || sameBlob(move.before, move.after)
    const isClosing = move.before.kind === "folder" && move.after.kind === "folder" && !opens(move)
    ways.push({ move, inPlace, isShared, isClosing })
  }
  for (const path of parted)
    remarks.push(
      `${showPath(path)} was another name (hard link) of a file that gets another text; it is a file of its own now.`,
    )
  for (const [index, { move, inPlace }] of sharedLast(ways).entries())
    steps.push(stepOf(move, inPlace, `.galley-${id}-${index}`, layout.get(move.path) ?? []))
  return { kind: "planned", steps, seen, keptFolders, remarks, stamps }
}

/** Whether the name is one of ours that stands only while files are being changed. */
export function isTemporaryName(name: string): boolean {
  return /^\.galley-[0-9a-z]+-\d+(-old)?$/.test(name)
}

/**
 * The order of the deed: what makes room first, deepest first; then folders, outermost first; then files and symlinks; then
 * deletes, deepest first; then modes of folders, which may take away our right to write inside.
 */
export function orderMoves(moves: readonly Move[]): Move[] {
  const room = roomMakers(moves)
  const keyed = moves.map(move => ({ move, rank: rankOf(move, room), depth: depthOf(move.path) }))
  keyed.sort((a, b) => {
    if (a.rank !== b.rank) return a.rank - b.rank
    if (a.depth !== b.depth && a.rank !== 2) return a.rank === 1 ? a.depth - b.depth : b.depth - a.depth
    return compare(a.move.path, b.move.path)
  })
  return keyed.map(({ move }) => move)
}

/** The folders that a path is in, the nearest first, without the workspace itself. */
export function foldersOf(path: WorkspacePath): WorkspacePath[] {
  const folders: WorkspacePath[] = []
  for (let folder = parentOf(path); folder !== ""; folder = parentOf(folder)) folders.push(folder)
  return folders
}

function rankOf(move: Move, room: ReadonlySet<WorkspacePath>): number {
  const { after, path } = move
  if (after.kind === "absent") return room.has(path) ? 0 : 3
  if (after.kind !== "folder") return 2
  return opens(move) ? 1 : 4
}

/** Whether a folder is made, or our right to write inside comes with its new mode. */
function opens({ before, after }: Move): boolean {
  return before.kind !== "folder" || (after.kind === "folder" && (after.mode & 0o300 & ~before.mode) !== 0)
}

/** What goes and stands where something comes: a file where a folder is needed, or anything inside a folder that becomes a file. */
function roomMakers(moves: readonly Move[]): Set<WorkspacePath> {
  const coming = moves.filter(move => move.after.kind !== "absent")
  const needed = new Set(coming.flatMap(move => foldersOf(move.path)))
  const becoming = new Set(coming.filter(move => move.after.kind !== "folder").map(move => move.path))
  const going = moves.filter(move => move.after.kind === "absent")
  const inTheWay = going.filter(
    ({ path, before }) =>
      (before.kind !== "folder" && needed.has(path)) || foldersOf(path).some(folder => becoming.has(folder)),
  )
  return new Set(inTheWay.map(move => move.path))
}

/** The move as it is against what stands there, or why it cannot be. */
function judge(move: Move, found: Look): Move | Problem {
  const { path, before, after } = move
  if (isGitPath(path)) return { path, code: "DENIED", message: "It belongs to git." }
  if (found.trouble) {
    const code = found.trouble.kind === "symlink" ? "OUTSIDE_WORKSPACE" : "DENIED"
    return { path, code, message: `It cannot be written: ${found.trouble.message}.` }
  }
  if (before.kind === "unknown" || after.kind === "unknown") {
    return { path, code: "CONFLICT", message: "It was never seen in that state, so nothing is done to it." }
  }
  if (after.kind === "other") return { path, code: "BAD_ARGUMENT", message: `A ${after.what} cannot be made.` }
  if (sameState(found.state, before)) return move
  // Folders are implied by their files: one that stands where nothing was recorded is no contradiction.
  if (found.state.kind === "folder" && before.kind === "absent") return { ...move, before: found.state }
  const message = "It is not what it was when this was decided."
  return { path, code: "FILE_CHANGED_SINCE_READ", message, found: found.state }
}

/**
 * Looks into folders that go. Those that become a file or symlink must be emptied by this very change; folders inside them are
 * added as moves. One that should only be gone stays while something else is in it.
 */
async function sweepFolders(
  eyes: Eyes,
  moves: readonly Move[],
  problems: Problem[],
  kept: WorkspacePath[],
): Promise<Move[]> {
  const goes = new Set(moves.filter(move => move.after.kind === "absent").map(move => move.path))
  const result = new Map(moves.map(move => [move.path, move]))
  const byDepth = moves.toSorted((a, b) => depthOf(b.path) - depthOf(a.path))
  for (const move of byDepth) {
    const { path, before, after } = move
    if (before.kind !== "folder" || after.kind === "folder") continue
    const inside = await listInside(eyes, path)
    const foreign = inside.filter(entry => entry.state.kind !== "folder" && !goes.has(entry.path))
    if (after.kind !== "absent") {
      for (const entry of inside) {
        if (entry.state.kind === "folder" && !result.has(entry.path)) {
          result.set(entry.path, { path: entry.path, before: entry.state, after: { kind: "absent" } })
        }
      }
      for (const entry of foreign) {
        const message = `It cannot become a ${after.kind}: ${showPath(entry.path)} is in it.`
        problems.push({ path, code: "CONFLICT", message })
      }
    } else if (foreign.length > 0 || inside.some(entry => !goes.has(entry.path))) {
      result.delete(path)
      goes.delete(path)
      kept.push(path)
    }
  }
  return [...result.values()]
}

async function listInside(eyes: Eyes, folder: WorkspacePath): Promise<{ path: WorkspacePath; state: State }[]> {
  const entries = await eyes.folders.within(folder, path => eyes.files.list(path))
  const all: { path: WorkspacePath; state: State }[] = []
  for (const entry of entries) {
    const path = `${folder}/${entry.name}`
    if (entry.kind !== "folder") {
      all.push({ path, state: { kind: "unknown" } })
      continue
    }
    const { state } = await lookAt(eyes.files, eyes.folders, eyes.root, path)
    all.push({ path, state }, ...(await listInside(eyes, path)))
  }
  return all
}

/** Folders that each move has to make first, outermost first. */
async function layFolders(
  eyes: Eyes,
  ordered: readonly Move[],
  problems: Problem[],
): Promise<ReadonlyMap<WorkspacePath, string[]>> {
  const layout = new Map<WorkspacePath, string[]>()
  const made = new Set<string>()
  const there = new Set<string>([""])
  const gone = new Set<string>()
  for (const move of ordered) {
    if (move.after.kind === "absent") {
      gone.add(move.path)
      continue
    }
    const missing: string[] = []
    for (let folder = parentOf(move.path); !there.has(folder) && !made.has(folder); folder = parentOf(folder)) {
      const state = gone.has(folder) ? null : (await lookAt(eyes.files, eyes.folders, eyes.root, folder, 0)).state
      const inFile = state !== null && state.kind !== "folder" && state.kind !== "absent"
      if (inFile) {
        const message = `It cannot be written: ${showPath(folder)} is not a folder.`
        problems.push({ path: move.path, code: "FILE_CHANGED_SINCE_READ", message })
        break
      }
      if (state?.kind === "folder") there.add(folder)
      else missing.unshift(folder)
    }
    for (const folder of missing) made.add(folder)
    if (move.after.kind === "folder") made.add(move.path)
    if (missing.length > 0) layout.set(move.path, missing)
  }
  return layout
}

async function checkWritable(
  eyes: Eyes,
  moves: readonly Move[],
  looks: ReadonlyMap<WorkspacePath, Look>,
  problems: Problem[],
): Promise<void> {
  const { files, folders } = eyes
  const changed = new Set(moves.filter(move => move.after.kind === "folder").map(move => move.path))
  const answers = new Map<string, boolean>()
  for (const move of moves) {
    const { path, before, after } = move
    const owner = looks.get(path)?.stat?.uid
    if (before.kind === after.kind && (before.kind === "folder" || sameBlob(before, after))) {
      if (files.self.uid === 0 || owner === files.self.uid) continue
      problems.push({ path, code: "DENIED", message: "Its mode is its owner's to change." })
      continue
    }
    const parent = parentOf(path)
    let answer = answers.get(parent)
    if (answer === undefined) {
      const folder = await nearestFolder(eyes, parent)
      // A folder whose mode is about to change cannot be asked yet; the deed itself will tell.
      answer = changed.has(folder) || (await folders.within(folder, place => files.writable(`${place}/.`)))
      answers.set(parent, answer)
    }
    if (answer) continue
    problems.push({ path, code: "DENIED", message: "It cannot be written: its folder is closed to us." })
  }
}

/** The folder itself or the closest one above it that is there. */
async function nearestFolder(eyes: Eyes, folder: string): Promise<string> {
  let at = folder
  while (at !== "" && (await lookAt(eyes.files, eyes.folders, eyes.root, at, 0)).state.kind !== "folder")
    at = parentOf(at)
  return at
}

/**
 * Whether the file keeps its inode: it has other names (S31), or an owner that a new file of ours could not have. A bind mount
 * cannot be told from here; the rename fails with EBUSY and the step is journaled anew as one in place.
 */
async function writesInPlace(eyes: Eyes, move: Move, stat: Stat | null): Promise<boolean> {
  const { before, after } = move
  if (!stat || before.kind !== "file" || after.kind !== "file" || before.blob === after.blob) return false
  if (stat.links > 1) return move.breaksLink !== true
  const { uid, gid, groups } = eyes.files.self
  if (uid === 0 || (stat.uid === uid && (stat.gid === gid || groups.includes(stat.gid)))) return false
  return eyes.folders.within(parentOf(move.path), folder =>
    eyes.files.writable(`${folder}/${move.path.slice(move.path.lastIndexOf("/") + 1)}`),
  )
}

/**
 * Whether a write after this moment is sure to show in the stamp: kernels before 6.13 stamp by ticks of up to 10 ms, so that a
 * write within the tick of the last one leaves the same times (git's "racily clean"). 50 ms leave room for clocks that differ.
 */
function isAtRest(stat: Stat, now: number): boolean {
  const latest = stat.ctimeNs > stat.mtimeNs ? stat.ctimeNs : stat.mtimeNs
  return latest < BigInt(now - 50) * 1_000_000n
}

function stepOf(move: Move, inPlace: boolean, name: string, makesFolders: readonly string[]): Step {
  const { path, before, after } = move
  const onlyMode = sameBlob(before, after)
  const staged = (after.kind === "file" && !inPlace && !onlyMode) || after.kind === "symlink"
  const replaced = before.kind !== "absent" && before.kind !== "folder" && !inPlace && !onlyMode
  return {
    path,
    before,
    after,
    temp: staged ? name : null,
    aside: replaced ? `${name}-old` : null,
    inPlace,
    makesFolders,
  }
}

function sameBlob(a: State, b: State): boolean {
  return a.kind === "file" && b.kind === "file" && a.blob === b.blob
}

function depthOf(path: WorkspacePath): number {
  return path.split("/").length
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
