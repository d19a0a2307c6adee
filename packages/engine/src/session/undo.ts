import { Failure } from "@galley/core/failure.ts"
import type { Change, Conversation, Operation } from "@galley/core/history/operation.ts"
import { repeatMove } from "@galley/core/history/take-back.ts"
import { undoState, type UndoState } from "@galley/core/history/undo.ts"
import { showPath } from "@galley/core/path.ts"
import type { Params, RequestContext } from "@galley/core/protocol/requests.ts"
import type { DecisionResult } from "@galley/core/protocol/results.ts"
import { repeatByProducts } from "./by-products.ts"
import { commitTurns, type Turn } from "./commit.ts"
import { loadSides } from "./contents.ts"
import { settleDrift, standingAt } from "./drift.ts"
import { notesOfRepeat } from "./feedback.ts"
import { fileViews } from "./file-view.ts"
import { lookAtGit } from "./git.ts"
import { parkedAgain } from "./park.ts"
import { refuseAgent } from "./policy.ts"
import { changesNow } from "./renamed.ts"
import { repairInterrupted } from "./repair.ts"
import type { Session } from "./session.ts"

/** Takes back the person's newest decision. `CONFLICT` where others changed the same since; `STALE_REVISION` if another is named. */
export async function undo(session: Session, context: RequestContext, params: Params<"undo">): Promise<DecisionResult> {
  refuseAgent(context, "An undo")
  return repeat(session, "back", params)
}

/** Makes the newest undone decision again, as long as the person has done nothing new since. */
export async function redo(session: Session, context: RequestContext, params: Params<"redo">): Promise<DecisionResult> {
  refuseAgent(context, "A redo")
  return repeat(session, "forward", params)
}

/** Undo and redo as the log has them now. Reads the person's operations only, and of those only as much of the end as it needs. */
export async function readUndoState(session: Session): Promise<UndoState> {
  for (let limit = 256; ; limit *= 8) {
    const operations = await session.store.operations({ actor: "person", limit })
    const known = new Set(operations.map(operation => operation.id))
    const whole = operations.length < limit
    const reaches = operations.every(
      operation =>
        (operation.undoes === undefined || known.has(operation.undoes)) &&
        (operation.redoes === undefined || known.has(operation.redoes)),
    )
    const state = undoState(operations)
    if (whole || (reaches && state.undo !== null)) return state
  }
}

async function repeat(
  session: Session,
  direction: "back" | "forward",
  params: Params<"undo">,
): Promise<DecisionResult> {
  return session.lock.hold(async () => {
    await repairInterrupted(session)
    await lookAtGit(session)
    const state = await readUndoState(session)
    const target = direction === "back" ? state.undo : state.redo
    if (target === null)
      throw new Failure("NOT_FOUND", direction === "back" ? "There is nothing to undo." : "There is nothing to redo.")
    if (params.operation !== undefined && params.operation !== target.id)
      throw new Failure(
        "STALE_REVISION",
        `Operation ${params.operation} is not the newest one. Nothing was changed.`,
        `The newest is ${target.id}: ${target.title}.`,
      )
    const changes = await changesNow(session, target)
    const standings = await settleDrift(
      session,
      changes.map(change => change.path),
    )
    const turns: Turn[] = []
    for (const change of changes) {
      const standing = standingAt(standings, change.path)
      const move = {
        before: await loadSides(session.store, change.before),
        after: await loadSides(session.store, change.after),
      }
      const outcome = repeatMove(
        move,
        standing.sides,
        direction,
        params.onConflict ?? "stop",
        await session.charsetFor(change.path),
      )
      const [conflict] = outcome.conflicts
      if (conflict !== undefined)
        throw new Failure(
          "CONFLICT",
          `${showPath(change.path)}: ${conflict.reason}. Nothing was changed.`,
          "Choose --on-conflict keep-mine or take-theirs; either settles only what overlaps.",
        )
      const { origin } = direction === "back" ? change.before : change.after
      turns.push({
        standing,
        sides: outcome.sides,
        disk: standing.item?.disk ?? "current",
        ...(origin === undefined ? {} : { conflictOrigin: origin }),
        ...renameOf(change),
      })
    }
    const heads = await headsMoved(session, target, direction)
    const outputs = repeatByProducts(session, target.id, direction)
    const title = `${direction === "back" ? "Undo" : "Redo"}: ${plainTitle(target)}`
    const committed = await commitTurns(
      session,
      turns,
      {
        kind: direction === "back" ? "undo" : "redo",
        actor: "person",
        conversation: target.conversation,
        message: null,
        title,
        capture: "none",
        ...(direction === "back" ? { undoes: target.id } : { redoes: target.id }),
        ...(outputs.remarks.length === 0 ? {} : { remark: outputs.remarks.join("; ") }),
        ...(heads.length === 0
          ? {}
          : {
              heads: heads.map(({ before, after, conversation }) => ({ before, after, conversation: conversation.id })),
            }),
      },
      {
        ...(await parkedAgain(session, target.id, direction)),
        notes: await notesOfRepeat(session, target, direction),
        ...(heads.length === 0
          ? {}
          : { conversations: heads.map(move => ({ ...move.conversation, head: move.after })) }),
      },
      { always: true, force: params.force === true },
    )
    if (committed.operation !== null) outputs.recorded(committed.operation.id)
    return {
      version: 1,
      operation: committed.operation?.id ?? null,
      title,
      files: await fileViews(session, committed.items),
    }
  })
}

/** Heads that the operation moved and that still stand where it left them; a conversation that went on keeps its place. */
async function headsMoved(
  session: Session,
  target: Operation,
  direction: "back" | "forward",
): Promise<{ conversation: Conversation; before: string | null; after: string | null }[]> {
  const moves: { conversation: Conversation; before: string | null; after: string | null }[] = []
  for (const move of target.heads ?? []) {
    const conversation = await session.store.conversation(move.conversation)
    const [from, to] = direction === "back" ? [move.after, move.before] : [move.before, move.after]
    if (conversation !== null && conversation.head === from) moves.push({ conversation, before: from, after: to })
  }
  return moves
}

function renameOf(change: Change): { renamedFrom?: string } {
  return change.renamedFrom === undefined ? {} : { renamedFrom: change.renamedFrom }
}

function plainTitle(operation: Operation): string {
  return operation.title.replace(/^(Undo|Redo): /, "")
}
