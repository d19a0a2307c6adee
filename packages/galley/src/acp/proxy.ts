import type { ReviewMode } from "@galley/core/protocol/results.ts"
import type { Requests, Workspace } from "@galley/engine/workspace.ts"
import { type ToolCall, toolCallOf } from "./tool-call.ts"
import { isRecord, listAt, type Message, recordAt, textAt, type Wire } from "./wire.ts"

/** Both ends of the wire, and what the proxy needs to know. */
export interface ProxyEnds {
  toAgent(line: string): void
  toEditor(line: string): void
  readonly review: ReviewMode
  workspace(folder: string | null): Promise<Workspace>
  /** The MCP server that is offered to the agent, for a session whose id is not known before it is answered. */
  server(folder: string): {
    readonly name: string
    readonly command: string
    readonly args: readonly string[]
    readonly env: readonly { name: string; value: string }[]
  }
  /** The session's id became known: calls on that server belong to it. */
  named(folder: string, session: string): void
  log(text: string): void
}

export interface Proxy {
  fromEditor(wire: Wire): Promise<void>
  fromAgent(wire: Wire): Promise<void>
}

interface SessionState {
  readonly folder: string
  readonly calls: Map<string, ToolCall>
  /** Calls whose beginning was recorded. */
  readonly begun: Set<string>
}

/**
 * Stands between an ACP editor and an ACP agent (protocol v1). Prompts begin messages, Galley's MCP server is offered, writes over
 * `fs/write_text_file` go through the session, what the agent's own tools do is recorded around its permission requests and updates.
 * Everything else passes untouched.
 *
 * What fails here is said on standard error and never keeps a message from passing.
 */
