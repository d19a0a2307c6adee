import { type ChildProcess, spawn } from "node:child_process"
import { realpathSync, statSync } from "node:fs"
import { constants } from "node:os"
import type { Readable } from "node:stream"
import { boundedOutput } from "./output.ts"
import { shellPath } from "./environment.ts"

/** A text for the shell (bash where there is one), or a program with its arguments. */
export type Command = string | readonly string[]

export interface ProcessRequest {
  readonly command: Command
  /** Absolute. */
  readonly cwd: string
  /** Whole; nothing is added but `PWD`. See `environment.ts`. */
  readonly env: Readonly<Record<string, string>>
  /** Null: no limit. */
  readonly timeoutMs: number | null
  readonly signal?: AbortSignal
  /** Called with each piece of output as it arrives. */
  readonly onOutput?: (chunk: Uint8Array) => void
  /** Aborted when nobody wants the output any more: the pipe is closed, so that the command's next write fails (SIGPIPE). */
  readonly readerGone?: AbortSignal
  /** Bytes of output kept. */
  readonly outputLimit: number
}

export interface ProcessEnd {
  /** Null when a signal ended it or it never started. */
  readonly exitCode: number | null
  /** `SIGTERM`, … */
  readonly signal: string | null
  readonly timedOut: boolean
  readonly aborted: boolean
  /** stdout and stderr in order of arrival (one pipe), bounded. Not yet inert. */
  readonly output: string
  /** Bytes of output that arrived. */
  readonly outputBytes: number
  /** Where a shell text ended (`cd`); null where it cannot be told. */
  readonly cwd: string | null
  /** Set when nothing was run: why. */
  readonly notStarted: string | null
  /** Processes of its group go on after it (`server &`). Those of another group (setsid) are not seen. */
  readonly goesOn?: true
}

/** How long a process has between TERM and KILL. */
export const graceMs = 2_000

/**
 * Runs a command to its end. stdin is empty and there is no terminal, so nothing waits for an answer. The command leads a
 * process group; timeout and abort end the whole group (TERM, then KILL after {@link graceMs}). Children that left the group
 * survive here; in a view they do not.
 *
 * The run ends when the command ends: a background child that holds the output open is given {@link lingerMs}, no more.
 */
export async function runProcess(request: ProcessRequest): Promise<ProcessEnd> {
  const refusal = cwdRefusal(request.cwd)
  if (refusal !== null) return notStarted(refusal)
  if (request.signal?.aborted === true) return { ...notStarted("aborted before it started"), aborted: true }
  const output = boundedOutput(request.outputLimit)
  const [program = "", ...args] = mergedArgv(request.command)
  const child = spawn(program, args, {
    cwd: request.cwd,
    env: { ...request.env, PWD: request.cwd },
    detached: true,
    stdio: ["ignore", "pipe", "ignore", "pipe"],
  })
  const reported = cwdReport(child.stdio[3])
  const receive = (chunk: Buffer): void => {
    output.add(chunk)
    request.onOutput?.(chunk)
  }
  child.stdout?.on("data", receive)
  const stop = stopper(
    () => signalGroup(child, "SIGTERM"),
    () => signalGroup(child, "SIGKILL"),
  )
  const timer = request.timeoutMs === null ? null : setTimeout(() => stop.begin("timedOut"), request.timeoutMs)
  const onAbort = (): void => stop.begin("aborted")
  request.signal?.addEventListener("abort", onAbort)
  const onGone = closesOutput(child, request.readerGone)
  const end = await ended(child)
  if (timer !== null) clearTimeout(timer)
  request.signal?.removeEventListener("abort", onAbort)
  request.readerGone?.removeEventListener("abort", onGone)
  // What the timeout was for includes the members of the group that outlived their leader.
  if (stop.cause !== null) signalGroup(child, "SIGKILL")
  stop.end()
  await closed(child.stdout)
  return {
    ...end,
    ...(groupIsThere(child) ? { goesOn: true as const } : {}),
    timedOut: stop.cause === "timedOut",
    aborted: stop.cause === "aborted",
    output: output.text(),
    outputBytes: output.total,
    cwd: typeof request.command === "string" ? reported() : null,
  }
}

/** How long output may stay open after the command itself ended. */
export const lingerMs = 200

