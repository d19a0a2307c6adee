import type { Mover } from "../change/weave.ts"
import type { Actor, OperationKind } from "./operation.ts"

/**
 * Who moves the lines in an operation of the log. Decisions, undo and rewind only bring back or take away what the log already
 * holds; somebody we did not see, and git, count as persons, so that their lines are never removed unasked.
 */
export function moverOf(operation: { readonly kind: OperationKind; readonly actor: Actor }): Mover {
  switch (operation.kind) {
    case "accept":
    case "reject":
    case "undo":
    case "redo":
    case "rewind":
    case "park":
    case "unpark":
    case "recover":
      return "history"
    case "edit":
    case "command":
    case "external":
    case "git":
    case "write":
    case "answer":
      return operation.actor === "agent" ? "agent" : "person"
  }
}
