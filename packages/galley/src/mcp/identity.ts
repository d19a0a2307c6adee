/**
 * Which conversation, message and call a tool call belongs to, as far as the client says (DESIGN §8; fields as recorded from the
 * agents named).
 */
export interface Identity {
  readonly conversation: string
  readonly message?: string
  readonly callId?: string
}

/** What is known of a connection before any call. */
export interface ConnectionIdentity {
  /** Said on the command line; beats what the client says. */
  readonly conversation?: string
  readonly message?: string
  /** Another program (the ACP proxy) begins this conversation's messages: the client's own ids for them are not those. */
  readonly toldElsewhere?: boolean
  /** The conversation of a client that says nothing: one of its own for each connection. */
  readonly fallback: string
  /** The environment the client started us with. */
  readonly variables: Readonly<Record<string, string | undefined>>
}

export function identify(
  connection: ConnectionIdentity,
  meta: Readonly<Record<string, unknown>> | undefined,
): Identity {
  const turn = turnOf(meta?.["x-codex-turn-metadata"])
  const conversation =
    connection.conversation ??
    text(meta?.["sessionId"]) ?? // codex
    text(turn?.["session_id"]) ??
    text(meta?.["threadId"]) ??
    text(connection.variables["CLAUDE_CODE_SESSION_ID"]) ??
    text(connection.variables["QWEN_CODE_SESSION_ID"]) ??
    connection.fallback
  // A sub-agent of codex has turns of its own; its work belongs to the message that started it.
  const own = text(turn?.["parent_thread_id"]) === undefined && connection.toldElsewhere !== true
  const message = connection.message ?? (own ? text(turn?.["turn_id"]) : undefined)
  const callId = text(meta?.["claudecode/toolUseId"]) ?? text(meta?.["callId"])
  return {
    conversation,
    ...(message === undefined ? {} : { message }),
    ...(callId === undefined ? {} : { callId }),
  }
}

/**
 * Whether the conversation is read off the connection only: its environment may be that of an earlier conversation (Claude Code keeps
 * the server over `/clear`). A hook's claim of the same call then knows better.
 */
export function isGuessed(
  connection: ConnectionIdentity,
  meta: Readonly<Record<string, unknown>> | undefined,
): boolean {
  const turn = turnOf(meta?.["x-codex-turn-metadata"])
  const said = [connection.conversation, meta?.["sessionId"], turn?.["session_id"], meta?.["threadId"]]
  return said.every(id => text(id) === undefined)
}

/** codex sends an object; its older HTTP form is the same as JSON text. */
function turnOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof value === "string") {
    try {
      return turnOf(JSON.parse(value))
    } catch {
      return undefined
    }
  }
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined
}

/** Ids come from another program: bounded, not empty, else as if they were not there. */
function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" && value.length <= 200 ? value : undefined
}
