import { diskState, isPending, type Item } from "@galley/core/change/item.ts"
import type { Actor, Change, Operation } from "@galley/core/history/operation.ts"
import { isWithin, showPath, type WorkspacePath } from "@galley/core/path.ts"
import { absent } from "@galley/core/state.ts"
import type { Batch, NewOperation } from "../store/store.ts"
import { arrivedFiles, type Gone } from "./arrived.ts"
import { readDisk } from "./disk.ts"
import { makeNote } from "./feedback.ts"
import { gitHead } from "./git-head.ts"
import { movesOf, placeSince } from "./moves.ts"
import type { Session } from "./session.ts"

/** A file that somebody renamed, in the words of the workspace. */
export interface Rename {
  readonly from: WorkspacePath
  readonly to: WorkspacePath
}

/** What became of files that were at the paths that were asked about. */
export interface Followed {
  readonly renames: readonly Rename[]
  /** By old path: a file that looks like the one that is gone, but is not the same; its review did not come along. */
  readonly alike: ReadonlyMap<WorkspacePath, WorkspacePath>
}

const nothing: Followed = { renames: [], alike: new Map() }

/**
 * Follows files that somebody renamed since Galley last looked: where a known file is gone and one that Galley never met holds the very
 * same bytes, everything that is known of the old path goes on at the new one. Call it under the lock.
 *
 * `paths` are those about to be settled; those in `seen` were looked at by the caller, who knows better.
 */
export async function followRenames(
  session: Session,
  paths: readonly WorkspacePath[],
  seen?: ReadonlyMap<WorkspacePath, unknown>,
): Promise<Followed> {
  const asked = paths.filter(path => seen?.has(path) !== true)
  if (asked.length === 0) return nothing
  const known = await session.store.items({ paths: asked })
  const missing = await missingOf(session, [...known, ...(await sameSized(session, asked, known))])
  if (missing.length === 0) return nothing
  const gone: Gone[] = []
  for (const item of missing) {
    const last = (await session.store.operations({ path: item.path, limit: 1 })).at(-1)
    // What was never pending is of no operation; a file that rests follows on its own branch only, git may have taken it from others.
    if (last === undefined || (!isPending(item) && !(await isOnBranch(session, last)))) continue
    gone.push({ item, since: last.at, commit: last.head?.commit ?? null })
  }
  const arrived = await arrivedFiles(session, gone, path => isFree(session, path))
  const renames = [...arrived.same].map(([from, to]) => ({ from, to }))
  if (renames.length > 0) await carry(session, renames, "external")
  return { renames, alike: arrived.alike }
}

/** The person renamed files or folders in an editor, which says so: what is known of them comes along, whatever is in them now. */
export async function carryRenamed(session: Session, asked: readonly Rename[]): Promise<readonly Rename[]> {
  const renames: Rename[] = []
  for (const { from, to } of asked) {
    if (from === to || isWithin(to, from)) continue
    for (const item of await session.store.items({ under: from })) {
      const target = `${to}${item.path.slice(from.length)}`
      const moved = !(await isThere(session, item.path)) && (await isFree(session, target))
      if (moved && (await hasHistory(session, item))) renames.push({ from: item.path, to: target })
    }
  }
  if (renames.length > 0) await carry(session, renames, "person")
  return renames
}

/** The changes of an operation at the places where their files stand now. Call it under the lock, before drift is settled. */
export async function changesNow(session: Session, operation: Operation): Promise<Change[]> {
  const paths = await placesNow(session, [operation])
  return operation.changes.map(change => ({ ...change, path: paths.get(place(operation, change.path)) ?? change.path }))
}

/** Where the files that operations changed stand now, without repetition. Call it under the lock, before drift is settled. */
export async function pathsNow(session: Session, operations: readonly Operation[]): Promise<WorkspacePath[]> {
  return [...new Set((await placesNow(session, operations)).values())]
}

async function placesNow(session: Session, operations: readonly Operation[]): Promise<Map<string, WorkspacePath>> {
  const find = async (): Promise<Map<string, WorkspacePath>> => {
    const places = new Map<string, WorkspacePath>()
    for (const operation of operations)
      for (const { path } of operation.changes)
        places.set(place(operation, path), await placeSince(session, path, operation.seq))
    return places
  }
  const places = await find()
  const { renames } = await followRenames(session, [...new Set(places.values())])
  return renames.length === 0 ? places : find()
}

function place(operation: Operation, path: WorkspacePath): string {
  return `${operation.seq} ${path}`
}

/** Items whose file should be there and is not. */
async function missingOf(session: Session, items: readonly Item[]): Promise<Item[]> {
  const missing: Item[] = []
  for (const item of items) {
    const state = diskState(item)
    // Chance gives many files no bytes at all.
    if (state.kind !== "file" || state.size === 0) continue
    if ((await session.files.lstat(session.root.absolute(item.path)).catch(() => "closed")) !== null) continue
    // Behind a symlink or a closed folder nothing is known to be gone.
    if ((await readDisk(session, item.path)).kind === "absent") missing.push(item)
  }
  return missing
}

