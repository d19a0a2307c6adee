import { Failure } from "@galley/core/failure.ts"
import { showPath, type WorkspacePath } from "@galley/core/path.ts"
import type { Params, RequestContext, Result } from "@galley/core/protocol/requests.ts"
import { isGitPath } from "../io/roots.ts"
import { commitTurns } from "./commit.ts"
import { closeCall, expiredCalls } from "./hook-calls.ts"
import { armLook, type ArmedLook, recordLook } from "./hook-look.ts"
import { keepPaths, recordPaths } from "./hook-paths.ts"
import { conversationOf, originOf } from "./messages.ts"
import { repairInterrupted } from "./repair.ts"
import type { Session } from "./session.ts"

/** First looks of shell commands that run now, by call id. They are this process's: another one cannot compare them. */
export type ArmedLooks = Map<string, ArmedLook>

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
    const look = await armLook(session, params.command, { title: params.title, tool: params.tool, context }).catch(
      (error: unknown) => messageOf(error),
    )
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