/**
 * The argument vector that runs a command with stderr on the same pipe as stdout, which alone keeps the order of arrival, and
 * tells on descriptor 3 where a shell text ended. The text is an argument, never spliced into another text.
 */
export function mergedArgv(command: Command): readonly string[] {
  if (typeof command !== "string") return ["/bin/sh", "-c", 'exec "$@" 2>&1 3>&-', "sh", ...command]
  const shell = shellPath()
  const name = shell.endsWith("bash") ? "bash" : "sh"
  // Only bash has descriptors above 9, which no command uses for itself: with 3 as its own it would find the report in its file.
  const [keep, report] = name === "bash" ? ["if { : >&3; } 2>/dev/null; then exec 231>&3 3>&-; fi;", 231] : ["", 3]
  return [shell, "-c", `exec 2>&1; ${keep} trap 'pwd -P 2>/dev/null >&${report}' EXIT; eval "shift; $1"`, name, command]
}

/** Asks first, forces after {@link graceMs}. The first cause counts. */
export function stopper(ask: () => void, force: () => void): Stopper {
  let timer: NodeJS.Timeout | null = null
  let cause: Stopper["cause"] = null
  return {
    begin(why) {
      if (cause !== null) return
      cause = why
      ask()
      timer = setTimeout(force, graceMs)
    },
    end() {
      if (timer !== null) clearTimeout(timer)
    },
    get cause() {
      return cause
    },
  }
}

export interface Stopper {
  begin(why: "timedOut" | "aborted"): void
  end(): void
  readonly cause: "timedOut" | "aborted" | null
}

export function signalGroup(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, signal)
  } catch {
    // The group is gone.
  }
}

function groupIsThere({ pid }: ChildProcess): boolean {
  if (pid === undefined) return false
  try {
    return process.kill(-pid, 0)
  } catch {
    return false
  }
}

/** Closes a child's output once nobody reads it; returns what listens. */
export function closesOutput(child: ChildProcess, readerGone: AbortSignal | undefined): () => void {
  const close = (): void => void child.stdout?.destroy()
  if (readerGone?.aborted === true) close()
  readerGone?.addEventListener("abort", close)
  return close
}

/** Why nothing can be run in a folder; null where it can. */
export function cwdRefusal(cwd: string): string | null {
  try {
    return statSync(realpathSync(cwd)).isDirectory() ? null : `${cwd} is not a folder`
  } catch (error) {
    return `The working directory ${cwd} cannot be entered: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** As shells count: 128 and the signal's number for a process that a signal ended. */
export function exitCodeOf(end: Pick<ProcessEnd, "exitCode" | "signal">): number {
  if (end.exitCode !== null) return end.exitCode
  const number = Object.entries(constants.signals).find(([name]) => name === end.signal)?.[1]
  return number === undefined ? 1 : 128 + number
}

export function notStarted(why: string): ProcessEnd {
  return {
    exitCode: null,
    signal: null,
    timedOut: false,
    aborted: false,
    output: "",
    outputBytes: 0,
    cwd: null,
    notStarted: why,
  }
}

/** Collects what the shell says on descriptor 3 at its end. The last report counts. */
export function cwdReport(stream: unknown): () => string | null {
  let text = ""
  const readable = stream as Readable | null
  readable?.setEncoding("utf8").on("data", (chunk: string) => {
    text = (text + chunk).slice(-8192)
  })
  readable?.on("error", () => {
    // No report.
  })
  return () => {
    readable?.destroy()
    return text.startsWith("/") && text.endsWith("\n") ? text.slice(0, -1) : null
  }
}

type End = Pick<ProcessEnd, "exitCode" | "signal" | "notStarted">

async function ended(child: ChildProcess): Promise<End> {
  return await new Promise(resolve => {
    child.on("error", error => resolve({ exitCode: null, signal: null, notStarted: error.message }))
    child.on("exit", (exitCode, signal) => resolve({ exitCode, signal, notStarted: null }))
  })
}

/** Waits until a stream has been read to its end, at most {@link lingerMs}. */
export async function closed(stream: Readable | null): Promise<void> {
  if (stream === null || stream.closed || stream.readableEnded) return
  await new Promise<void>(resolve => {
    const timer = setTimeout(resolve, lingerMs)
    stream.once("close", () => {
      clearTimeout(timer)
      resolve()
    })
  })
  stream.destroy()
}
