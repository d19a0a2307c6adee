import type { Charset } from "@galley/core/change/loaded.ts"
import type { WorkspacePath } from "@galley/core/path.ts"
import type { Env } from "../io/env.ts"
import type { Files } from "../io/files.ts"
import type { Root } from "../io/roots.ts"
import type { WorkspaceLock } from "../store/lock.ts"
import type { Store } from "../store/store.ts"
import type { Config } from "./config.ts"

/**
 * Everything a workspace's rules work on. Passed first to the functions of this folder, which are the only code that decides or
 * changes state.
 */
export interface Session {
  readonly root: Root
  readonly files: Files
  readonly store: Store
  readonly lock: WorkspaceLock
  readonly env: Env
  readonly config: Config
  /** A private folder on disk for the views of commands; null where commands have none. */
  readonly scratch: string | null
  /** Folders out of every command's reach: all stores and the configuration. Absolute. */
  readonly masked: readonly string[]
  /** Edits of this process that could not be recorded, in words for the person. */
  readonly unrecorded: string[]
  /** The encoding declared for a path, by configuration or `.editorconfig`; undefined where none is. */
  charsetFor(path: WorkspacePath): Promise<Charset | undefined>
}
