import { randomUUID } from "node:crypto"
import { Failure } from "@galley/core/failure.ts"
import { showPath } from "@galley/core/path.ts"
import { inert } from "@galley/core/text/inert.ts"
import type { Workspace } from "@galley/engine/workspace.ts"
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ElicitRequestFormParams,
  type InputRequiredResult,
  inputRequired,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server"

/** A change that waits for the person, as the engine tells of it. */
export interface Question {
  readonly id: string
  readonly title: string
  readonly diff: string
}

/** What the person said in the agent's form. */
export interface FormAnswer {
  readonly decision: "allow" | "deny"
  readonly reason?: string
}

/** The form that asks about a change. Plain `enum`, which clients of every revision since 2025-06-18 draw. No default: Enter allows nothing. */
export function questionForm(question: Question): ElicitRequestFormParams {
  return {
    mode: "form",
    message: questionText(question),
    requestedSchema: {
      type: "object",
      properties: {
        decision: { type: "string", title: "Decision", enum: ["allow", "deny"] },
        reason: { type: "string", title: "Reason", description: "For the model, if you deny; may stay empty" },
      },
      required: ["decision"],
    },
  }
}

/** Clients draw the whole text in a terminal: what is longer is reviewed elsewhere. Lines, and UTF-16 units of a line. */
const mostLines = 60
const longestLine = 200

/** The title and the diff, shown and never obeyed. */
export function questionText({ title, diff }: Question): string {
  const lines = inert(diff).replace(/\n$/, "").split("\n")
  const shown = lines
    .slice(0, mostLines)
    .map(line => (line.length > longestLine ? `${line.slice(0, longestLine)}…` : line))
  const left = lines.length - shown.length
  const rest = left === 0 ? "" : `\n… ${left} more lines: the review page and galley review show all`
  return `Galley: ${showPath(title)}\n\n${shown.join("\n")}${rest}`
}

/** Untrusted: anything but a filled-in form (declined, put away, of another shape) is no answer. */
export function formAnswer(result: unknown): FormAnswer | null {
  if (!isRecord(result) || result["action"] !== "accept" || !isRecord(result["content"])) return null
  const { decision, reason } = result["content"]
  if (decision !== "allow" && decision !== "deny") return null
  const said = typeof reason === "string" ? reason.trim().slice(0, longestReason) : ""
  return { decision, ...(said === "" ? {} : { reason: said }) }
}

const longestReason = 2_000

/** Whether the client draws forms. `elicitation: {}` means them, as before there were modes. */
export function drawsForms(server: Server, call: ServerContext): boolean {
  const { envelope } = call.mcpReq
  const declared =
    envelope === undefined
      ? server.getClientCapabilities()
      : (envelope as { [CLIENT_CAPABILITIES_META_KEY]?: unknown })[CLIENT_CAPABILITIES_META_KEY]
  const elicitation = isRecord(declared) ? declared["elicitation"] : undefined
  if (!isRecord(elicitation)) return false
  return Object.keys(elicitation).length === 0 || elicitation["form"] !== undefined
}

/**
 * Asks over a connection of until 2025-11-25, where a server may send requests. Resolves when the form was answered or `over` tells that
 * the question was answered elsewhere, in which case the form is withdrawn. Whatever fails leaves the question to the other surfaces.
 */
export async function askInForm(
  call: ServerContext,
  question: Question,
  over: AbortSignal,
): Promise<FormAnswer | null> {
  const params = { ...questionForm(question) }
  const result = await call.mcpReq.send(
    { method: "elicitation/create", params },
    { signal: over, timeout: longestWait, maxTotalTimeout: longestWait },
  )
  return formAnswer(result)
}

/** The engine ends the wait (`ask.waitSeconds`), not the protocol. The longest that a timer takes, in milliseconds. */
const longestWait = 2_147_483_647

/** Hands an answer over. One that comes too late (the person was quicker elsewhere) is none. */
export async function giveAnswer(
  workspace: Workspace,
  question: Question,
  answer: FormAnswer,
  log: (text: string) => void,
): Promise<void> {
  try {
    await workspace.as({ actor: "person" }).answer({ id: question.id, ...answer })
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    if (error.code !== "NOT_FOUND") log(`The answer in the agent was not taken: ${error.message}`)
  }
}

/** A call that waits for the person, between the answer "input required" and the client's next try. */
export interface AskedCall {
  readonly question: Question
  resume(answer: FormAnswer | null, call: ServerContext): Promise<CallToolResult>
  cancel(): void
}

/** Calls that were answered with a form, by the state that the client gives back (2026-07-28: a server sends no requests). */
export interface AskedCalls {
  ask(asked: AskedCall): InputRequiredResult
  /** Null: over, or never asked here. */
  find(state: string): AskedCall | null
  forget(asked: AskedCall): void
  /** The client is gone: what waits stays pending. */
  close(): void
}

/** The name of the form within a call's inputs. */
export const answerKey = "answer"

/** A client has a handful of calls at once; a form that nobody came back for is given up when there are more. */
const mostAsked = 100

export function askedCalls(): AskedCalls {
  const calls = new Map<string, AskedCall>()
  return {
    ask(asked) {
      // Not the question's own id, which others can read: whoever has the state answers for the person.
      const state = `${statePrefix}${randomUUID()}`
      calls.set(state, asked)
      const [oldest] = calls
      if (calls.size > mostAsked && oldest !== undefined) {
        calls.delete(oldest[0])
        oldest[1].cancel()
      }
      const form = inputRequired.elicit(questionForm(asked.question))
      return inputRequired({ inputRequests: { [answerKey]: form }, requestState: state })
    },
    find: state => calls.get(state) ?? null,
    forget(asked) {
      for (const [state, one] of calls) if (one === asked) calls.delete(state)
    },
    close() {
      for (const asked of calls.values()) asked.cancel()
      calls.clear()
    },
  }
}

const statePrefix = "galley-question-"

/** Whether a call's state is that of a question, and not of another round (roots have none). */
export function isQuestionState(state: unknown): state is string {
  return typeof state === "string" && state.startsWith(statePrefix)
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
