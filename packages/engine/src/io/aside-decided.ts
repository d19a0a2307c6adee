import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  utimesSync,
} from "node:fs"
import { isWithin, parentOf, type WorkspacePath } from "@galley/core/path.ts"
import {
  type AsideEntry,
  type AsideFolder,
  asideEntries,
  asideLimit,
  asideTree,
  readAsides,
  takeAside,
  writeAside,
  writeWhole,
} from "./aside.ts"
import { keyOf } from "./kept.ts"
import { native, statOf } from "./seen.ts"
import { removeTree } from "./view-folder.ts"

/**
 * What a person decided about folders kept aside, so that it can be undone: `aside/decided/ID/decision.json`, with the files that
 * were dropped below `tree` and what stood on the disk before below `before`. Nothing of it is in the store. It goes with the garbage,
 * and the oldest where all of it grows beyond {@link asideLimit}. Call what changes it under the lock.
 */
export interface AsideDecision {
  readonly decision: "accept" | "reject"
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly folders: readonly DecidedFolder[]
}

interface DecidedFolder {
  readonly aside: AsideFolder
  readonly entries: readonly AsideEntry[]
  /** Of accepted files: how they stood on disk when they had been put there. */
  readonly placed: readonly (readonly [WorkspacePath, key: string])[]
  /** Folders made for them, outermost first. */
  readonly made: readonly WorkspacePath[]
}

/** Carries a decision out. Paths that lead through a symlink are left alone. */
export function decideAsides(
  place: { readonly scratch: string; readonly root: string; readonly id: string },
  asides: readonly AsideFolder[],
  decision: AsideDecision["decision"],
  at: number,
): void {
  const { scratch, id } = place
  const folders = asides.map(aside => {
    const entries = asideEntries(scratch, aside)
    const done = decision === "accept" ? putOnDisk(place, entries, at) : putAway(place, entries)
    takeAside(scratch, aside)
    return { aside, entries, ...done }
  })
  writeDecision(scratch, id, { decision, at, folders })
  trimDecisions(scratch, id)
}

/** Gives a decision the name of the operation that tells of it. */
export function nameDecision(scratch: string, id: string, operation: string): void {
  renameSync(decisionAt(scratch, id), decisionAt(scratch, operation))
}

/** The decision that an operation tells of; null where there is none, or its files went with the garbage. */
export function readDecision(scratch: string, operation: string): AsideDecision | null {
  try {
    return JSON.parse(readFileSync(`${decisionAt(scratch, operation)}/decision.json`, "utf8")) as AsideDecision
  } catch {
    return null
  }
}

/**
 * Takes a decision back: what was dropped, or put on disk and still stands there as it was put, is kept aside again; what stood on disk
 * before comes back. Returns the paths that stay as they are: changed since, or in a folder that a later command has written aside.
 */
export function takeBackDecision(scratch: string, root: string, operation: string): readonly WorkspacePath[] {
  const decided = readDecision(scratch, operation)
  if (decided === null) return []
  const left: WorkspacePath[] = []
  const later = new Set(readAsides(scratch).map(aside => aside.folder))
  const from = decisionAt(scratch, operation)
  for (const { aside, entries, placed, made } of decided.folders) {
    if (later.has(aside.folder)) {
      left.push(aside.folder)
      continue
    }
    const keys = new Map(placed)
    const back: AsideEntry[] = []
    for (const entry of entries.toReversed()) {
      const [path, kind] = entry
      const kept = `${asideTree(scratch)}/${path}`
      const isOurs = decided.decision === "reject" || keys.get(path) === keyAt(`${root}/${path}`)
      if (!isOurs || (decided.decision === "accept" && !isReachable(root, path))) {
        left.push(path)
        continue
      }
      back.unshift(entry)
      if (kind === "folder") {
        mkdirSync(native(kept), { recursive: true })
        chmodSync(native(kept), entry[2])
      } else if (kind !== "absent")
        move(decided.decision === "reject" ? `${from}/tree/${path}` : `${root}/${path}`, kept)
      const before = `${from}/before/${path}`
      if (decided.decision === "accept" && statOf(before) !== null) move(before, `${root}/${path}`)
    }
    for (const folder of made.toReversed()) removeIfEmpty(`${root}/${folder}`)
    if (back.length > 0) writeAside(scratch, aside, back)
  }
  return left.reverse()
}

/** Makes a decision again that was taken back. */
export function repeatDecision(
  place: { readonly scratch: string; readonly root: string; readonly id: string },
  at: number,
): void {
  const decided = readDecision(place.scratch, place.id)
  if (decided === null) return
  const names = new Set(decided.folders.map(folder => folder.aside.folder))
  const asides = readAsides(place.scratch).filter(aside => names.has(aside.folder))
  removeTree(decisionAt(place.scratch, place.id))
  decideAsides(place, asides, decided.decision, at)
}

