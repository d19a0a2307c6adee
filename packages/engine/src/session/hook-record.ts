import type { Loaded } from "@galley/core/change/loaded.ts"
import { sameLoaded } from "@galley/core/change/loaded.ts"
import { Failure } from "@galley/core/failure.ts"
import type { Capture } from "@galley/core/history/operation.ts"
import { showPath, type WorkspacePath } from "@galley/core/path.ts"
import type { Params, RequestContext, Result } from "@galley/core/protocol/requests.ts"
import type { State } from "@galley/core/state.ts"
import type { FirstLook } from "../io/look.ts"
import { isGitPath } from "../io/roots.ts"
import { commitTurns } from "./commit.ts"
import { loadState, saveState } from "./contents.ts"
import { readDisk } from "./disk.ts"
import { settleDrift, standingAt } from "./drift.ts"
import { changeView } from "./history-views.ts"
import { armLook, recordLook } from "./hook-look.ts"
import { closeCall, expiredCalls, openCall, type OpenCall } from "./hook-calls.ts"
import { conversationOf, originOf } from "./messages.ts"
import { recordChange, beginCall, type ProposedChange } from "./record.ts"
import { repairInterrupted } from "./repair.ts"
import type { Session } from "./session.ts"

/** First looks of shell commands that run now, by call id. They are this process's: another one cannot compare them. */
export type ArmedLooks = Map<string, FirstLook>

/**
 * An agent's own tool is about to act, as its hook says: what stands at the paths is kept, durably, before anything is changed
 * (REQUIREMENTS B6). For its shell a look over the workspace is kept in this process.
 *
 * Never refuses: what could not be kept is said in `trouble`, and the caller decides (`strict`).
 */
export async function before(
  session: Session,
  armed: ArmedLooks,
  context: RequestContext,
  params: Params<"before">,
): Promise<Result<"before">> {
  const { inside, outside } = await sortPaths(session, params.paths)
  const kept = await keepPaths(session, context, params, inside)
  const unseen = kept.filter(one => one.state.kind === "unknown").map(one => showPath(one.path))
  const troubles =
    unseen.length === 0 ? [] : [`cannot be read, so a change of it cannot be undone: ${unseen.join(", ")}`]
  if (params.command !== undefined) {
    const look = await armLook(session, params.command).catch((error: unknown) => messageOf(error))
    if (typeof look === "string") troubles.push(`the command's changes cannot be seen: ${look}`)
    else {
      await armed.get(params.callId)?.close()
      armed.set(params.callId, look)
    }
  }
  return {
    version: 1,
    kept: kept.filter(one => one.state.kind !== "unknown").map(one => one.path),
    outside,
    ...(troubles.length === 0 ? {} : { trouble: troubles.join("; ") }),
  }
}

/** The agent's own tool is done: what it changed becomes one operation of its message, from what was kept before it. */
export async function after(
  session: Session,
  armed: ArmedLooks,
  context: RequestContext,
  params: Params<"after">,
): Promise<Result<"after">> {
  const look = armed.get(params.callId)
  armed.delete(params.callId)
  if (look !== undefined) {
    const call = { tool: params.tool, summary: params.title, callId: params.callId }
    const outcome = await recordLook(session, context, look, { title: params.title, call })
    await closeCall(session, params.callId)
    return outcome
  }
  const opened = await closeCall(session, params.callId)
  const { inside } = await sortPaths(session, params.paths)
  const seen = new Map((opened?.paths ?? []).map(one => [one.path, one.state] as const))
  const paths = [...new Set([...seen.keys(), ...inside])]
  return recordPaths(session, context, { ...params, paths, seen })
}

/** Records what calls of this conversation left behind whose end nobody told: the agent was stopped, or its hook did not run. */
export async function settle(session: Session, context: RequestContext): Promise<Result<"after">> {
  const conversation = await conversationOf(session, context)
  const changes: Result<"after">["changes"] = []
  const remarks: string[] = []
  let operation: string | null = null
  for (const call of await expiredCalls(session, conversation)) {
    const seen = new Map(call.paths.map(one => [one.path, one.state] as const))
    const named = call.message === null ? {} : { message: call.message }
    const result = await recordPaths(
      session,
      { ...context, ...named },
      {
        callId: call.callId,
        tool: call.tool,
        title: call.title,
        paths: [...seen.keys()],
        seen,
        remark: "the agent did not say that this call had ended",
      },
    )
    changes.push(...result.changes)
    remarks.push(...result.remarks)
    operation = result.operation ?? operation
  }
  return { version: 1, operation, capture: operation === null ? "none" : "recorded", changes, remarks }
}

