import { sameLoaded, type Charset, type Loaded, type LoadedSides } from "../change/loaded.ts"
import { mergeStates, type OnOverlap, type StateMerge } from "../change/state-merge.ts"
import type { MessageId } from "./operation.ts"
import type { Route } from "./tree.ts"

/** One operation's move of one path, contents in hand. */
export interface Move {
  readonly operation: string
  readonly actor: "agent" | "person" | "external" | "git"
  readonly message: MessageId | null
  readonly before: LoadedSides
  readonly after: LoadedSides
  /** For a rewind: the messages it took back. */
  readonly tookBack?: readonly MessageId[]
}

/** What a rewind makes of one path. */
export interface PathOutcome {
  readonly sides: LoadedSides
  /** Settled as `onOverlap` says; not empty only under "stop" (or with an unknown state). */
  readonly conflicts: readonly PathConflict[]
  /** Somebody else's changes were merged with what came back. */
  readonly merged: boolean
}

export interface PathConflict {
  readonly side: "base" | "current"
  /** `unknown`: a content was never seen, or was purged or expired; no choice settles that, the path is left alone. */
  readonly kind: "overlap" | "unknown"
  readonly reason: string
  readonly mine: Loaded
  readonly theirs: Loaded
}

/**
 * Rewinds one path along a route of messages.
 *
 * `moves` are all known moves of the path, oldest first; `now` is where both sides stand. An agent's moves of messages on
 * `route.back` are taken back, newest first, adjacent ones joined; everybody else's stay, because each is merged three ways.
 * Then the moves of `route.forward` are made again, oldest first. Both sides are treated alike, so an accepted change is taken back
 * from base too, and what was accepted when it was taken back is accepted again when it is brought forward.
 */
export function rewindPath(
  moves: readonly Move[],
  now: LoadedSides,
  route: Route,
  onOverlap: OnOverlap,
  charset?: Charset,
): PathOutcome {
  const walk = { conflicts: [] as PathConflict[], merged: false }
  const step = (side: "base" | "current", origin: Loaded, ours: Loaded, theirs: Loaded): Loaded => {
    const merge = mergeStates(origin, ours, theirs, onOverlap, charset)
    note(walk, side, merge, origin, ours)
    return merge.kind === "merged" ? merge.state : merge.kind === "conflict" ? merge.mine : ours
  }

  let sides = now
  for (const stretch of stretches(moves, new Set(route.back))) {
    const { from, to } = stretch
    sides = { base: step("base", to, sides.base, from), current: step("current", to, sides.current, from) }
  }
  for (const message of route.forward) {
    for (const move of moves.filter(candidate => candidate.message === message && candidate.actor === "agent")) {
      const accepted = acceptedPart(moves, move, charset)
      sides = {
        base: accepted === null ? sides.base : step("base", accepted.before, sides.base, accepted.after),
        current: step("current", move.before.current, sides.current, move.after.current),
      }
    }
  }
  return { sides, conflicts: walk.conflicts, merged: walk.merged }
}

/** The inverse of one move by three-way merge on both sides (undo), or the move again (redo). */
export function repeatMove(
  move: Pick<Move, "before" | "after">,
  now: LoadedSides,
  direction: "back" | "forward",
  onOverlap: OnOverlap,
  charset?: Charset,
): PathOutcome {
  const [from, to] = direction === "back" ? [move.after, move.before] : [move.before, move.after]
  const walk = { conflicts: [] as PathConflict[], merged: false }
  const step = (side: "base" | "current"): Loaded => {
    const merge = mergeStates(from[side], now[side], to[side], onOverlap, charset)
    note(walk, side, merge, from[side], now[side])
    return merge.kind === "merged" ? merge.state : merge.kind === "conflict" ? merge.mine : now[side]
  }
  return { sides: { base: step("base"), current: step("current") }, conflicts: walk.conflicts, merged: walk.merged }
}

/** Runs of moves to take back with nobody else's change of current between them, newest first. */
function stretches(
  moves: readonly Move[],
  back: ReadonlySet<MessageId>,
): { readonly from: Loaded; readonly to: Loaded }[] {
  const found: { from: Loaded; to: Loaded }[] = []
  let open = false
  for (const move of moves.toReversed()) {
    if (sameLoaded(move.before.current, move.after.current)) continue
    const ours = move.actor === "agent" && move.message !== null && back.has(move.message)
    const last = found.at(-1)
    if (!ours) open = false
    else if (open && last !== undefined && sameLoaded(last.from, move.after.current)) last.from = move.before.current
    else {
      found.push({ from: move.before.current, to: move.after.current })
      open = true
    }
  }
  return found
}

/**
 * The part of a move that was accepted when a rewind took it back: how base changed there, or null when nothing of it was.
 *
 * Walks back from the base that the rewind found, over the moves it took back, as the rewind did.
 */
function acceptedPart(
  moves: readonly Move[],
  move: Move,
  charset?: Charset,
): { readonly before: Loaded; readonly after: Loaded } | null {
  const message = move.message
  const rewindAt = moves.findLastIndex(candidate => message !== null && candidate.tookBack?.includes(message) === true)
  const rewind = moves[rewindAt]
  if (rewind === undefined) return null
  const taken = new Set(rewind.tookBack)
  let base = rewind.before.base
  for (const earlier of moves.slice(0, rewindAt).toReversed()) {
    if (earlier.actor !== "agent" || earlier.message === null || !taken.has(earlier.message)) continue
    const merge = mergeStates(earlier.after.current, base, earlier.before.current, "keep-mine", charset)
    const before = merge.kind === "merged" ? merge.state : base
    if (earlier === move) return sameLoaded(before, base) ? null : { before, after: base }
    base = before
  }
  return null
}

function note(
  walk: { conflicts: PathConflict[]; merged: boolean },
  side: "base" | "current",
  merge: StateMerge,
  origin: Loaded,
  ours: Loaded,
): void {
  switch (merge.kind) {
    case "merged":
      if (!sameLoaded(origin, ours) && !sameLoaded(merge.state, ours)) walk.merged = true
      return
    case "conflict":
      walk.conflicts.push({ side, kind: "overlap", reason: merge.reason, mine: merge.mine, theirs: merge.theirs })
      return
    case "unknown":
      walk.conflicts.push({ side, kind: "unknown", reason: "what stood there is not known", mine: ours, theirs: ours })
      return
  }
}
