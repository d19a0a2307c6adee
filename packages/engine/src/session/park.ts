import { diskState, isPending, type Item } from "@galley/core/change/item.ts"
import { sameLoaded, type Loaded } from "@galley/core/change/loaded.ts"
import { mergeStates, type OnOverlap } from "@galley/core/change/state-merge.ts"
import { Failure } from "@galley/core/failure.ts"
import type { Decision } from "@galley/core/change/sides-decision.ts"
import type { Change, OperationId } from "@galley/core/history/operation.ts"
import { isWithin, showPath, type WorkspacePath } from "@galley/core/path.ts"
import { openGitObjects } from "../io/git-objects.ts"
import type { Batch, NewOperation, Parked } from "../store/store.ts"
import { commitTurns, type Committed, type Turn } from "./commit.ts"
import { loadSides, loadState, saveState } from "./contents.ts"
import { readDisk } from "./disk.ts"
import { settleDrift, standingAt } from "./drift.ts"
import type { Session } from "./session.ts"

export interface HeadAt {
  readonly commit: string | null
  readonly branch: string | null
}

/** How git moved since Galley last looked. */
export interface GitMove {
  readonly from: HeadAt
  readonly to: HeadAt
  /** Files may have moved although their committed content is the same at both: a stash, or one that a rebase made itself. */
  readonly stashMoved: boolean
}

/**
 * Sets aside pending items whose file git changed under them, with both texts, under the branch they belong to. What stands on disk
 * now is nobody's proposal.
 */
export async function parkMoved(session: Session, move: GitMove): Promise<void> {
  const { from } = move
  const changes: Change[] = []
  const items: Item[] = []
  const parked: Parked[] = []
  const drifted: { readonly item: Item; readonly found: Loaded }[] = []
  for (const item of await session.store.items({ pending: true })) {
    const found = await readDisk(session, item.path)
    if (found.kind !== "unknown" && !sameLoaded(found, await loadState(session.store, diskState(item))))
      drifted.push({ item, found })
  }
  for (const { item, found } of await movedByGit(session, drifted, move)) {
    const state = await saveState(session.store, found)
    const { conflictOrigin: _, renamedFrom: __, ...rest } = item
    changes.push({
      path: item.path,
      before: { base: item.base, current: item.current },
      after: { base: state, current: state },
    })
    items.push({ ...rest, base: state, current: state, revision: item.revision + 1, conversations: [] })
    const where = from.branch === null ? "a detached HEAD" : `branch ${from.branch}`
    parked.push({
      id: session.env.newId(),
      branch: from.branch,
      commit: from.commit,
      item,
      at: session.env.now(),
      reason: `git changed the file while it was pending on ${where}`,
    })
  }
  if (changes.length === 0) return
  const operation: NewOperation = {
    ...newGitOperation(session),
    kind: "park",
    title: `Parked ${changes.length === 1 ? showPath(changes[0]?.path ?? "") : `${changes.length} files`}: git changed ${changes.length === 1 ? "it" : "them"}`,
    changes,
  }
  await session.store.commit({ operations: [operation], items, parked })
}

/**
 * Of drifted items those that git wrote. A file that is the same in both commits was carried over, whatever an editor did to it
 * meanwhile: that is drift, to be folded. What git cannot tell counts as its own.
 */
async function movedByGit<T extends { readonly item: Item }>(
  session: Session,
  drifted: readonly T[],
  move: GitMove,
): Promise<readonly T[]> {
  const { from, to } = move
  if (drifted.length === 0 || move.stashMoved || from.commit === null || to.commit === null) return drifted
  const objects = openGitObjects(session.root.path)
  try {
    const moved: T[] = []
    for (const one of drifted) {
      const before = await objects.committed(one.item.path, from.commit)
      const after = await objects.committed(one.item.path, to.commit)
      const same =
        before.kind === "blob"
          ? after.kind === "blob" && before.id === after.id
          : before.kind === "absent" && after.kind === "absent"
      if (!same) moved.push(one)
    }
    return moved
  } finally {
    objects.close()
  }
}

