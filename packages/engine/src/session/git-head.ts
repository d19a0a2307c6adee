import { Failure } from "@galley/core/failure.ts"
import type { GitHead } from "@galley/core/history/operation.ts"
import { readGitState } from "../io/git-folder.ts"
import type { Session } from "./session.ts"

/** Commit and branch that HEAD names now; null outside git or where refs cannot be read. */
export async function gitHead(session: Session): Promise<GitHead | null> {
  const state = await readGitState(session.root.path)
  return state === null || state.refs === "unknown" ? null : state.head
}

/** Refuses to write files unasked in the middle of a rebase, merge or bisect. */
export async function refuseBusyGit(session: Session, force: boolean): Promise<void> {
  if (force) return
  const busy = (await readGitState(session.root.path))?.busy ?? null
  if (busy !== null)
    throw new Failure(
      "CONFLICT",
      `A ${busy} is under way in this repository. Nothing was written.`,
      `Finish or abort the ${busy}, or say --force.`,
    )
}
