import { type ChildProcess, spawn } from "node:child_process"
import type { Readable, Writable } from "node:stream"
import { boundedOutput } from "./output.ts"
import {
  closed,
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
  /** Close the rest of the disk to writing. */
  readonly closing: boolean
  /** Whether `setpriv` is there, so that the kernel ends the view with us. */
  readonly endsWithUs: boolean
}

/** A view whose command has ended and whose mounts still stand. Nothing writes in it any more. */
export interface EndedView {
  readonly end: ProcessEnd
  /** The view's file system as this process reaches it: put it before an absolute path. */
  readonly inside: string
  /** The rest of the disk could not be closed to writing. */
  readonly open: boolean
  /** Has the view's git answer `check-ignore` for the names in the run folder's file `ask`, into `answer`; its exit code. */
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
  const output = boundedOutput(request.outputLimit)
  const [program = "", ...args] = outerArgv(request)
  const path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
  const child = spawn(program, args, {
    cwd: "/",
    env: { ...request.env, PATH: path, PWD: request.cwd },
    detached: true,
    stdio: ["ignore", "pipe", "ignore", "pipe", "pipe", "pipe"],
  })
  child.stdout?.on("data", (chunk: Buffer) => {
    output.add(chunk)
    request.onOutput?.(chunk)
  })
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
  let firstProcess = 0
  const stop = stopper(
    () => signalGroup(child, "SIGTERM"),
    () => {
      // Pid 1 of the namespace takes all the rest with it and leaves the mounts to be read.
      if (firstProcess > 0) kill(firstProcess)
      else signalGroup(child, "SIGKILL")
    },
  )
  const timer = request.timeoutMs === null ? null : setTimeout(() => stop.begin("timedOut"), request.timeoutMs)
  const onAbort = (): void => stop.begin("aborted")
  if (request.signal?.aborted === true) onAbort()
  request.signal?.addEventListener("abort", onAbort)
  let open = false
  let failed: string | null = null
  let exitCode: number | null = null
  while (exitCode === null && failed === null) {
    const line = await told.next()
    const [word = "", value = ""] = line?.split(" ") ?? []
    if (word === "started") firstProcess = Number(value)
    else if (word === "open") open = true
    else if (word === "exit") exitCode = Number(value)
    else failed = word === "failed" ? value : "start"
  }
  if (timer !== null) clearTimeout(timer)
  request.signal?.removeEventListener("abort", onAbort)
  stop.end()
  const release = async (): Promise<void> => {
    ask.end()
    const late = setTimeout(() => signalGroup(child, "SIGKILL"), graceMs)
    await gone
    clearTimeout(late)
  }
  if (exitCode === null) {
    await release()
    return { failed: failed ?? "start" }
  }
  await closed(child.stdout)
  const end: ProcessEnd = {
    exitCode,
    signal: null,
    timedOut: stop.cause === "timedOut",
    aborted: stop.cause === "aborted",
    output: output.text(),
    outputBytes: output.total,
    cwd: typeof request.command === "string" ? reported() : null,
    notStarted: null,
  }
  return {
    end,
    open,
    inside: `/proc/${child.pid ?? 0}/root`,
    checkIgnored: async () => {
      ask.write("ignored\n")
      const line = await told.next()
      return line?.startsWith("answered ") === true ? Number(line.slice("answered ".length)) : 128
    },
    release,
  }
}

function outerArgv(request: ViewProcessRequest): readonly string[] {
  const inner = ["unshare", "--pid", "--fork", "--kill-child=KILL", "--", "sh", "-c", innerScript, "sh"]
  const path = request.env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
  const outer = [outerScript, "sh", request.run, request.root]
  const flags = [request.closing ? "yes" : "no", request.endsWithUs ? "yes" : "no"]
  const user = [String(request.uid), String(request.gid), request.cwd, path]
  const death = request.endsWithUs ? ["setpriv", "--pdeathsig", "KILL", "--"] : []
  const unshare = ["unshare", "--user", "--map-root-user", "--mount", "--", "sh", "-c"]
  return [...death, ...unshare, ...outer, ...flags, ...inner, ...user, ...mergedArgv(request.command)]
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

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // Gone by itself.
  }
}
