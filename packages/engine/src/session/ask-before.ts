import type { Params, RequestContext, Result } from "@galley/core/protocol/requests.ts"
import type { Waiting } from "../store/store.ts"
import { waitForAnswer } from "./ask.ts"
import { conversationOf } from "./messages.ts"
import type { RequestIo } from "./request-io.ts"
import type { Session } from "./session.ts"

/**
 * Puts before the person what an agent's own tool is about to do, and waits. Nothing is recorded or held: the tool acts after an `allow`,
 * and its hook tells of it then. `content` is the person's own version of the text.
 */
export async function askBefore(
  session: Session,
  context: RequestContext,
  params: Params<"ask">,
  io: RequestIo,
): Promise<Result<"ask">> {
  const call: Waiting = {
    id: session.env.newId(),
    title: params.title,
    path: await session.root.resolve(params.path),
    conversation: await conversationOf(session, context),
    message: context.message ?? null,
    since: session.env.now(),
    owner: session.env.process,
    paths: [await session.root.resolve(params.path)],
    diff: params.diff,
    answer: null,
  }
  const configured = session.config["ask.waitSeconds"]
  await session.lock.hold(() => session.store.commit({ waiting: [call] }))
  try {
    io.asked?.({ id: call.id, title: call.title, diff: call.diff })
    const answered = await waitForAnswer(session, call, io, Math.min(configured, params.waitSeconds ?? configured))
    const { kind, ...rest } = answered
    switch (kind) {
      case "allowed":
        if (params.callId !== undefined) await noteAllowed(session, params.callId)
        return { version: 1, answer: kind, ...withoutEdited(rest) }
      case "denied":
        return { version: 1, answer: kind, ...withoutEdited(rest) }
      case "held":
      case "cancelled":
        return { version: 1, answer: "none" }
    }
  } finally {
    await session.lock.hold(() => session.store.commit({ waitingDone: [call.id] }))
  }
}

const allowedSetting = "hooks.allowed"
/** Calls that were allowed and then never made are forgotten behind this many. */
const mostAllowed = 100

function noteAllowed(session: Session, callId: string): Promise<void> {
  return session.lock.hold(async () => {
    const others = (await allowedCalls(session)).filter(one => one !== callId)
    await session.store.commit({ settings: { [allowedSetting]: [...others, callId].slice(-mostAllowed) } })
  })
}

/** Whether the person had allowed the call before it was made; asked once. */
export async function takeAllowed(session: Session, callId: string): Promise<boolean> {
  if (session.store.readOnly || !(await allowedCalls(session)).includes(callId)) return false
  return session.lock.hold(async () => {
    const calls = await allowedCalls(session)
    await session.store.commit({ settings: { [allowedSetting]: calls.filter(one => one !== callId) } })
    return calls.includes(callId)
  })
}

async function allowedCalls(session: Session): Promise<readonly string[]> {
  const stored = await session.store.setting(allowedSetting)
  return Array.isArray(stored) ? stored.filter((one): one is string => typeof one === "string") : []
}

function withoutEdited(rest: { readonly reason?: string; readonly content?: string }): {
  readonly reason?: string
  readonly content?: string
} {
  return {
    ...(rest.reason === undefined ? {} : { reason: rest.reason }),
    ...(rest.content === undefined ? {} : { content: rest.content }),
  }
}
