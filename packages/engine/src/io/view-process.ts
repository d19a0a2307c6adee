import { type ChildProcess, spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import type { Readable, Writable } from "node:stream"
import { type BoundedOutput, boundedOutput } from "./output.ts"
import {
  closesOutput,
  cwdReport,
  graceMs,
  mergedArgv,
  type ProcessEnd,
  type ProcessRequest,
  signalGroup,
  stopper,
} from "./processes.ts"
import { innerScript, outerScript } from "./view-script.ts"

export interface ViewProcessRequest extends Omit<ProcessRequest, "cwd"> {
  readonly run: string
  readonly root: string
  readonly cwd: string
  readonly uid: number
  readonly gid: number
  /** Mounts to be made read-only. */
  readonly closing: readonly string[]
  /** Whether `setpriv` is there, so that the kernel ends the view with us. */
  readonly endsWithUs: boolean
  /** Whether the view gets a /proc of its own; containers with a masked /proc refuse it. */
  readonly ownProc: boolean
}

/** A view whose command has ended and whose mounts still stand. Nothing writes in it any more. */
export interface EndedView {
  readonly end: ProcessEnd
  /** The view's file system as this process reaches it: put it before an absolute path. */
  readonly inside: string
  /** The rest of the disk could not be closed to writing. */
  readonly open: boolean
  /** Has the view's git answer `check-ignore` for the names in the run folder's `io/ask`, into `io/answer`; its exit code. */
  checkIgnored(): Promise<number>
  /** Takes the view down and waits until it is gone. */
  release(): Promise<void>
}

/** The step at which a view could not be made; the run folder's `log` has what the programs said. */
export interface FailedView {
  readonly failed: string
}

/** Starts the processes of `view-script.ts` and waits for the command's end. */
export async function startView(request: ViewProcessRequest): Promise<EndedView | FailedView> {
  const output = markedOutput(request)
  const [program = "", ...args] = outerArgv(request)
  const path = "/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin:/usr/local/sbin"
  const child = spawn(program, args, {
    cwd: "/",
    env: { ...request.env, PATH: path, PWD: request.cwd },
    detached: true,
    stdio: ["ignore", "pipe", "ignore", "pipe", "pipe", "pipe"],
  })
  child.stdout?.on("data", (chunk: Buffer) => output.receive(chunk))
  const reported = cwdReport(child.stdio[3])
  const told = lines(child.stdio[4])
  const streams: readonly unknown[] = child.stdio
  const ask = streams[5] as Writable
  ask.on("error", () => {
    // The view is gone; told by its exit.
  })
  const gone = new Promise<void>(resolve => {
    child.on("error", () => resolve())
    child.on("exit", () => resolve())
  })
  let outer = 0
  let started = false
  let forced = false
  const stop = stopper(
    () => signalGroup(child, "SIGTERM"),
    () => {
      forced = true
      if (outer === 0 || !killInner(outer)) signalGroup(child, "SIGKILL")
    },
  )
  const timer = request.timeoutMs === null ? null : setTimeout(() => stop.begin("timedOut"), request.timeoutMs)
  const onAbort = (): void => stop.begin("aborted")
  if (request.signal?.aborted === true) onAbort()
  request.signal?.addEventListener("abort", onAbort)
  const onGone = closesOutput(child, request.readerGone)
  let open = false
  let failed: string | null = null
  let exitCode: number | null = null
  while (exitCode === null && failed === null) {
    const line = await told.next()
    const [word = "", value = ""] = line?.split(" ") ?? []
    if (word === "outer") outer = Number(value)
    else if (word === "started") started = true
    else if (word === "open") open = true
    else if (word === "exit") exitCode = Number(value)
    else failed = word === "failed" ? value : outer === 0 ? "start" : "killed"
  }
  if (timer !== null) clearTimeout(timer)
  request.signal?.removeEventListener("abort", onAbort)
  request.readerGone?.removeEventListener("abort", onGone)
  stop.end()
  const release = async (): Promise<void> => {
    ask.end()
    const late = setTimeout(() => signalGroup(child, "SIGKILL"), graceMs)
    await gone
    clearTimeout(late)
  }
  if (exitCode !== null && !started && !forced) failed = "proc"
  if (exitCode === null || failed !== null) {
    await release()
    return { failed: failed ?? "start" }
  }
  if (child.stdout?.destroyed === false) {
    const mark = `end-of-output-${child.pid ?? 0}-${performance.now()}`
    const closed = new Promise<void>(resolve => child.stdout?.once("close", () => resolve()))
    ask.write(`end ${mark}\n`)
    await Promise.race([output.until(mark), closed, gone])
  }
  const end: ProcessEnd = {
    exitCode: forced ? null : exitCode,
    signal: forced ? "SIGKILL" : null,
    timedOut: stop.cause === "timedOut",
    aborted: stop.cause === "aborted",
    output: output.kept.text(),
    outputBytes: output.kept.total,
    cwd: typeof request.command === "string" ? reported() : null,
    notStarted: null,
  }
  return {
    end,
    open,
    inside: `/proc/${outer}/root`,
    checkIgnored: async () => {
      ask.write("ignored\n")
      const line = await told.next()
      return line?.startsWith("answered ") === true ? Number(line.slice("answered ".length)) : 128
    },
    release,
  }
}

/** Receives output; once a mark was asked for, what stands behind it is held back until the mark came. */
function markedOutput(request: ViewProcessRequest): {
  readonly kept: BoundedOutput
  receive(chunk: Buffer): void
  until(mark: string): Promise<void>
} {
  const kept = boundedOutput(request.outputLimit)
  const keep = (chunk: Buffer): void => {
    if (chunk.length === 0) return
    kept.add(chunk)
    request.onOutput?.(chunk)
  }
  let sought: { readonly mark: Buffer; readonly found: () => void } | null = null
  let rest = Buffer.alloc(0)
  return {
    kept,
    receive(chunk) {
      if (sought === null) return keep(chunk)
      rest = Buffer.concat([rest, chunk])
      const at = rest.length - sought.mark.length
      if (at >= 0 && rest.subarray(at).equals(sought.mark)) {
        keep(rest.subarray(0, at))
        sought.found()
      } else if (at > 0) {
        keep(rest.subarray(0, at))
        rest = rest.subarray(at)
      }
    },
    until: async mark =>
      await new Promise(found => {
        sought = { mark: Buffer.from(mark), found }
      }),
  }
}

function outerArgv(request: ViewProcessRequest): readonly string[] {
  const path = request.env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
  const death = request.endsWithUs ? ["setpriv", "--pdeathsig", "KILL", "--"] : []
  const forked = ["--pid", "--fork", "--kill-child=KILL"]
  const procMount = request.ownProc ? ["--mount-proc"] : []
  const outer = ["sh", "-c", outerScript, "sh", request.run, request.root]
  const inner = ["sh", "-c", innerScript, "sh", String(request.uid), String(request.gid), request.cwd, path]
  return [...death, "unshare", "--user", "--map-root-user", "--mount", ...forked, "--", ...outer]
    .concat(String(request.closing.length), request.closing)
    .concat("unshare", procMount, forked, "--", inner, mergedArgv(request.command))
}

/** Ends the inner pid namespace and leaves the outer one, whose mounts are still to be read. */
function killInner(outer: number): boolean {
  try {
    // Needs CONFIG_PROC_CHILDREN, which all distributions set.
    const children = readFileSync(`/proc/${outer}/task/${outer}/children`, "latin1").trim().split(" ")
    for (const child of children) process.kill(Number(child), "SIGKILL")
    return true
  } catch {
    return false
  }
}

/** Lines of a stream, asked for one by one; null after its end. The command itself cannot write there. */
function lines(stream: ChildProcess["stdio"][number] | undefined): { next(): Promise<string | null> } {
  const ready: string[] = []
  let waiting: ((line: string | null) => void) | null = null
  let rest = ""
  let over = false
  const serve = (): void => {
    if (waiting === null || (ready.length === 0 && !over)) return
    waiting(ready.shift() ?? null)
    waiting = null
  }
  const readable = stream as Readable
  readable.setEncoding("utf8").on("data", (chunk: string) => {
    const parts = (rest + chunk).split("\n")
    rest = parts.pop() ?? ""
    ready.push(...parts)
    serve()
  })
  readable.on("error", () => {
    // Its close follows.
  })
  readable.on("close", () => {
    over = true
    serve()
  })
  return {
    next: async () =>
      await new Promise(resolve => {
        waiting = resolve
        serve()
      }),
  }
}
