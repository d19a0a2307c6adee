import { Failure } from "@galley/core/failure.ts"
import { showPath } from "@galley/core/path.ts"
import type { Capture } from "@galley/core/history/operation.ts"
import type { CallResult } from "@galley/core/protocol/results.ts"
import { commandEnvironment, shellPath } from "../io/environment.ts"
import { inertOutput } from "../io/output.ts"
import { askOnDisk } from "../io/ignored.ts"
import type { ProcessEnd } from "../io/processes.ts"
import { surveyOwners } from "../io/view-copy.ts"
import { probeViews, type ViewSupport } from "../io/view-probe.ts"
import { runInView, type ViewRun } from "../io/view.ts"
import { askPerson } from "./ask.ts"
import { writableCaches } from "./caches.ts"
import { changeView, diffOfOperation } from "./history-views.ts"
import { reviewModeOf } from "./policy.ts"
import type { ChangeOutcome } from "./record.ts"
import { pendingLayer, recordRun } from "./run.ts"
import { runDirectly } from "./run-directly.ts"
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

/** What is known of this machine's views; found out once for a process. */
export interface ViewFacts {
  support: ViewSupport | null
  owners: "own" | "foreign" | null
}

/** Output that an agent is given of one command, in bytes. */
export const outputLimit = 30_000

/**
 * Runs a command so that what it changes can be reviewed (DESIGN §5): in a view of the workspace with the agent's pending text,
 * or, where there is none and changes are applied at once, directly between two looks at the disk.
 */
export async function runCommand(
  session: Session,
  facts: ViewFacts,
  request: CommandRequest,
  call: SessionCall,
): Promise<{ readonly result: CallResult; readonly cwd: string | null }> {
  const support = await supportOf(session, facts)
  if (support.kind === "unavailable") return runDirectly(session, request, call, support.reason)
  const scratch = session.scratch
  if (scratch === null) throw new Error("BUG: views are available without a scratch folder")
  const mode = reviewModeOf(session, call.context)
  facts.owners ??= await surveyOwners(session.root.path)
  const applies = mode === "apply" && call.policy !== "read-only"
  const outcome = await runInView({
    root: session.root.path,
    pending: await pendingLayer(session),
    command: request.argv ?? request.text,
    cwd: request.cwd,
    env: commandEnvironment(session.env.variables),
    timeoutMs: request.timeoutMs,
    ...(call.signal === undefined ? {} : { signal: call.signal }),
    onOutput: outputTo(call),
    outputLimit,
    mask: [scratch, ...session.masked],
    git: applies ? "through" : "dropped",
    passThrough: applies ? await regenerableFolders(session) : [],
    caches: await writableCaches(session),
    dependencyFolders: session.config["view.regenerable"],
    scratch: `${scratch}/views`,
    id: session.env.newId(),
    owners: facts.owners,
  })
  if (outcome.kind === "noView") return runDirectly(session, request, call, outcome.reason)
  if (outcome.foreignOwner) facts.owners = null
  try {
    return { result: await resultOfView(session, request, call, outcome), cwd: outcome.cwd }
  } finally {
    await outcome.close()
  }
}

/** Whether texts are run by bash; else it is the machine's sh. */
export function runsBash(): boolean {
  return shellPath().endsWith("/bash")
}

/** Tells the caller that it runs, and what it says. */
export function outputTo(call: SessionCall): (chunk: Uint8Array) => void {
  return chunk => {
    call.io.progress?.("The command is running")
    call.io.output?.(chunk)
  }
}

async function supportOf(session: Session, facts: ViewFacts): Promise<ViewSupport> {
  if (!session.config["view.enabled"]) return { kind: "unavailable", reason: "views are switched off (view.enabled)" }
  if (session.scratch === null) return { kind: "unavailable", reason: "no scratch folder was given" }
  facts.support ??= await probeViews(`${session.scratch}/views`, session.env.newId())
  return facts.support
}

/** Folders at the top that can be made again and that git ignores: commands write the real ones, unrecorded. */
async function regenerableFolders(session: Session): Promise<string[]> {
  const names = (await session.files.list(session.root.path))
    .filter(entry => entry.kind === "folder" && session.config["view.regenerable"].includes(entry.name))
    .map(entry => entry.name)
  if (names.length === 0) return []
  const ignored = await askOnDisk(session.root.path)(names.map(name => `./${name}/`))
  return names.filter(name => ignored?.has(`./${name}/`) === true)
}

async function resultOfView(
  session: Session,
  request: CommandRequest,
  call: SessionCall,
  run: ViewRun,
): Promise<CallResult> {
  const capture = "previewed"
  if (call.policy === "read-only") {
    const changed = run.changes.map(change => showPath(change.path))
    const note =
      changed.length === 0
        ? []
        : [
            `The sandbox policy is read-only: what the command changed was not kept (${changed.slice(0, 10).join(", ")}${changed.length > 10 ? ` and ${changed.length - 10} more` : ""}).`,
          ]
    return resultOf(request, run, { capture, remarks: [...note, ...run.remarks], denied: changed.length > 0 })
  }
  const recorded = await recordRun(session, call, {
    capture,
    changes: run.changes,
    byProducts: run.byProducts,
    remarks: run.remarks,
    refsMoved: run.refsMoved,
    onDisk: false,
  })
  return afterReview(session, request, call, run, { capture, remarks: recorded.remarks, outcome: recorded })
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

interface Told {
  readonly capture: Capture
  readonly remarks: readonly string[]
  readonly changes?: CallResult["changes"]
  readonly held?: boolean
  /** Its changes were not kept by policy or by the person. */
  readonly denied?: boolean
}

function resultOf(request: CommandRequest, end: ProcessEnd, told: Told): CallResult {
  if (end.notStarted !== null) throw new Failure("BAD_ARGUMENT", `The command was not started: ${end.notStarted}`)
  const exitCode = end.exitCode ?? (end.signal === null ? 1 : 128 + (signalNumbers[end.signal] ?? 0))
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

/** As shells count (signal(7), Linux). */
const signalNumbers: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGABRT: 6,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGPIPE: 13,
  SIGTERM: 15,
}
