import { Failure } from "@galley/core/failure.ts"
import type { WorkspacePath } from "@galley/core/path.ts"
import type { CallResult } from "@galley/core/protocol/results.ts"
import { startBackground, type BackgroundJob } from "../session/run-background.ts"
import type { SessionCall } from "../session/session-files.ts"
import type { ViewFacts } from "../session/run-command.ts"
import type { Session } from "../session/session.ts"
import type { ShellRequest } from "./shell-tool.ts"

/**
 * A caller's background jobs. They are read and stopped through the same tool: `galley-job list`, `galley-job output ID`,
 * `galley-job stop ID` are answered here and start no process.
 */
export interface Jobs {
  /** The answer to a `galley-job …` command; null for any other. */
  answer(command: string): Promise<CallResult> | null
  start(request: ShellRequest, cwd: string, call: SessionCall): Promise<CallResult>
  /** Records what running jobs wrote up to now as theirs. */
  fold(): Promise<void>
  /** The same, as far as it concerns a path that a tool is about to work on. */
  foldBefore(path: WorkspacePath): Promise<void>
  /** Ends all; nothing of them runs afterwards. */
  close(): Promise<void>
}

export function openJobs(session: Session, facts: ViewFacts): Jobs {
  const jobs = new Map<string, BackgroundJob>()
  return {
    answer: command => {
      const words = command.trim().split(/\s+/)
      return words[0] === "galley-job" ? answer(jobs, words.slice(1)) : null
    },
    start: async (request, cwd, call) => {
      const job = await startBackground(session, facts, { text: request.command, cwd, timeoutMs: null }, call)
      const id = String(jobs.size + 1)
      jobs.set(id, job)
      return said(
        `Started in the background as job ${id}${job.where === "disk" ? ", directly on the disk (changes are labelled detected)" : ", in a view of the workspace as it is now; its changes are collected when it ends"}.\nRead its output with: galley-job output ${id}\nStop it with: galley-job stop ${id}`,
        job.where === "disk" ? "detected" : "previewed",
      )
    },
    fold: async () => {
      for (const job of jobs.values()) await job.fold()
    },
    foldBefore: async path => {
      for (const job of jobs.values()) await job.foldBefore(path)
    },
    close: async () => {
      await Promise.all([...jobs.values()].map(job => job.stop()))
    },
  }
}

async function answer(jobs: ReadonlyMap<string, BackgroundJob>, [verb, id]: readonly string[]): Promise<CallResult> {
  if (verb === "list" || verb === undefined) {
    if (id !== undefined) throw usage()
    for (const job of jobs.values()) await job.settled()
    const lines = [...jobs].map(([name, job]) => `${name}  ${job.state()}  ${job.command}`)
    return said(lines.length === 0 ? "No background jobs." : lines.join("\n"))
  }
  const job = jobs.get(id ?? "")
  if (job === undefined || (verb !== "output" && verb !== "stop")) throw usage()
  if (verb === "output") {
    await job.fold()
    const text = job.output()
    return said(`${text === "" ? "(no new output)" : text}\n[${job.state()}]`)
  }
  await job.stop()
  return said(`${job.output()}\n[${job.state()}]`)
}

function usage(): Failure {
  return new Failure("BAD_ARGUMENT", "Usage: galley-job list | galley-job output ID | galley-job stop ID")
}

function said(text: string, capture: CallResult["capture"] = "none"): CallResult {
  return { version: 1, ok: true, text, exitCode: 0, capture, changes: [] }
}
