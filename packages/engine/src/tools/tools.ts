import { unforeseen } from "../session/disk-trouble.ts"
import { Failure } from "@galley/core/failure.ts"
import type { Params, RequestContext } from "@galley/core/protocol/requests.ts"
import type { CallResult } from "@galley/core/protocol/results.ts"
import { editToolName } from "@galley/core/tool/edit-schema.ts"
import { shellToolName } from "@galley/core/tool/shell-schema.ts"
import { takeNotes } from "../session/feedback.ts"
import type { IntentHandler } from "../session/intents.ts"
import { claimedContext } from "../session/hook-calls.ts"
import { conversationOf } from "../session/messages.ts"
import { policyOf } from "../session/policy.ts"
import { beginCall } from "../session/record.ts"
import type { ViewFacts } from "../session/run-command.ts"
import { sessionFiles, type SessionCall } from "../session/session-files.ts"
import type { Session } from "../session/session.ts"
import type { RequestIo } from "../session/request-io.ts"
import { createEditTool, type EditTool } from "./edit-tool.ts"
import { editResult } from "./edit-result.ts"
import { failedCall, withTitle } from "./call.ts"
import { openShell, type Shell } from "./shell-tool.ts"

/** The tools of a workspace, for all its connections. */
export interface Tools {
  connect(context: RequestContext): Connection
  /** Ends background jobs. */
  close(): Promise<void>
}

/** The tools as one caller has them: its shell keeps its working directory between calls. */
export interface Connection {
  call(tool: string, input: Readonly<Record<string, unknown>>, io: RequestIo): Promise<CallResult>
  run(params: Params<"run">, io: RequestIo): Promise<CallResult>
}

export function openTools(session: Session, intents: readonly IntentHandler[]): Tools {
  const files = sessionFiles(session)
  const edit = createEditTool({
    files,
    config: {
      maxOutputChars: session.config["tool.maxOutputChars"],
      expandTabsOnMutation: session.config["tool.expandTabs"],
      requireAbsolutePath: false,
    },
    intents,
  })
  const shells = new Set<Shell>()
  const facts: ViewFacts = { support: null, survey: null }
  return {
    connect: context => {
      const shell = openShell(session, files, facts)
      shells.add(shell)
      return {
        call: async (tool, input, io) =>
          answered(session, await claimedContext(session, context, tool, input), io, call =>
            dispatch({ session, edit, shells }, shell, tool, input, call),
          ),
        // No contact with the model: what the person did since is kept for the next one.
        run: (params, io) =>
          calling(session, context, io, async call => shell.run(params, call)).then(done => done.result),
      }
    },
    close: async () => {
      await Promise.all([...shells].map(shell => shell.close()))
    },
  }
}

interface Bench {
  readonly session: Session
  readonly edit: EditTool
  readonly shells: ReadonlySet<Shell>
}

async function dispatch(
  bench: Bench,
  shell: Shell,
  tool: string,
  input: Readonly<Record<string, unknown>>,
  call: SessionCall,
): Promise<CallResult> {
  switch (tool) {
    case editToolName:
      await foldJobs(bench, input["path"])
      return editResult(await bench.edit.call(input, withTitle(call, tool, editTitle(input))), call)
    case shellToolName:
      return shell.call(input, call)
    default:
      throw new Failure(
        "BAD_ARGUMENT",
        `There is no tool ${tool}. Nothing was done.`,
        `Tools: ${editToolName}, ${shellToolName}.`,
      )
  }
}

/** What background jobs wrote is theirs, not somebody else's, when a tool works on it. */
async function foldJobs({ session, shells }: Bench, given: unknown): Promise<void> {
  if (shells.size === 0 || typeof given !== "string") return
  const path = await session.root.resolve(given).catch(() => "")
  if (path !== "") for (const shell of shells) await shell.foldBefore(path)
}

/** Runs one call of a model and adds what the person did since. */
async function answered(
  session: Session,
  context: RequestContext,
  io: RequestIo,
  work: (call: SessionCall) => Promise<CallResult>,
): Promise<CallResult> {
  const { result, call } = await calling(session, context, io, work)
  // The change stands already: what fails here must not make the model believe that it did not happen.
  const notes = await notesFor(session, context, call).catch((thrown: unknown) => untoldNotes(unforeseen(thrown)))
  return notes === null ? result : { ...result, text: result.text === "" ? notes : `${result.text}\n\n${notes}` }
}

async function notesFor(session: Session, context: RequestContext, call: SessionCall): Promise<string | null> {
  if (session.store.readOnly) return null
  return takeNotes(session, call.recorded.at(-1)?.message.conversation ?? (await conversationOf(session, context)))
}

function untoldNotes(error: unknown): string {
  const why = error instanceof Error ? error.message : String(error)
  return `[What the person did since could not be read and is told later: ${why} The answer above stands.]`
}

/** Runs one call with what it needs to know, and turns a `Failure` into a result. */
async function calling(
  session: Session,
  context: RequestContext,
  io: RequestIo,
  work: (call: SessionCall) => Promise<CallResult>,
): Promise<{ readonly result: CallResult; readonly call: SessionCall }> {
  const call: SessionCall = {
    conversation: context.conversation ?? null,
    message: context.message ?? null,
    callId: context.callId ?? null,
    policy: policyOf(session, context),
    ...(io.signal === undefined ? {} : { signal: io.signal }),
    context,
    io,
    began: await beginCall(session),
    title: "",
    tool: { tool: "", summary: "", ...(context.callId === undefined ? {} : { callId: context.callId }) },
    capture: "recorded",
    recorded: [],
  }
  const result = await work(call).catch((thrown: unknown) => {
    const error = unforeseen(thrown)
    if (error instanceof Failure) return failedCall(error.toData())
    throw error
  })
  return { result, call }
}

function editTitle(input: Readonly<Record<string, unknown>>): string {
  const path = typeof input["path"] === "string" ? input["path"] : "?"
  switch (input["command"]) {
    case "create":
      return `Create ${path}`
    case "insert":
      return `Insert into ${path}`
    case "str_replace":
      return `Edit ${path}`
    default:
      return `View ${path}`
  }
}
