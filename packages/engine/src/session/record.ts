import { isPending, type Item } from "@galley/core/change/item.ts"
import type { Loaded } from "@galley/core/change/loaded.ts"
import { Failure } from "@galley/core/failure.ts"
import { matchesGlob } from "@galley/core/glob.ts"
import type { Capture, Message, Operation } from "@galley/core/history/operation.ts"
import { showPath, type WorkspacePath } from "@galley/core/path.ts"
import type { RequestContext } from "@galley/core/protocol/requests.ts"
import { blobIdOf } from "../io/hash.ts"
import { openGitObjects, type GitObjects } from "../io/git-objects.ts"
import { resemblesGit } from "../io/roots.ts"
import type { NewOperation } from "../store/store.ts"
import { commitTurns, type Turn } from "./commit.ts"
import { loadState, saveState } from "./contents.ts"
import { readDisk } from "./disk.ts"
import { settleDrift, standingAt, type Standing } from "./drift.ts"
import { gitMoved, lookAtGit, markGitSeen } from "./git.ts"
import { originOf } from "./messages.ts"
import { reviewModeOf, policyOf } from "./policy.ts"
import { repairInterrupted } from "./repair.ts"
import { joinWithNow, type Found, type Joined } from "./run-start.ts"
import type { Session } from "./session.ts"

/** The state of a path as an agent sees it, as a token that changes whenever it does. */
export type Version = string

export interface AgentView {
  readonly state: Loaded
  readonly version: Version
}

export interface ProposedChange {
  readonly path: WorkspacePath
  readonly after: Loaded
  /** The version that the change was computed from; null where none was looked at. */
  readonly expected: Version | null
  readonly renamedFrom?: WorkspacePath
  /** Folders that a command took away with the file. */
  readonly goneFolders?: readonly WorkspacePath[]
  /** Folders that a command, which wrote the disk itself, made for the file. */
  readonly madeFolders?: readonly WorkspacePath[]
  /** The file has other names (hard links), and the command replaced this one alone. */
  readonly breaksLink?: boolean
  /** What a command's view found there, to be joined with what others did meanwhile. */
  readonly from?: Found
  /** The disk holds `after` already; `seen` is what stood there before it did. */
  readonly onDisk?: { readonly seen: Loaded }
}

export interface ChangeRequest {
  readonly context: RequestContext
  readonly kind: "edit" | "command"
  readonly title: string
  readonly capture: Capture
  readonly changes: readonly ProposedChange[]
  readonly call: NonNullable<Operation["call"]>
  /** Place in the log when the call began ({@link beginCall}): a rewind of its conversation since makes it stale. */
  readonly began: number
  readonly remark?: string
  /** The agent's own command moved HEAD or refs: no conclusions are drawn from it. */
  readonly movedGit?: boolean
  /** Make the operation even if no file differs (a command that only printed is still part of the message). */
  readonly always?: boolean
}

export interface ChangeOutcome {
  /** Null when nothing differed. */
  readonly operation: NewOperation | null
  readonly items: readonly Item[]
  /** Some of it is not on disk and waits for a decision. */
  readonly held: boolean
  /** Some of it waits for a decision, on disk or not. */
  readonly pending: boolean
  readonly message: Message
  /** What could not be done as it was made, in words. */
  readonly remarks: readonly string[]
}

/** What an agent sees at a path: its own pending text where some is held back, else the disk. Needs no lock. */
export async function agentView(session: Session, path: WorkspacePath): Promise<AgentView> {
  const item = await session.store.item(path)
  const held = item !== null && isPending(item) && item.disk === "base"
  const state = held ? await loadState(session.store, item.current) : await readDisk(session, path)
  return { state, version: versionOf(state) }
}

export function versionOf(state: Loaded): Version {
  switch (state.kind) {
    case "file":
      return `file ${blobIdOf(state.bytes)} ${state.mode}`
    case "symlink":
      return `symlink ${state.target}`
    case "folder":
      return `folder ${state.mode}`
    case "other":
      return state.what
    case "absent":
    case "unknown":
      return state.kind
  }
}

/**
 * Marks the start of a call, so that a rewind during it can be told. What the person did with git until now is noticed first: a command
 * that moves HEAD itself would hide it.
 */
export async function beginCall(session: Session): Promise<number> {
  if (!session.store.readOnly && (await gitMoved(session)))
    await session.lock.hold(async () => {
      await repairInterrupted(session)
      await lookAtGit(session)
    })
  return (await session.store.operations({ limit: 1 })).at(-1)?.seq ?? 0
}

/**
 * Records an agent's change and makes it true as the review mode says: written at once (`apply`) or held back (`hold`, `ask`).
 *
 * What others did meanwhile is folded in first. Refused, with nothing changed: a version that moved (`FILE_CHANGED_SINCE_READ`), a
 * conversation rewound since the call began (`STALE_REVISION`), a policy that forbids it (`DENIED`).
 */
