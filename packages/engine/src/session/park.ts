import { diskState, isPending, type Item } from "@galley/core/change/item.ts"
import { sameLoaded } from "@galley/core/change/loaded.ts"
import { mergeStates, type OnOverlap } from "@galley/core/change/state-merge.ts"
import { Failure } from "@galley/core/failure.ts"
import type { Change } from "@galley/core/history/operation.ts"
import { isWithin, showPath, type WorkspacePath } from "@galley/core/path.ts"
import type { NewOperation, Parked } from "../store/store.ts"
import { commitTurns } from "./commit.ts"
import { loadSides, loadState, saveState } from "./contents.ts"
import { readDisk } from "./disk.ts"
import { settleDrift, standingAt } from "./drift.ts"
import type { Session } from "./session.ts"

/** Where HEAD was when the items were pending. */
export interface ParkedAt {
  readonly commit: string | null
  readonly branch: string | null
}

/**
 * Sets aside pending items whose file git changed under them, with both texts, under the branch they belong to. What stands on disk
 * now is nobody's proposal.
 */
export async function parkMoved(session: Session, from: ParkedAt): Promise<void> {
  const changes: Change[] = []
  const items: Item[] = []
  const parked: Parked[] = []
  for (const item of await session.store.items({ pending: true })) {
    const found = await readDisk(session, item.path)
    if (found.kind === "unknown" || sameLoaded(found, await loadState(session.store, diskState(item)))) continue
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

/**
 * Takes up parked items by a person's wish where the file moved on: the proposal is merged into what stands there now. `CONFLICT`
 * where they overlap, until told.
 */
export async function takeUpParked(session: Session, path: WorkspacePath | "", onOverlap: OnOverlap): Promise<number> {
  const entries = (await session.store.parked()).filter(entry => isWithin(entry.item.path, path))
  for (const entry of entries) {
    const standing = standingAt(await settleDrift(session, [entry.item.path]), entry.item.path)
    const sides = await loadSides(session.store, { base: entry.item.base, current: entry.item.current })
    const merge = mergeStates(
      sides.base,
      standing.sides.current,
      sides.current,
      onOverlap,
      await session.charsetFor(entry.item.path),
    )
    if (merge.kind !== "merged")
      throw new Failure(
        "CONFLICT",
        `${showPath(entry.item.path)}: the parked change and the file as it is now overlap. Nothing was changed.`,
        "Choose --on-conflict keep-mine or take-theirs.",
      )
    await commitTurns(
      session,
      [{ standing, sides: { base: standing.sides.base, current: merge.state }, disk: entry.item.disk }],
      {
        kind: "unpark",
        actor: "person",
        conversation: null,
        message: null,
        title: `Take up the parked change of ${showPath(entry.item.path)}`,
        capture: "none",
      },
      { unparked: [entry.id] },
    )
  }
  return entries.length
}

/** Drops parked items by a person's wish. Their texts stay in the log. */
export async function dropParked(session: Session, path: WorkspacePath | ""): Promise<number> {
  const entries = (await session.store.parked()).filter(entry => isWithin(entry.item.path, path))
  if (entries.length > 0) await session.store.commit({ unparked: entries.map(entry => entry.id) })
  return entries.length
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
