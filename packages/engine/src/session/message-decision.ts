import type { Charset, Loaded, LoadedSides } from "@galley/core/change/loaded.ts"
import type { Decision } from "@galley/core/change/sides-decision.ts"
import { mergeStates, type OnOverlap, type StateMerge } from "@galley/core/change/state-merge.ts"
import { Failure } from "@galley/core/failure.ts"
import type { Move } from "@galley/core/history/take-back.ts"
import { showPath, type WorkspacePath } from "@galley/core/path.ts"
import type { Turn } from "./commit.ts"
import { loadMove, movesOf, movesSinceQuiet } from "./moves.ts"
import type { SelectedSubject } from "./selection.ts"
import type { Session } from "./session.ts"
import { onMovedBase, type Standing } from "./drift.ts"

/**
 * Accepts or rejects one message's part of a file: its moves merged into base, oldest first, or their inverse into current, newest
 * first. Where that needs another pending message's text, `CONFLICT` names it.
 */
export async function decideMessage(
  session: Session,
  { shown, standings }: SelectedSubject,
  message: string,
  decision: Decision,
  onOverlap: OnOverlap,
): Promise<{ turns: Turn[]; hunks: number } | null> {
  const turns: Turn[] = []
  for (const standing of [standings.own, standings.partner]) {
    if (standing === null) continue
    const sides = await sidesWithout(session, standing, message, decision, onOverlap)
    if (sides !== null) turns.push({ standing, sides, disk: shown.subject.item.disk })
  }
  return turns.length === 0 ? null : { turns, hunks: shown.hunks.length }
}

async function sidesWithout(
  session: Session,
  standing: Standing,
  message: string,
  decision: Decision,
  onOverlap: OnOverlap,
): Promise<LoadedSides | null> {
  const path = standing.path
  const charset = await session.charsetFor(path)
  const logged = (await movesOf(session, path)).filter(
    ({ operation }) => operation.message === message && operation.actor === "agent",
  )
  if (logged.length === 0) return null
  const moves = await Promise.all(logged.map(move => loadMove(session, move)))
  const { base, current } = standing.sides
  const without = takeBack(moves, current, decision === "reject" ? onOverlap : "stop", charset)
  if (decision === "reject") {
    if (without.kind === "merged") return onMovedBase(session, standing, { base, current: without.state })
    throw await needsOthers(session, path, message, decision, without)
  }
  // Only what still stands of the message is accepted: not what was rejected of it before.
  if (without.kind === "merged") {
    const merge = mergeStates(without.state, base, current, onOverlap, charset)
    if (merge.kind === "merged") return { base: merge.state, current }
  }
  let accepted = base
  for (const move of moves) {
    const merge = mergeStates(move.before.current, accepted, move.after.current, onOverlap, charset)
    if (merge.kind !== "merged") throw await needsOthers(session, path, message, decision, merge)
    accepted = merge.state
  }
  return { base: accepted, current }
}

/** The proposal without these moves, newest taken back first. */
function takeBack(moves: readonly Move[], current: Loaded, onOverlap: OnOverlap, charset?: Charset): StateMerge {
  let merge: StateMerge = { kind: "merged", state: current }
  for (const move of moves.toReversed()) {
    if (merge.kind !== "merged") return merge
    merge = mergeStates(move.after.current, merge.state, move.before.current, onOverlap, charset)
  }
  return merge
}

async function needsOthers(
  session: Session,
  path: WorkspacePath,
  message: string,
  decision: Decision,
  merge: Exclude<StateMerge, { kind: "merged" }>,
): Promise<Failure> {
  const needed = await othersNeeded(session, path, message)
  return new Failure(
    "CONFLICT",
    `${showPath(path)}: this message's change cannot be ${decision === "accept" ? "accepted" : "rejected"} alone: ${merge.kind === "conflict" ? merge.reason : "its content is not known"}. Nothing was changed.`,
    needed.length === 0
      ? "Decide it by hunk."
      : `It goes together with ${needed.join(", ")}: decide ${needed.length === 1 ? "that message" : "those messages"} first, or choose by hunk.`,
  )
}

/** Other messages with work in this file that is not decided yet, in the words of a person. */
async function othersNeeded(session: Session, path: WorkspacePath, message: string): Promise<string[]> {
  const others = new Set(
    (await movesSinceQuiet(session, path)).flatMap(({ operation }) =>
      operation.actor === "agent" && operation.message !== null && operation.message !== message
        ? [operation.message]
        : [],
    ),
  )
  const named: string[] = []
  for (const id of others) {
    const other = await session.store.message(id)
    named.push(other === null ? id : `${id} (“${other.title}”)`)
  }
  return named
}
