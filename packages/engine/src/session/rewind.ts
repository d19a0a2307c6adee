import { sameLoaded, type LoadedSides } from "@galley/core/change/loaded.ts"
import { Failure } from "@galley/core/failure.ts"
import type { Message, MessageId, Operation } from "@galley/core/history/operation.ts"
import { rewindPath, type PathOutcome } from "@galley/core/history/take-back.ts"
import { messagesById, routeOf, standingMessages, type Route } from "@galley/core/history/tree.ts"
import { showPath, type WorkspacePath } from "@galley/core/path.ts"
import type { Params, RequestContext } from "@galley/core/protocol/requests.ts"
import type { RewindResult, RewindStepView } from "@galley/core/protocol/results.ts"
import { commitTurns, type Turn } from "./commit.ts"
import { blobOf } from "./contents.ts"
import { diffOfSides } from "./diff-text.ts"
import { onMovedBase, settleDrift, standingAt, type Standing } from "./drift.ts"
import { rewoundNote } from "./feedback.ts"
import { shownPath } from "./file-view.ts"
import { lookAtGit } from "./git.ts"
import { loadMove, movesOf, type LoggedMove } from "./moves.ts"
import { refuseAgent } from "./policy.ts"
import { pathsNow } from "./renamed.ts"
import { repairInterrupted } from "./repair.ts"
import type { Session } from "./session.ts"

/** What a rewind will do to one path. */
interface PathPlan {
  readonly standing: Standing
  readonly outcome: PathOutcome
  /** The old name, where the log knows the path's creation as a rename: shown again if that comes back. */
  readonly renamedFrom?: WorkspacePath
}

/** The whole of a rewind, before anything is written. */
interface Plan {
  readonly message: Message
  readonly target: MessageId | null
  readonly route: Route
  readonly paths: readonly PathPlan[]
}

/**
 * Takes the files, and the conversation, to before a message (or behind it), merging in what others did (DESIGN §3).
 *
 * Planned whole; refused whole (`CONFLICT`) or carried out whole; an operation of its own, so it can be undone. With `plan` nothing
 * is written but what others did meanwhile, as facts.
 */
export async function rewind(
  session: Session,
  context: RequestContext,
  params: Params<"rewind">,
): Promise<RewindResult> {
  if (params.plan !== true) refuseAgent(context, "A rewind")
  return session.lock.hold(async () => {
    await repairInterrupted(session)
    await lookAtGit(session)
    const plan = await planRewind(session, params)
    const steps = await Promise.all(plan.paths.map(path => stepView(session, path)))
    if (params.plan === true) return { version: 1, applied: false, steps, operation: null }
    refuseConflicts(steps)
    const operation = await carryOut(session, plan, params.force === true)
    return { version: 1, applied: true, steps, operation }
  })
}

async function planRewind(session: Session, params: Params<"rewind">): Promise<Plan> {
  const message = await session.store.message(params.message)
  if (message === null)
    throw new Failure(
      "NOT_FOUND",
      `There is no message ${params.message}. Nothing was changed.`,
      "galley log lists the messages.",
    )
  const conversation = await session.store.conversation(message.conversation)
  const target = params.after === true ? message.id : message.parent
  const messages = messagesById(await session.store.messages())
  const logged = await session.store.operations({ conversation: message.conversation })
  const route = routeOf(messages, message.conversation, standingMessages(logged), conversation?.head ?? null, target)
  const onRoute = new Set([...route.back, ...route.forward])
  const operations = await operationsOf(session, [...onRoute])
  const paths = (await pathsNow(session, operations)).sort()
  const standings = await settleDrift(session, paths)
  const logs = new Map<WorkspacePath, LoggedMove[]>()
  for (const path of paths) logs.set(path, await movesFrom(session, path, onRoute))
  await refuseMissing(session, logs)
  const planned: PathPlan[] = []
  for (const path of paths) {
    const standing = standingAt(standings, path)
    const moves = logs.get(path) ?? []
    const found = rewindPath(
      await Promise.all(moves.map(move => loadMove(session, move))),
      standing.sides,
      route,
      params.onConflict ?? "stop",
      await session.charsetFor(path),
    )
    const outcome = { ...found, sides: await onMovedBase(session, standing, found.sides) }
    const renamedFrom = moves.findLast(({ change }) => change.renamedFrom !== undefined)?.change.renamedFrom
    planned.push({ standing, outcome, ...(renamedFrom === undefined ? {} : { renamedFrom }) })
  }
  return { message, target, route, paths: planned }
}

/** The path's moves from the first one of these messages on: older ones do not matter to a rewind. */
async function movesFrom(
  session: Session,
  path: WorkspacePath,
  messages: ReadonlySet<MessageId>,
): Promise<LoggedMove[]> {
  const moves = await movesOf(session, path)
  const first = moves.findIndex(({ operation }) => operation.message !== null && messages.has(operation.message))
  return first < 0 ? [] : moves.slice(first)
}

