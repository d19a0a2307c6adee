import type { Item } from "@galley/core/change/item.ts"
import type { ConversationId, MessageId } from "@galley/core/history/operation.ts"
import type { WorkspacePath } from "@galley/core/path.ts"
import type { Params, RequestContext } from "@galley/core/protocol/requests.ts"
import type { State } from "@galley/core/state.ts"
import { isAlive } from "../io/alive.ts"
import { blobIdOf } from "../io/hash.ts"
import type { Session } from "./session.ts"

/** A call of an agent's own tool that was begun and whose end nobody has told yet. */
export interface OpenCall {
  readonly callId: string
  readonly tool: string
  readonly title: string
  readonly conversation: ConversationId
  readonly message: MessageId | null
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly paths: readonly { readonly path: WorkspacePath; readonly state: State }[]
  /** Of a command that writes the disk itself: the process that will look at what it did. */
  readonly process?: { readonly pid: number; readonly startedAt: number }
}

const callsSetting = "hooks.open"
const claimsSetting = "hooks.claims"
/** Agents run a handful of tools at once; what is beyond was forgotten by them. */
const mostOpen = 100
/** A claim is made just before its call; an older one was never used. In milliseconds. */
const claimLife = 600_000

/** Notes a call as begun. Call it under the lock. */
export async function openCall(session: Session, call: OpenCall, items: readonly Item[]): Promise<void> {
  const others = (await openCalls(session)).filter(one => one.callId !== call.callId)
  await session.store.commit({ items, settings: { [callsSetting]: [...others, call].slice(-mostOpen) } })
}

/** The begun call, taken off the list; null if nobody told of its beginning. */
export async function closeCall(session: Session, callId: string): Promise<OpenCall | null> {
  if (!(await openCalls(session)).some(one => one.callId === callId)) return null
  return session.lock.hold(async () => {
    const calls = await openCalls(session)
    const mine = calls.find(one => one.callId === callId) ?? null
    if (mine !== null) await session.store.commit({ settings: { [callsSetting]: calls.filter(one => one !== mine) } })
    return mine
  })
}

/** All calls of the conversation that are still open and that nobody will close, taken off the list. */
export async function expiredCalls(session: Session, conversation: ConversationId): Promise<readonly OpenCall[]> {
  return takeCalls(session, call => call.conversation === conversation && !isWatched(call))
}

/** Commands whose process went away before it had looked at what they did, taken off the list. */
export async function lostCalls(session: Session): Promise<readonly OpenCall[]> {
  return takeCalls(session, call => call.process !== undefined && !isWatched(call))
}

function isWatched(call: OpenCall): boolean {
  return call.process !== undefined && isAlive(call.process)
}

async function takeCalls(session: Session, wanted: (call: OpenCall) => boolean): Promise<readonly OpenCall[]> {
  if (!(await openCalls(session)).some(wanted)) return []
  return session.lock.hold(async () => {
    const calls = await openCalls(session)
    const mine = calls.filter(wanted)
    await session.store.commit({ settings: { [callsSetting]: calls.filter(one => !mine.includes(one)) } })
    return mine
  })
}

async function openCalls(session: Session): Promise<readonly OpenCall[]> {
  const stored = await session.store.setting(callsSetting)
  return Array.isArray(stored) ? (stored as OpenCall[]) : []
}

/** Whose the next call of a tool is, as a hook knows and the client of the tool server does not say. */
interface Claim {
  readonly keys: readonly string[]
  readonly conversation: ConversationId
  readonly message: MessageId | null
  readonly callId: string | null
  readonly at: number
}

/** A hook says whose a call of Galley's own tools is that is about to arrive on a connection which cannot tell (gemini-cli, opencode, cline). */
export async function claim(
  session: Session,
  context: RequestContext,
  params: Params<"claim">,
): Promise<{ version: 1 }> {
  if (context.conversation === undefined) return { version: 1 }
  const made: Claim = {
    keys: keysOf(params.tool, params.input, params.callId),
    conversation: context.conversation,
    message: context.message ?? null,
    callId: params.callId ?? null,
    at: session.env.now(),
  }
  await session.lock.hold(async () => {
    const others = (await claims(session)).filter(one => one.at > made.at - claimLife)
    await session.store.commit({ settings: { [claimsSetting]: [...others, made].slice(-mostOpen) } })
  })
  return { version: 1 }
}

/** The context of a call whose connection only guesses its conversation, put right by a hook's claim if there is one. */
export async function claimedContext(
  session: Session,
  context: RequestContext,
  tool: string,
  input: Readonly<Record<string, unknown>>,
): Promise<RequestContext> {
  if (context.guessed !== true || session.store.readOnly) return context
  const wanted = keysOf(tool, input, context.callId)
  const fits = (one: Claim): boolean => one.keys.some(key => wanted.includes(key))
  if (!(await claims(session)).some(fits)) return context
  return session.lock.hold(async () => {
    const all = await claims(session)
    const mine = all.find(fits)
    if (mine === undefined) return context
    await session.store.commit({ settings: { [claimsSetting]: all.filter(one => one !== mine) } })
    // The message is where the conversation stands: a claim's message was its head a moment ago.
    const { message: _, ...rest } = context
    return { ...rest, conversation: mine.conversation, ...(mine.callId === null ? {} : { callId: mine.callId }) }
  })
}

async function claims(session: Session): Promise<readonly Claim[]> {
  const stored = await session.store.setting(claimsSetting)
  return Array.isArray(stored) ? (stored as Claim[]) : []
}

function keysOf(tool: string, input: Readonly<Record<string, unknown>>, callId: string | undefined): string[] {
  const content = blobIdOf(new TextEncoder().encode(`${tool}\n${sorted(input)}`))
  return [...(callId === undefined ? [] : [`call ${callId}`]), `content ${content}`]
}

/** The same JSON for the same value, however its keys are ordered. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}
