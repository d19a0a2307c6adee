import { Failure } from "@galley/core/failure.ts"
import { hasEscapedByte, showPath, type WorkspacePath } from "@galley/core/path.ts"
import type { Params } from "@galley/core/protocol/requests.ts"
import type { CallResult } from "@galley/core/protocol/results.ts"
import { quoteWords } from "@galley/core/tool/shell-quote.ts"
import { runCommand, runsBash, type ViewFacts } from "../session/run-command.ts"
import type { CommandRequest } from "../session/run-result.ts"
import type { SessionCall } from "../session/session-files.ts"
import type { Session } from "../session/session.ts"
import type { ToolFiles } from "../session/tool-files.ts"
import { openJobs, type Jobs } from "./jobs.ts"
import { simulateSed } from "./sed-edit.ts"
import { withTitle } from "./call.ts"

/** A caller's shell: commands start where the last one ended (`cd`), and background jobs belong to it. */
export interface Shell {
  call(input: Readonly<Record<string, unknown>>, call: SessionCall): Promise<CallResult>
  /** A command that is handed over whole: it starts where it says, and leaves the caller's folder as it was. */
  run(params: Params<"run">, call: SessionCall): Promise<CallResult>
  /** Records what its jobs wrote to a path, before a tool of any caller works on it. */
  foldBefore(path: WorkspacePath): Promise<void>
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
  const state: ShellState = { session, files, cwd: session.root.path, jobs: openJobs(session, facts), facts }
  return {
    call: async (input, call) => {
      const request = parseInput(input)
      return run(state, { ...request, timeoutMs: request.timeoutMs ?? usualTimeout }, call)
    },
    run: (params, call) => runHanded(state, params, call),
    foldBefore: path => state.jobs.foldBefore(path),
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

async function runHanded(state: ShellState, params: Params<"run">, plain: SessionCall): Promise<CallResult> {
  const { session } = state
  const cwd = params.cwd ?? session.root.path
  if (cwd !== session.root.path && !cwd.startsWith(`${session.root.path}/`))
    throw new Failure("OUTSIDE_WORKSPACE", `The folder ${showPath(cwd)} is not inside the workspace. Nothing was run.`)
  const handed = handedCommand(params.command)
  const call = withTitle(plain, "bash", titleOf(handed.text))
  if (session.config["sed.simulate"]) {
    const simulated = await simulateSed(session, state.files, handed.text, cwd, call)
    if (simulated !== null) return simulated
  }
  const command = { ...handed, cwd, timeoutMs: params.timeoutMs ?? null }
  return (await runCommand(session, state.facts, command, call)).result
}

/**
 * What is shown and looked at, and what is run. `bash -c TEXT`, as hooks hand over what an agent's shell was to run, is that text:
 * it may be a `sed -i`, or name folders to be moved.
 */
function handedCommand(command: Params<"run">["command"]): Pick<CommandRequest, "text" | "argv"> {
  const words = typeof command === "string" ? [command] : command
  if (words.some(word => word.includes("\0")))
    throw new Failure("BAD_ARGUMENT", "A command cannot hold a NUL byte. Nothing was run.")
  if (typeof command === "string") return { text: command }
  const [program = "", flag, script, ...others] = command
  if (/^(\/bin\/|\/usr\/bin\/)?bash$/.test(program) && flag === "-c" && script !== undefined && others.length === 0)
    if (runsBash() && !script.startsWith("-")) return { text: script }
  const text = quoteWords(command)
  if (!command.some(hasEscapedByte)) return { text, argv: command }
  if (!runsBash())
    throw new Failure(
      "BAD_ARGUMENT",
      "A word of the command is not UTF-8, and there is no bash to pass it. Nothing was run.",
    )
  // Node passes arguments as UTF-8 only; bash passes any bytes.
  return { text: `exec ${text}` }
}

async function run(state: ShellState, request: ShellRequest, plain: SessionCall): Promise<CallResult> {
  const call = withTitle(plain, "bash", titleOf(request.command))
  const asked = state.jobs.answer(request.command)
  if (asked !== null) return asked
  await state.jobs.fold()
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
