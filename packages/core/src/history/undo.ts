import type { Operation, OperationId } from "./operation.ts"

/** What can be undone and redone now, derived from the log. */
export interface UndoState {
  /** The newest person's operation not undone; null when there is none. */
  readonly undo: Operation | null
  /** The newest undone one, as long as the person has done nothing new since. */
  readonly redo: Operation | null
  /** Operations that are undone at the moment. */
  readonly undone: ReadonlySet<OperationId>
}

/**
 * Reads undo and redo off the log (oldest first).
 *
 * Undoable are a person's accept, reject, write, answer and rewind. An agent's work, external changes and git's are taken back
 * by reject or rewind, never by undo. A redo stands for the operation it brings back: undoing again undoes the redo.
 */
export function undoState(operations: readonly Operation[]): UndoState {
  const done: Operation[] = []
  const undone: Operation[] = []
  const flags = new Set<OperationId>()
  for (const operation of operations) {
    if (operation.kind === "undo" && operation.undoes !== undefined) {
      const at = done.findLastIndex(candidate => candidate.id === operation.undoes)
      const [taken] = at < 0 ? [] : done.splice(at, 1)
      if (taken !== undefined) {
        undone.push(taken)
        flags.add(taken.id)
        if (taken.redoes !== undefined) flags.add(taken.redoes)
      }
    } else if (operation.kind === "redo" && operation.redoes !== undefined) {
      const at = undone.findLastIndex(candidate => candidate.id === operation.redoes)
      const [brought] = at < 0 ? [] : undone.splice(at, 1)
      if (brought !== undefined) {
        flags.delete(brought.id)
        if (brought.redoes !== undefined) flags.delete(brought.redoes)
      }
      done.push(operation)
    } else if (isUndoable(operation)) {
      done.push(operation)
      undone.length = 0
    }
  }
  return { undo: done.at(-1) ?? null, redo: undone.at(-1) ?? null, undone: flags }
}

export function isUndoable(operation: Operation): boolean {
  if (operation.actor !== "person") return false
  switch (operation.kind) {
    case "accept":
    case "reject":
    case "write":
    case "answer":
    case "rewind":
      return true
    case "edit":
    case "command":
    case "external":
    case "git":
    case "undo":
    case "redo":
    case "park":
    case "unpark":
    case "recover":
      return false
  }
}
