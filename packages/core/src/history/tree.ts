import type { Conversation, Message, MessageId } from "./operation.ts"

/** Messages by id; a parent that is not among them (purged, expired) ends the path. */
export type Messages = ReadonlyMap<MessageId, Message>

export function messagesById(messages: readonly Message[]): Messages {
  return new Map(messages.map(message => [message.id, message]))
}

/** The message, its parent, and so on to the root. Empty for null. A cycle (damaged store) ends the walk. */
export function pathToRoot(messages: Messages, from: MessageId | null): MessageId[] {
  const path: MessageId[] = []
  const seen = new Set<MessageId>()
  for (let at = from; at !== null && !seen.has(at); at = messages.get(at)?.parent ?? null) {
    if (!messages.has(at)) break
    path.push(at)
    seen.add(at)
  }
  return path
}

/** How to go from one place in the tree to another; a place is a message, or null for before the first. */
export interface Route {
  /** Messages to take back, newest first. */
  readonly back: readonly MessageId[]
  /** Messages to bring forward again, oldest first. */
  readonly forward: readonly MessageId[]
}

export function routeBetween(messages: Messages, from: MessageId | null, to: MessageId | null): Route {
  const fromPath = pathToRoot(messages, from)
  const toPath = pathToRoot(messages, to)
  const onTarget = new Set(toPath)
  const meeting = fromPath.findIndex(id => onTarget.has(id))
  const back = meeting < 0 ? fromPath : fromPath.slice(0, meeting)
  const ancestor = meeting < 0 ? null : fromPath[meeting]
  const forward = toPath.slice(0, ancestor == null ? toPath.length : toPath.indexOf(ancestor)).reverse()
  return { back, forward }
}

/** The messages on the way from each conversation's head to its root. */
export function headPaths(messages: Messages, conversations: readonly Conversation[]): ReadonlySet<MessageId> {
  return new Set(conversations.flatMap(conversation => pathToRoot(messages, conversation.head)))
}
