import { spawn } from "node:child_process"
import {
  closed,
  cwdRefusal,
  mergedArgv,
  notStarted,
  type ProcessEnd,
  type ProcessRequest,
  signalGroup,
  stopper,
} from "./processes.ts"

/** A command that runs in the background until it ends or is stopped. Directly on the disk. */
export interface Job {
  readonly pid: number | null
  /**
   * Output from an offset (bytes since the start; 0 at first). `next` is the offset to go on from, `lost` counts bytes that were
   * dropped before they were read. Not inert.
   */
  read(from: number): JobOutput
  /** Null while it runs. */
  state(): JobEnd | null
  /** TERM to its group, KILL after a while; resolves when it is gone. */
  stop(): Promise<JobEnd>
  /** Resolves when it ended by itself or was stopped. */
  readonly done: Promise<JobEnd>
}

export interface JobOutput {
  readonly text: string
  readonly next: number
  readonly lost: number
}

export type JobEnd = Pick<ProcessEnd, "exitCode" | "signal" | "notStarted">

export type JobRequest = Pick<ProcessRequest, "command" | "cwd" | "env" | "onOutput" | "outputLimit">

/** Starts a background job; the last `outputLimit` bytes of its output stay readable. */
export function startJob(request: JobRequest): Job {
  const refusal = cwdRefusal(request.cwd)
  if (refusal !== null) return deadJob(refusal)
  const [program = "", ...args] = mergedArgv(request.command)
  const child = spawn(program, args, {
    cwd: request.cwd,
    env: { ...request.env, PWD: request.cwd },
    detached: true,
    stdio: ["ignore", "pipe", "ignore", "ignore"],
  })
  const tail = outputTail(request.outputLimit)
  child.stdout?.on("data", (chunk: Buffer) => {
    tail.add(chunk)
    request.onOutput?.(chunk)
  })
  let state: JobEnd | null = null
  const stopping = stopper(
    () => signalGroup(child, "SIGTERM"),
    () => signalGroup(child, "SIGKILL"),
  )
  const done = new Promise<JobEnd>(resolve => {
    const settle = async (end: JobEnd): Promise<void> => {
      if (stopping.cause !== null) signalGroup(child, "SIGKILL")
      stopping.end()
      await closed(child.stdout)
      state = end
      resolve(end)
    }
    child.on("error", error => void settle({ exitCode: null, signal: null, notStarted: error.message }))
    child.on("exit", (exitCode, signal) => void settle({ exitCode, signal, notStarted: null }))
  })
  return {
    pid: child.pid ?? null,
    read: from => tail.read(from),
    state: () => state,
    stop: async () => {
      if (state === null) stopping.begin("aborted")
      return await done
    },
    done,
  }
}

function deadJob(why: string): Job {
  const { exitCode, signal } = notStarted(why)
  const end: JobEnd = { exitCode, signal, notStarted: why }
  return {
    pid: null,
    read: () => ({ text: "", next: 0, lost: 0 }),
    state: () => end,
    stop: async () => await Promise.resolve(end),
    done: Promise.resolve(end),
  }
}

/** The last `limit` bytes of a stream, addressed by offset from its start. */
export function outputTail(limit: number): { add(chunk: Buffer): void; read(from: number): JobOutput } {
  let kept = Buffer.alloc(0)
  let start = 0
  return {
    add(chunk) {
      kept = Buffer.concat([kept, chunk])
      // Cut only when twice too long, so that each byte is moved a bounded number of times.
      if (kept.length <= 2 * limit) return
      start += kept.length - limit
      kept = kept.subarray(-limit)
    },
    read(from) {
      const begin = Math.max(from, start)
      const bytes = kept.subarray(Math.min(begin - start, kept.length))
      const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)
      return { text, next: start + kept.length, lost: begin - from }
    },
  }
}
