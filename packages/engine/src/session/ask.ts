import { mergeStates } from "@galley/core/change/state-merge.ts"
import {
  fileOfLines,
  sameLoaded,
  textOf,
  type Charset,
  type Loaded,
  type LoadedSides,
} from "@galley/core/change/loaded.ts"
import { Failure } from "@galley/core/failure.ts"
import type { Operation } from "@galley/core/history/operation.ts"
import { showPath } from "@galley/core/path.ts"
import type { Params, RequestContext } from "@galley/core/protocol/requests.ts"
import type { DecisionResult } from "@galley/core/protocol/results.ts"
import { splitLines } from "@galley/core/text/lines.ts"
import type { NewOperation, Waiting } from "../store/store.ts"
import { commitTurns, type Turn } from "./commit.ts"
import { loadSides } from "./contents.ts"
import { settleDrift, type Standing, standingAt } from "./drift.ts"
import { fileViews } from "./file-view.ts"
import { lookAtGit } from "./git.ts"
import { refuseAgent } from "./policy.ts"
import { changesNow } from "./renamed.ts"
import { repairInterrupted } from "./repair.ts"
import type { RequestIo } from "./request-io.ts"
import type { Session } from "./session.ts"

/** How a question to the person ended. */
export type Answered =
  | { readonly kind: "allowed"; readonly edited: boolean; readonly reason?: string; readonly content?: string }
  | { readonly kind: "denied"; readonly reason?: string }
  /** Nobody answered in time: the change stays pending, not on disk. */
  | { readonly kind: "held" }
  /** The caller went away: the change stays pending, not on disk. */
  | { readonly kind: "cancelled" }

export interface Question {
  readonly title: string
  readonly context: RequestContext
  readonly operation: NewOperation
  readonly diff: string
  readonly path?: string
  readonly command?: string
}

/** How often the store is asked for an answer, and how often the caller hears that it still waits, in milliseconds. */
const pollEvery = 60
const progressEvery = 5000

/**
 * Puts an agent's held change before the person and waits up to `ask.waitSeconds`. No lock is held meanwhile. Whatever happens to
 * this process, the change is pending and nothing of it is on disk until somebody allows it.
 */
export async function askPerson(session: Session, question: Question, io: RequestIo): Promise<Answered> {
  const call: Waiting = {
    id: session.env.newId(),
    title: question.title,
    conversation: question.operation.conversation,
    message: question.operation.message,
    since: session.env.now(),
    owner: session.env.process,
    paths: question.operation.changes.map(change => change.path),
    diff: question.diff,
    answer: null,
    operation: question.operation.id,
    ...(question.path === undefined ? {} : { path: question.path }),
    ...(question.command === undefined ? {} : { command: question.command }),
  }
  await session.lock.hold(() => session.store.commit({ waiting: [call] }))
  try {
    io.asked?.({ id: call.id, title: call.title, diff: question.diff })
    return await waitForAnswer(session, call, io, session.config["ask.waitSeconds"])
  } finally {
    await session.lock.hold(() => session.store.commit({ waitingDone: [call.id] }))
  }
}

/** The person allows or denies a waiting call. Allowed, the agent's change is accepted; denied, it is taken back. */
export async function answer(
  session: Session,
  context: RequestContext,
  params: Params<"answer">,
): Promise<DecisionResult> {
  refuseAgent(context, "Answering")
  return session.lock.hold(async () => {
    await repairInterrupted(session)
    await lookAtGit(session)
    const call = (await session.store.waiting()).find(one => one.id === params.id && one.answer === null)
    if (call === undefined)
      throw new Failure(
        "NOT_FOUND",
        `No call ${params.id} is waiting. Nothing was changed.`,
        "It was answered, cancelled or timed out; galley status lists what waits.",
      )
    const operation = call.operation === undefined ? null : await session.store.operation(call.operation)
    const turns = operation === null ? [] : await turnsOfAnswer(session, operation, params)
    const title = `${params.decision === "allow" ? "Allow" : "Deny"}: ${call.title}`
    const reason = params.reason === undefined || params.reason === "" ? {} : { reason: params.reason }
    // Without an operation nothing was carried out here: whoever asked does so, with the person's text.
    const edited =
      params.content === undefined
        ? {}
        : operation === null
          ? { edited: true, content: params.content }
          : { edited: true }
    const answered: Waiting = { ...call, answer: { decision: params.decision, ...reason, ...edited } }
    const committed = await commitTurns(
      session,
      turns,
      { kind: "answer", actor: "person", conversation: null, message: null, title, capture: "none" },
      { waiting: [answered] },
      { always: true, force: params.force === true },
    )
    return {
      version: 1,
      operation: committed.operation?.id ?? null,
      title,
      files: await fileViews(session, committed.items),
    }
  })
}

