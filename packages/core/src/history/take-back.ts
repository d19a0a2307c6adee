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
 * Then the moves of `route.forward` are made again, oldest first.
 *
 * Conflicts are those of current, where all text is. Base follows: what was accepted of a move is taken back from base too, and what was
 * accepted when it was taken back is accepted again when it is brought forward. Where base and current differ, base lacks what is pending
 * there, which is no overlap with anybody.
 */
export function rewindPath(
  moves: readonly Move[],
  now: LoadedSides,
  route: Route,
  onOverlap: OnOverlap,
  charset?: Charset,
): PathOutcome {
  const walk = { conflicts: [] as PathConflict[], merged: false }
  let given = false
  const merge = (origin: Loaded, ours: Loaded, theirs: Loaded): Loaded => {
    const outcome = mergeStates(origin, ours, theirs, onOverlap, charset)
    note(walk, "current", outcome, origin, ours)
    if (onOverlap === "take-theirs" && mergeStates(origin, ours, theirs, "stop", charset).kind === "conflict")
      given = true
    return outcome.kind === "merged" ? outcome.state : outcome.kind === "conflict" ? outcome.mine : ours
  }
  const follow = (origin: Loaded, ours: Loaded, theirs: Loaded, how: OnOverlap): Loaded => {
    const outcome = mergeStates(origin, ours, theirs, how, charset)
    if (outcome.kind === "unknown") note(walk, "base", outcome, origin, ours)
    return outcome.kind === "merged" ? outcome.state : ours
  }

  const back = new Set(route.back)
  let { base, current } = now
  for (const stretch of stretches(moves, back)) current = merge(stretch.to, current, stretch.from)
  // What a person gives up of text that was agreed on is given up in base too; beside something pending it is proposed.
  const quiet = sameLoaded(now.base, now.current)
  const onBase = given && quiet ? onOverlap : "keep-mine"
  for (const part of partsOfBase(moves, back, charset)) base = follow(part.to, base, part.from, onBase)
  for (const message of route.forward) {
    for (const move of moves.filter(candidate => candidate.message === message && candidate.actor === "agent")) {
      const accepted = acceptedPart(moves, move, charset)
      if (accepted !== null) base = follow(accepted.before, base, accepted.after, "keep-mine")
      current = merge(move.before.current, current, move.after.current)
    }
  }
  return { sides: { base, current }, conflicts: walk.conflicts, merged: walk.merged }
}

/**
 * What these messages would have done to base if all of it had been accepted, newest first: for each time in which base stood still, from
 * base as it was to base with the messages' changes alone.
 *
 * Not the moves themselves: they go from one proposal to the next, and may take out again what base has never seen.
 */
function partsOfBase(
  moves: readonly Move[],
  messages: ReadonlySet<MessageId>,
  charset?: Charset,
): { readonly from: Loaded; readonly to: Loaded }[] {
  const over = (origin: Loaded, ours: Loaded, theirs: Loaded): Loaded => {
    const outcome = mergeStates(origin, ours, theirs, "keep-mine", charset)
    return outcome.kind === "merged" ? outcome.state : ours
  }
  const parts: { base: Loaded; from: Loaded; to: Loaded }[] = []
  for (const move of moves) {
    if (!isOf(move, messages)) continue
    const last = parts.at(-1)
    if (last !== undefined && sameLoaded(last.base, move.before.base))
      last.to = over(move.before.current, last.to, move.after.current)
    else parts.push({ base: move.before.base, from: move.before.current, to: move.after.current })
  }
  return parts
    .map(({ base, from, to }) => ({ from: base, to: over(from, base, to) }))
    .filter(({ from, to }) => !sameLoaded(from, to))
    .reverse()
}

function isOf(move: Move, messages: ReadonlySet<MessageId>): boolean {
  return move.actor === "agent" && move.message !== null && messages.has(move.message)
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
    const ours = isOf(move, back)
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
 * Of base as the rewind found it, everything is taken back that the rewind took back from this move on; what is then put on again by the
 * move is what base had of it.
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
  const upTo = (first: number): Loaded => {
    let base = rewind.before.base
    for (const part of partsOfBase(moves.slice(first, rewindAt), taken, charset)) {
      const merge = mergeStates(part.to, base, part.from, "keep-mine", charset)
      if (merge.kind === "merged") base = merge.state
    }
    return base
  }
  const at = moves.indexOf(move)
  const [before, after] = [upTo(at), upTo(at + 1)]
  return sameLoaded(before, after) ? null : { before, after }
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
