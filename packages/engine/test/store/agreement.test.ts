import * as fc from "fast-check"
import { expect, it } from "vitest"
import { absent, type State } from "@galley/core/state.ts"
import { memoryStore } from "../../src/store/memory.ts"
import { openSqliteStore } from "../../src/store/sqlite.ts"
import type { Batch, Store } from "../../src/store/store.ts"
import { file, intent, item, note, operation, parked, temporaryFolder, waiting } from "./samples.ts"

const runs = Number(process.env["STORE_RUNS"] ?? 25)
const names = ["a", "a/b", "a/\udc80", "a0", "é", "b"]
const some = fc.constantFrom(...names)
const id = fc.constantFrom("1", "2", "3", "\ud800")
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(fc.array(value, { maxLength: 3 }), { nil: undefined })

/** A batch over few names, so that things meet; contents are numbers into those that were put. `9` was never put. */
const batches = fc.record({
  content: fc.constantFrom(0, 1, 2, 9),
  operations: maybe(fc.record({ paths: fc.array(some, { maxLength: 3 }), conversation: id, message: id })),
  items: maybe(fc.record({ path: some, base: fc.boolean(), current: fc.boolean() })),
  forget: maybe(some),
  messages: maybe(fc.record({ id, conversation: id })),
  conversations: maybe(fc.record({ id, createdAt: fc.nat(3) })),
  notes: maybe(fc.record({ id, path: fc.option(some), deliveredAt: fc.option(fc.nat(3)) })),
  waiting: maybe(id),
  waitingDone: maybe(id),
  parked: maybe(id),
  unparked: maybe(id),
  begin: fc.option(id),
  settle: fc.option(id, { freq: 3 }),
  setting: fc.option(fc.tuple(id, fc.jsonValue())),
  purge: fc.option(fc.constantFrom(0, 1, 2), { freq: 6 }),
})
type Plan = typeof batches extends fc.Arbitrary<infer T> ? T : never

function batchOf(plan: Plan, at: number, ids: readonly string[]): Batch {
  const blob = ids[plan.content] ?? "9".repeat(64)
  const side = (there: boolean): State => (there ? file(blob) : absent)
  return {
    operations: (plan.operations ?? []).map(({ paths, ...more }, n) => operation(`${at}.${n}`, blob, paths, more)),
    items: (plan.items ?? []).map(({ path, base, current }) => item(path, side(base), side(current))),
    forget: plan.forget ?? [],
    messages: (plan.messages ?? []).map(known => ({ ...known, parent: null, title: `at ${at}`, createdAt: at })),
    conversations: (plan.conversations ?? []).map(known => ({ ...known, title: `at ${at}`, head: null })),
    notes: (plan.notes ?? []).map(known => note(known.id, known.path, known.deliveredAt)),
    waiting: (plan.waiting ?? []).map(waiting),
    waitingDone: plan.waitingDone ?? [],
    parked: (plan.parked ?? []).map(known => parked(known, item("a", absent, absent))),
    unparked: plan.unparked ?? [],
    ...(plan.begin === null ? {} : { begin: intent(plan.begin, {}, side(true)) }),
    ...(plan.settle === null ? {} : { settle: plan.settle }),
    ...(plan.setting === null ? {} : { settings: { [plan.setting[0]]: plan.setting[1] } }),
  }
}

async function everything(store: Store): Promise<unknown> {
  const perName = names.map(async path => [
    await store.item(path),
    await store.items({ under: path }),
    await store.items({ under: path, pending: true }),
    await store.operations({ path }),
    await store.notes({ path, undelivered: true }),
  ])
  const perId = ["1", "2", "\ud800"].map(async key => [
    await store.operations({ conversation: key, limit: 2 }),
    await store.operations({ message: key, afterSeq: 2 }),
    await store.messages(key),
    await store.conversation(key),
    await store.setting(key),
  ])
  return {
    perName: await Promise.all(perName),
    perId: await Promise.all(perId),
    lists: [await store.items({}), await store.operations({}), await store.intents(), await store.messages()],
    more: [await store.conversations(), await store.waiting(), await store.notes({}), await store.parked()],
    revision: await store.revision(),
  }
}

/** What a commit did, so far as a caller may see: nothing, or the kind of its refusal. */
const outcome = (work: Promise<void>) =>
  work.then(
    () => "done",
    (error: Error & { code?: string }) => error.code ?? error.message.slice(0, 3),
  )

it("both stores answer alike after any run of commits, refusals, purges and reopenings", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(batches, fc.boolean()), { maxLength: 8 }), async plans => {
      const folder = temporaryFolder()
      const memory = memoryStore()
      let sqlite = await openSqliteStore({ folder })
      const contents = ["zero", "one", "two"].map(text => ({ bytes: new TextEncoder().encode(text) }))
      for (const [at, [plan, reopen]] of plans.entries()) {
        const ids = await memory.putBlobs(contents)
        expect(await sqlite.putBlobs(contents)).toEqual(ids)
        const batch = batchOf(plan, at, ids)
        expect(await outcome(sqlite.commit(batch))).toBe(await outcome(memory.commit(batch)))
        if (plan.purge !== null) for (const store of [sqlite, memory]) await store.purgeBlobs([ids[plan.purge] ?? ""])
        if (reopen) {
          await sqlite.close()
          sqlite = await openSqliteStore({ folder })
        }
        expect(await everything(sqlite)).toEqual(await everything(memory))
      }
      await sqlite.close()
    }),
    { numRuns: runs },
  )
})