export async function recordChange(session: Session, request: ChangeRequest): Promise<ChangeOutcome> {
  const { context } = request
  const paths = request.changes.map(change => change.path)
  if (request.changes.some(change => change.onDisk === undefined)) refusePolicy(session, request)
  const seen = new Map(
    request.changes.flatMap(change =>
      change.onDisk === undefined ? [] : [[change.path, change.onDisk.seen] as const],
    ),
  )
  return session.lock.hold(async () => {
    await repairInterrupted(session)
    if (request.movedGit === true) await markGitSeen(session)
    else await lookAtGit(session)
    const standings = await settleDrift(session, paths, seen)
    const origin = await originOf(session, context, request.title)
    await refuseRewound(session, origin.conversation.id, request.began)
    const mode = reviewModeOf(session, context)
    const disk = mode === "apply" ? "current" : "base"
    const turns: Turn[] = []
    const remarks: string[] = []
    const objects = openGitObjects(session.root.path)
    try {
      for (const change of request.changes) {
        const { turn, remark } = await turnOf(
          session,
          request,
          change,
          standingAt(standings, change.path),
          disk,
          objects,
        )
        turns.push({ ...turn, conversation: origin.conversation.id })
        if (remark !== null) remarks.push(remark)
      }
    } finally {
      objects.close()
    }
    const remark = [request.remark, ...remarks].filter(one => one !== undefined).join("; ")
    const committed = await commitTurns(
      session,
      turns,
      {
        kind: request.kind,
        actor: "agent",
        conversation: origin.conversation.id,
        message: origin.message.id,
        title: request.title,
        capture: request.capture,
        call: request.call,
        ...(remark === "" ? {} : { remark }),
      },
      origin.rows,
      { always: request.always === true },
    )
    const pending = committed.items.filter(isPending)
    const held = pending.some(item => item.disk === "base")
    const told = [...remarks, ...committed.remarks]
    return { ...committed, held, pending: pending.length > 0, message: origin.message, remarks: told }
  })
}

async function turnOf(
  session: Session,
  request: ChangeRequest,
  change: ProposedChange,
  standing: Standing,
  disk: "base" | "current",
  objects: GitObjects,
): Promise<{ readonly turn: Turn; readonly remark: string | null }> {
  if (change.expected !== null && versionOf(standing.sides.current) !== change.expected)
    throw new Failure(
      "FILE_CHANGED_SINCE_READ",
      `${showPath(change.path)} has changed since it was read. Nothing was written.`,
      "View the file again and repeat the edit on what stands there now.",
    )
  const joined =
    change.from === undefined
      ? { state: change.after, hold: false, origin: null, leftOut: false }
      : await joinWithNow(session, standing, change.from, change.after, request.began, objects)
  const accepted =
    !joined.hold &&
    session.config["review.accept"].some(glob => matchesGlob(change.path, glob)) &&
    !isPendingItem(standing)
  const base = accepted ? joined.state : standing.sides.base
  const turn: Turn = {
    standing,
    sides: { base, current: joined.state },
    // What an agent's own tool wrote cannot be held back any more.
    disk: change.onDisk !== undefined ? "current" : joined.hold ? "base" : disk,
    ...(change.renamedFrom === undefined ? {} : { renamedFrom: change.renamedFrom }),
    ...(change.goneFolders === undefined ? {} : { goneFolders: change.goneFolders }),
    ...(change.madeFolders === undefined ? {} : { madeFolders: change.madeFolders }),
    ...(change.breaksLink === true ? { breaksLink: true } : {}),
    ...(change.onDisk === undefined ? {} : { onDisk: true }),
    ...(joined.origin === null ? {} : { conflictOrigin: await saveState(session.store, joined.origin) }),
  }
  return { turn, remark: joined.hold || joined.leftOut ? raceRemark(change.path, joined) : null }
}

function raceRemark(path: WorkspacePath, { leftOut }: Joined): string {
  const raced = `${showPath(path)} was changed by somebody else while the command ran`
  return leftOut
    ? `${raced}: where both changed the same lines, theirs were kept and the command's left out.`
    : `${raced}: the command's change is held for review.`
}

function isPendingItem(standing: Standing): boolean {
  return standing.item !== null && isPending(standing.item)
}

function refusePolicy(session: Session, request: ChangeRequest): void {
  const policy = policyOf(session, request.context)
  if (policy === "read-only")
    throw new Failure(
      "DENIED",
      "The sandbox policy of this session is read-only. Nothing was changed.",
      "Ask the person to allow writing (--policy workspace-write).",
    )
  for (const change of request.changes)
    if (resemblesGit(change.path))
      throw new Failure(
        "DENIED",
        `${showPath(change.path)} is, or to some system looks like, inside a git directory, which is not changed by edits. Nothing was changed.`,
      )
}

/** A call that began before its conversation was rewound would write on top of what was taken back (DESIGN §4). */
async function refuseRewound(session: Session, conversation: string, began: number): Promise<void> {
  const since = await session.store.operations({ conversation, afterSeq: began })
  if (since.some(operation => operation.heads?.some(move => move.conversation === conversation) === true))
    throw new Failure(
      "STALE_REVISION",
      "The conversation was rewound while this call was running. Nothing was written.",
      "Look at the files as they are now before changing them.",
    )
}
