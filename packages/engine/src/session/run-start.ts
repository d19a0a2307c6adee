import { isPending } from "@galley/core/change/item.ts"
import type { Loaded } from "@galley/core/change/loaded.ts"
import { mergeStates } from "@galley/core/change/state-merge.ts"
import type { GitObjects } from "../io/git-objects.ts"
import { loadState } from "./contents.ts"
import type { Standing } from "./drift.ts"
import type { Session } from "./session.ts"

/** What a command may have found at a path, looked at after it ended. */
export interface Found {
  readonly state: Loaded
  /** Somebody else changed the path since the command began: `state` may be newer than what it found. */
  readonly moved: boolean
}

/** What is to stand after a command's change was joined with what others did meanwhile. */
export interface Joined {
  readonly state: Loaded
  /** Not to be written before the person has looked: the two overlap, or it is not known for certain what the command began with. */
  readonly hold: boolean
  /** What both began with, where the two overlap. */
  readonly origin: Loaded | null
  /** In an item that is pending already, lines of the command that overlap are left out: what stands there is kept. */
  readonly leftOut: boolean
}

/**
 * Joins what a command made of a path with what stands there now. `began` is the place in the log when the command began; `objects`
 * are the workspace's in git, asked where the log does not know the path.
 *
 * Nothing that others wrote meanwhile is taken back: where both changed the same lines, a path with nothing pending gets the command's
 * text as a held conflict, a pending one keeps what it has.
 */
export async function joinWithNow(
  session: Session,
  standing: Standing,
  found: Found,
  after: Loaded,
  began: number,
  objects: GitObjects,
): Promise<Joined> {
  const { path } = standing
  const now = standing.sides.current
  const charset = await session.charsetFor(path)
  const start = found.moved
    ? await startOf(session, standing, found.state, began, objects)
    : { state: found.state, sure: true }
  if (start === null) return { state: after, hold: true, origin: null, leftOut: false }
  const clean = mergeStates(start.state, now, after, "stop", charset)
  if (clean.kind === "merged") return { state: clean.state, hold: !start.sure, origin: null, leftOut: false }
  const pending = standing.item !== null && isPending(standing.item)
  const settled = mergeStates(start.state, now, after, pending ? "keep-mine" : "take-theirs", charset)
  if (settled.kind !== "merged") return { state: pending ? now : after, hold: true, origin: null, leftOut: pending }
  return { state: settled.state, hold: true, origin: pending ? null : start.state, leftOut: pending }
}

/** What the path held when the command began, from the log or else from the last commit; null where neither tells. */
async function startOf(
  session: Session,
  standing: Standing,
  found: Loaded,
  began: number,
  objects: GitObjects,
): Promise<{ readonly state: Loaded; readonly sure: boolean } | null> {
  const { path, item } = standing
  const [first] = await session.store.operations({ path, afterSeq: began })
  const change = first?.changes.find(one => one.path === path)
  const known = change?.before.current ?? item?.current
  if (known !== undefined) return { state: await loadState(session.store, known), sure: true }
  const committed = await lastCommitted(objects, standing)
  if (committed !== null) return { state: committed, sure: false }
  // Where nothing stands and nobody knows that anything stood, the command made it.
  return found.kind === "absent" ? { state: found, sure: true } : null
}

async function lastCommitted(objects: GitObjects, { path, found }: Standing): Promise<Loaded | null> {
  const answer = await objects.committed(path)
  if (answer.kind !== "blob") return null
  return { kind: "file", bytes: answer.bytes, mode: found.kind === "file" ? found.mode : 0o644 }
}
