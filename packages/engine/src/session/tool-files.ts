import type { Charset } from "@galley/core/change/loaded.ts"
import type { Policy } from "@galley/core/protocol/results.ts"
import type { DirectoryEntry } from "@galley/core/tool/view.ts"

/**
 * The file system as the edit tool asks for it: all it reads and writes goes through here, and policy and roots are held
 * here, not in the tool. {@link plainToolFiles} implements it over a bare disk; a session implements it over its workspace
 * (pending text in `hold`, recording before each write).
 *
 * Paths are absolute, `/` between names, `..` not yet resolved; they are resolved as the kernel does, symlinks followed, the
 * last one too, except by `create`. A trouble that a model can act on is thrown as a `Failure` (`OUTSIDE_WORKSPACE`, `DENIED`,
 * `NO_SPACE`, `BAD_ARGUMENT`); when anything is thrown, nothing has changed.
 */
export interface ToolFiles {
  /** The folder that relative paths start from. Absolute. */
  readonly root: string
  /** What is there. Bytes and version are from one look: the version is that of these very bytes. */
  read(path: string, call: CallContext): Promise<ToolRead>
  /** The entries of a folder, in any order. A symlink is one itself, whatever it leads to. */
  list(folder: string, call: CallContext): Promise<readonly DirectoryEntry[]>
  /** The encoding declared for a path, there or not; undefined where none is. */
  charsetFor(path: string, call: CallContext): Promise<Charset | undefined>
  /** Replaces the content if what is there still has this version. Mode, links and the symlink on the way stay. */
  write(path: string, bytes: Uint8Array, version: Version, call: CallContext): Promise<ToolWrite>
  /** Makes a file, with missing parents, if nothing at all stands there: no file, folder or symlink, dangling or not. */
  create(path: string, bytes: Uint8Array, call: CallContext): Promise<ToolWrite>
}

/** Opaque, compared by equality. Equal bytes may share one, different bytes never do. */
export type Version = string

export type ToolRead =
  | { readonly kind: "file"; readonly bytes: Uint8Array; readonly version: Version }
  | { readonly kind: "tooLarge"; readonly limit: number }
  | { readonly kind: "absent" }
  | { readonly kind: "folder" }
  | { readonly kind: "special"; readonly what: "fifo" | "socket" | "device" }

export type ToolWrite =
  | {
      readonly kind: "written"
      /** Of what a read gives from now on. */
      readonly version: Version
      /** Set if the change waits for a person and is not on disk. */
      readonly held?: boolean
      /** A sentence for the model, e.g. that the change is held for review. */
      readonly remark?: string
    }
  /** For `write`: it is not the version; nothing was written. */
  | { readonly kind: "changed" }
  /** For `create`: nothing was written. */
  | { readonly kind: "exists"; readonly what: DirectoryEntry["kind"] }

/** Who calls and under what policy; new for each call, since both may change between two. */
export interface CallContext {
  readonly conversation: string | null
  readonly message: string | null
  readonly callId: string | null
  readonly policy: Policy
  readonly signal?: AbortSignal
}
