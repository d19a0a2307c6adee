import { Failure } from "@galley/core/failure.ts"
import { showPath } from "@galley/core/path.ts"
import type { Capture } from "@galley/core/history/operation.ts"
import type { CallResult } from "@galley/core/protocol/results.ts"
import { inertOutput } from "../io/output.ts"
import { exitCodeOf, type ProcessEnd } from "../io/processes.ts"
import { askPerson } from "./ask.ts"
import { changeView, diffOfOperation } from "./history-views.ts"
import { reviewModeOf } from "./policy.ts"
import type { ChangeOutcome } from "./record.ts"
import type { SessionCall } from "./session-files.ts"
import type { Session } from "./session.ts"

export interface CommandRequest {
  /** As people are shown it. */
  readonly text: string
  /** What is run, where that is not the text: a program with its arguments. */
  readonly argv?: readonly string[]
  /** Absolute. */
  readonly cwd: string
  /** Null: no limit. */
  readonly timeoutMs: number | null
}

/** Output that an agent is given of one command, in bytes. */
export const outputLimit = 30_000

/** Tells the caller that it runs, and what it says. */
export function outputTo(call: SessionCall): (chunk: Uint8Array) => void {
  return chunk => {
    call.io.progress?.("The command is running")
    call.io.output?.(chunk)
  }
}

/** The working directory went away since the caller's last command. It starts in the workspace folder again. */
export function noFolder(request: CommandRequest): CallResult {
  const message = `The working directory ${showPath(request.cwd)} does not exist any more. Nothing was run.`
  return {
    version: 1,
    ok: false,
    text: `${message} The next command starts in the workspace folder; cd from there.`,
    capture: "none",
    changes: [],
    error: { code: "BAD_ARGUMENT", message },
  }
}

/** The call's result once its changes are recorded: in `ask` the person is asked first. */
export async function afterReview(
  session: Session,
  request: CommandRequest,
  call: SessionCall,
  end: ProcessEnd,
  run: { readonly capture: Capture; readonly remarks: readonly string[]; readonly outcome: ChangeOutcome },
): Promise<CallResult> {
  const { operation, held, pending } = run.outcome
  const changes = operation?.changes ?? []
  const told = { capture: run.capture, changes: changes.map(changeView) }
  const asks = reviewModeOf(session, call.context) === "ask"
  // A file whose earlier changes were applied at once is on disk in `ask` too; the question is the same.
  if (operation === null || !(held || (asks && pending)) || changes.length === 0)
    return resultOf(request, end, { ...told, remarks: run.remarks })
  const count = changes.length === 1 ? "1 file" : `${changes.length} files`
  const heldNote = `${count} changed; held for review: ${held ? "not on disk until the person accepts" : "pending, and on disk as the file's earlier changes are"}.`
  if (!asks) return resultOf(request, end, { ...told, remarks: [...run.remarks, heldNote], held: true })
  const answered = await askPerson(
    session,
    {
      title: call.title,
      context: call.context,
      operation,
      command: request.text,
      diff: await diffOfOperation(session, operation),
    },
    call.io,
  )
  switch (answered.kind) {
    case "allowed":
      return resultOf(request, end, {
        ...told,
        remarks: [
          ...run.remarks,
          `The person allowed its changes.${answered.reason === undefined ? "" : ` They said: ${answered.reason}`}`,
        ],
      })
    case "denied":
      return resultOf(request, end, {
        capture: run.capture,
        changes: [],
        denied: true,
        remarks: [
          ...run.remarks,
          `The person denied its changes; they were taken back.${answered.reason === undefined ? "" : ` Reason: ${answered.reason}`}`,
        ],
      })
    case "held":
    case "cancelled":
      return resultOf(request, end, { ...told, held, remarks: [...run.remarks, heldNote] })
  }
}

export interface Told {
  readonly capture: Capture
  readonly remarks: readonly string[]
  readonly changes?: CallResult["changes"]
  readonly held?: boolean
  /** Its changes were not kept by policy or by the person. */
  readonly denied?: boolean
}

export function resultOf(request: CommandRequest, end: ProcessEnd, told: Told): CallResult {
  if (end.notStarted !== null) throw new Failure("BAD_ARGUMENT", `The command was not started: ${end.notStarted}`)
  const exitCode = exitCodeOf(end)
  const ending = end.timedOut
    ? [`The command was ended after ${request.timeoutMs} ms (timeout); what it had changed by then is kept.`]
    : end.aborted
      ? ["The command was cancelled; what it had changed by then is kept."]
      : end.signal !== null
        ? [`The command was ended by ${end.signal}.`]
        : exitCode === 0
          ? []
          : [`Exit code ${exitCode}.`]
  const notes = [...ending, ...told.remarks].map(note => `[${note}]`)
  const output = inertOutput(end.output)
  const text = [output.replace(/\n$/, ""), ...notes].filter(part => part !== "").join("\n")
  const error = end.timedOut
    ? { code: "TIMEOUT" as const, message: `The command did not end within ${request.timeoutMs} ms.` }
    : told.denied === true
      ? { code: "DENIED" as const, message: "The command ran, but its changes were not kept." }
      : undefined
  return {
    version: 1,
    ok: error === undefined,
    text: text === "" ? "(no output)" : text,
    exitCode,
    capture: told.capture,
    changes: told.changes ?? [],
    ...(error === undefined ? {} : { error }),
    ...(told.held === true ? { held: true } : {}),
    ...(ending.length + told.remarks.length === 0 ? {} : { remarks: [...ending, ...told.remarks] }),
  }
}
