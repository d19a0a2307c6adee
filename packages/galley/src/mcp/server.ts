import { Failure } from "@galley/core/failure.ts"
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
import {
  answerKey,
  type AskedCall,
  type AskedCalls,
  askInForm,
  drawsForms,
  formAnswer,
  giveAnswer,
  isQuestionState,
  type Question,
} from "./question.ts"
import { failedCall, toolResult } from "./result.ts"
import { clientRoots } from "./roots.ts"
import { runCall } from "./running-call.ts"
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
  /** Where calls wait whose client comes back with the person's answer (2026-07-28); without it such a client's person is not asked in it. */
  readonly asked?: AskedCalls
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
        const state = call.mcpReq.requestState()
        if (isQuestionState(state)) return await resumeCall(connection, state, call)
        const folders = connection.asksRoots ? await askOnce(call) : []
        if (isInputRequiredResult(folders)) return folders
        return await makeCall(connection, server, await connection.workspace(folders), told, { name, input }, call)
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
  server: Server,
  workspace: Workspace,
  told: Set<string>,
  { name: tool, input }: { readonly name: string; readonly input: Record<string, unknown> },
  request: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const identity = identify(connection.identity, request.mcpReq._meta)
  const guessed = isGuessed(connection.identity, request.mcpReq._meta) ? { guessed: true } : {}
  const requests = workspace.as({ actor: "agent", ...connection.settings, ...identity, ...guessed })
  const silent = connection.hooked === true && (await isSilent(connection, requests, identity.conversation, told))
  const running = runCall(requests, { tool, input }, connection.progressEveryMs)
  const letGo = running.attach(request)
  const log = (text: string): void => connection.log(text)
  try {
    return drawsForms(server, request) ? await withForm() : await finished()
  } finally {
    letGo()
  }

  async function withForm(): Promise<CallToolResult | InputRequiredResult> {
    const question = await Promise.race([running.asked, running.result.then(() => null)])
    if (question === null) return finished()
    if (request.mcpReq.envelope === undefined) {
      const over = new AbortController()
      void askInForm(request, question, over.signal)
        .then(answer => (answer === null ? undefined : giveAnswer(workspace, question, answer, log)))
        .catch((error: unknown) => {
          if (!over.signal.aborted) connection.log(`The agent did not ask the person: ${messageOf(error)}`)
        })
      return finished().finally(() => over.abort("answered elsewhere"))
    }
    return connection.asked === undefined ? finished() : connection.asked.ask(asked(question))
  }

  function asked(question: Question): AskedCall {
    return {
      question,
      resume: async (answer, next) => {
        const letGoOfNext = running.attach(next)
        try {
          if (answer !== null) await giveAnswer(workspace, question, answer, log)
          return await finished()
        } finally {
          letGoOfNext()
        }
      },
      cancel: () => running.cancel(),
    }
  }

  async function finished(): Promise<CallToolResult> {
    const result = await running.result
    if (!silent) return toolResult(result)
    await requests.trouble({ title: "Hooks did not run", text: hooksSilent })
    return toolResult({ ...result, text: `${result.text}\n\n[${hooksSilent}]` })
  }
}

/** The client comes back with what its form was answered. */
async function resumeCall(connection: Connection, state: string, request: ServerContext): Promise<CallToolResult> {
  const asked = connection.asked?.find(state) ?? null
  if (asked === null)
    throw new Failure(
      "STALE_REVISION",
      "The call that this answers is over. Nothing was done by this one.",
      "If its change still waits, the person finds it in the review. View the file before you change it again.",
    )
  const answer = formAnswer(request.mcpReq.inputResponses?.[answerKey])
  try {
    return await asked.resume(answer, request)
  } finally {
    connection.asked?.forget(asked)
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