/** Forgets decisions about anything at a path or inside it. */
export function forgetDecisions(scratch: string, path: WorkspacePath | ""): void {
  for (const name of decisionNames(scratch)) {
    const folders = readDecision(scratch, name)?.folders ?? []
    if (folders.some(folder => folder.entries.some(([entry]) => isWithin(entry, path))))
      removeTree(decisionAt(scratch, name))
  }
}

/** Forgets decisions made before a time. */
export function expireDecisions(scratch: string, before: number): void {
  for (const name of decisionNames(scratch))
    if ((readDecision(scratch, name)?.at ?? 0) < before) removeTree(decisionAt(scratch, name))
}

type Done = Pick<DecidedFolder, "placed" | "made">

function putAway(place: { readonly scratch: string; readonly id: string }, entries: readonly AsideEntry[]): Done {
  for (const [path, kind] of entries)
    if (kind === "file" || kind === "symlink")
      move(`${asideTree(place.scratch)}/${path}`, `${decisionAt(place.scratch, place.id)}/tree/${path}`)
  return { placed: [], made: [] }
}

function putOnDisk(
  { scratch, root, id }: { readonly scratch: string; readonly root: string; readonly id: string },
  entries: readonly AsideEntry[],
  at: number,
): Done {
  const placed: (readonly [WorkspacePath, string])[] = []
  const made: WorkspacePath[] = []
  const place = (path: WorkspacePath): void => void placed.push([path, keyAt(`${root}/${path}`)])
  for (const entry of entries) {
    const [path, kind] = entry
    const target = `${root}/${path}`
    if (!isReachable(root, path)) continue
    const there = statOf(target)
    if (kind === "folder") {
      if (there !== null && !there.isDirectory()) move(target, `${decisionAt(scratch, id)}/before/${path}`)
      makeFolders(root, path, made)
      chmodSync(native(target), entry[2])
      place(path)
      continue
    }
    if (kind === "absent" && there?.isDirectory() === true) {
      // What the command did not know of stays inside.
      removeIfEmpty(target)
      place(path)
      continue
    }
    if (there !== null) move(target, `${decisionAt(scratch, id)}/before/${path}`)
    if (kind !== "absent") {
      makeFolders(root, parentOf(path), made)
      move(`${asideTree(scratch)}/${path}`, target)
      // So that a build does not take it for older than the text it was made from, which was written when it was accepted.
      if (kind === "file") utimesSync(native(target), at / 1000, at / 1000)
    }
    place(path)
  }
  return { placed, made }
}

/** Whether every folder on the way is one, as far as there are any: what lies behind a symlink is not the workspace's. */
function isReachable(root: string, path: WorkspacePath): boolean {
  for (let folder = parentOf(path); folder !== ""; folder = parentOf(folder)) {
    const stat = statOf(`${root}/${folder}`)
    if (stat !== null && !stat.isDirectory()) return false
  }
  return true
}

function makeFolders(root: string, folder: WorkspacePath | "", made: WorkspacePath[]): void {
  if (folder === "" || statOf(`${root}/${folder}`) !== null) return
  makeFolders(root, parentOf(folder), made)
  mkdirSync(native(`${root}/${folder}`))
  made.push(folder)
}

function keyAt(path: string): string {
  const stat = statOf(path)
  if (stat === null) return "absent"
  return stat.isDirectory() ? "folder" : keyOf(stat).replace(/ \d+$/, "")
}

/** Renames, or copies where the store is on another disk. */
function move(from: string, to: string): void {
  mkdirSync(native(to.slice(0, to.lastIndexOf("/"))), { recursive: true })
  try {
    renameSync(native(from), native(to))
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EXDEV")) throw error
    cpSync(native(from).toString(), native(to).toString(), {
      recursive: true,
      verbatimSymlinks: true,
      preserveTimestamps: true,
    })
    rmSync(native(from), { recursive: true })
  }
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(native(folder))
  } catch {
    // Something else is in it, or it is gone.
  }
}

function decisionAt(scratch: string, id: string): string {
  return `${scratch}/aside/decided/${id}`
}

function decisionNames(scratch: string): readonly string[] {
  try {
    return readdirSync(`${scratch}/aside/decided`)
  } catch {
    return []
  }
}

function writeDecision(scratch: string, id: string, decision: AsideDecision): void {
  const at = decisionAt(scratch, id)
  mkdirSync(at, { recursive: true, mode: 0o700 })
  writeWhole(`${at}/decision.json`, decision)
}

function trimDecisions(scratch: string, newest: string): void {
  const decisions = decisionNames(scratch)
    .map(name => ({ name, decided: readDecision(scratch, name) }))
    .sort((a, b) => (b.decided?.at ?? 0) - (a.decided?.at ?? 0))
  let bytes = 0
  for (const { name, decided } of decisions) {
    bytes += decided?.folders.reduce((sum, folder) => sum + folder.aside.bytes, 0) ?? 0
    if (bytes > asideLimit && name !== newest) removeTree(decisionAt(scratch, name))
  }
}
