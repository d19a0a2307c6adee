import type { LogResult } from "@galley/core/protocol/results.ts"

export type Message = LogResult["messages"][number]

/** A row of the drawn tree: newest first, a line from each message to its parent. */
export interface TreeRow {
  readonly message: Message
  /** The column of its dot. */
  readonly lane: number
  /** Columns with a line that passes this row by. */
  readonly through: readonly number[]
  /** Columns that end here: branches that begin at this message. */
  readonly joins: readonly number[]
  readonly isHead: boolean
  /** The first of its conversation, from above: a heading stands before it. */
  readonly opens: string | null
}

/**
 * Lays out conversations one after the other, the one with the newest message first; in each the newest message on top. The way
 * to the head keeps the first column; what was rewound branches off to the right.
 */
export function layTree(messages: readonly Message[], heads: ReadonlyMap<string, string | null>): TreeRow[] {
  const conversations = new Map<string, Message[]>()
  for (const message of messages) {
    const own = conversations.get(message.conversation)
    if (own === undefined) conversations.set(message.conversation, [message])
    else own.push(message)
  }
  const newest = (own: readonly Message[]): number =>
    own.reduce((last, message) => Math.max(last, message.createdAt), 0)
  return [...conversations.entries()]
    .sort(([, a], [, b]) => newest(b) - newest(a))
    .flatMap(([conversation, own]) => layConversation(own, heads.get(conversation) ?? null))
}

function layConversation(messages: readonly Message[], head: string | null): TreeRow[] {
  const rows: TreeRow[] = []
  /** By column: the message that the line in it leads to; null where the column is free. */
  const lanes: (string | null)[] = [null]
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at]
    if (message === undefined) continue
    const leading = lanes.flatMap((target, lane) => (target === message.id ? [lane] : []))
    const lane = message.onHeadPath ? 0 : (leading.find(one => one > 0) ?? freeLane(lanes))
    const joins = leading.filter(one => one !== lane)
    for (const one of joins) lanes[one] = null
    lanes[lane] = message.parent
    const through = lanes.flatMap((target, one) => (target !== null && one !== lane ? [one] : []))
    const opens = rows.length === 0 ? message.conversation : null
    rows.push({ message, lane, through, joins, isHead: message.id === head, opens })
  }
  return rows
}

function freeLane(lanes: (string | null)[]): number {
  for (let lane = 1; lane < lanes.length; lane++) if (lanes[lane] === null) return lane
  lanes.push(null)
  return lanes.length - 1
}