export function openProxy(ends: ProxyEnds): Proxy {
  const sessions = new Map<string, SessionState>()
  /** Requests of the editor whose answers tell a session's id. */
  const opening = new Map<string | number, string>()
  let agent = ""
  let editorWrites = false

  return {
    fromEditor: wire => passing(line => ends.toAgent(line), wire, fromEditor),
    fromAgent: wire => passing(line => ends.toEditor(line), wire, fromAgent),
  }

  /** `handle` gives the message to pass on: the very line, another one, or none. */
  async function passing(
    pass: (line: string) => void,
    wire: Wire,
    handle: (message: Message) => Promise<Message | "same" | "none">,
  ): Promise<void> {
    if (wire.message === null) return pass(wire.line)
    const outcome = await handle(wire.message).catch((error: unknown): "same" => {
      ends.log(error instanceof Error ? error.message : String(error))
      return "same"
    })
    if (outcome !== "none") pass(outcome === "same" ? wire.line : JSON.stringify(outcome))
  }

  async function fromEditor(message: Message): Promise<Message | "same"> {
    const { params = {} } = message
    switch (message.method) {
      case "initialize":
        editorWrites = recordAt(recordAt(params, "clientCapabilities"), "fs")["writeTextFile"] === true
        return "same"
      case "session/new":
      case "session/load":
      case "session/resume":
      case "session/fork": {
        const folder = textAt(params, "cwd") ?? ""
        if (message.id !== undefined && message.id !== null) opening.set(message.id, folder)
        const session = textAt(params, "sessionId")
        if (session !== null && message.method !== "session/fork") open(session, folder)
        return { ...message, params: withServer(params, folder) }
      }
      case "session/prompt":
        return withPrompt(message, params)
      case undefined:
      default:
        return "same"
    }
  }

  async function fromAgent(message: Message): Promise<Message | "same" | "none"> {
    const { params = {} } = message
    if (message.method === undefined) {
      agent = textAt(recordAt(message.result, "agentInfo"), "name") ?? agent
      const folder = opening.get(message.id ?? "")
      const session = textAt(message.result, "sessionId")
      if (folder !== undefined && session !== null) open(session, folder)
      return "same"
    }
    switch (message.method) {
      case "session/update":
        await updated(params)
        return "same"
      case "session/request_permission":
        return permission(message, params)
      case "fs/write_text_file":
        return written(message, params)
      case "fs/read_text_file":
        return read(message, params)
      default:
        return "same"
    }
  }

  function open(session: string, folder: string): void {
    if (!sessions.has(session)) sessions.set(session, { folder, calls: new Map(), begun: new Set() })
    ends.named(folder, session)
  }

  function withServer(params: Readonly<Record<string, unknown>>, folder: string): Readonly<Record<string, unknown>> {
    const servers = listAt(params, "mcpServers")
    const offered = servers.some(server => textAt(server, "name") === "galley")
      ? servers
      : [...servers, ends.server(folder)]
    if (ends.review === "apply") return { ...params, mcpServers: offered }
    // claude-agent-acp takes its own tools away when told so; no other agent has such a switch.
    const meta = recordAt(params, "_meta")
    const claude = recordAt(meta, "claudeCode")
    const options = recordAt(claude, "options")
    const disallowedTools = [
      ...new Set([...listAt(options, "disallowedTools"), "Edit", "MultiEdit", "Write", "NotebookEdit", "Bash"]),
    ]
    return {
      ...params,
      mcpServers: offered,
      _meta: { ...meta, claudeCode: { ...claude, options: { ...options, disallowedTools } } },
    }
  }

  async function requestsFor(session: string | null, callId?: string): Promise<Requests> {
    const workspace = await ends.workspace(session === null ? null : (sessions.get(session)?.folder ?? null))
    return workspace.as({
      actor: "agent",
      review: ends.review,
      ...(session === null ? {} : { conversation: session }),
      ...(callId === undefined ? {} : { callId }),
    })
  }

  /** A prompt begins a message, and carries what the person did since. */
  async function withPrompt(message: Message, params: Readonly<Record<string, unknown>>): Promise<Message | "same"> {
    const session = textAt(params, "sessionId")
    if (session === null) return "same"
    const blocks = listAt(params, "prompt")
    const text = blocks
      .flatMap(block => textAt(block, "text") ?? [])
      .join("\n")
      .slice(0, 4000)
    const requests = await requestsFor(session)
    await requests.settle({})
    await requests.message({ conversation: session, text: text === "" ? "(a prompt without text)" : text })
    const notes = (await requests.notes({})).text
    if (notes === null) return "same"
    return { ...message, params: { ...params, prompt: [...blocks, { type: "text", text: notes }] } }
  }

  async function updated(params: Readonly<Record<string, unknown>>): Promise<void> {
    const session = textAt(params, "sessionId")
    const update = recordAt(params, "update")
    if (session === null || textAt(update, "sessionUpdate")?.startsWith("tool_call") !== true) return
    const call = learn(session, update)
    if (call === null) return
    const status = textAt(update, "status")
    if (status === "completed" || status === "failed") await ended(session, call)
    else await begun(session, call)
  }

  function learn(session: string, update: Readonly<Record<string, unknown>>): ToolCall | null {
    const state = sessions.get(session)
    if (state === undefined) return null
    const call = toolCallOf(update, state.calls.get(textAt(update, "toolCallId") ?? ""))
    if (call !== null) state.calls.set(call.id, call)
    return call
  }

  /** Keeps what stands there before the agent's own tool acts. An update may come late; a permission request never does. */
  async function begun(session: string, call: ToolCall): Promise<void> {
    const state = sessions.get(session)
    if (state === undefined || state.begun.has(call.id) || call.kind === "galley" || call.kind === "other") return
    // What it writes through us is recorded there.
    if (call.kind === "edit" && (call.paths.length === 0 || writesThroughUs())) return
    state.begun.add(call.id)
    const kept = await (await requestsFor(session, call.id)).before({
      callId: call.id,
      tool: call.kind,
      title: call.title === "" ? call.kind : call.title,
      paths: call.kind === "edit" ? [...call.paths] : [],
      ...(call.kind === "shell" && call.command !== null ? { command: call.command } : {}),
    })
    if (kept.trouble !== undefined)
      await (await requestsFor(session, call.id)).trouble({ title: call.title, text: kept.trouble })
  }

  async function ended(session: string, call: ToolCall): Promise<void> {
    const state = sessions.get(session)
    if (state === undefined) return
    state.calls.delete(call.id)
    if (call.kind === "galley" || call.kind === "other") return
    if (!state.begun.delete(call.id) && (call.paths.length === 0 || writesThroughUs())) return
    await (await requestsFor(session, call.id)).after({
      callId: call.id,
      tool: call.kind,
      title: call.title === "" ? call.kind : call.title,
      paths: call.kind === "edit" ? [...call.paths] : [],
    })
  }

  async function permission(
    message: Message,
    params: Readonly<Record<string, unknown>>,
  ): Promise<Message | "same" | "none"> {
    const session = textAt(params, "sessionId")
    if (session === null) return "same"
    const call = learn(session, recordAt(params, "toolCall"))
    if (call === null) return "same"
    if (ends.review !== "apply" && (call.kind === "galley" || (call.kind === "edit" && writesThroughUs()))) {
      // The person is asked by Galley, about this very change: asking here too would be two questions for one edit.
      const allow = listAt(params, "options").find(option => textAt(option, "kind") === "allow_once")
      const optionId = textAt(allow, "optionId")
      if (optionId !== null) {
        answer(message, { result: { outcome: { outcome: "selected", optionId } } })
        return "none"
      }
    }
    await begun(session, call)
    return "same"
  }

  /** Agents that write by `fs/write_text_file` for real (seen: qwen-code 0.24, gemini-cli 0.61); opencode's is a copy afterwards. */
  function writesThroughUs(): boolean {
    return editorWrites && /qwen|gemini/i.test(agent)
  }

  async function written(message: Message, params: Readonly<Record<string, unknown>>): Promise<"same" | "none"> {
    const session = textAt(params, "sessionId")
    const path = textAt(params, "path")
    const content = textAt(params, "content")
    if (session === null || path === null || content === null || /opencode/i.test(agent)) return "same"
    const requests = await requestsFor(session)
    const input = await editFor(requests, path, content)
    if (input === "outside") return "same"
    if (input === null) {
      answer(message, { result: {} })
      return "none"
    }
    const result = await requests.call({ tool: "str_replace_editor", input })
    answer(message, result.ok ? { result: {} } : { error: { code: -32000, message: result.text } })
    return "none"
  }

  /** With changes held back the agent reads its own pending text; else the editor answers, which knows what is not saved yet. */
  async function read(message: Message, params: Readonly<Record<string, unknown>>): Promise<"same" | "none"> {
    const session = textAt(params, "sessionId")
    const path = textAt(params, "path")
    if (session === null || path === null || ends.review === "apply") return "same"
    const requests = await requestsFor(session)
    const inside = await insidePath(path)
    if (inside === null) return "same"
    const [file] = (await requests.status({ paths: [inside] })).files
    if (file?.disk !== "base") return "same"
    const { text } = await requests.cat({ path: inside, side: "current" })
    if (text === undefined) return "same"
    const { line, limit } = params
    const from = typeof line === "number" ? Math.max(0, line - 1) : 0
    const lines = text.split(/(?<=\n)/)
    const to = typeof limit === "number" ? from + limit : lines.length
    answer(message, { result: { content: lines.slice(from, to).join("") } })
    return "none"

    async function insidePath(given: string): Promise<string | null> {
      const { root } = await ends.workspace(sessions.get(session ?? "")?.folder ?? null)
      return given.startsWith(`${root}/`) ? given.slice(root.length + 1) : null
    }
  }

  function answer(message: Message, body: Readonly<Record<string, unknown>>): void {
    ends.toAgent(JSON.stringify({ jsonrpc: "2.0", id: message.id ?? null, ...body }))
  }
}

/** The edit that makes the file hold the content; null if it does already. */
async function editFor(
  requests: Requests,
  path: string,
  content: string,
): Promise<Record<string, unknown> | null | "outside"> {
  const now = await requests.cat({ path, side: "current" }).catch((error: unknown) => {
    if (isRecord(error) && error["code"] === "OUTSIDE_WORKSPACE") return "outside" as const
    throw error
  })
  if (now === "outside") return "outside"
  if (now.absent) return { command: "create", path, file_text: content }
  if (now.text === undefined) return "outside"
  if (now.text === content) return null
  if (now.text === "") return { command: "insert", path, insert_line: 0, insert_text: content }
  return { command: "str_replace", path, old_str: now.text, new_str: content }
}
