import type { Change, Operation } from "@galley/core/history/operation.ts"
import type { WorkspacePath } from "@galley/core/path.ts"

/** What an operation did, found by path: one that touches a thousand is asked by each of them. */
export interface ChangesByPath {
  readonly at: ReadonlyMap<WorkspacePath, readonly Change[]>
  /** By the path that the file had before somebody renamed it. */
  readonly carriedFrom: ReadonlyMap<WorkspacePath, Change>
}

export function changesByPath(operation: Operation): ChangesByPath {
  const known = derived.get(operation)
  if (known !== undefined) return known
  const at = new Map<WorkspacePath, Change[]>()
  const carriedFrom = new Map<WorkspacePath, Change>()
  for (const change of operation.changes) {
    const here = at.get(change.path)
    if (here === undefined) at.set(change.path, [change])
    else here.push(change)
    if (change.carriedFrom !== undefined && !carriedFrom.has(change.carriedFrom))
      carriedFrom.set(change.carriedFrom, change)
  }
  const made = { at, carriedFrom }
  derived.set(operation, made)
  return made
}

/** Derived of a row that never changes and goes with it; the store hands out the same row again. */
const derived = new WeakMap<Operation, ChangesByPath>()
