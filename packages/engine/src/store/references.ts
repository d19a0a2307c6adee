import type { Item } from "@galley/core/change/item.ts"
import type { Operation } from "@galley/core/history/operation.ts"
import { isWithin, type WorkspacePath } from "@galley/core/path.ts"
import { absent, type BlobId, type State } from "@galley/core/state.ts"
import type { Batch, NewOperation } from "./store.ts"

/** Every content that a batch's new facts refer to; they must be in the store before the facts are. */
export function blobsOfBatch(batch: Batch): ReadonlySet<BlobId> {
  return new Set([
    ...(batch.operations ?? []).flatMap(blobsOfOperation),
    ...(batch.items ?? []).flatMap(blobsOfItem),
    ...(batch.parked ?? []).flatMap(parked => blobsOfItem(parked.item)),
    ...(batch.begin?.steps ?? []).flatMap(step => [...blobOf(step.before), ...blobOf(step.after)]),
  ])
}

export function blobsOfOperation(operation: NewOperation): BlobId[] {
  return operation.changes.flatMap(({ before, after }) =>
    [before, after].flatMap(sides => [sides.base, sides.current, sides.origin ?? absent].flatMap(blobOf)),
  )
}

export function blobsOfItem(item: Item): BlobId[] {
  const origin = item.conflictOrigin === undefined ? [] : blobOf(item.conflictOrigin)
  return [...blobOf(item.base), ...blobOf(item.current), ...origin]
}

function blobOf(state: State): BlobId[] {
  return state.kind === "file" ? [state.blob] : []
}

export interface OperationQuery {
  readonly path?: WorkspacePath
  readonly conversation?: string
  readonly message?: string
  readonly actor?: "person"
  readonly afterSeq?: number
  readonly limit?: number
}

export interface ItemQuery {
  readonly pending?: boolean
  readonly under?: string
  readonly paths?: readonly WorkspacePath[]
}

/** What the queries mean, for a store that can look at every fact. The order of items is that of their path's bytes. */
export function matchesOperation(operation: Operation, query: OperationQuery): boolean {
  return (
    (query.path === undefined || operation.changes.some(change => change.path === query.path)) &&
    (query.conversation === undefined || operation.conversation === query.conversation) &&
    (query.message === undefined || operation.message === query.message) &&
    (query.actor === undefined || operation.actor === query.actor) &&
    (query.afterSeq === undefined || operation.seq > query.afterSeq)
  )
}

export function matchesItem(item: Item, pending: boolean, query: ItemQuery): boolean {
  return (
    (query.pending === undefined || query.pending === pending) &&
    (query.under === undefined || isWithin(item.path, query.under)) &&
    (query.paths === undefined || query.paths.includes(item.path))
  )
}