/** Waits for the answer, `seconds` at most, and tells the caller every few seconds that it does. */
export async function waitForAnswer(
  session: Session,
  call: Waiting,
  io: RequestIo,
  seconds: number,
): Promise<Answered> {
  const until = call.since + seconds * 1000
  let told = call.since
  let seen = -1
  while (io.signal?.aborted !== true) {
    const revision = await session.store.revision()
    if (revision !== seen) {
      seen = revision
      const now = (await session.store.waiting()).find(one => one.id === call.id)
      // Gone without an answer: a rewind took the message back.
      if (now === undefined) return { kind: "denied", reason: "The conversation was rewound." }
      if (now.answer !== null) return answeredBy(now.answer)
    }
    const time = session.env.now()
    if (time >= until) return { kind: "held" }
    if (time - told >= progressEvery) {
      told = time
      io.progress?.(`Waiting for the person to review: ${call.title}`)
    }
    await session.env.sleep(Math.min(pollEvery, until - time), io.signal)
  }
  return { kind: "cancelled" }
}

function answeredBy(given: NonNullable<Waiting["answer"]>): Answered {
  const reason = given.reason === undefined ? {} : { reason: given.reason }
  return given.decision === "allow"
    ? {
        kind: "allowed",
        edited: given.edited === true,
        ...reason,
        ...(given.content === undefined ? {} : { content: given.content }),
      }
    : { kind: "denied", ...reason }
}

async function turnsOfAnswer(session: Session, operation: Operation, params: Params<"answer">): Promise<Turn[]> {
  const changes = await changesNow(session, operation)
  const standings = await settleDrift(
    session,
    changes.map(change => change.path),
  )
  const turns: Turn[] = []
  for (const change of changes) {
    const standing = standingAt(standings, change.path)
    const charset = await session.charsetFor(change.path)
    const { base, current } = standing.sides
    const before = (await loadSides(session.store, change.before)).current
    const after = (await loadSides(session.store, change.after)).current
    const disk = standing.item?.disk ?? "base"
    if (params.decision === "deny") {
      const merge = mergeStates(after, current, before, "keep-mine", charset)
      turns.push({ standing, sides: { base, current: merge.kind === "merged" ? merge.state : current }, disk })
      continue
    }
    if (params.content !== undefined && operation.changes.length > 1)
      throw new Failure(
        "BAD_ARGUMENT",
        "This call changes several files; its content cannot be given as one. Nothing was changed.",
        "Allow it, then edit the files (galley write), or deny it.",
      )
    if (params.content !== undefined) {
      const wanted = edited(after, params.content, change.path, charset)
      const isFresh = params.revision !== undefined && params.revision === standing.item?.revision
      const began = (await loadSides(session.store, change.after)).base
      const state = isFresh ? wanted : ontoNow(wanted, { base: began, current: after }, standing, charset)
      turns.push({ standing, sides: { base: state, current: state }, disk })
      continue
    }
    const merge = mergeStates(before, base, after, "stop", charset)
    if (merge.kind !== "merged" && standing.item?.conflictOrigin !== undefined)
      throw new Failure(
        "CONFLICT",
        `${showPath(change.path)} was changed on disk where this call changes it too. Nothing was changed.`,
        "Accept the file with --on-conflict keep-mine or take-theirs, or deny the call.",
      )
    // Earlier held text that this change builds on is accepted with it.
    turns.push({ standing, sides: { base: merge.kind === "merged" ? merge.state : current, current }, disk })
  }
  return turns.filter(
    turn =>
      !sameLoaded(turn.sides.base, turn.standing.sides.base) ||
      !sameLoaded(turn.sides.current, turn.standing.sides.current),
  )
}

/** The person's text, made from what the call proposed, with what was saved to the file and proposed for it since then. */
function ontoNow(wanted: Loaded, from: LoadedSides, { path, sides }: Standing, charset?: Charset): Loaded {
  const saved = mergeStates(from.base, sides.base, wanted, "stop", charset)
  const both = saved.kind === "merged" ? mergeStates(from.current, sides.current, saved.state, "stop", charset) : saved
  if (both.kind === "merged") return both.state
  throw new Failure(
    "CONFLICT",
    `${showPath(path)} was changed since the call was put to you, in lines that your text changes too. Nothing was changed.`,
    "Look at the file as it is now and answer with a text made from that and its revision, or deny the call.",
  )
}

function edited(proposed: Loaded, content: string, path: string, charset?: Charset): Loaded {
  const document = textOf(proposed, charset)
  const file = fileOfLines(
    splitLines(content),
    document?.encoding ?? { name: "utf-8", bom: false },
    proposed.kind === "file" ? proposed.mode : 0o644,
    charset,
  )
  if (file === null)
    throw new Failure(
      "NOT_TEXT",
      `The content given for ${showPath(path)} cannot be written in the file's encoding. Nothing was changed.`,
    )
  return file
}