/** For paths that were never met and hold a file: pending items that have just that many bytes on disk, and may have become it. */
async function sameSized(
  session: Session,
  asked: readonly WorkspacePath[],
  known: readonly Item[],
): Promise<readonly Item[]> {
  const met = new Set(known.map(item => item.path))
  const sizes = new Set<number>()
  for (const path of asked) {
    if (met.has(path)) continue
    const stat = await session.files.lstat(session.root.absolute(path)).catch(() => null)
    if (stat?.kind === "file") sizes.add(stat.size)
  }
  if (sizes.size === 0) return []
  const pending = await session.store.items({ pending: true })
  return pending.filter(item => {
    const state = diskState(item)
    return !met.has(item.path) && state.kind === "file" && sizes.has(state.size)
  })
}

/** Whether the very name is there. A file system that takes `a` and `A` for one shows by its list which of them it holds. */
async function isThere(session: Session, path: WorkspacePath): Promise<boolean> {
  const cut = path.lastIndexOf("/")
  const stat = await session.files.lstat(session.root.absolute(path)).catch(() => "closed")
  if (stat === null) return false
  const folder = cut < 0 ? session.root.path : session.root.absolute(path.slice(0, cut))
  const name = path.slice(cut + 1)
  const names = await session.files.list(folder).catch(() => [])
  return names.length === 0 || names.some(entry => entry.name === name)
}

/** Whether a file can go on at the path: nothing is known of one that stood there. */
async function isFree(session: Session, path: WorkspacePath): Promise<boolean> {
  const item = await session.store.item(path)
  if (item !== null && (item.base.kind !== "absent" || item.current.kind !== "absent")) return false
  return (await movesOf(session, path)).length === 0
}

async function hasHistory(session: Session, item: Item): Promise<boolean> {
  if (isPending(item)) return true
  return diskState(item).kind === "file" && (await movesOf(session, item.path)).length > 0
}

async function isOnBranch(session: Session, operation: Operation): Promise<boolean> {
  return (await gitHead(session))?.branch === operation.head?.branch
}

/** Takes everything known of files over to their new paths, as one operation. */
async function carry(session: Session, renames: readonly Rename[], actor: Actor): Promise<void> {
  const to = new Map(renames.map(rename => [rename.from, rename.to]))
  const items = await session.store.items({ paths: renames.flatMap(({ from, to: target }) => [from, target]) })
  const byPath = new Map(items.map(item => [item.path, item]))
  const changes: Change[] = []
  const rows = new Map<WorkspacePath, Item>()
  for (const { from, to: target } of renames) {
    const item = byPath.get(from)
    if (item === undefined) continue
    const { base, current, conflictOrigin: origin } = item
    const sides = origin === undefined ? { base, current } : { base, current, origin }
    const none = { base: absent, current: absent }
    changes.push({ path: from, before: sides, after: none })
    changes.push({
      path: target,
      before: none,
      after: sides,
      ...(item.renamedFrom === undefined ? {} : { renamedFrom: item.renamedFrom }),
      carriedFrom: from,
    })
    const { conflictOrigin: _, renamedFrom: __, ...plain } = item
    rows.set(from, { ...plain, ...none, revision: item.revision + 1, conversations: [] })
    const revision = Math.max(item.revision, byPath.get(target)?.revision ?? 0) + 1
    rows.set(target, { ...item, path: target, revision })
  }
  for (const item of await session.store.items({ pending: true })) {
    const old = item.renamedFrom === undefined ? undefined : to.get(item.renamedFrom)
    const row = rows.get(item.path) ?? item
    if (old !== undefined && row.renamedFrom !== undefined) rows.set(item.path, { ...row, renamedFrom: old })
  }
  const [first] = renames
  const named = first === undefined ? "" : `${showPath(first.from)} → ${showPath(first.to)}`
  const more = renames.length === 1 ? "" : ` and ${renames.length - 1} more`
  const operation: NewOperation = {
    id: session.env.newId(),
    kind: "external",
    actor,
    conversation: null,
    message: null,
    at: session.env.now(),
    title: `${actor === "person" ? "Renamed" : "Renamed outside"}: ${named}${more}`,
    capture: "detected",
    head: await gitHead(session),
    changes,
  }
  await session.store.commit({
    operations: [operation],
    items: [...rows.values()],
    ...(await companyOf(session, to, byPath)),
  })
}

/** What belongs to the files beside the items: remarks on their lines, calls that wait, and that their agents learn the new name. */
async function companyOf(
  session: Session,
  to: ReadonlyMap<WorkspacePath, WorkspacePath>,
  items: ReadonlyMap<WorkspacePath, Item>,
): Promise<Batch> {
  const notes = (await session.store.notes({})).flatMap(note => {
    const path = note.path === null ? undefined : to.get(note.path)
    return path === undefined ? [] : [{ ...note, path }]
  })
  const lines = new Map<string, string[]>()
  for (const [from, target] of to)
    for (const conversation of items.get(from)?.conversations ?? [])
      lines.set(conversation, [...(lines.get(conversation) ?? []), `${showPath(from)} is now ${showPath(target)}`])
  const told = [...lines].map(([conversation, names]) => {
    const more = names.length > 8 ? ` and ${names.length - 8} more` : ""
    return makeNote(session, "stale", conversation, null, `Renamed: ${names.slice(0, 8).join(", ")}${more}.`)
  })
  const waiting = (await session.store.waiting()).flatMap(call => {
    if (!call.paths.some(path => to.has(path)) && (call.path === undefined || !to.has(call.path))) return []
    const path = call.path === undefined ? undefined : (to.get(call.path) ?? call.path)
    return [{ ...call, ...(path === undefined ? {} : { path }), paths: call.paths.map(one => to.get(one) ?? one) }]
  })
  return { notes: [...notes, ...told], waiting }
}
