import {
  type BigIntStats,
  closeSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
} from "node:fs"
import { readFile } from "node:fs/promises"
import { hasEscapedByte, pathFromBytes, pathToBytes, type WorkspacePath } from "@galley/core/path.ts"

/**
 * What a look found at a path: a {@link import("@galley/core/state.ts").State} whose content is still to be read. `read` gives
 * the bytes as they are when it is called, so it must be called before anything else is done to the file.
 */
export type Seen =
  | { readonly kind: "absent" }
  | SeenFile
  | { readonly kind: "symlink"; readonly target: string }
  | { readonly kind: "folder"; readonly mode: number }
  | { readonly kind: "other"; readonly what: "fifo" | "socket" | "device" }
  | { readonly kind: "unknown" }

export interface SeenFile {
  readonly kind: "file"
  readonly mode: number
  readonly size: number
  read(): Promise<Uint8Array>
}

/** One path that a command changed. */
export interface DiskChange {
  readonly path: WorkspacePath
  /** What the command found there. `unknown` where nobody kept it. */
  readonly before: Seen
  readonly after: Seen
  /** Old path of a file whose content arrived here unchanged. For display: the old path is a change of its own. */
  readonly renamedFrom?: WorkspacePath
  /** Of what went: the folders that went with it, outermost first. */
  readonly goneFolders?: readonly WorkspacePath[]
  /** Of what came: the folders that came with it, outermost first; where a look can tell. */
  readonly madeFolders?: readonly WorkspacePath[]
  /**
   * Of a file with other names (hard links): whether the command wrote into it, which changes them all, or put a new file in its place;
   * `unknown` where that cannot be told, `made` where the path itself came as another name.
   */
  readonly link?: "written" | "replaced" | "unknown" | "made"
  /** Git ignores it (alone: those in ignored folders are {@link ByProduct}s). */
  readonly ignored: boolean
  /**
   * Whether somebody else changed the path on disk since the command began. Asked after `before` was read: no means that those bytes are
   * what the command started from, yes that they may be newer.
   */
  movedSince(): boolean
}

/** All that a command changed in a folder that git ignores, or that holds dependencies: one line (B9). */
export interface ByProduct {
  readonly folder: WorkspacePath
  /** Paths touched, and bytes of the files among them that stand there now. Includes files that may turn out equal. */
  readonly paths: number
  readonly bytes: number
  /** The single changes, found on demand. */
  open(): Promise<readonly DiskChange[]>
  /** Where a path stands in the run's own folder, and on the person's disk. Absolute. */
  inRun(path: WorkspacePath): string
  onDisk(path: WorkspacePath): string
}

export const seenAbsent: Seen = { kind: "absent" }

/** What Node's calls take for a path with escaped bytes (`@galley/core/path.ts`). */
export function native(path: string): string | Buffer {
  return hasEscapedByte(path) ? Buffer.from(pathToBytes(path)) : path
}

/** The stat of a path itself; null where nothing is. Synchronous: 3 to 5 times faster than promises over many files. */
export function statOf(path: string): BigIntStats | null {
  try {
    return lstatSync(native(path), { bigint: true, throwIfNoEntry: false }) ?? null
  } catch (error) {
    if (isCode(error, "ENOTDIR", "ENOENT")) return null
    throw error
  }
}

/** Looks at a path; what cannot be looked at is `unknown`, never absent. */
export function seenAt(path: string): Seen {
  try {
    const stat = statOf(path)
    return stat === null ? seenAbsent : seenFrom(path, stat)
  } catch {
    return { kind: "unknown" }
  }
}

export function seenFrom(path: string, stat: BigIntStats): Seen {
  const mode = Number(stat.mode & 0o7777n)
  if (stat.isFile()) return { kind: "file", mode, size: Number(stat.size), read: reader(path, Number(stat.size)) }
  if (stat.isDirectory()) return { kind: "folder", mode }
  if (stat.isSymbolicLink())
    return { kind: "symlink", target: pathFromBytes(readlinkSync(native(path), { encoding: "buffer" })) }
  return { kind: "other", what: stat.isFIFO() ? "fifo" : stat.isSocket() ? "socket" : "device" }
}

/**
 * Small files are read at once: handing each to a thread and back costs several times the reading, and a command may have changed
 * thousands.
 */
function reader(path: string, size: number): SeenFile["read"] {
  if (size > smallSize) return async () => await readFile(native(path))
  return async () => await Promise.resolve(readFileSync(native(path)))
}

const smallSize = 256 * 1024

/** A state in hand as one that was seen. */
export function seenLoaded(
  state: Exclude<Seen, SeenFile> | { readonly kind: "file"; readonly bytes: Uint8Array; readonly mode: number },
): Seen {
  if (state.kind !== "file") return state
  const { bytes, mode } = state
  return { kind: "file", mode, size: bytes.length, read: async () => await Promise.resolve(bytes) }
}

/** Names in a folder; none where it is no folder or cannot be read. */
export function namesIn(folder: string): readonly string[] {
  try {
    const names = readdirSync(native(folder), "utf8")
    if (!names.some(name => name.includes("\ufffd"))) return names
    return readdirSync(native(folder), { encoding: "buffer" }).map(name => pathFromBytes(name))
  } catch {
    return []
  }
}

export function joined(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`
}

/** Whether two looks found the same, contents included. Two unknown are not the same. */
export async function sameSeen(a: Seen, b: Seen): Promise<boolean> {
  switch (a.kind) {
    case "absent":
      return b.kind === "absent"
    case "file":
      return b.kind === "file" && a.mode === b.mode && (await sameBytes(a, b))
    case "symlink":
      return b.kind === "symlink" && a.target === b.target
    case "folder":
      return b.kind === "folder" && a.mode === b.mode
    case "other":
      return b.kind === "other" && a.what === b.what
    case "unknown":
      return false
  }
}

async function sameBytes(a: SeenFile, b: SeenFile): Promise<boolean> {
  if (a.size !== b.size) return false
  return Buffer.compare(await a.read(), await b.read()) === 0
}

/** Compares two regular files piece by piece, so that a file of any size takes 2 MiB. */
export function sameFileBytes(a: string, b: string): boolean {
  const pieces = [Buffer.allocUnsafe(pieceSize), Buffer.allocUnsafe(pieceSize)] as const
  const first = openSync(native(a), "r")
  try {
    const second = openSync(native(b), "r")
    try {
      for (;;) {
        const length = fill(first, pieces[0])
        if (length !== fill(second, pieces[1])) return false
        if (length === 0) return true
        if (Buffer.compare(pieces[0].subarray(0, length), pieces[1].subarray(0, length)) !== 0) return false
      }
    } finally {
      closeSync(second)
    }
  } finally {
    closeSync(first)
  }
}

const pieceSize = 1 << 20

function fill(file: number, piece: Buffer): number {
  let length = 0
  while (length < piece.length) {
    const got = readSync(file, piece, length, piece.length - length, null)
    if (got === 0) break
    length += got
  }
  return length
}

function isCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.includes(String(error.code))
}
