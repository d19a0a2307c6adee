import { Failure } from "@galley/core/failure.ts"
import type { CallResult } from "@galley/core/protocol/results.ts"
import { reviewModeOf } from "./policy.ts"
import type { CommandRequest } from "./run-command.ts"
import type { SessionCall } from "./session-files.ts"
import type { Session } from "./session.ts"

/**
 * Runs a command without a view: directly between two looks at the disk where changes are applied at once, else not at all.
 */
export async function runDirectly(
  session: Session,
  _request: CommandRequest,
  call: SessionCall,
  reason: string,
): Promise<{ readonly result: CallResult; readonly cwd: string | null }> {
  const mode = reviewModeOf(session, call.context)
  if (mode !== "apply" || call.policy === "read-only")
    throw new Failure(
      "PREVIEW_UNAVAILABLE",
      `This command cannot be previewed here: ${reason}. Nothing was run.`,
      mode === "apply"
        ? "The policy is read-only; ask the person for --policy workspace-write."
        : "The person can allow it with --review apply: it then runs directly and its changes are reviewed after.",
    )
  throw new Failure("PREVIEW_UNAVAILABLE", `This command cannot be previewed here: ${reason}. Nothing was run.`)
}
