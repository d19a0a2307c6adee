import { readGitState, type GitState } from "../io/git-folder.ts"
import { readRefLog } from "../io/git-reflog.ts"
import type { NewOperation } from "../store/store.ts"
import { acceptCommitted } from "./git-commit.ts"
import { offerParked, parkMoved } from "./park.ts"
import type { Session } from "./session.ts"

/** Where HEAD and the stash stood when Galley last looked. */
interface Seen {
  readonly commit: string | null
  /** While something is under way: the branch on which it began. */
  readonly branch: string | null
  /** Newest stash entry, or null. */
  readonly stash: string | null
  /** The rebase, merge, bisect… that was under way, or null. */
  readonly busy: string | null
}

const seenSetting = "git.seen"

/**
 * Notices what a person did with git since Galley last looked (DESIGN §3, "Git"). Call it under the lock before drift is folded.
 *
 * A commit that contains pending hunks accepts them. Anything else that moved HEAD or the stash (switch, rebase, reset, pull,
 * stash, pop) parks pending items whose file it changed, and takes parked ones up again whose file is back as it was. While a
 * rebase, merge or bisect is under way files that it moved are parked too (an autostash has taken them), and nothing else is concluded.
 * Reads git's files; git itself is asked only for committed contents.
 */
export async function lookAtGit(session: Session): Promise<void> {
  const state = await readGitState(session.root.path)
  if (state === null || state.refs === "unknown") return
  const seen = await readSeen(session)
  const now = await seenNow(state, seen)
  if (seen !== null && sameSeen(seen, now)) return
  let facts: NewOperation[] = []
  if (seen !== null) {
    if (await onlyCommitted(state, seen, now)) await acceptCommitted(session, now.commit)
    else {
      facts = headMoved(session, seen, now)
      await parkMoved(session, { from: seen, to: now, stashMoved: seen.stash !== now.stash || now.busy !== null })
      if (now.busy === null) {
        await offerParked(session, now.branch)
        await acceptCommitted(session, now.commit)
      }
    }
  }
  await session.store.commit({ operations: facts, settings: { [seenSetting]: now } })
}

/** Whether {@link lookAtGit} would find something new. Needs no lock. */
export async function gitMoved(session: Session): Promise<boolean> {
  const state = await readGitState(session.root.path)
  if (state === null || state.refs === "unknown") return false
  const seen = await readSeen(session)
  return seen === null || !sameSeen(seen, await seenNow(state, seen))
}

/** Takes what git shows now as seen, without conclusions: an agent's own command moved it, and its record says how. */
export async function markGitSeen(session: Session): Promise<void> {
  const state = await readGitState(session.root.path)
  if (state === null || state.refs !== "files") return
  await session.store.commit({ settings: { [seenSetting]: await seenNow(state, await readSeen(session)) } })
}

async function readSeen(session: Session): Promise<Seen | null> {
  const value = await session.store.setting(seenSetting)
  if (typeof value !== "object" || value === null) return null
  const text = (key: string): string | null => {
    const found: unknown = Reflect.get(value, key)
    return typeof found === "string" ? found : null
  }
  return { commit: text("commit"), branch: text("branch"), stash: text("stash"), busy: text("busy") }
}

async function seenNow(state: GitState, before: Seen | null): Promise<Seen> {
  const stashes = await readRefLog(state, "refs/stash")
  // A stash that cannot be read just now has not gone.
  const stash = stashes === null ? (before?.stash ?? null) : (stashes.at(-1)?.after ?? null)
  const branch = state.busy !== null && state.head.branch === null ? (before?.branch ?? null) : state.head.branch
  return { commit: state.head.commit, branch, stash, busy: state.busy }
}

function sameSeen(a: Seen, b: Seen): boolean {
  return a.commit === b.commit && a.branch === b.branch && a.stash === b.stash && a.busy === b.busy
}

/** The fact that HEAD moved otherwise than by a commit; the log shows it, nobody takes it back. */
function headMoved(session: Session, from: Seen, to: Seen): NewOperation[] {
  if (from.commit === to.commit && from.branch === to.branch) return []
  const place = (at: Seen): string => `${at.branch ?? "detached"} ${at.commit?.slice(0, 8) ?? "(no commit)"}`
  return [
    {
      id: session.env.newId(),
      kind: "git",
      actor: "git",
      conversation: null,
      message: null,
      at: session.env.now(),
      title: `HEAD moved: ${place(from)} → ${place(to)}${to.busy === null ? "" : ` (${to.busy} under way)`}`,
      capture: "detected",
      head: null,
      changes: [],
    },
  ]
}

/** Whether HEAD moved by committing alone. Git's own log of HEAD says so; without it, it counts as something else. */
async function onlyCommitted(state: GitState, seen: Seen, now: Seen): Promise<boolean> {
  if (seen.busy !== null || now.busy !== null) return false
  if (seen.branch !== now.branch || seen.stash !== now.stash) return false
  const log = (await readRefLog(state, "HEAD")) ?? []
  const from = log.findLastIndex(entry => entry.after === seen.commit)
  const since = log.slice(from + 1)
  if (from < 0 && seen.commit !== null) return false
  return (
    since.length > 0 &&
    since.every(entry => /^(commit( \((amend|initial|merge)\))?|cherry-pick|revert):/.test(entry.message))
  )
}
