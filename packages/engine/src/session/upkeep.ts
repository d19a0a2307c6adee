import { collectGarbage, type Limits, limitsOf } from "./garbage.ts"
import type { Session } from "./session.ts"

const day = 86_400_000
/** Where the store keeps when garbage was last collected by itself. */
const key = "gc.last"

interface Last {
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Time of the oldest operation whose contents were kept then, or before which there was none. */
  readonly oldest: number
}

/**
 * Collects garbage by the limits of the configuration, at most once a day: a store is bounded without anybody's care. Called when a
 * workspace is closed in which a person asked something, so that no agent's hook waits for it. Nobody is told of its failure: the next
 * one makes up for it, and `galley gc` says why.
 */
export async function upkeep(session: Session): Promise<void> {
  const { store, env } = session
  if (store.readOnly) return
  const now = env.now()
  const last = lastOf(await store.setting(key))
  // A clock that was ahead once must not put it off for ever.
  if (last !== null && last.at <= now && now - last.at < day) return
  const due = last !== null && (await isDue(session, last, limitsOf(session, {}), now))
  if (due) await collectGarbage(session, { actor: "person" }, {})
  const oldest = last === null || due ? await oldestKept(session, now) : last.oldest
  await session.lock.hold(() => store.commit({ settings: { [key]: { at: now, oldest } } }))
}

/** Told without reading the log, which is long. */
async function isDue(session: Session, last: Last, limits: Limits, now: number): Promise<boolean> {
  if (last.oldest < now - limits.keepDays * day) return true
  const sizes = await session.store.blobSizes()
  return sizes.reduce((sum, blob) => sum + blob.storedBytes, 0) > limits.maxBytes
}

async function oldestKept(session: Session, now: number): Promise<number> {
  const operations = await session.store.operations({})
  return (
    operations.find(operation => operation.changes.some(change => change.before.base.kind !== "unknown"))?.at ?? now
  )
}

function lastOf(value: unknown): Last | null {
  if (typeof value !== "object" || value === null || !("at" in value) || !("oldest" in value)) return null
  const { at, oldest } = value
  return typeof at === "number" && typeof oldest === "number" ? { at, oldest } : null
}
