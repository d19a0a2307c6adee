import { Failure } from "@galley/core/failure.ts"
import type { CallResult } from "@galley/core/protocol/results.ts"
import { runCommand, type CommandRequest, type ViewFacts } from "../session/run-command.ts"
import type { SessionCall } from "../session/session-files.ts"
import type { Session } from "../session/session.ts"
import type { ToolFiles } from "../session/tool-files.ts"
import { openJobs, type Jobs } from "./jobs.ts"
import { simulateSed } from "./sed-edit.ts"
import { withTitle } from "./call.ts"

/** A caller's shell: commands start where the last one ended (`cd`), and background jobs belong to it. */
export interface Shell {
  call(input: Readonly<Record<string, unknown>>, call: SessionCall): Promise<CallResult>
  run(request: ShellRequest, call: SessionCall): Promise<CallResult>
  close(): Promise<void>
}

export interface ShellRequest {
  readonly command: string
  /** Null: the usual limit. */
  readonly timeoutMs: number | null
  readonly background: boolean
}

/** A tool call without a limit of its own ends after this, in milliseconds. A person's `galley run` has none. */
const usualTimeout = 120_000

export function openShell(session: Session, files: ToolFiles, facts: ViewFacts): Shell {
  const state: ShellState = { session, files, cwd: session.root.path, jobs: openJobs(session), facts }
  return {
    call: async (input, call) => {
      const request = parseInput(input)
      return run(state, { ...request, timeoutMs: request.timeoutMs ?? usualTimeout }, call)
    },
    run: (request, call) => run(state, request, call),
    close: () => state.jobs.close(),
  }
}

interface ShellState {
  readonly session: Session
  readonly files: ToolFiles
  readonly jobs: Jobs
  readonly facts: ViewFacts
  /** Absolute; where the next command starts. */
  cwd: string
}

async function run(state: ShellState, request: ShellRequest, plain: SessionCall): Promise<CallResult> {
  const call = withTitle(plain, "bash", titleOf(request.command))
  const asked = state.jobs.answer(request.command)
  if (asked !== null) return asked
  if (request.background) return state.jobs.start(request, state.cwd, call)
  if (state.session.config["sed.simulate"]) {
    const simulated = await simulateSed(state.session, state.files, request.command, state.cwd, call)
    if (simulated !== null) return simulated
  }
  const command: CommandRequest = { text: request.command, cwd: state.cwd, timeoutMs: request.timeoutMs }
  const { result, cwd } = await runCommand(state.session, state.facts, command, call)
  state.cwd = cwd ?? state.cwd
  return result
}

function parseInput(input: Readonly<Record<string, unknown>>): ShellRequest {
  const { command, timeout_ms: timeout, background, ...others } = input
  const [unknownKey] = Object.keys(others)
  if (unknownKey !== undefined)
    throw new Failure(
      "BAD_ARGUMENT",
      `bash has no parameter ${unknownKey}. Nothing was run.`,
      "Parameters: command, timeout_ms, background.",
    )
  if (typeof command !== "string" || command.trim() === "")
    throw new Failure("BAD_ARGUMENT", "command must be a non-empty string. Nothing was run.")
  if (command.includes("\0")) throw new Failure("BAD_ARGUMENT", "command cannot hold a NUL byte. Nothing was run.")
  const timeoutMs = timeout === undefined || timeout === null ? null : Number(timeout)
  if (timeoutMs !== null && !(Number.isInteger(timeoutMs) && timeoutMs > 0))
    throw new Failure("BAD_ARGUMENT", "timeout_ms must be a positive whole number of milliseconds. Nothing was run.")
  const wanted = background === undefined || background === null ? false : background
  if (typeof wanted !== "boolean" && wanted !== "true" && wanted !== "false")
    throw new Failure("BAD_ARGUMENT", "background must be true or false. Nothing was run.")
  return { command, timeoutMs, background: wanted === true || wanted === "true" }
}

function titleOf(command: string): string {
  const line = command.trim().replace(/\s+/g, " ")
  return line.length > 120 ? `${line.slice(0, 119)}…` : line
}
