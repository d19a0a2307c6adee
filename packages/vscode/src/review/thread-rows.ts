import type { LogResult } from "@galley/core/protocol/results.ts"

export type Message = LogResult["messages"][number]

/** Messages that follow each other, oldest first; from some of them other branches leave. */
export interface Thread {
  readonly messages: readonly ThreadMessage[]
}

export interface ThreadMessage {
  readonly message: Message
  /** Branches that leave here, beside the one that goes on in this thread. */
  readonly branches: readonly Thread[]
}

/**
 * Lays the message tree out as an outline: what goes on in a line stays at one depth, however long; only where somebody went back and
 * on another way, the ways left behind are indented. The way to the head goes on in the line; else the newest does.
 */
export function threadsOf(messages: readonly Message[]): Thread[] {
  const known = new Set(messages.map(message => message.id))
  const children = new Map<string | null, Message[]>()
  for (const message of [...messages].sort((a, b) => a.createdAt - b.createdAt)) {
    const parent = message.parent !== null && known.has(message.parent) ? message.parent : null
    children.set(parent, [...(children.get(parent) ?? []), message])
  }
  return (children.get(null) ?? []).map(first => threadFrom(first, children))
}

function threadFrom(first: Message, children: ReadonlyMap<string | null, readonly Message[]>): Thread {
  const messages: ThreadMessage[] = []
  const seen = new Set<string>()
  for (let at: Message | undefined = first; at !== undefined && !seen.has(at.id); ) {
    seen.add(at.id)
    const next: readonly Message[] = children.get(at.id) ?? []
    const on: Message | undefined = next.findLast(message => message.onHeadPath) ?? next.at(-1)
    const others = next.filter(message => message !== on)
    messages.push({ message: at, branches: others.map(other => threadFrom(other, children)) })
    at = on
  }
  return { messages }
}
