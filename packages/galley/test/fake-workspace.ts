import { Failure } from "@galley/core/failure.ts"
import type { RequestContext, RequestName } from "@galley/core/protocol/requests.ts"
import type { RequestIo, Requests, Workspace } from "@galley/engine/workspace.ts"

/** What was asked of the fake, in order. */
export interface Asked {
  readonly name: RequestName
  readonly context: RequestContext
  readonly params: unknown
}

/** A request's scripted answer: a value, something to throw, or a function of what was asked. */
export type Answer = unknown

export interface FakeWorkspace extends Workspace {
  readonly asked: readonly Asked[]
  readonly closed: () => boolean
}

/**
 * A workspace that answers from a script, for what a surface does with answers. What is not scripted is `NOT_FOUND`. The engine
 * itself is tested through the same surfaces in the end-to-end tests.
 */
export function fakeWorkspace(script: Partial<Record<RequestName, Answer>>, root = "/w"): FakeWorkspace {
  const asked: Asked[] = []
  let closed = false
  return {
    root,
    notices: [],
    asked,
    closed: () => closed,
    as: context =>
      new Proxy({} as Requests, {
        get: (_, name) => (params: unknown, io?: RequestIo) => answer(name as RequestName, context, params, io),
      }),
    propose: () => Promise.reject(new Error("BUG: surfaces of this package do not propose")),
    commit: () => Promise.reject(new Error("BUG: surfaces of this package do not commit")),
    onChange: () => () => {},
    close: () => {
      closed = true
      return Promise.resolve()
    },
  }

  async function answer(name: RequestName, context: RequestContext, params: unknown, io?: RequestIo): Promise<unknown> {
    asked.push({ name, context, params })
    const scripted = script[name]
    if (scripted === undefined) throw new Failure("NOT_FOUND", `Nothing scripted for ${name}.`)
    if (scripted instanceof Error) throw scripted
    return typeof scripted === "function"
      ? await (scripted as (...args: unknown[]) => unknown)(params, io, context)
      : scripted
  }
}
