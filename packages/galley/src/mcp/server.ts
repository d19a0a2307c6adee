import type { RequestContext } from "@galley/core/protocol/requests.ts"
import type { Requests, Workspace } from "@galley/engine/workspace.ts"
import {
  type CallToolResult,
  type InputRequiredResult,
  isInputRequiredResult,
  type McpServerFactory,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server"
import { type ConnectionIdentity, identify, isGuessed } from "./identity.ts"
import { failedCall, toolResult } from "./result.ts"
import { clientRoots } from "./roots.ts"
import { instructions, tools } from "./tools.ts"

/** One client's connection, as the program sees it. */
export interface Connection {
  readonly version: string
  readonly identity: ConnectionIdentity
  /** What the command line said for all calls. */
  readonly settings: Pick<RequestContext, "review" | "policy">
  /** Whether the client's roots decide the workspace: none was named. */
  readonly asksRoots: boolean
  /** Opens the workspace, once; `roots` are the client's folders, if any. */
  workspace(roots: readonly string[]): Promise<Workspace>
  /** The agent was set up with hooks: a conversation that none of them told of is said to its model, and written down, once. */
  readonly hooked?: boolean
  /** Milliseconds between two signs of life during a call. Clients give up after 30 s to 60 s without one. */
  readonly progressEveryMs: number
  /** What a person who looks after the server should see; standard error. */
  log(text: string): void
}

/** Makes the server for a connection; of either protocol generation (`serveStdio`, `createMcpHandler`). */
export function mcpServer(connection: Connection): McpServerFactory {
  return () => {
    const server = new Server(
      { name: "galley", title: "Galley", version: connection.version },
      { capabilities: { tools: {} }, instructions },
    )
    let roots: Promise<readonly string[] | InputRequiredResult> | null = null
    const told = new Set<string>()
    server.setRequestHandler("tools/list", () => ({ tools: [...tools] }))
    server.setRequestHandler("tools/call", async (request, call) => {
      const { name, arguments: input = {} } = request.params
      if (!tools.some(tool => tool.name === name))
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${name}.`)
      try {
        const folders = connection.asksRoots ? await askOnce(call) : []
        if (isInputRequiredResult(folders)) return folders
        return await makeCall(connection, await connection.workspace(folders), told, { name, input }, call)
      } catch (error) {
        if (error instanceof ProtocolError) throw error
        connection.log(error instanceof Error ? (error.stack ?? error.message) : String(error))
        return toolResult(failedCall(error))
      }
    })
    return server

    /** Two first calls at once ask once; an answer that never came is asked for again by the next call. */
    async function askOnce(call: ServerContext): Promise<readonly string[] | InputRequiredResult> {
      roots ??= clientRoots(server, call)
      const answer = await roots
      if (isInputRequiredResult(answer)) roots = null
      return answer
    }
  }
}

async function makeCall(
  connection: Connection,
  workspace: Workspace,
  told: Set<string>,
  { name: tool, input }: { readonly name: string; readonly input: Record<string, unknown> },
  call: ServerContext,
): Promise<CallToolResult> {
  const identity = identify(connection.identity, call.mcpReq._meta)
  const guessed = isGuessed(connection.identity, call.mcpReq._meta) ? { guessed: true } : {}
  const requests = workspace.as({ actor: "agent", ...connection.settings, ...identity, ...guessed })
  const life = signsOfLife(call, connection.progressEveryMs)
  try {
    const silent = connection.hooked === true && (await isSilent(connection, requests, identity.conversation, told))
    const result = await requests.call({ tool, input }, { signal: call.mcpReq.signal, progress: life.say })
    if (!silent) return toolResult(result)
    await requests.trouble({ title: "Hooks did not run", text: hooksSilent })
    return toolResult({ ...result, text: `${result.text}\n\n[${hooksSilent}]` })
  } finally {
    life.stop()
  }
}

const hooksSilent =
  "Galley's hooks did not run in this conversation: what the agent's own tools change is not recorded as its work. " +
  "Tell the person to run galley doctor."

/** Whether no hook has told of a conversation that a hook would have told of before its first call. */
async function isSilent(
  connection: Connection,
  requests: Requests,
  conversation: string,
  told: Set<string>,
): Promise<boolean> {
  if (told.has(conversation) || conversation === connection.identity.fallback) return false
  told.add(conversation)
  return (await requests.log({ conversation, counts: false })).messages.length === 0
}

/** Progress notifications while a call runs: what the work says, at once, and its last words again when it is silent for long. */
function signsOfLife(call: ServerContext, everyMs: number): { say: (text: string) => void; stop: () => void } {
  const progressToken = call.mcpReq._meta?.progressToken
  if (progressToken === undefined) return { say: () => {}, stop: () => {} }
  let sent = 0
  let text = "working"
  const send = (): void => {
    if (call.mcpReq.signal.aborted) return
    const params = { progressToken, progress: ++sent, message: text }
    // A client that vanished is noticed by the connection, not here.
    call.mcpReq.notify({ method: "notifications/progress", params }).catch(() => {})
    timer.refresh()
  }
  const timer = setInterval(send, everyMs)
  return {
    say: next => {
      text = next
      send()
    },
    stop: () => clearInterval(timer),
  }
}
