import type { Mover } from "@galley/core/change/weave-entry.ts"
import type { Change, ConversationId, Operation } from "@galley/core/history/operation.ts"
import type { Move } from "@galley/core/history/take-back.ts"
import type { WorkspacePath } from "@galley/core/path.ts"
import { sameState } from "@galley/core/state.ts"
import { changesByPath } from "./changes-by-path.ts"
import { loadSides } from "./contents.ts"
import type { Session } from "./session.ts"

/** What one operation of the log did to one path. */
export interface LoggedMove {
  readonly operation: Operation
  readonly change: Change
}

/** All moves of a file in the log, oldest first: under this path, and under those it had before somebody renamed it. */
export async function movesOf(session: Session, path: WorkspacePath): Promise<LoggedMove[]> {
  return movesBefore(session, path, Infinity)
}

/** Where a file stands that was at the path after that place in the log, if somebody renamed it since. */
export async function placeSince(session: Session, path: WorkspacePath, seq: number): Promise<WorkspacePath> {
  for (const operation of await session.store.operations({ path, afterSeq: seq })) {
    const moved = changesByPath(operation).carriedFrom.get(path)
    if (moved !== undefined) return placeSince(session, moved.path, operation.seq)
  }
  return path
}

async function movesBefore(session: Session, path: WorkspacePath, end: number): Promise<LoggedMove[]> {
  const operations = (await session.store.operations({ path })).filter(operation => operation.seq < end)
  // What stood here until it was renamed goes on elsewhere.
  const left = operations.findLastIndex(operation => changesByPath(operation).carriedFrom.has(path))
  const own = operations
    .slice(left + 1)
    .flatMap(operation => (changesByPath(operation).at.get(path) ?? []).map(change => ({ operation, change })))
  const [first] = own
  const from = first?.change.carriedFrom
  if (first === undefined || from === undefined) return own
  return [...(await movesBefore(session, from, first.operation.seq)), ...own.slice(1)]
}

export async function loadMove(session: Session, { operation, change }: LoggedMove): Promise<Move> {
  return {
    operation: operation.id,
    actor: operation.actor,
    message: operation.message,
    before: await loadSides(session.store, change.before),
    after: await loadSides(session.store, change.after),
    ...(operation.tookBack === undefined ? {} : { tookBack: operation.tookBack }),
  }
}

/** The path's changes since its base and current were last equal, oldest first. */
export async function movesSinceQuiet(session: Session, path: WorkspacePath): Promise<LoggedMove[]> {
  return sinceQuiet(await movesOf(session, path))
}

/**
 * Of a path's moves, oldest first, those since nothing was pending there. What an undo, a rewind or the taking up of something parked
 * brings back was written before: the moves then reach back to where that began.
 */
export function sinceQuiet(moves: readonly LoggedMove[]): LoggedMove[] {
  let start = quietAt(moves, moves.length - 1)
  for (let at = moves.length - 1; at >= start; at--) {
    const origin = originOf(moves, at)
    if (origin >= 0 && origin < start) start = quietAt(moves, origin)
  }
  return moves.slice(start)
}

/** The newest move, at or before a place, that found nothing pending. */
function quietAt(moves: readonly LoggedMove[], from: number): number {
  for (let at = from; at > 0; at--) {
    const move = moves[at]
    if (move === undefined || moverOf(move.operation) === "history") continue
    if (sameState(move.change.before.base, move.change.before.current)) return at
  }
  return 0
}

/** Where that began which a move brings back or takes back; -1 for a move that does neither. */
function originOf(moves: readonly LoggedMove[], at: number): number {
  const operation = moves[at]?.operation
  if (operation === undefined) return -1
  const id = operation.undoes ?? operation.redoes
  if (id !== undefined) return moves.findIndex(move => move.operation.id === id)
  if (operation.kind === "unpark") return moves.slice(0, at).findLastIndex(move => move.operation.kind === "park")
  const messages = new Set([...(operation.tookBack ?? []), ...(operation.broughtBack ?? [])])
  if (messages.size === 0) return -1
  return moves.findIndex(move => move.operation.message !== null && messages.has(move.operation.message))
}

/** The conversations whose agents have work among these moves. */
export function conversationsIn(moves: readonly LoggedMove[]): ConversationId[] {
  const found = moves.flatMap(({ operation }) =>
    operation.actor === "agent" && operation.conversation !== null ? [operation.conversation] : [],
  )
  return [...new Set(found)]
}

/** Who moved the lines, as authorship counts it. */
export function moverOf(operation: Operation): Mover {
  switch (operation.kind) {
    case "edit":
    case "command":
      return operation.actor === "person" ? "person" : "agent"
    case "external":
    case "git":
    case "write":
    case "recover":
      return "person"
    case "accept":
    case "reject":
    case "answer":
    case "rewind":
    case "undo":
    case "redo":
    case "park":
    case "unpark":
      return "history"
  }
}
