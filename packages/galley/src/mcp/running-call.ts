import type { CallResult } from "@galley/core/protocol/results.ts"
import type { Requests } from "@galley/engine/workspace.ts"
import type { ServerContext } from "@modelcontextprotocol/server"
import type { Question } from "./question.ts"

/**
 * A tool call that is being made, apart from the client's request for it: a call that asks the person outlives the request that began it,
 * where the protocol has the client try again with the answer.
 */
export interface RunningCall {
  readonly result: Promise<CallResult>
  /** Resolves if the call comes to wait for the person. */
  readonly asked: Promise<Question>
  /** The request that the client waits on now: signs of life go there, its cancellation is the call's. Returns how to let go of it. */
  attach(request: ServerContext): () => void
  cancel(): void
}

/** Begins a call. `everyMs`: between two signs of life. */
export function runCall(
  requests: Requests,
  params: { readonly tool: string; readonly input: Record<string, unknown> },
  everyMs: number,
): RunningCall {
  const stop = new AbortController()
  const says = new Set<(text: string) => void>()
  let words = "working"
  const { promise: asked, resolve } = Promise.withResolvers<Question>()
  const result = requests.call(params, {
    signal: stop.signal,
    progress: text => {
      words = text
      for (const say of says) say(text)
    },
    asked: resolve,
  })
  // It is looked at by whoever waits; until then it must not count as an error that nobody handles.
  result.catch(() => {})
  return { result, asked, attach, cancel: () => stop.abort() }

  function attach(request: ServerContext): () => void {
    const { signal } = request.mcpReq
    const life = signsOfLife(request, everyMs, () => words)
    const cancelled = (): void => stop.abort()
    signal.addEventListener("abort", cancelled)
    if (signal.aborted) cancelled()
    says.add(life.say)
    return () => {
      signal.removeEventListener("abort", cancelled)
      says.delete(life.say)
      life.stop()
    }
  }
}

/** Progress notifications while a request is open: what the work says, at once, and its last words again when it is silent for long. */
function signsOfLife(
  request: ServerContext,
  everyMs: number,
  words: () => string,
): { readonly say: () => void; readonly stop: () => void } {
  const progressToken = request.mcpReq._meta?.progressToken
  if (progressToken === undefined) return { say: () => {}, stop: () => {} }
  let sent = 0
  const say = (): void => {
    if (request.mcpReq.signal.aborted) return
    const params = { progressToken, progress: ++sent, message: words() }
    // A client that vanished is noticed by the connection, not here.
    request.mcpReq.notify({ method: "notifications/progress", params }).catch(() => {})
    timer.refresh()
  }
  const timer = setInterval(say, everyMs)
  return { say, stop: () => clearInterval(timer) }
}