/** Writes down that something could not be recorded, so that `log` and the page show it. */
export async function trouble(
  session: Session,
  context: RequestContext,
  params: Params<"trouble">,
): Promise<Result<"after">> {
  return session.lock.hold(async () => {
    await repairInterrupted(session)
    const origin = await originOf(session, context, params.title)
    const { operation } = await commitTurns(
      session,
      [],
      {
        kind: "edit",
        actor: "agent",
        conversation: origin.conversation.id,
        message: origin.message.id,
        title: params.title,
        capture: "none",
        remark: params.text,
      },
      origin.rows,
      { always: true },
    )
    return { version: 1, operation: operation?.id ?? null, capture: "none", changes: [], remarks: [params.text] }
  })
}

async function sortPaths(
  session: Session,
  asked: readonly string[],
): Promise<{ readonly inside: WorkspacePath[]; readonly outside: string[] }> {
  const inside: WorkspacePath[] = []
  const outside: string[] = []
  for (const given of asked) {
    try {
      const path = await session.root.resolve(given)
      if (path !== "" && !isGitPath(path)) inside.push(path)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      outside.push(given)
    }
  }
  return { inside: [...new Set(inside)], outside }
}

/** Makes an item of each path, so that its content has an owner in the store, and notes the call as open. */
async function keepPaths(
  session: Session,
  context: RequestContext,
  params: Params<"before">,
  paths: readonly WorkspacePath[],
): Promise<OpenCall["paths"]> {
  if (paths.length === 0) return []
  const conversation = await conversationOf(session, context)
  return session.lock.hold(async () => {
    await repairInterrupted(session)
    const standings = await settleDrift(session, paths)
    const kept: { path: WorkspacePath; state: State }[] = []
    const items = []
    for (const path of paths) {
      const { item, found, states } = standingAt(standings, path)
      const state = await saveState(session.store, found)
      kept.push({ path, state })
      if (item === null && state.kind !== "unknown")
        items.push({
          path,
          base: states.base,
          current: states.current,
          disk: "current" as const,
          revision: 0,
          conversations: [],
        })
    }
    await openCall(
      session,
      {
        callId: params.callId,
        tool: params.tool,
        title: params.title,
        conversation,
        message: context.message ?? null,
        at: session.env.now(),
        paths: kept,
      },
      items,
    )
    return kept
  })
}

interface PathsCall {
  readonly callId: string
  readonly tool: string
  readonly title: string
  readonly paths: readonly WorkspacePath[]
  readonly seen: ReadonlyMap<WorkspacePath, State>
  readonly originals?: Readonly<Record<string, string>> | undefined
  readonly remark?: string
}

async function recordPaths(session: Session, context: RequestContext, call: PathsCall): Promise<Result<"after">> {
  const changes: ProposedChange[] = []
  const guessed: string[] = []
  for (const path of call.paths) {
    const now = await readDisk(session, path)
    const earlier = call.seen.get(path)
    const old = earlier === undefined ? await oldOf(session, path, call) : await loadState(session.store, earlier)
    if (old.kind === "unknown") guessed.push(showPath(path))
    if (now.kind === "unknown" || sameLoaded(old, now)) continue
    changes.push({ path, after: now, expected: null, onDisk: { seen: old } })
  }
  const lost =
    guessed.length === 0 ? [] : [`cannot be undone: what stood there before was not seen (${guessed.join(", ")})`]
  const remarks = [...(call.remark === undefined ? [] : [call.remark]), ...lost]
  if (changes.length === 0) return { version: 1, operation: null, capture: "none", changes: [], remarks: lost }
  const capture: Capture = guessed.length === 0 ? "recorded" : "detected"
  const outcome = await recordChange(session, {
    context,
    kind: "edit",
    title: call.title,
    capture,
    changes,
    call: { tool: call.tool, summary: call.title, callId: call.callId },
    // The disk holds it already: it cannot be refused for a rewind meanwhile, only recorded where the conversation stands now.
    began: await beginCall(session),
    ...(remarks.length === 0 ? {} : { remark: remarks.join("; ") }),
  })
  return {
    version: 1,
    operation: outcome.operation?.id ?? null,
    capture,
    changes: (outcome.operation?.changes ?? []).map(changeView),
    remarks: lost,
  }
}

/** What stood at a path that no hook looked at before: what Galley last saw there, else what the agent says it was, else unknown. */
async function oldOf(session: Session, path: WorkspacePath, call: PathsCall): Promise<Loaded> {
  const item = await session.store.item(path)
  if (item !== null) return loadState(session.store, item.disk === "current" ? item.current : item.base)
  for (const [given, text] of Object.entries(call.originals ?? {})) {
    const named = await session.root.resolve(given).catch(() => null)
    const now = await readDisk(session, path)
    // An agent tells text, not bytes: believed only where its own encoding of the new text is plain UTF-8 with the same line ends.
    if (
      named === path &&
      now.kind === "file" &&
      !Buffer.from(now.bytes.subarray(0, 3)).equals(bom) &&
      !now.bytes.includes(13)
    )
      return { kind: "file", bytes: new TextEncoder().encode(text), mode: now.mode }
  }
  return { kind: "unknown" }
}

const bom = Buffer.from([0xef, 0xbb, 0xbf])

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
