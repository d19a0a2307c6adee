import type { Loaded } from "@galley/core/change/loaded.ts"
import { Failure } from "@galley/core/failure.ts"
import { parentOf, showPath, type WorkspacePath } from "@galley/core/path.ts"
import { readDisk } from "./disk.ts"
import { missingFolders } from "./made-folders.ts"
import { type Version, versionOf } from "./record.ts"
import type { Session } from "./session.ts"

/** Whether a failure says that the store, not the file, is the trouble. */
export function isStoreTrouble(error: unknown): error is Failure {
  return error instanceof Failure && error.code === "STORE_FAILED"
}

/**
 * Writes an agent's edit although it cannot be recorded (REQUIREMENTS B6): the work is not blocked, and agent and person are told that
 * this edit cannot be undone. Only where changes are applied at once; with `strict` the caller refuses instead.
 *
 * Staged and renamed, so the file is wholly old or wholly new; there is no journal, as that is what failed.
 */
export async function writeUnrecorded(
  session: Session,
  path: WorkspacePath,
  after: Loaded,
  expected: Version,
  why: Failure,
): Promise<string> {
  if (after.kind !== "file") throw why
  if (versionOf(await readDisk(session, path)) !== expected)
    throw new Failure(
      "FILE_CHANGED_SINCE_READ",
      `${showPath(path)} has changed since it was read. Nothing was written.`,
    )
  for (const folder of await missingFolders(session, path))
    await session.files.makeFolder(session.root.absolute(folder), 0o755)
  const target = session.root.absolute(path)
  const staged = `${session.root.absolute(parentOf(path))}/.galley-${session.env.newId()}`
  try {
    await session.files.create(staged, after.bytes, after.mode)
    await session.files.rename(staged, target)
  } catch (error) {
    await session.files.unlink(staged).catch(() => undefined)
    throw error
  }
  session.unrecorded.push(`An edit of ${showPath(path)} could not be recorded and cannot be undone: ${why.message}`)
  return `It could not be recorded, so the person cannot undo it: ${why.message}`
}
