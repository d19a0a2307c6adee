/**
 * The disk as Galley asks for it. One interface, two implementations (the real disk and memory) and wrappers that inject
 * faults; one conformance suite runs on all.
 *
 * Paths are absolute strings in which undecodable bytes are escaped as `@galley/core/path.ts` says. No method follows a
 * symlink at the last component unless it says so. Errors are Node's (`code`: ENOENT, EACCES, ENOSPC, EXDEV, …); callers at the
 * rim of `session` translate them.
 */
export interface Files {
  /** What stands there; null is an *observed* absence (ENOENT or ENOTDIR). Every other trouble is thrown. */
  lstat(path: string): Promise<Stat | null>
  /** The whole content of a regular file, never of a FIFO or device; `tooLarge` beyond `limit` bytes. Bytes and stat are from one handle. */
  read(path: string, limit: number): Promise<{ readonly bytes: Uint8Array; readonly stat: Stat } | "tooLarge">
  readlink(path: string): Promise<string>
  /** Names, unsorted. */
  list(folder: string): Promise<readonly { readonly name: string; readonly kind: Stat["kind"] }[]>
  /** The path with every symlink resolved; the last components may be missing. */
  realpath(path: string): Promise<string>

  /** Makes a new file (O_EXCL, O_NOFOLLOW) whose mode is final before the first byte; loops until all is written; fsyncs. */
  create(path: string, bytes: Uint8Array, mode: number): Promise<void>
  /** The same for many, durable together. When it throws, some may be there. */
  createAll(files: readonly NewFile[]): Promise<void>
  /** Overwrites in place, keeping inode, links and owner; loops, truncates to length, fsyncs. */
  overwrite(path: string, bytes: Uint8Array): Promise<void>
  /**
   * The same if the file still is what `seen` says (inode, size, mtime): looked at through the very handle that writes, just before. False:
   * it is not, and nothing was written.
   */
  overwriteSeen(path: string, bytes: Uint8Array, seen: Stat): Promise<boolean>
  rename(from: string, to: string): Promise<void>
  /**
   * Renames over what stands at `to` if that still is what `seen` says; the look and the rename are two system calls next to each other,
   * which nothing of ours comes between. False: it is not, and nothing was done.
   */
  renameOverSeen(from: string, to: string, seen: Stat): Promise<boolean>
  /** A second name for the same inode. EEXIST if `to` exists. */
  link(from: string, to: string): Promise<void>
  symlink(target: string, path: string): Promise<void>
  unlink(path: string): Promise<void>
  /** As mkdir(2): `mode` less the umask. A mode that must be exact is set by `chmod` after. */
  makeFolder(path: string, mode: number): Promise<void>
  /** ENOTEMPTY if anything is inside. */
  removeFolder(path: string): Promise<void>
  chmod(path: string, mode: number): Promise<void>
  /** Copies owner and group where allowed, the mode stays; returns what could not be kept, in words. */
  copyOwner(from: string, to: string): Promise<readonly string[]>
  /** Copies owner where allowed, xattrs and ACLs from one to the other, the mode stays; returns what could not be kept, in words. */
  copyIdentity(from: string, to: string): Promise<readonly string[]>
  /**
   * Those of the files that carry extended attributes or ACLs, and those whose folder hands an ACL to new files; looked at in
   * one go (a process per call, not per file). null: this machine cannot tell.
   */
  withAttributes(paths: readonly string[]): Promise<ReadonlySet<string> | null>
  /** Makes names in the folder durable. */
  syncFolder(folder: string): Promise<void>
  /** Whether we may make and remove names in the folder, or write the file. */
  writable(path: string): Promise<boolean>
  /**
   * Opens `folder` (relative, `""` for the root itself) below `root`, following no symlink on the way: ENOENT if it is missing,
   * ENOTDIR if a name on the way is a symlink or a file. On Linux the path it gives leads to the very folder that was opened,
   * whatever happens to its name afterwards; elsewhere it is the plain path, checked once.
   */
  openFolder(root: string, folder: string): Promise<OpenFolder>
  /** Whose files we make; `uid` 0 may give files away. */
  readonly self: { readonly uid: number; readonly gid: number; readonly groups: readonly number[] }
  /** Bits that new files and folders do not get. */
  readonly umask: number
}

export interface NewFile {
  readonly path: string
  readonly bytes: Uint8Array
  readonly mode: number
}

export interface OpenFolder {
  /** A prefix for names inside: `${path}/${name}`. Good until `close`. */
  readonly path: string
  close(): Promise<void>
}

export interface Stat {
  readonly kind: "file" | "folder" | "symlink" | "fifo" | "socket" | "device"
  /** Permission bits, 0o7777. */
  readonly mode: number
  readonly size: number
  readonly links: number
  readonly uid: number
  readonly gid: number
  readonly dev: bigint
  readonly ino: bigint
  /** Nanoseconds. ctime is in the key: a same-size edit with a restored mtime still moves it. */
  readonly mtimeNs: bigint
  readonly ctimeNs: bigint
}

/** Whether two stamps are of one file that was not written in between. Says nothing of its mode, owner and names. */
export function isSameWriting(a: Stat, b: Stat): boolean {
  return a.ino === b.ino && a.dev === b.dev && a.size === b.size && a.mtimeNs === b.mtimeNs && a.kind === b.kind
}
