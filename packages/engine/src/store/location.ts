import { createHash } from "node:crypto"
import { join } from "node:path"
import { Failure } from "@galley/core/failure.ts"
import {
  type FolderIdentity,
  identify,
  namesIn,
  privateFile,
  privateFolder,
  readTextIfThere,
  replaceFile,
} from "./disk.ts"
import { galleyHome, type Surroundings } from "./home.ts"
import { storeFailure } from "./trouble.ts"

export { galleyHome, type Surroundings } from "./home.ts"

/** The store of one workspace. */
export interface StoreLocation {
  /** Of all stores and the configuration (`config.json`). */
  readonly home: string
  readonly id: string
  /** Holds `galley.db`, `lock.db`, `blobs` and `workspace.json`. */
  readonly folder: string
  /** Real path of the workspace, now. */
  readonly root: string
  /** Where the same folder was when it was last opened, if that was elsewhere: it was moved, renamed, or is mounted twice. */
  readonly formerRoot: string | null
}

/**
 * Finds the store of a workspace, making its folder where there is none.
 *
 * A workspace is a *folder*, not a path: one that was moved or renamed, and a bind mount of it, find the same store; a copy
 * has its own. See {@link sameWorkspace}. Two processes that come first at once derive the same id and share a folder.
 */
export function locateStore(root: string, surroundings: Surroundings): StoreLocation {
  const identity = identityOf(root)
  const home = galleyHome(surroundings)
  const known = knownId(home, identity)
  const id = known?.id ?? freshId(home, identity)
  const folder = join(home, "workspaces", id)
  if (known === null || !sameRecord(known.record, identity)) remember(folder, identity, known !== null)
  const former = known === null || known.record.path === identity.path ? null : known.record.path
  return { home, id, folder, root: identity.path, formerRoot: former }
}

/** The store of a workspace that was opened before; null otherwise. Makes nothing. */
export function knownStore(root: string, surroundings: Surroundings): StoreLocation | null {
  const identity = identify(root)
  if (identity === null) return null
  const home = galleyHome(surroundings)
  const known = knownId(home, identity)
  if (known === null) return null
  return {
    home,
    id: known.id,
    folder: join(home, "workspaces", known.id),
    root: identity.path,
    formerRoot: known.record.path === identity.path ? null : known.record.path,
  }
}

/**
 * Whether a folder is the one that was recorded.
 *
 * - Elsewhere, but the same device, inode and (where known) birth: moved, renamed, or seen through a bind mount. Birth tells it
 *   from another folder that was given the inode number of a deleted one.
 * - At the same path with the same inode number: the device number may have changed (reboot, NFS, container) and so may the
 *   birth (overlayfs copies a folder up at its first change).
 * - At the same path with another inode: another folder took the place (a copy, a fresh clone): not the same.
 */
export function sameWorkspace(record: FolderIdentity, seen: FolderIdentity): boolean {
  if (record.ino !== seen.ino) return false
  if (record.path === seen.path) return true
  const sameBirth = record.born === seen.born || record.born === null || seen.born === null
  return record.dev === seen.dev && sameBirth
}

function identityOf(root: string): FolderIdentity {
  const identity = identify(root)
  if (identity === null)
    throw new Failure("NOT_FOUND", `There is no folder at ${root}.`, "Name an existing folder with --workspace.")
  return identity
}

/** The usual case is one read: the id follows from device and inode. Otherwise all records are looked through. */
function knownId(home: string, identity: FolderIdentity) {
  const direct = hash(identity.dev, identity.ino)
  for (const id of new Set([direct, ...namesIn(join(home, "workspaces"))])) {
    const record = readRecord(join(home, "workspaces", id))
    if (record !== null && sameWorkspace(record, identity)) return { id, record }
  }
  return null
}

function freshId(home: string, identity: FolderIdentity): string {
  const direct = hash(identity.dev, identity.ino)
  // Taken by a folder whose inode number this one was given: the birth makes the difference.
  return readRecord(join(home, "workspaces", direct)) === null
    ? direct
    : hash(identity.dev, identity.ino, identity.born ?? identity.path)
}

function hash(...parts: readonly string[]): string {
  return createHash("sha256").update(parts.join("\0")).digest("hex").slice(0, 20)
}

function readRecord(folder: string): FolderIdentity | null {
  const text = readTextIfThere(join(folder, "workspace.json"))
  if (text === null) return null
  try {
    const value: unknown = JSON.parse(text)
    return isIdentity(value) ? value : null
  } catch {
    // A damaged record is one that is not there: the id derived from the folder leads back here, and it is written anew.
    return null
  }
}

function isIdentity(value: unknown): value is FolderIdentity {
  if (typeof value !== "object" || value === null) return false
  if (!("path" in value && "dev" in value && "ino" in value && "born" in value)) return false
  return (
    typeof value.path === "string" &&
    typeof value.dev === "string" &&
    typeof value.ino === "string" &&
    (value.born === null || typeof value.born === "string")
  )
}

function sameRecord(a: FolderIdentity, b: FolderIdentity): boolean {
  return a.path === b.path && a.dev === b.dev && a.ino === b.ino && a.born === b.born
}

/** Writes the record. A known store on a disk that cannot be written is still found, so that is no trouble. */
function remember(folder: string, { path, dev, ino, born }: FolderIdentity, known: boolean): void {
  try {
    privateFolder(folder)
    const record = join(folder, "workspace.json")
    privateFile(record)
    replaceFile(record, `${JSON.stringify({ path, dev, ino, born })}\n`, `${process.pid}.tmp`)
  } catch (error) {
    if (!known) throw storeFailure(error, folder)
  }
}