/** A content that the store has lost is a reason to stop before the first write, and never absence. */
async function refuseMissing(session: Session, logs: ReadonlyMap<WorkspacePath, readonly LoggedMove[]>): Promise<void> {
  const lost: WorkspacePath[] = []
  for (const [path, moves] of logs) {
    const blobs = moves.flatMap(({ change }) =>
      [change.before.base, change.before.current, change.after.base, change.after.current].flatMap(
        state => blobOf(state) ?? [],
      ),
    )
    if ((await session.store.missingBlobs([...new Set(blobs)])).length > 0) lost.push(path)
  }
  if (lost.length > 0)
    throw new Failure(
      "STORE_FAILED",
      `The store has lost contents of ${lost.slice(0, 5).map(showPath).join(", ")}${lost.length > 5 ? ` and ${lost.length - 5} more` : ""}. Nothing was written.`,
      "galley doctor checks the store.",
    )
}

async function operationsOf(session: Session, messages: readonly MessageId[]): Promise<Operation[]> {
  const found: Operation[] = []
  for (const message of messages) found.push(...(await session.store.operations({ message })))
  return found.filter(operation => operation.actor === "agent")
}

async function carryOut(session: Session, plan: Plan, force: boolean): Promise<string | null> {
  const conversation = await session.store.conversation(plan.message.conversation)
  if (conversation === null) throw new Error(`BUG: message ${plan.message.id} has no conversation`)
  const before = conversation.head
  const turns: Turn[] = plan.paths
    .filter(({ standing, outcome }) => outcome.conflicts.length === 0 && standing.found.kind !== "unknown")
    .map(({ standing, outcome, renamedFrom }) => ({
      standing,
      sides: outcome.sides,
      disk: standing.item?.disk ?? "current",
      ...(renamedFrom !== undefined && outcome.sides.base.kind === "absent" ? { renamedFrom } : {}),
      settled: standing.item?.conflictOrigin !== undefined && isSettled(outcome.sides),
    }))
  if (before === plan.target && turns.every(turn => sameSides(turn.sides, turn.standing.sides))) return null
  const title =
    plan.target === plan.message.id
      ? `Rewind to after “${plan.message.title}”`
      : `Rewind to before “${plan.message.title}”`
  const note = rewoundNote(
    session,
    conversation.id,
    title,
    turns.map(turn => turn.standing.path),
  )
  const waiting = (await session.store.waiting()).filter(
    call => call.message !== null && plan.route.back.includes(call.message),
  )
  const { operation } = await commitTurns(
    session,
    turns,
    {
      kind: "rewind",
      actor: "person",
      conversation: conversation.id,
      message: null,
      title,
      capture: "none",
      heads: [{ conversation: conversation.id, before, after: plan.target }],
      tookBack: plan.route.back,
      broughtBack: plan.route.forward,
    },
    {
      conversations: [{ ...conversation, head: plan.target }],
      notes: [note],
      waitingDone: waiting.map(call => call.id),
    },
    { always: true, force },
  )
  return operation?.id ?? null
}

async function stepView(session: Session, { standing, outcome }: PathPlan): Promise<RewindStepView> {
  const step = await stepOf(session, { standing, outcome })
  return { ...step, ...shownPath(standing.path) }
}

async function stepOf(session: Session, { standing, outcome }: PathPlan): Promise<RewindStepView> {
  const path = standing.path
  const disk = standing.item?.disk ?? "current"
  const target = outcome.sides[disk]
  if (standing.found.kind === "unknown")
    return { path, action: "skip", reason: "it cannot be read now, so it is left alone" }
  const lost = outcome.conflicts.find(conflict => conflict.kind === "unknown")
  if (lost !== undefined) return { path, action: "skip", reason: `${lost.reason}, so it is left alone` }
  const [conflict] = outcome.conflicts
  if (conflict !== undefined) {
    const diff = await diffOfSides(session, path, { base: conflict.mine, current: conflict.theirs })
    return { path, action: "conflict", reason: conflict.reason, diff }
  }
  const diff = await diffOfSides(session, path, { base: standing.found, current: target })
  if (sameLoaded(target, standing.found)) {
    const pending = !sameSides(outcome.sides, standing.sides)
    return {
      path,
      action: "none",
      reason: pending ? "the file stays; its pending change goes" : "it is already as it was",
    }
  }
  if (target.kind === "absent") return { path, action: "delete", reason: "it was not there before", diff }
  if (outcome.merged) return { path, action: "merge", reason: "others changed it too; their changes stay", diff }
  if (standing.found.kind === "absent") return { path, action: "restore", reason: "it was deleted", diff }
  return { path, action: "write", reason: "back to how it was", diff }
}

function refuseConflicts(steps: readonly RewindStepView[]): void {
  const conflicts = steps.filter(step => step.action === "conflict")
  const [first] = conflicts
  if (first === undefined) return
  const more = conflicts.length > 1 ? ` and ${conflicts.length - 1} more` : ""
  throw new Failure(
    "CONFLICT",
    `${showPath(first.path)}${more}: ${first.reason}. Nothing was written.`,
    "See the plan with --plan, then choose --on-conflict keep-mine or take-theirs; either settles only what overlaps.",
  )
}

function isSettled(sides: LoadedSides): boolean {
  return sameLoaded(sides.base, sides.current)
}

function sameSides(a: LoadedSides, b: LoadedSides): boolean {
  return sameLoaded(a.base, b.base) && sameLoaded(a.current, b.current)
}