/** Takes up again parked items whose file stands as it did when they were parked. */
export async function offerParked(session: Session, branch: string | null): Promise<void> {
  const changes: Change[] = []
  const items: Item[] = []
  const taken: string[] = []
  const newestFirst = (await session.store.parked()).toSorted((a, b) => b.at - a.at)
  for (const entry of newestFirst) {
    const path = entry.item.path
    const now = await session.store.item(path)
    if ((now !== null && isPending(now)) || items.some(item => item.path === path)) continue
    const found = await readDisk(session, path)
    const expected = await loadState(session.store, diskState(entry.item))
    if (!sameLoaded(found, expected)) continue
    const before = now ?? {
      base: await saveState(session.store, found),
      current: await saveState(session.store, found),
      revision: entry.item.revision,
    }
    changes.push({
      path,
      before: { base: before.base, current: before.current },
      after: { base: entry.item.base, current: entry.item.current },
      ...(entry.item.renamedFrom === undefined ? {} : { renamedFrom: entry.item.renamedFrom }),
    })
    items.push({ ...entry.item, revision: before.revision + 1 })
    taken.push(entry.id)
  }
  if (changes.length === 0) return
  const where = branch === null ? "" : ` on ${branch}`
  const operation: NewOperation = {
    ...newGitOperation(session),
    kind: "unpark",
    title: `Pending again${where}: ${changes.length === 1 ? showPath(changes[0]?.path ?? "") : `${changes.length} files`}`,
    changes,
  }
  await session.store.commit({ operations: [operation], items, unparked: taken })
}

/** The parked entries that a decision on a path, where nothing is pending, is about. */
export async function parkedUnder(session: Session, path: WorkspacePath | ""): Promise<readonly Parked[]> {
  return (await session.store.parked()).filter(entry => isWithin(entry.item.path, path))
}

/**
 * The person decides on what is parked: accepted, its change is merged into the file as it is now (`CONFLICT` where they overlap, until
 * told); rejected, it is dropped and the file stays. Either can be undone; both texts stay in the log.
 */
export async function decideParked(
  session: Session,
  entries: readonly Parked[],
  decision: Decision,
  onOverlap: OnOverlap,
  force: boolean,
): Promise<Committed & { readonly title: string }> {
  const newest = new Map(entries.map(entry => [entry.item.path, entry]))
  const turns: Turn[] = []
  if (decision === "accept") {
    const standings = await settleDrift(session, [...newest.keys()])
    for (const [path, entry] of newest) {
      const standing = standingAt(standings, path)
      const sides = await loadSides(session.store, { base: entry.item.base, current: entry.item.current })
      const charset = await session.charsetFor(path)
      const merge = mergeStates(sides.base, standing.sides.current, sides.current, onOverlap, charset)
      if (merge.kind !== "merged")
        throw new Failure(
          "CONFLICT",
          `${showPath(path)}: the parked change and the file as it is now overlap. Nothing was changed.`,
          "Choose --on-conflict keep-mine (the file's text stays) or take-theirs; either settles only what overlaps.",
        )
      turns.push({ standing, sides: { base: merge.state, current: merge.state }, disk: "current" })
    }
  }
  const [first = ""] = newest.keys()
  const what = newest.size === 1 ? showPath(first) : `${newest.size} files`
  const title = `${decision === "accept" ? "Accept" : "Reject"} what was parked of ${what}`
  const committed = await commitTurns(
    session,
    turns,
    { kind: decision, actor: "person", conversation: null, message: null, title, capture: "none" },
    { unparked: [...newest.values()].map(entry => entry.id) },
    { always: true, force },
  )
  if (committed.operation !== null)
    await session.store.commit({ settings: { [decidedSetting(committed.operation.id)]: [...newest.values()] } })
  return { ...committed, title }
}

/** The rows that an undo (or redo) of a decision on parked items needs besides its changes. */
export async function parkedAgain(
  session: Session,
  operation: OperationId,
  direction: "back" | "forward",
): Promise<Batch> {
  let decided = operation
  for (let repeated = await session.store.operation(decided); repeated?.redoes !== undefined; ) {
    decided = repeated.redoes
    repeated = await session.store.operation(decided)
  }
  const value = await session.store.setting(decidedSetting(decided))
  if (!Array.isArray(value)) return {}
  const entries: readonly Parked[] = value
  return direction === "back" ? { parked: entries } : { unparked: entries.map(entry => entry.id) }
}

function decidedSetting(operation: OperationId): string {
  return `parked.decided.${operation}`
}

function newGitOperation(session: Session): Omit<NewOperation, "kind" | "title" | "changes"> {
  return {
    id: session.env.newId(),
    actor: "git",
    conversation: null,
    message: null,
    at: session.env.now(),
    capture: "detected",
    head: null,
  }
}
