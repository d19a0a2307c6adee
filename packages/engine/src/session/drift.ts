import { isPending, diskState, type Item } from "@galley/core/change/item.ts"
import { sameLoaded, type Loaded, type LoadedSides } from "@galley/core/change/loaded.ts"
import { mergeStates } from "@galley/core/change/state-merge.ts"
import { foldDisk } from "@galley/core/change/sides-fold.ts"
import type { Actor, Change, Sides } from "@galley/core/history/operation.ts"
import { showPath, type WorkspacePath } from "@galley/core/path.ts"
import type { NewOperation } from "../store/store.ts"
import { blobOf, isLoadedAs, loadSides, loadState, type Saving, startSaving } from "./contents.ts"
import { readDisk } from "./disk.ts"
import { gitHead } from "./git-head.ts"
import { followRenames, type Followed } from "./renamed.ts"
import type { Session } from "./session.ts"

/** A path as it stands after what others did to it was folded in: item, both sides, the disk. */
export interface Standing {
  readonly path: WorkspacePath
  /** Null for a path never met before; its sides are what is on disk. */
  readonly item: Item | null
  readonly sides: LoadedSides
  readonly states: Sides
  readonly found: Loaded
}

/**
 * Folds what others wrote at these paths since Galley last looked, and tells how each stands. Call it under the lock, before
 * anything is decided.
 *
 * What was found is recorded as one operation of nobody we know (`external`, or `git` when HEAD moved meanwhile). `seen` gives
 * contents that the caller observed itself, where the disk has moved on since (a hook's look before the agent's own tool wrote). Files that
 * somebody renamed meanwhile are followed first; where they are now is settled too.
 */
export async function settleDrift(
  session: Session,
  paths: readonly WorkspacePath[],
  seen?: ReadonlyMap<WorkspacePath, Loaded>,
  actor: Actor = "external",
): Promise<ReadonlyMap<WorkspacePath, Standing>> {
  const followed = await followRenames(session, paths, seen)
  const all = [...new Set([...paths, ...followed.renames.map(rename => rename.to)])]
  const items = new Map((await session.store.items({ paths: all })).map(item => [item.path, item]))
  const standings = new Map<WorkspacePath, Standing>()
  const changes: Change[] = []
  const moved: Item[] = []
  const saving = startSaving(session.store)
  for (const path of all) {
    const item = items.get(path) ?? null
    const found = seen?.get(path) ?? (await readDisk(session, path, sizeKept(item)))
    const standing = await stand(session, saving, path, item, found)
    standings.set(path, standing)
    if (item !== null && standing.item !== null && standing.item !== item) {
      changes.push({
        path,
        before: withOrigin({ base: item.base, current: item.current }, item),
        after: withOrigin(standing.states, standing.item),
      })
      moved.push(standing.item)
    }
  }
  await saving.flush()
  if (changes.length > 0) {
    const operation: NewOperation = {
      id: session.env.newId(),
      kind: actor === "git" ? "git" : "external",
      actor,
      conversation: null,
      message: null,
      at: session.env.now(),
      title: `${actor === "git" ? "Git changed" : "Changed outside"}: ${changes
        .map(change => showPath(change.path))
        .slice(0, 3)
        .join(", ")}${changes.length > 3 ? ` and ${changes.length - 3} more` : ""}`,
      capture: "detected",
      head: await gitHead(session),
      changes,
      ...remarkOf(followed, changes),
    }
    await session.store.commit({ operations: [operation], items: moved })
  }
  return standings
}

function sizeKept(item: Item | null): number {
  const sizes = [item?.base, item?.current].map(state => (state?.kind === "file" ? state.size : 0))
  return Math.max(...sizes)
}

/** That a file is gone and something like it has come is said; what was pending in it stays in the log. */
function remarkOf({ alike }: Followed, changes: readonly Change[]): { remark?: string } {
  const lines = changes.flatMap(({ path }) => {
    const other = alike.get(path)
    return other === undefined
      ? []
      : [
          `${showPath(other)} looks like ${showPath(path)} under a new name, but its text is another: what was pending in it is not shown there.`,
        ]
  })
  return lines.length === 0 ? {} : { remark: lines.slice(0, 5).join(" ") }
}

/** The standing of one path, from {@link settleDrift}'s answer. */
export function standingAt(standings: ReadonlyMap<WorkspacePath, Standing>, path: WorkspacePath): Standing {
  const standing = standings.get(path)
  if (standing === undefined) throw new Error(`BUG: no standing for ${path}`)
  return standing
}

async function stand(
  session: Session,
  saving: Saving,
  path: WorkspacePath,
  item: Item | null,
  found: Loaded,
): Promise<Standing> {
  if (item === null) {
    const sides = { base: found, current: found }
    return { path, item, sides, states: saving.sides(sides), found }
  }
  const states: Sides = { base: item.base, current: item.current }
  if (found.kind === "unknown" || isLoadedAs(found, diskState(item))) {
    const quiet = !isPending(item) && found.kind !== "unknown"
    const sides = quiet ? { base: found, current: found } : await loadSides(session.store, states)
    return { path, item, sides, states, found }
  }
  const before = await loadSides(session.store, states)
  const folded = isNewName(item)
    ? { sides: { base: before.base, current: found }, conflict: false }
    : foldDisk(before, found, item.disk, await session.charsetFor(path))
  const after = saving.sides(folded.sides, states)
  const { conflictOrigin: was, ...rest } = item
  const origin = folded.conflict ? (was ?? item.base) : was
  const next: Item = { ...rest, base: after.base, current: after.current, revision: item.revision + 1 }
  const kept = isPending(next) && origin !== undefined ? { ...next, conflictOrigin: origin } : next
  return {
    path,
    item: isPending(kept) ? kept : { ...kept, conversations: [] },
    sides: folded.sides,
    states: after,
    found,
  }
}

/**
 * Whether the item is the new name of a pending rename, on disk. Its base is nothing, and stays so whatever is written into the file: what
 * it is compared with stands under the old name.
 */
export function isNewName(item: Item): boolean {
  return item.renamedFrom !== undefined && item.base.kind === "absent" && item.disk === "current" && isPending(item)
}

/** Sides as the log tells them, with the item's conflict origin. */
export function withOrigin(sides: Sides, item: Item | null): Sides {
  const { base, current } = sides
  return item?.conflictOrigin === undefined ? { base, current } : { base, current, origin: item.conflictOrigin }
}

/**
 * The sides after a part of the proposal was taken out. In an item whose base moved under the proposal, what is not proposed any more
 * follows base, and does not propose to put back what stood there before.
 */
export async function onMovedBase(session: Session, standing: Standing, sides: LoadedSides): Promise<LoadedSides> {
  const origin = standing.item?.conflictOrigin
  if (origin === undefined || sameLoaded(sides.base, sides.current)) return sides
  const from = await loadState(session.store, origin)
  const charset = await session.charsetFor(standing.path)
  const merge = mergeStates(from, sides.current, sides.base, "keep-mine", charset)
  return merge.kind === "merged" ? { base: sides.base, current: merge.state } : sides
}

/** The content most like a path's next one: what its current side holds. */
export function nearOf(standing: Standing): string | undefined {
  return blobOf(standing.states.current)
}
