import { diskState, type Item } from "@galley/core/change/item.ts"
import { parentOf, type WorkspacePath } from "@galley/core/path.ts"
import { openGitObjects } from "../io/git-objects.ts"
import { blobIdOf } from "../io/hash.ts"
import { pairAlike } from "../io/renames-alike.ts"
import { isGitPath } from "../io/roots.ts"
import { type DiskChange, seenAbsent, seenLoaded } from "../io/seen.ts"
import { loadState } from "./contents.ts"
import { nameOf } from "./look.ts"
import type { Session } from "./session.ts"
import { isTemporaryName } from "./steps.ts"

/** A known file that does not stand at its path any more. */
export interface Gone {
  readonly item: Item
  /** When it was last known to be there, in milliseconds since the epoch. */
  readonly since: number
  /** The commit that was checked out then; null outside git. */
  readonly commit: string | null
}

export interface Arrived {
  /** By old path: where the very same bytes stand now. */
  readonly same: ReadonlyMap<WorkspacePath, WorkspacePath>
  /** By old path: where something like it stands. */
  readonly alike: ReadonlyMap<WorkspacePath, WorkspacePath>
}

/** Entries looked at in one search, folder by folder, nearest first; what is beyond is not found. */
const searchLimit = 50_000
/** Files that are compared by likeness. */
const alikeLimit = 200
/** Kernels stamp by ticks, and a clock may be put back a little. Milliseconds. */
const clockSlack = 2_000

/**
 * Looks for where files went: among regular files that are `free` and have come to their name since (a rename moves ctime, so that an old
 * copy is no candidate), outside git's commits and regenerable folders.
 */
export async function arrivedFiles(
  session: Session,
  gone: readonly Gone[],
  free: (path: WorkspacePath) => Promise<boolean>,
): Promise<Arrived> {
  if (gone.length === 0) return { same: new Map(), alike: new Map() }
  const arrivals = await recentFiles(session, gone)
  const same = new Map<WorkspacePath, WorkspacePath>()
  const taken = new Set<WorkspacePath>()
  const objects = openGitObjects(session.root.path)
  try {
    const isNew = async (one: Gone, path: WorkspacePath): Promise<boolean> =>
      !taken.has(path) &&
      (await free(path)) &&
      (one.commit === null || (await objects.committed(path, one.commit)).kind === "absent")
    const byBlob = Map.groupBy(arrivals, file => file.blob)
    for (const one of inOrder(gone, arrivals)) {
      const state = diskState(one.item)
      const candidates = (state.kind === "file" ? (byBlob.get(state.blob) ?? []) : [])
        .filter(file => isLater(file.ctime, one))
        .toSorted((a, b) => nearness(a.path, one.item.path) - nearness(b.path, one.item.path))
      for (const { path } of candidates) {
        if (!(await isNew(one, path))) continue
        same.set(one.item.path, path)
        taken.add(path)
        break
      }
    }
    const left = gone.filter(one => !same.has(one.item.path))
    const others: typeof arrivals = []
    for (const file of left.length === 0 ? [] : arrivals.slice(0, alikeLimit)) {
      const [one] = left.filter(candidate => isLater(file.ctime, candidate))
      if (one !== undefined && (await isNew(one, file.path))) others.push(file)
    }
    return { same, alike: await likenesses(session, left, others) }
  } finally {
    objects.close()
  }
}

interface Arrival {
  readonly path: WorkspacePath
  readonly size: number
  readonly blob: string | null
  /** Milliseconds. */
  readonly ctime: number
}

/** Those that have a file of their own name first, so that nobody takes it from them. */
function inOrder(gone: readonly Gone[], arrivals: readonly Arrival[]): Gone[] {
  const names = new Set(arrivals.map(file => `${nameOf(file.path)} ${file.blob ?? ""}`))
  const own = ({ item }: Gone): boolean => {
    const state = diskState(item)
    return state.kind === "file" && names.has(`${nameOf(item.path)} ${state.blob}`)
  }
  return [...gone.filter(own), ...gone.filter(one => !own(one))]
}

/** The same name before the same folder before anything else. */
function nearness(path: WorkspacePath, old: WorkspacePath): number {
  return nameOf(path) === nameOf(old) ? 0 : parentOf(path) === parentOf(old) ? 1 : 2
}

function isLater(ctime: number, { since }: Gone): boolean {
  return ctime >= since - clockSlack
}

/** Files that came to their names since the first of these was last seen: those of a size that is wanted with their hash. */
async function recentFiles(session: Session, gone: readonly Gone[]): Promise<Arrival[]> {
  const sizes = new Set<number>()
  for (const { item } of gone) {
    const state = diskState(item)
    if (state.kind === "file") sizes.add(state.size)
  }
  const since = Math.min(...gone.map(one => one.since)) - clockSlack
  const closed = new Set(session.config["view.regenerable"])
  const queue: WorkspacePath[] = [...new Set([...gone.map(one => parentOf(one.item.path)), ""])]
  const queued = new Set(queue)
  const found: Arrival[] = []
  let looked = 0
  for (let at = 0; at < queue.length && looked < searchLimit; at++) {
    const folder = queue[at] ?? ""
    const absolute = folder === "" ? session.root.path : session.root.absolute(folder)
    for (const entry of await session.files.list(absolute).catch(() => [])) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`
      looked++
      if (isGitPath(path) || isTemporaryName(entry.name)) continue
      if (entry.kind === "folder" && !closed.has(entry.name) && !queued.has(path)) {
        queue.push(path)
        queued.add(path)
      }
      if (entry.kind !== "file") continue
      const stat = await session.files.lstat(session.root.absolute(path)).catch(() => null)
      const ctime = Number((stat?.ctimeNs ?? 0n) / 1_000_000n)
      if (stat?.kind !== "file" || stat.size === 0 || ctime < since) continue
      const blob = sizes.has(stat.size) ? await blobAt(session, path) : null
      found.push({ path, size: stat.size, blob, ctime })
    }
  }
  return found
}

async function blobAt(session: Session, path: WorkspacePath): Promise<string | null> {
  const limit = session.config["file.maxBytes"]
  const read = await session.files.read(session.root.absolute(path), limit).catch(() => "tooLarge" as const)
  return read === "tooLarge" ? null : blobIdOf(read.bytes)
}

async function likenesses(
  session: Session,
  gone: readonly Gone[],
  files: readonly Arrival[],
): Promise<ReadonlyMap<WorkspacePath, WorkspacePath>> {
  if (gone.length === 0 || files.length === 0) return new Map()
  const plain = { ignored: false, movedSince: () => false }
  const left: DiskChange[] = []
  for (const { item } of gone) {
    const before = seenLoaded(await loadState(session.store, diskState(item)))
    left.push({ path: item.path, before, after: seenAbsent, ...plain })
  }
  const limit = session.config["file.maxBytes"]
  const arrived = files.map(({ path, size }): DiskChange => {
    const read = async (): Promise<Uint8Array> => {
      const content = await session.files.read(session.root.absolute(path), limit)
      if (content === "tooLarge") throw new Error(`${path} has grown`)
      return content.bytes
    }
    return { path, before: seenAbsent, after: { kind: "file", mode: 0o644, size, read }, ...plain }
  })
  return new Map([...(await pairAlike(left, arrived))].map(([to, from]) => [from, to]))
}
