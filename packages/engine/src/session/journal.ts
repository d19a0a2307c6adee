import type { WorkspacePath } from "@galley/core/path.ts"
import type { State } from "@galley/core/state.ts"
import type { Env } from "../io/env.ts"
import type { Files } from "../io/files.ts"
import type { Root } from "../io/roots.ts"
import type { Batch, Store } from "../store/store.ts"
import type { Move, Problem } from "./steps.ts"

/** What a change of files needs. */
export interface Writer {
  readonly files: Files
  readonly store: Store
  readonly root: Root
  readonly env: Env
}

/** A change of files and the facts that become true with it, at once or not at all. */
export interface FileChange {
  readonly moves: readonly Move[]
  readonly batch: Batch
}

export type WriteOutcome =
  | {
      readonly kind: "written"
      /** What the person should know: owners or attributes that could not be kept, other names that changed too. */
      readonly remarks: readonly string[]
      /** Folders that should have gone but hold something else, and so stay. */
      readonly keptFolders: readonly WorkspacePath[]
    }
  /** Nothing was written. */
  | { readonly kind: "blocked"; readonly problems: readonly Problem[] }
  /**
   * Somebody wrote one of the paths between the plan and the deed. Everything was put back, their text stands on disk and is
   * kept in the store: fold it in and decide again.
   */
  | { readonly kind: "overtaken"; readonly found: readonly { readonly path: WorkspacePath; readonly state: State }[] }

/**
 * Writes files and facts as one: after a crash at any instant, {@link recover} makes it wholly done or wholly undone.
 * The caller holds the workspace lock. Every after-content is in the store already.
 */
export async function writeChange(writer: Writer, change: FileChange): Promise<WriteOutcome> {
  throw new Error(`BUG: not yet written ${writer.root.path} ${change.moves.length}`)
}
