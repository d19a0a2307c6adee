import { Failure } from "@galley/core/failure.ts"
import { commandEnvironment } from "../io/environment.ts"
import { startJob } from "../io/jobs.ts"
import { inertOutput } from "../io/output.ts"
import { reviewModeOf } from "./policy.ts"
import type { CommandRequest } from "./run-command.ts"
import type { SessionCall } from "./session-files.ts"
import type { Session } from "./session.ts"

/** A command that goes on while the agent works. */
export interface BackgroundJob {
  readonly command: string
  readonly where: "disk" | "view"
  /** "running", "ended with exit code 0", "stopped". */
  state(): string
  /** Output since it was last asked for. */
  output(): string
  stop(): Promise<void>
}

/** Bytes of a job's output that stay readable. */
const jobOutputLimit = 1_000_000

/**
 * Starts a background job. Where changes are applied at once it runs directly on the disk, as a development server must see and
 * serve it; what it writes is noticed as other people's writes are.
 */
export async function startBackground(
  session: Session,
  request: CommandRequest,
  call: SessionCall,
): Promise<BackgroundJob> {
  if (reviewModeOf(session, call.context) !== "apply" || call.policy === "read-only")
    throw new Failure(
      "PREVIEW_UNAVAILABLE",
      "Background commands run directly on the disk, which holds no pending changes here. Nothing was run.",
      "Run it in the foreground with a timeout_ms, or ask the person for --review apply.",
    )
  const job = startJob({
    command: request.text,
    cwd: request.cwd,
    env: commandEnvironment(session.env.variables),
    outputLimit: jobOutputLimit,
  })
  let read = 0
  return {
    command: request.text,
    where: "disk",
    state: () => {
      const end = job.state()
      if (end === null) return "running"
      return end.signal === null ? `ended with exit code ${end.exitCode ?? "unknown"}` : `ended by ${end.signal}`
    },
    output: () => {
      const piece = job.read(read)
      read = piece.next
      return inertOutput(piece.lost > 0 ? `[… ${piece.lost} bytes dropped …]\n${piece.text}` : piece.text)
    },
    stop: async () => {
      await job.stop()
    },
  }
}
