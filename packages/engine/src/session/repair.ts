import { recover } from "./recover.ts"
import type { Session } from "./session.ts"

/** Finishes or undoes what a crash interrupted; says in words what it did. Call it under the lock before anything else. */
export async function repairInterrupted(session: Session): Promise<readonly string[]> {
  if ((await session.store.intents()).length === 0) return []
  return recover(session)
}
