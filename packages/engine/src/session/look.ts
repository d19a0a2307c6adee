import { parentOf, type WorkspacePath } from "@galley/core/path.ts"
import { absent, unknown, type State } from "@galley/core/state.ts"
import type { Files, Stat } from "../io/files.ts"
import { blobIdOf } from "../io/hash.ts"
import { errorCode } from "./disk-trouble.ts"
import type { Folders } from "./folders.ts"

/** What somebody saw at a path. */
export interface Look {
  /** `unknown` where it could not be seen; `trouble` then says why. */
  readonly state: State
  /** null where nothing stands or nothing could be seen. */
  readonly stat: Stat | null
  /** The content of a file that was seen. */
  readonly bytes?: Uint8Array
  readonly trouble?: LookTrouble
}

export interface LookTrouble {
  /** `symlink`: a folder on the way is a symlink, so the path leads somewhere else. */
  readonly kind: "unreadable" | "tooLarge" | "symlink" | "restless"
  readonly message: string
}

/** Files beyond this are not read whole: 1 GiB, below the longest buffer of every supported Node. */
export const largestContent = 2 ** 30

/** Looks at a workspace path through folders that are walked to without following symlinks. */
export async function lookAt(
  files: Files,
  folders: Folders,
  root: string,
  path: WorkspacePath,
  limit = largestContent,
): Promise<Look> {
  try {
    return await folders.within(parentOf(path), folder => look(files, `${folder}/${nameOf(path)}`, limit))
  } catch (error) {
    const code = errorCode(error)
    if (code === "EACCES") return unseen("unreadable", "a folder on the way is closed to us")
    if (code !== "ENOENT" && code !== "ENOTDIR") throw error
    const link = await symlinkOnTheWay(files, root, parentOf(path))
    return link === null ? { state: absent, stat: null } : unseen("symlink", `${link} is a symlink`)
  }
}

/** Looks at what stands at a path of the file system, without following a symlink and without waiting for a FIFO. */
export async function look(files: Files, path: string, limit = largestContent): Promise<Look> {
  // What was seen by lstat may be something else by the time it is opened; a few turns settle that.
  for (let turn = 0; turn < 4; turn++) {
    const stat = await files.lstat(path)
    if (!stat) return { state: absent, stat: null }
    switch (stat.kind) {
      case "file": {
        const seen = await readFile(files, path, limit)
        if (seen !== "moved") return seen
        break
      }
      case "symlink": {
        const target = await readTarget(files, path)
        if (target !== null) return { state: { kind: "symlink", target }, stat }
        break
      }
      case "folder":
        return { state: { kind: "folder", mode: stat.mode }, stat }
      case "fifo":
      case "socket":
      case "device":
        return { state: { kind: "other", what: stat.kind }, stat }
    }
  }
  return unseen("restless", "it is being replaced all the time")
}

export function nameOf(path: WorkspacePath): string {
  return path.slice(path.lastIndexOf("/") + 1)
}

/** The first name on the way to the folder that is a symlink, or null. */
export async function symlinkOnTheWay(files: Files, root: string, folder: string): Promise<string | null> {
  const names = folder === "" ? [] : folder.split("/")
  for (let count = 1; count <= names.length; count++) {
    const inside = names.slice(0, count).join("/")
    const stat = await files.lstat(`${root === "/" ? "" : root}/${inside}`)
    if (stat?.kind === "symlink") return inside
    if (stat?.kind !== "folder") return null
  }
  return null
}

async function readFile(files: Files, path: string, limit: number): Promise<Look | "moved"> {
  try {
    const read = await files.read(path, limit)
    if (read === "tooLarge") return unseen("tooLarge", `it is larger than ${limit} bytes`)
    const { bytes, stat } = read
    return { state: { kind: "file", blob: blobIdOf(bytes), size: bytes.length, mode: stat.mode }, stat, bytes }
  } catch (error) {
    const code = errorCode(error)
    if (code === "ENOENT" || code === "ELOOP" || code === "EINVAL" || code === "ENXIO") return "moved"
    if (code === "EACCES" || code === "EPERM") return unseen("unreadable", "we may not read it")
    throw error
  }
}

async function readTarget(files: Files, path: string): Promise<string | null> {
  try {
    return await files.readlink(path)
  } catch (error) {
    const code = errorCode(error)
    if (code === "ENOENT" || code === "EINVAL") return null
    throw error
  }
}

function unseen(kind: LookTrouble["kind"], message: string): Look {
  return { state: unknown, stat: null, trouble: { kind, message } }
}
