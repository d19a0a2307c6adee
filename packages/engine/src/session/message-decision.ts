import type { LoadedSides } from "@galley/core/change/loaded.ts"
import type { Decision } from "@galley/core/change/sides-decision.ts"
import { mergeStates, type OnOverlap } from "@galley/core/change/state-merge.ts"
import { Failure } from "@galley/core/failure.ts"
import { showPath, type WorkspacePath } from "@galley/core/path.ts"
import type { Turn } from "./commit.ts"
import { movesOf } from "./rewind.ts"
import type { SelectedSubject } from "./selection.ts"
import type { Session } from "./session.ts"
import type { Standing } from "./drift.ts"

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
  const moves = (await movesOf(session, path)).filter(move => move.message === message && move.actor === "agent")
  if (moves.length === 0) return null
  let { base, current } = standing.sides
  for (const move of decision === "accept" ? moves : moves.toReversed()) {
    const merge =
      decision === "accept"
        ? mergeStates(
            move.before.current,
            base,
            move.after.current,
            onOverlap === "keep-mine" ? "keep-mine" : onOverlap,
            charset,
          )
        : mergeStates(move.after.current, current, move.before.current, onOverlap, charset)
    if (merge.kind !== "merged") {
      const needed = await othersNeeded(session, path, message)
      throw new Failure(
        "CONFLICT",
        `${showPath(path)}: this message's change cannot be ${decision === "accept" ? "accepted" : "rejected"} alone: ${merge.kind === "conflict" ? merge.reason : "its content was never seen"}. Nothing was changed.`,
        needed.length === 0
          ? "Decide it by hunk."
          : `It goes together with ${needed.join(", ")}: decide ${needed.length === 1 ? "that message" : "those messages"} first, or choose by hunk.`,
      )
    }
    if (decision === "accept") base = merge.state
    else current = merge.state
  }
  return { base, current }
}

/** Other messages with work in this file that is not decided yet, in the words of a person. */
async function othersNeeded(session: Session, path: WorkspacePath, message: string): Promise<string[]> {
  const operations = await session.store.operations({ path })
  const others = new Set(
    operations.flatMap(operation =>
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
