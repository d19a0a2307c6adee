import { sameLoaded, type Loaded } from "@galley/core/change/loaded.ts"
import { Failure } from "@galley/core/failure.ts"
import { showPath, type WorkspacePath } from "@galley/core/path.ts"
import { memoryStore } from "../store/memory.ts"
import { saveState } from "./contents.ts"
import { mustBeKnown, readDisk } from "./disk.ts"
import { writeChange } from "./journal.ts"
import { type Version, versionOf } from "./record.ts"
import type { Session } from "./session.ts"

/**
 * Whether a failure says that the store, not the disk of the file, is the trouble. A full store is none: room can be made, and nothing
 * is lost until then.
 */
export function isStoreTrouble(error: unknown): error is Failure {
  if (!(error instanceof Failure) || error.code !== "STORE_FAILED") return false
  return error.cause === undefined || error.cause instanceof Failure
}

/**
 * Writes an agent's edit although it cannot be recorded (REQUIREMENTS B6): the work is not blocked, and agent and person are told that
 * this edit cannot be undone. Only where changes are applied at once; with `strict` the caller refuses instead.
 *
 * Written as any change, with a journal in memory, as the one on disk is what failed: a failure puts the file back, a kill may leave a
 * temporary name. The answer is what to tell the agent.
 */
export async function writeUnrecorded(
  session: Session,
  path: WorkspacePath,
  after: Loaded,
  expected: Version,
  why: Failure,
): Promise<string> {
  const before = mustBeKnown(await readDisk(session, path), path)
  // The writing came through and only its record is in doubt; the failure says so.
  if (versionOf(before) !== expected && sameLoaded(before, after)) return told(session, path, why)
  if (after.kind !== "file" || (before.kind !== "file" && before.kind !== "absent")) throw why
  if (versionOf(before) !== expected) throw changed(path)
  const store = memoryStore()
  const move = { path, before: await saveState(store, before), after: await saveState(store, after) }
  const written = await writeChange({ ...session, store }, { moves: [move], batch: {} })
  switch (written.kind) {
    case "overtaken":
      throw changed(path)
    case "blocked": {
      const [problem] = written.problems
      throw problem === undefined ? why : new Failure(problem.code, `${showPath(path)}: ${problem.message}`)
    }
    case "written":
      return [told(session, path, why), ...written.remarks].join(" ")
  }
}

function told(session: Session, path: WorkspacePath, why: Failure): string {
  // Not what the failed attempt said of the file: that is overtaken.
  const cause = why.cause instanceof Failure ? why.cause.message : why.message
  session.unrecorded.push(`An edit of ${showPath(path)} could not be recorded and cannot be undone: ${cause}`)
  return `The edit stands, but it could not be recorded, so the person cannot undo it: ${cause}`
}

function changed(path: WorkspacePath): Failure {
  return new Failure("FILE_CHANGED_SINCE_READ", `${showPath(path)} has changed since it was read. Nothing was written.`)
}
