import type { OperationView } from "@galley/core/protocol/results.ts"

/**
 * The messages that a pending path's changes come from, newest first, read off the operations (newest first): those since the person
 * last accepted there. After a part was accepted, earlier messages may still have a share in the rest; the newest is always named.
 *
 * For programs that do not say it themselves (`messages` of a file in `status`).
 */
export function originsOf(operations: readonly OperationView[], path: string): readonly string[] {
  const found = new Set<string>()
  for (const operation of operations) {
    if (operation.undone || !operation.paths.includes(path)) continue
    if (operation.actor === "agent" && operation.message !== null) found.add(operation.message)
    if (operation.actor === "person" && operation.kind === "accept" && found.size > 0) break
  }
  return [...found]
}
