import type { Conversation, ConversationId, Message, MessageId } from "@galley/core/history/operation.ts"
import { messagesById, pathToRoot } from "@galley/core/history/tree.ts"
import type { RequestContext } from "@galley/core/protocol/requests.ts"
import type { Batch } from "../store/store.ts"
import type { Session } from "./session.ts"

/** Setting that names the conversation whose message was begun last by somebody saying so. */
export const saidSetting = "said.conversation"

/** Which conversation and message a piece of work belongs to, and the rows to commit with it. */
export interface Origin {
  readonly conversation: Conversation
  readonly message: Message
  readonly rows: Pick<Batch, "conversations" | "messages" | "settings">
}

/**
 * Finds, or begins, the message that a call belongs to (DESIGN §8).
 *
 * A message that was said (by a hook, a host, `galley message`) takes all calls of its conversation until the next one or a rewind.
 * Where nobody says, a pause of more than `message.idleSeconds` begins a new one, named after its first call.
 */
export async function originOf(session: Session, context: RequestContext, title: string): Promise<Origin> {
  const named = context.message === undefined ? null : await session.store.message(context.message)
  // A subagent's work belongs to the message it was sent from, and so to that message's conversation.
  const id = named?.conversation ?? (await conversationOf(session, context))
  const known = await session.store.conversation(id)
  const conversation: Conversation = known ?? { id, title, head: null, createdAt: session.env.now() }
  if (context.message !== undefined && named === null) return begun(session, conversation, title, context.message)
  // A message that was rewound takes nothing more: what its host still sends goes on from the head.
  if (named !== null && (await isOnHeadPath(session, conversation, named.id))) return joined(known, conversation, named)
  const head = conversation.head === null ? null : await session.store.message(conversation.head)
  if (head !== null && (await takesMore(session, conversation, head))) return joined(known, conversation, head)
  return begun(session, conversation, title, null, true)
}

async function isOnHeadPath(session: Session, conversation: Conversation, message: MessageId): Promise<boolean> {
  if (conversation.head === message) return true
  const messages = messagesById(await session.store.messages(conversation.id))
  return pathToRoot(messages, conversation.head).includes(message)
}

/** The conversation that a caller without a message belongs to. */
export async function conversationOf(session: Session, context: RequestContext): Promise<ConversationId> {
  return context.conversation ?? (await newestSaid(session)) ?? "cli"
}

/** Begins a message: the conversation's head moves to it. */
export function begun(
  session: Session,
  conversation: Conversation,
  title: string,
  id: string | null,
  inferred = false,
): Origin {
  const message: Message = {
    id: id ?? session.env.newId(),
    conversation: conversation.id,
    parent: conversation.head,
    title,
    createdAt: session.env.now(),
    ...(inferred ? { inferred: true as const } : {}),
  }
  const moved = { ...conversation, head: message.id }
  const rows = {
    conversations: [moved],
    messages: [message],
    ...(inferred ? {} : { settings: { [saidSetting]: conversation.id } }),
  }
  return { conversation: moved, message, rows }
}

function joined(known: Conversation | null, conversation: Conversation, message: Message): Origin {
  return {
    conversation,
    message,
    rows: known === null ? { conversations: [{ ...conversation, head: message.id }] } : {},
  }
}

/** The conversation in which a message was last begun by saying so. */
async function newestSaid(session: Session): Promise<ConversationId | null> {
  const said = await session.store.setting(saidSetting)
  return typeof said === "string" ? said : null
}

async function takesMore(session: Session, conversation: Conversation, head: Message): Promise<boolean> {
  const operations = await session.store.operations({ conversation: conversation.id, limit: 1 })
  const last = operations.at(-1)
  // A rewind closed the message that it moved to: what comes now is a new branch, unless a message was begun since.
  if (last?.heads?.some(move => move.conversation === conversation.id && move.after === head.id) === true) return false
  if (head.inferred !== true) return true
  const quietSince = Math.max(head.createdAt, last?.at ?? 0)
  return session.env.now() - quietSince <= session.config["message.idleSeconds"] * 1000
}
