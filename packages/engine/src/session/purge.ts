import { isPending } from "@galley/core/change/item.ts"
import { Failure } from "@galley/core/failure.ts"
import type { Change, Operation } from "@galley/core/history/operation.ts"
import { isWithin, showPath, type WorkspacePath } from "@galley/core/path.ts"
import type { Params, RequestContext, Result } from "@galley/core/protocol/requests.ts"
import { unknown, type BlobId, type State } from "@galley/core/state.ts"
import { forgetByProducts } from "./by-products.ts"
import { blobOf } from "./contents.ts"
import { refuseAgent } from "./policy.ts"
import { repairInterrupted } from "./repair.ts"
import type { Session } from "./session.ts"

/**
 * Forgets the contents that a path (or all inside a folder) ever had: the log keeps that something was done, not what. The file on disk
 * stays as it is. Contents that another path shares stay for that path.
 */
export async function purge(
  session: Session,
  context: RequestContext,
  params: Params<"purge">,
): Promise<Result<"purge">> {
  refuseAgent(context, "Purging")
  const path = await session.root.resolveEntry(params.path)
  return session.lock.hold(async () => {
    await repairInterrupted(session)
    const pending = (await session.store.items({ pending: true, under: path })).filter(isPending)
    const [first] = pending
    if (first !== undefined)
      throw new Failure(
        "CONFLICT",
        `${showPath(first.path)} is pending; purging would lose a text that is not decided. Nothing was purged.`,
        "Accept or reject it first.",
      )
    const { found, names } = changesThrough(await session.store.operations({}), path)
    const mine = new Set([...found.values()].flatMap(changes => [...changes].flatMap(blobsOf)))
    const items = await session.store.items({ under: path })
    const parked = (await session.store.parked()).filter(entry => isWithin(entry.item.path, path))
    const notes = await session.store.notes({})
    for (const item of items) for (const state of [item.base, item.current]) addBlob(mine, state)
    for (const entry of parked) for (const state of [entry.item.base, entry.item.current]) addBlob(mine, state)
    await session.store.commit({
      redacted: [...found].map(([operation, changes]) => redact(operation, changes)),
      forget: items.map(item => item.path),
      unparked: parked.map(entry => entry.id),
      notes: notes
        .filter(note => note.path !== null && (isWithin(note.path, path) || names.has(note.path)))
        .map(note => ({ ...note, text: "(purged)" })),
    })
    forgetByProducts(session, path)
    const elsewhere = await blobsElsewhere(session)
    const gone = [...mine].filter(blob => !elsewhere.has(blob))
    await session.store.purgeBlobs(gone)
    const text = `Purged ${gone.length} contents of ${showPath(path === "" ? "the workspace" : path)} from ${found.size} operations. The file on disk was not touched.`
    return { version: 1, operations: found.size, blobs: gone.length, text }
  })
}

/**
 * The changes of a path, by operation, also those that were made under the names that the file had before a rename: a secret moves with its
 * file. What stood under such a name after the rename is another file.
 */
function changesThrough(
  operations: readonly Operation[],
  path: WorkspacePath | "",
): { readonly found: ReadonlyMap<Operation, ReadonlySet<Change>>; readonly names: ReadonlySet<WorkspacePath> } {
  const found = new Map<Operation, ReadonlySet<Change>>()
  const names = new Set<WorkspacePath>()
  for (const operation of operations.toReversed()) {
    const isMine = (change: Change): boolean => isWithin(change.path, path) || names.has(change.path)
    for (const change of operation.changes) {
      if (!isMine(change)) continue
      for (const from of [change.carriedFrom, change.renamedFrom]) if (from !== undefined) names.add(from)
    }
    const mine = operation.changes.filter(isMine)
    if (mine.length > 0) found.set(operation, new Set(mine))
  }
  return { found, names }
}

/** All contents that the log and the items still name. */
export async function blobsElsewhere(session: Session): Promise<ReadonlySet<BlobId>> {
  const blobs = new Set<BlobId>()
  for (const operation of await session.store.operations({}))
    for (const change of operation.changes) for (const blob of blobsOf(change)) blobs.add(blob)
  const items = [...(await session.store.items({})), ...(await session.store.parked()).map(entry => entry.item)]
  for (const item of items)
    for (const state of [item.base, item.current, item.conflictOrigin]) if (state !== undefined) addBlob(blobs, state)
  for (const intent of await session.store.intents())
    for (const step of intent.steps) for (const state of [step.before, step.after]) addBlob(blobs, state)
  return blobs
}

function blobsOf(change: Change): BlobId[] {
  return [change.before.base, change.before.current, change.after.base, change.after.current].flatMap(
    state => blobOf(state) ?? [],
  )
}

function addBlob(to: Set<BlobId>, state: State): void {
  const blob = blobOf(state)
  if (blob !== undefined) to.add(blob)
}

/** The operation without the contents of some of its changes. Unknown is what nobody may restore from. */
function redact(operation: Operation, purged: ReadonlySet<Change>): Operation {
  const hidden = { base: unknown, current: unknown }
  return {
    ...operation,
    changes: operation.changes.map(change =>
      purged.has(change) ? { ...change, before: hidden, after: hidden } : change,
    ),
  }
}
