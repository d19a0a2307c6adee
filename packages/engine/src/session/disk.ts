import type { Loaded } from "@galley/core/change/loaded.ts"
import { loadedAbsent } from "@galley/core/change/loaded.ts"
import { Failure } from "@galley/core/failure.ts"
import { parentOf, showPath, type WorkspacePath } from "@galley/core/path.ts"
import { symlinkOnTheWay } from "./look.ts"
import type { Session } from "./session.ts"

/**
 * What stands on disk at a path, its content in hand. `unknown` where it cannot be read (permissions, beyond the size limit):
 * unknown is never absent and never drives a write. `kept` is the size of what Galley holds of the path already (a command's large
 * output): as much is always read, so that it can be taken back.
 */
export async function readDisk(session: Session, path: WorkspacePath, kept = 0): Promise<Loaded> {
  const absolute = session.root.absolute(path)
  try {
    // Through a symlink on the way the path leads to somebody else's file: nothing is known of it by this name.
    if ((await symlinkOnTheWay(session.files, session.root.path, parentOf(path))) !== null) return { kind: "unknown" }
    const stat = await session.files.lstat(absolute)
    if (stat === null) return loadedAbsent
    switch (stat.kind) {
      case "file": {
        const read = await session.files.read(absolute, Math.max(session.config["file.maxBytes"], kept))
        return read === "tooLarge" ? { kind: "unknown" } : { kind: "file", bytes: read.bytes, mode: read.stat.mode }
      }
      case "symlink":
        return { kind: "symlink", target: await session.files.readlink(absolute) }
      case "folder":
        return { kind: "folder", mode: stat.mode }
      case "fifo":
      case "socket":
      case "device":
        return { kind: "other", what: stat.kind }
    }
  } catch (error) {
    if (errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR") return loadedAbsent
    if (["EACCES", "EPERM", "EISDIR", "ELOOP", "EIO", "EBUSY"].includes(errorCode(error))) return { kind: "unknown" }
    throw error
  }
}

/** What was seen where nothing may be assumed is a reason to stop. */
export function mustBeKnown(found: Loaded, path: WorkspacePath): Loaded {
  if (found.kind === "unknown")
    throw new Failure(
      "DENIED",
      `${showPath(path)} cannot be read, so a change of it could not be taken back. Nothing was changed.`,
      "Check its permissions and size, then try again.",
    )
  return found
}

/** The system's error code (`ENOENT`, …), or "". */
export function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : ""
}
