import type { Operation } from "@galley/core/history/operation.ts"
import { headPaths, messagesById } from "@galley/core/history/tree.ts"
import type { Params, RequestContext, Result } from "@galley/core/protocol/requests.ts"
import { unknown, type BlobId } from "@galley/core/state.ts"
import { expireByProducts } from "./by-products.ts"
import { blobOf } from "./contents.ts"
import { movesSinceQuiet } from "./moves.ts"
import { refuseAgent } from "./policy.ts"
import { blobsElsewhere } from "./purge.ts"
import { repairInterrupted } from "./repair.ts"
import type { Session } from "./session.ts"

const day = 86_400_000

export interface Limits {
  readonly keepDays: number
  readonly maxBytes: number
}

/** Those that were asked for, otherwise those of the configuration. */
export function limitsOf(session: Session, params: Partial<Params<"gc">>): Limits {
  return {
    keepDays: params.keepDays ?? session.config["gc.keepDays"],
    maxBytes: params.maxBytes ?? session.config["gc.maxMegabytes"] * 2 ** 20,
  }
}

/**
 * Drops contents that nothing names any more and those of operations older than `keepDays` (and oldest first, until the store fits
 * `maxBytes`); with `abandoned` also those of branches that were left by a rewind. What is pending or parked is never dropped, and the log keeps every operation's line. A dry run says how far undo and
 * rewind would reach afterwards.
 */
export async function collectGarbage(
  session: Session,
  context: RequestContext,
  params: Params<"gc">,
): Promise<Result<"gc">> {
  if (params.dryRun !== true) refuseAgent(context, "Collecting garbage")
  return session.lock.hold(async () => {
    await repairInterrupted(session)
    const sizes = new Map((await session.store.blobSizes()).map(blob => [blob.id, blob.storedBytes]))
    const operations = await session.store.operations({})
    const needed = await operationsOfPending(session)
    const limits = limitsOf(session, params)
    const left = params.abandoned === true ? await abandonedOf(session, operations) : new Set<string>()
    const aged = new Set(expiredOf(session, operations, sizes, limits).map(operation => operation.id))
    const expired = operations.filter(({ id }) => (aged.has(id) || left.has(id)) && !needed.has(id))
    const gone = new Set(expired.map(operation => operation.id))
    const kept = await namedBy(
      session,
      operations.filter(operation => !gone.has(operation.id)),
    )
    const removed = [...sizes.keys()].filter(blob => !kept.has(blob))
    const freedBytes = removed.reduce((sum, blob) => sum + (sizes.get(blob) ?? 0), 0)
    const oldest = operations.find(operation => !gone.has(operation.id) && operation.changes.length > 0)
    const reach =
      oldest === undefined
        ? "Nothing can be rewound afterwards."
        : `Undo and rewind reach back to ${new Date(oldest.at).toISOString()} (${oldest.title}).`
    if (params.dryRun !== true) {
      expireByProducts(session, limits.keepDays)
      await session.store.commit({ redacted: expired.filter(operation => operation.changes.length > 0).map(emptied) })
      await session.store.removeBlobs(removed)
    }
    return { version: 1, removedBlobs: removed.length, freedBytes, reach }
  })
}

/** What messages did that no conversation stands on any more, and the rewinds that left them: neither can be gone back to then. */
async function abandonedOf(session: Session, operations: readonly Operation[]): Promise<ReadonlySet<string>> {
  const { store } = session
  const standing = headPaths(messagesById(await store.messages()), await store.conversations())
  const isLeft = (message: string): boolean => !standing.has(message)
  const left = operations.filter(
    ({ kind, message, tookBack = [] }) =>
      (message !== null && isLeft(message)) || (kind === "rewind" && tookBack.length > 0 && tookBack.every(isLeft)),
  )
  return new Set(left.map(operation => operation.id))
}

/** Operations from which it is told whose lines a pending or parked file has; they expire only with it. */
async function operationsOfPending(session: Session): Promise<ReadonlySet<string>> {
  const waiting = [
    ...(await session.store.items({ pending: true })),
    ...(await session.store.parked()).map(entry => entry.item),
  ]
  const needed = new Set<string>()
  for (const path of new Set(waiting.map(item => item.path)))
    for (const { operation } of await movesSinceQuiet(session, path)) needed.add(operation.id)
  return needed
}

function expiredOf(
  session: Session,
  operations: readonly Operation[],
  sizes: ReadonlyMap<BlobId, number>,
  limits: Limits,
): Operation[] {
  const before = session.env.now() - limits.keepDays * day
  const expired = operations.filter(operation => operation.at < before)
  // Sizes are those of stored (compressed) contents, so the limit is approximate: a delta's base may have to stay.
  let total = [...sizes.values()].reduce((sum, size) => sum + size, 0)
  const dropped = new Set<BlobId>()
  const chosen = new Set(expired)
  for (const operation of operations) {
    if (total <= limits.maxBytes) break
    chosen.add(operation)
    for (const blob of operation.changes
      .flatMap(change => [change.before.base, change.before.current])
      .flatMap(state => blobOf(state) ?? []))
      if (!dropped.has(blob)) {
        dropped.add(blob)
        total -= sizes.get(blob) ?? 0
      }
  }
  return operations.filter(operation => chosen.has(operation))
}

async function namedBy(session: Session, operations: readonly Operation[]): Promise<ReadonlySet<BlobId>> {
  const inLog = new Set<BlobId>()
  for (const operation of await session.store.operations({}))
    for (const change of operation.changes)
      for (const state of [change.before.base, change.before.current, change.after.base, change.after.current])
        add(inLog, blobOf(state))
  const all = await blobsElsewhere(session)
  // Items, parked items and intents keep theirs, whatever becomes of the log.
  const named = new Set([...all].filter(blob => !inLog.has(blob)))
  for (const item of [...(await session.store.items({})), ...(await session.store.parked()).map(entry => entry.item)])
    for (const state of [item.base, item.current, item.conflictOrigin]) add(named, blobOf(state))
  for (const operation of operations)
    for (const change of operation.changes)
      for (const { base, current, origin } of [change.before, change.after])
        for (const state of [base, current, origin]) add(named, blobOf(state))
  return named
}

function add(to: Set<BlobId>, blob: BlobId | undefined): void {
  if (blob !== undefined) to.add(blob)
}

function emptied(operation: Operation): Operation {
  const hidden = { base: unknown, current: unknown }
  return { ...operation, changes: operation.changes.map(change => ({ ...change, before: hidden, after: hidden })) }
}
