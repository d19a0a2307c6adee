import type { Conversation, ConversationId, Message, MessageId, Operation } from "./operation.ts"

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

/**
 * The messages of one conversation whose changes stand in the files, newest first, read off its operations (oldest first).
 *
 * The head's path does not always tell: when a rewind is undone after the conversation went on, the messages it had taken back
 * stand again, beside the new branch.
 */
export function standingMessages(operations: readonly Operation[]): MessageId[] {
  const standing = new Set<MessageId>()
  const byId = new Map(operations.map(operation => [operation.id, operation]))
  const put = (messages: readonly MessageId[] | undefined): void => {
    for (const message of messages ?? []) standing.add(message)
  }
  const take = (messages: readonly MessageId[] | undefined): void => {
    for (const message of messages ?? []) standing.delete(message)
  }
  for (const operation of operations) {
    if (operation.actor === "agent" && operation.message !== null) {
      standing.delete(operation.message)
      standing.add(operation.message)
    }
    const repeated = rewindOf(byId, operation.undoes ?? operation.redoes)
    if (operation.kind === "undo") {
      put(repeated?.tookBack?.toReversed())
      take(repeated?.broughtBack)
    } else if (operation.kind === "redo" || operation.kind === "rewind") {
      const move = operation.kind === "rewind" ? operation : repeated
      take(move?.tookBack)
      put(move?.broughtBack)
    }
  }
  return [...standing].reverse()
}

/** The rewind that an undo or redo stands for, through redoes of redoes. */
function rewindOf(byId: ReadonlyMap<string, Operation>, id: string | undefined): Operation | undefined {
  const operation = id === undefined ? undefined : byId.get(id)
  return operation?.redoes === undefined ? operation : rewindOf(byId, operation.redoes)
}

/**
 * How one conversation's files go to a place in the tree: what stands and is not on the way there is taken back, what is on the way and
 * does not stand is brought forward. Messages of other conversations (a fork's past) stay as they are.
 */
export function routeOf(
  messages: Messages,
  conversation: ConversationId,
  standing: readonly MessageId[],
  from: MessageId | null,
  to: MessageId | null,
): Route {
  const path = routeBetween(messages, from, to)
  const own = (id: MessageId): boolean => messages.get(id)?.conversation === conversation
  const target = new Set(pathToRoot(messages, to))
  const stands = new Set(standing)
  const back = new Set([...path.back, ...standing.filter(id => !target.has(id))])
  const forward = pathToRoot(messages, to).filter(id => own(id) && !stands.has(id))
  return { back: [...back].filter(own), forward: forward.reverse() }
}

/** The messages on the way from each conversation's head to its root. */
export function headPaths(messages: Messages, conversations: readonly Conversation[]): ReadonlySet<MessageId> {
  return new Set(conversations.flatMap(conversation => pathToRoot(messages, conversation.head)))
}
