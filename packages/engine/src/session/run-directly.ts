import { Failure } from "@galley/core/failure.ts"
import type { CallResult } from "@galley/core/protocol/results.ts"
import { commandEnvironment } from "../io/environment.ts"
import { cwdRefusal, runProcess } from "../io/processes.ts"
import { failureFrom } from "./disk-trouble.ts"
import { armLook } from "./hook-look.ts"
import { reviewModeOf } from "./policy.ts"
import { recordRun } from "./run.ts"
import { afterReview, noFolder, outputLimit, outputTo, type CommandRequest } from "./run-result.ts"
import type { SessionCall } from "./session-files.ts"
import type { Session } from "./session.ts"

/**
 * Runs a command without a view: directly on the disk between two looks at it, where changes are applied at once; else not at all.
 *
 * What is at risk is kept first. A change whose old content was kept is `recorded`; one that was only noticed is `detected`, and can be
 * accepted but not taken back. What could not be seen is said.
 */
export async function runDirectly(
  session: Session,
  request: CommandRequest,
  call: SessionCall,
  reason: string,
): Promise<{ readonly result: CallResult; readonly cwd: string | null }> {
  const mode = reviewModeOf(session, call.context)
  if (mode !== "apply" || call.policy === "read-only" || session.scratch === null)
    throw new Failure(
      "PREVIEW_UNAVAILABLE",
      `This command cannot be previewed here: ${reason}. Nothing was run.`,
      mode === "apply"
        ? "The policy is read-only; ask the person for --policy workspace-write."
        : "The person can allow it with --review apply: it then runs directly and its changes are reviewed after.",
    )
  if (cwdRefusal(request.cwd) !== null) return { result: noFolder(request), cwd: session.root.path }
  const look = await armLook(session, request.text, { title: call.title, tool: call.tool.tool, context: call.context })
  try {
    const end = await runProcess({
      command: request.argv ?? request.text,
      cwd: request.cwd,
      env: commandEnvironment(session.env.variables),
      timeoutMs: request.timeoutMs,
      ...(call.signal === undefined ? {} : { signal: call.signal }),
      onOutput: outputTo(call),
      ...(call.io.readerGone === undefined ? {} : { readerGone: call.io.readerGone }),
      outputLimit,
    })
    const second = await look.again()
    const capture = second.changes.some(change => change.capture === "detected") ? "detected" : "recorded"
    const unseen =
      second.unseen.length === 0 ? [] : [`Changes would not have been seen in: ${second.unseen.join("; ")}.`]
    const goesOn =
      end.goesOn === true
        ? [
            "Processes that it started go on; what they write from now on is not told to be theirs. Run them with background: true.",
          ]
        : []
    const recorded = await recordRun(session, call, {
      capture,
      changes: second.changes,
      byProducts: [],
      remarks: [...goesOn, ...unseen],
      refsMoved: second.refsMoved,
      onDisk: true,
    }).catch((error: unknown) => {
      throw failureFrom(error, "The command ran and what it changed stands, but it could not be recorded.") ?? error
    })
    await look.done()
    const result = await afterReview(session, request, call, end, {
      capture,
      remarks: recorded.remarks,
      outcome: recorded,
    })
    return { result, cwd: end.cwd }
  } finally {
    await look.close()
  }
}
