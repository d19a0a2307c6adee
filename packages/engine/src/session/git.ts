import { readGitState, type GitState } from "../io/git-folder.ts"
import { readRefLog } from "../io/git-reflog.ts"
import { acceptCommitted } from "./git-commit.ts"
import { offerParked, parkMoved } from "./park.ts"
import type { Session } from "./session.ts"

/** Where HEAD and the stash stood when Galley last looked. */
interface Seen {
  readonly commit: string | null
  readonly branch: string | null
  /** Newest stash entry, or null. */
  readonly stash: string | null
}

const seenSetting = "git.seen"

/**
 * Notices what a person did with git since Galley last looked (DESIGN §3, "Git"). Call it under the lock before drift is folded.
 *
 * A commit that contains pending hunks accepts them. Anything else that moved HEAD or the stash (switch, rebase, reset, pull,
 * stash, pop) parks pending items whose file it changed, and takes parked ones up again whose file is back as it was. While a
 * rebase, merge or bisect is under way nothing is concluded. Reads git's files; git itself is asked only for committed contents.
 */
export async function lookAtGit(session: Session): Promise<void> {
  const state = await readGitState(session.root.path)
  if (state === null || state.refs === "unknown" || state.busy !== null) return
  const seen = await readSeen(session)
  const now = await seenNow(state)
  if (seen !== null && seen.commit === now.commit && seen.branch === now.branch && seen.stash === now.stash) return
  if (seen !== null) {
    if (await onlyCommitted(state, seen, now)) await acceptCommitted(session, now.commit)
    else {
      await parkMoved(session, seen)
      await offerParked(session, now.branch)
      await acceptCommitted(session, now.commit)
    }
  }
  await session.store.commit({ settings: { [seenSetting]: now } })
}

/** Whether {@link lookAtGit} would find something new. Needs no lock. */
export async function gitMoved(session: Session): Promise<boolean> {
  const state = await readGitState(session.root.path)
  if (state === null || state.refs === "unknown" || state.busy !== null) return false
  const seen = await readSeen(session)
  const now = await seenNow(state)
  return seen === null || seen.commit !== now.commit || seen.branch !== now.branch || seen.stash !== now.stash
}

/** Takes what git shows now as seen, without conclusions: an agent's own command moved it. */
export async function markGitSeen(session: Session): Promise<void> {
  const state = await readGitState(session.root.path)
  if (state !== null && state.refs === "files")
    await session.store.commit({ settings: { [seenSetting]: await seenNow(state) } })
}

async function readSeen(session: Session): Promise<Seen | null> {
  const value = await session.store.setting(seenSetting)
  if (typeof value !== "object" || value === null) return null
  const text = (key: string): string | null => {
    const found: unknown = Reflect.get(value, key)
    return typeof found === "string" ? found : null
  }
  return { commit: text("commit"), branch: text("branch"), stash: text("stash") }
}

async function seenNow(state: GitState): Promise<Seen> {
  const stash = (await readRefLog(state, "refs/stash")).at(-1)?.after ?? null
  return { commit: state.head.commit, branch: state.head.branch, stash }
}

/** Whether HEAD moved by committing alone. Git's own log of HEAD says so; without it, it counts as something else. */
async function onlyCommitted(state: GitState, seen: Seen, now: Seen): Promise<boolean> {
  if (seen.branch !== now.branch || seen.stash !== now.stash) return false
  const log = await readRefLog(state, "HEAD")
  const from = log.findLastIndex(entry => entry.after === seen.commit)
  const since = log.slice(from + 1)
  if (from < 0 && seen.commit !== null) return false
  return (
    since.length > 0 &&
    since.every(entry => /^(commit( \((amend|initial|merge)\))?|cherry-pick|revert):/.test(entry.message))
  )
}
