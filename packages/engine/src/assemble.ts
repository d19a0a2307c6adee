import { pathFromBytes } from "@galley/core/path.ts"
import type { RequestContext } from "@galley/core/protocol/requests.ts"
import { askBefore, takeAllowed } from "./session/ask-before.ts"
import { answer } from "./session/ask.ts"
import { unforeseen } from "./session/disk-trouble.ts"
import { collectGarbage } from "./session/garbage.ts"
import { takeNotes } from "./session/feedback.ts"
import { claim } from "./session/hook-calls.ts"
import { after, before, settle, trouble, type ArmedLooks } from "./session/hook-record.ts"
import { log, operations } from "./session/history-views.ts"
import type { IntentHandler } from "./session/intents.ts"
import { conversationOf } from "./session/messages.ts"
import { comment, mark, message, renamed, write } from "./session/person.ts"
import { purge } from "./session/purge.ts"
import { cat, diff, file, show } from "./session/reading.ts"
import { decide } from "./session/review.ts"
import { rewind } from "./session/rewind.ts"
import type { Session } from "./session/session.ts"
import { upkeep } from "./session/upkeep.ts"
import { status } from "./session/status.ts"
import { redo, undo } from "./session/undo.ts"
import { commitProposal, propose } from "./tools/propose.ts"
import { openTools, type Tools } from "./tools/tools.ts"
import type { Requests, Workspace, WorkspaceEvent } from "./workspace.ts"

/** A session's surroundings that only its opener knows. */
export interface Assembly {
  readonly session: Session
  readonly notices: readonly string[]
  /** Asked before each mutation of a tool, in order. */
  readonly intents: readonly IntentHandler[]
  /** Tells of commits by any process; returns how to stop. */
  readonly watch: (listener: (event: WorkspaceEvent) => void) => () => void
}

/** Puts session and tools together as the closed set of requests that every surface uses. */
export function assembleWorkspace({ session, notices, intents, watch }: Assembly): Workspace {
  const tools = openTools(session, intents)
  const armed: ArmedLooks = new Map()
  let personAsked = false
  return {
    root: session.root.path,
    as: context =>
      withKnownFailures(requestsOf(session, tools, armed, context), () => {
        personAsked ||= context.actor === "person"
      }),
    propose: (context, call) => propose(session, intents, context, call),
    commit: (context, proposal, options) => commitProposal(session, context, proposal, options),
    onChange: watch,
    notices,
    close: async () => {
      await tools.close()
      for (const look of armed.values()) await look.close()
      if (personAsked) await upkeep(session).catch(() => undefined)
      await session.lock.close()
      await session.store.close()
    },
  }
}

function requestsOf(session: Session, tools: Tools, armed: ArmedLooks, context: RequestContext): Requests {
  const shell = tools.connect(context)
  return {
    status: params => status(session, context, params),
    log: params => log(session, params),
    operations: params => operations(session, named(params)),
    show: params => show(session, params),
    diff: params => diff(session, named(params)),
    cat: params => cat(session, named(params)),
    file: params => file(session, named(params)),
    accept: params => decide(session, context, named(params), "accept"),
    reject: params => decide(session, context, named(params), "reject"),
    write: params => write(session, context, named(params)),
    answer: params => answer(session, context, params),
    comment: params => comment(session, context, named(params)),
    mark: params => mark(session, context, named(params)),
    renamed: params => renamed(session, context, params),
    rewind: params => rewind(session, context, params),
    undo: params => undo(session, context, params),
    redo: params => redo(session, context, params),
    message: params => message(session, context, params),
    call: (params, io) => shell.call(params.tool, params.input, io ?? {}),
    run: (params, io) => shell.run(params, io ?? {}),
    before: params => before(session, armed, context, params),
    after: async params => {
      const done = await after(session, armed, context, params)
      return (await takeAllowed(session, params.callId)) ? { ...done, allowed: true } : done
    },
    ask: (params, io) => askBefore(session, context, params, io ?? {}),
    settle: () => settle(session, context),
    trouble: params => trouble(session, context, params),
    claim: params => claim(session, context, params),
    notes: async () => ({ version: 1, text: await takeNotes(session, await conversationOf(session, context)) }),
    purge: params => purge(session, context, named(params)),
    gc: params => collectGarbage(session, context, params),
  }
}

/** So that no surface ever meets a bare error of the disk. */
function withKnownFailures(requests: Requests, asked: () => void): Requests {
  const known = Object.entries(requests).map(([name, make]) => {
    const work = make as (...words: readonly unknown[]) => Promise<unknown>
    return [
      name,
      async (...words: readonly unknown[]): Promise<unknown> => {
        asked()
        try {
          return await work(...words)
        } catch (error) {
          throw unforeseen(error)
        }
      },
    ] as const
  })
  return Object.fromEntries(known) as unknown as Requests
}

/** A path given by its bytes, as the string that stands for it everywhere inside. */
function named<P extends { readonly path?: string | undefined; readonly pathBytes?: string | undefined }>(
  params: P,
): P {
  if (params.pathBytes === undefined) return params
  return { ...params, path: pathFromBytes(new Uint8Array(Buffer.from(params.pathBytes, "base64"))) }
}
