import { Failure } from "@galley/core/failure.ts"
import { showPath } from "@galley/core/path.ts"
import type { CallContext, Version } from "./tool-files.ts"

/** Announced before a tool changes a file: `fs/write-intent` before a create, `fs/edit-intent` before a change of what is there. */
export interface ChangeIntent {
  readonly name: "fs/write-intent" | "fs/edit-intent"
  readonly command: "create" | "str_replace" | "insert"
  /** Absolute, as the call named it. */
  readonly path: string
  readonly call: CallContext
}

/**
 * `allow` and undefined: no objection. `deny`: the change is not made; the reason goes to the model. `match`: the change is
 * made only if this version is still there when it is written. For a create that means: replace that version, where
 * without an answer a create only ever makes what is absent.
 */
export type IntentAnswer =
  | { readonly kind: "allow" }
  | { readonly kind: "deny"; readonly reason: string }
  | { readonly kind: "match"; readonly version: Version }

export type IntentHandler = (intent: ChangeIntent) => IntentAnswer | undefined | Promise<IntentAnswer | undefined>

/**
 * Asks the handlers in order and gives the version that the write must match, null if none named one.
 *
 * Every handler is heard: an earlier `allow` does not silence a later `deny`. The first `deny` ends the chain as `DENIED`. Two
 * handlers that name different versions cannot both be right about what is there: `FILE_CHANGED_SINCE_READ`. A handler
 * that throws refuses the change, since nothing is written before all have answered.
 */
export async function decideIntent(handlers: readonly IntentHandler[], intent: ChangeIntent): Promise<Version | null> {
  let required: Version | null = null
  for (const handler of handlers) {
    const answer = (await handler(intent)) ?? { kind: "allow" }
    switch (answer.kind) {
      case "allow":
        break
      case "deny":
        throw new Failure("DENIED", `${showPath(intent.path)} was not changed: ${answer.reason}`)
      case "match":
        if (required !== null && required !== answer.version)
          throw new Failure(
            "FILE_CHANGED_SINCE_READ",
            `${showPath(intent.path)} is known in two versions. Nothing was written.`,
            "View the file again, then repeat the call.",
          )
        required = answer.version
        break
    }
  }
  return required
}
