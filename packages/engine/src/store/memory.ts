import { type Item, isPending } from "@galley/core/change/item.ts"
import { Failure } from "@galley/core/failure.ts"
import type { Conversation, Message, Operation } from "@galley/core/history/operation.ts"
import { hashOf } from "./blobs.ts"
import { blobsOfBatch, blobsOfItem, blobsOfOperation, matchesItem, matchesOperation } from "./references.ts"
import { pathKey } from "./rows.ts"
import type { Batch, Intent, Note, Parked, Store, Waiting } from "./store.ts"
import { refuseMissing, unknownIntent } from "./write-batch.ts"

/** All facts of a store in memory. A commit makes a new one and swaps it in, so it is whole or not at all. */
interface Facts {
  readonly operations: readonly Operation[]
  readonly intents: ReadonlyMap<string, Intent>
  readonly items: ReadonlyMap<string, Item>
  readonly conversations: ReadonlyMap<string, Conversation>
  readonly messages: ReadonlyMap<string, Message>
  readonly waiting: ReadonlyMap<string, Waiting>
  readonly notes: ReadonlyMap<string, Note>
  readonly parked: ReadonlyMap<string, Parked>
  readonly settings: ReadonlyMap<string, unknown>
}

/** A store that lives as long as the process: for embedders that keep nothing, and for tests. Same suite as the SQLite one. */
export function memoryStore(): Store {
  const contents = new Map<string, Uint8Array>()
  let facts = nothing()
  let revision = 0
  const absent = (ids: Iterable<string>) => [...new Set(ids)].filter(id => !contents.has(id))
  const drop = async (ids: readonly string[]) => {
    for (const id of ids) contents.delete(id)
    revision++
  }

  return {
    putBlobs: async blobs =>
      blobs.map(({ bytes }) => {
        const id = hashOf(bytes)
        if (!contents.has(id)) contents.set(id, bytes.slice())
        return id
      }),
    blob: async id => {
      const bytes = contents.get(id)
      if (bytes === undefined) throw new Failure("STORE_FAILED", `The content ${id} is not in the store.`)
      return bytes.slice()
    },
    missingBlobs: async ids => absent(ids),
    commit: async batch => {
      refuseMissing(absent(blobsOfBatch(batch)))
      facts = withBatch(facts, copy(batch))
      revision++
    },
    item: async path => copy(facts.items.get(path) ?? null),
    items: async query =>
      copy(
        [...facts.items.values()]
          .filter(item => matchesItem(item, isPending(item), query))
          .sort((a, b) => Buffer.compare(pathKey(a.path), pathKey(b.path))),
      ),
    operation: async id => copy(facts.operations.find(operation => operation.id === id) ?? null),
    operations: async query => {
      const found = facts.operations.filter(operation => matchesOperation(operation, query))
      return copy(query.limit === undefined ? found : found.slice(Math.max(found.length - query.limit, 0)))
    },
    intents: async () => copy([...facts.intents.values()]),
    message: async id => copy(facts.messages.get(id) ?? null),
    messages: async conversation =>
      copy(
        [...facts.messages.values()].filter(
          message => conversation === undefined || message.conversation === conversation,
        ),
      ),
    conversation: async id => copy(facts.conversations.get(id) ?? null),
    conversations: async () =>
      copy([...facts.conversations.values()].reverse().sort((a, b) => b.createdAt - a.createdAt)),
    waiting: async () => copy([...facts.waiting.values()]),
    notes: async ({ undelivered, path }) =>
      copy(
        [...facts.notes.values()].filter(
          note =>
            (path === undefined || note.path === path) &&
            (undelivered === undefined || (note.deliveredAt === null) === undelivered),
        ),
      ),
    parked: async () => copy([...facts.parked.values()]),
    setting: async key => copy(facts.settings.get(key)),
    revision: async () => revision,
    purgeBlobs: drop,
    removeBlobs: drop,
    blobSizes: async () =>
      [...contents]
        .map(([id, bytes]) => ({ id, storedBytes: bytes.length }))
        .sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)),
    check: async () => {
      const referenced = [
        ...facts.operations.flatMap(blobsOfOperation),
        ...[...facts.items.values()].flatMap(blobsOfItem),
      ]
      return absent(referenced).map(id => `The content ${id} is referred to and not there.`)
    },
    readOnly: false,
    trouble: null,
    close: async () => {},
  }
}

function nothing(): Facts {
  const none = new Map<string, never>()
  return {
    operations: [],
    intents: none,
    items: none,
    conversations: none,
    messages: none,
    waiting: none,
    notes: none,
    parked: none,
    settings: none,
  }
}

function withBatch(facts: Facts, batch: Batch): Facts {
  if (batch.settle !== undefined && !facts.intents.has(batch.settle)) throw unknownIntent(batch.settle)
  const intents = changed(facts.intents, batch.settle === undefined ? [] : [batch.settle], batch.begin, keyById)
  return {
    operations: appended(redacted(facts.operations, batch), batch),
    intents,
    items: changed(facts.items, batch.forget, batch.items, item => item.path),
    conversations: changed(facts.conversations, [], batch.conversations, keyById),
    messages: changed(facts.messages, [], batch.messages, keyById),
    waiting: changed(facts.waiting, batch.waitingDone, batch.waiting, keyById),
    notes: changed(facts.notes, [], batch.notes, keyById),
    parked: changed(facts.parked, batch.unparked, batch.parked, keyById),
    settings: new Map([...facts.settings, ...Object.entries(batch.settings ?? {})]),
  }
}

function redacted(operations: readonly Operation[], batch: Batch): readonly Operation[] {
  if (batch.redacted === undefined) return operations
  const replacements = new Map(batch.redacted.map(operation => [operation.id, operation]))
  const result = operations.map(old => {
    const replacement = replacements.get(old.id)
    replacements.delete(old.id)
    return replacement === undefined ? old : { ...replacement, seq: old.seq }
  })
  for (const id of replacements.keys()) throw new Error(`BUG: the operation ${id} to redact is not in the log`)
  return result
}

function appended(operations: readonly Operation[], batch: Batch): readonly Operation[] {
  if (batch.operations === undefined) return operations
  const ids = new Set(operations.map(operation => operation.id))
  const added = batch.operations.map((operation, at) => {
    if (ids.has(operation.id)) throw new Error(`BUG: the operation ${operation.id} is in the log already`)
    ids.add(operation.id)
    return { ...operation, seq: operations.length + at + 1 }
  })
  return [...operations, ...added]
}

function keyById(value: { readonly id: string }): string {
  return value.id
}

/** Drops first, then upserts; an upserted entry keeps its place. */
function changed<T>(
  map: ReadonlyMap<string, T>,
  dropped: readonly string[] | undefined,
  set: readonly T[] | T | undefined,
  key: (value: T) => string,
): ReadonlyMap<string, T> {
  if (set === undefined && (dropped === undefined || dropped.length === 0)) return map
  const result = new Map(map)
  for (const name of dropped ?? []) result.delete(name)
  const values = set === undefined ? [] : Array.isArray(set) ? (set as readonly T[]) : [set as T]
  for (const value of values) result.set(key(value), value)
  return result
}

/** What a caller holds and what is kept never share an object. */
function copy<T>(value: T): T {
  return structuredClone(value)
}
