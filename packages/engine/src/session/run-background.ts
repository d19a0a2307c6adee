import { Failure } from "@galley/core/failure.ts"
import { diskState } from "@galley/core/change/item.ts"
import { sameLoaded } from "@galley/core/change/loaded.ts"
import { commandEnvironment } from "../io/environment.ts"
import { outputTail, startJob } from "../io/jobs.ts"
import type { WorkspacePath } from "@galley/core/path.ts"
import type { LookChange } from "../io/look.ts"
import { inertOutput } from "../io/output.ts"
import { type Seen, seenLoaded } from "../io/seen.ts"
import { runInView } from "../io/view.ts"
import { loadState } from "./contents.ts"
import { readDisk } from "./disk.ts"
import { armLook } from "./hook-look.ts"
import { beginCall } from "./record.ts"
import { recordRun } from "./run.ts"
import { supportOf, viewRequest, type ViewFacts } from "./run-command.ts"
import { outputTo, type CommandRequest } from "./run-result.ts"
import { reviewModeOf } from "./policy.ts"
import type { SessionCall } from "./session-files.ts"
import type { Session } from "./session.ts"

/** A command that goes on while the agent works. */
export interface BackgroundJob {
  readonly command: string
  readonly where: "disk" | "view"
  /** "running", "ended with exit code 0", "ended by SIGTERM", and what became of its changes. */
  state(): string
  /** Output since it was last asked for. */
  output(): string
  /** Records what it wrote up to now as its own. */
  fold(): Promise<void>
  /** The same, if the path may have been written since it was last done: a tool of the agent's is about to work on it. */
  foldBefore(path: WorkspacePath): Promise<void>
  /** Resolves when what it changed is recorded, if it has ended; at once while it runs. */
  settled(): Promise<void>
  /** Ends it; resolves when what it changed is recorded. */
  stop(): Promise<void>
}

/** Bytes of a job's output that stay readable. */
const jobOutputLimit = 1_000_000

/**
 * Starts a background job. Where changes are applied at once it runs directly on the disk, as a development server must see and
 * serve it, and what it writes is noticed as its own until it ends. Where they are held it runs in a view of the pending text as of
 * now, and its changes are collected when it ends.
 */
export async function startBackground(
  session: Session,
  facts: ViewFacts,
  request: CommandRequest,
  call: SessionCall,
): Promise<BackgroundJob> {
  if (reviewModeOf(session, call.context) === "apply" && call.policy !== "read-only")
    return onDisk(session, request, call)
  const support = await supportOf(session, facts)
  if (support.kind === "unavailable")
    throw new Failure(
      "PREVIEW_UNAVAILABLE",
      `This background command cannot be previewed here: ${support.reason}. Nothing was run.`,
      "Run it with changes applied at once: the person can allow it with --review apply.",
    )
  return inView(session, facts, request, call)
}

async function onDisk(session: Session, request: CommandRequest, call: SessionCall): Promise<BackgroundJob> {
  const look = await armLook(session, request.text, { title: call.title, tool: call.tool.tool, context: call.context })
  const job = startJob({
    command: request.text,
    cwd: request.cwd,
    env: commandEnvironment(session.env.variables),
    outputLimit: jobOutputLimit,
    onOutput: outputTo(call),
  })
  let folding: Promise<void> = Promise.resolve()
  let foldedAt = session.env.now()
  let trouble = ""
  const fold = (): Promise<void> => {
    foldedAt = session.env.now()
    folding = folding
      .then(async () => foldJob(session, call, (await look.again()).changes))
      .catch((error: unknown) => {
        trouble = `; what it wrote could not be recorded: ${error instanceof Error ? error.message : String(error)}`
      })
    return folding
  }
  const settled = job.done
    .then(fold)
    .then(() => (trouble === "" ? look.done() : undefined))
    .then(() => look.close())
  const read = outputReader(from => job.read(from))
  return {
    command: request.text,
    where: "disk",
    state: () => {
      const end = job.state()
      if (end === null) return `running${trouble}`
      if (end.notStarted !== null) return `not started: ${end.notStarted}`
      return `${end.signal === null ? `ended with exit code ${end.exitCode ?? "unknown"}` : `ended by ${end.signal}`}${trouble}`
    },
    output: read,
    fold: () => (job.state() === null ? fold() : settled),
    settled: async () => {
      if (job.state() !== null) await settled
    },
    foldBefore: async path => {
      if (job.state() !== null) await settled
      else if (await mayBeWritten(session, path, foldedAt)) await fold()
    },
    stop: async () => {
      await job.stop()
      await settled
    },
  }
}

/** Whether a path was written, or taken away, since a time: it is not what Galley last knew, or it is younger. */
async function mayBeWritten(session: Session, path: WorkspacePath, since: number): Promise<boolean> {
  const stat = await session.files.lstat(session.root.absolute(path))
  // Kernels stamp by ticks of up to 10 ms.
  if (stat !== null) return stat.ctimeNs > BigInt(since - 20) * 1_000_000n
  const item = await session.store.item(path)
  return item !== null && diskState(item).kind !== "absent"
}

/**
 * Records what changed on disk and Galley did not write as the job's. A person's edit meanwhile cannot be told apart from the job's, and
 * the record says so.
 */
async function foldJob(session: Session, call: SessionCall, changes: readonly LookChange[]): Promise<void> {
  const items = new Map(
    (await session.store.items({ paths: changes.map(change => change.path) })).map(item => [item.path, item]),
  )
  const own: (LookChange & { readonly before: Seen })[] = []
  for (const change of changes) {
    const item = items.get(change.path)
    if (item === undefined) {
      own.push(change)
      continue
    }
    const known = await loadState(session.store, diskState(item))
    const found = await readDisk(session, change.path)
    if (!sameLoaded(known, found) && found.kind !== "unknown") own.push({ ...change, before: seenLoaded(known) })
  }
  if (own.length === 0) return
  await recordRun(
    session,
    { ...call, began: await beginCall(session) },
    {
      capture: "detected",
      changes: own,
      byProducts: [],
      remarks: [
        "written while the background job ran; somebody else's edit at that time cannot be told from the job's",
      ],
      refsMoved: [],
      onDisk: true,
    },
  )
}

async function inView(
  session: Session,
  facts: ViewFacts,
  request: CommandRequest,
  call: SessionCall,
): Promise<BackgroundJob> {
  const controller = new AbortController()
  const tail = outputTail(jobOutputLimit)
  const tell = outputTo(call)
  let state = "running"
  let ended = false
  const asked = await viewRequest(session, facts, { ...request, timeoutMs: null }, call)
  const settled = runInView({
    ...asked,
    signal: controller.signal,
    onOutput: chunk => {
      tail.add(Buffer.from(chunk))
      tell(chunk)
    },
  })
    .then(async outcome => {
      ended = true
      if (outcome.kind === "noView") {
        state = `not started: ${outcome.reason}`
        return
      }
      try {
        const ending =
          outcome.signal === null
            ? `ended with exit code ${outcome.exitCode ?? "unknown"}`
            : `ended by ${outcome.signal}`
        state = ending
        if (call.policy === "read-only") {
          state = `${ending}; the policy is read-only: what it changed was not kept`
          return
        }
        const { operation, remarks } = await recordRun(session, call, {
          capture: "previewed",
          changes: outcome.changes,
          byProducts: outcome.byProducts,
          remarks: outcome.remarks,
          refsMoved: outcome.refsMoved,
          refsDropped: true,
          onDisk: false,
        })
        const count = operation?.changes.length ?? 0
        const changed = count === 0 ? "" : `; ${count === 1 ? "1 file" : `${count} files`} changed, held for review`
        state = [`${ending}${changed}`, ...remarks].join("; ")
      } finally {
        await outcome.close()
      }
    })
    .catch((error: unknown) => {
      state = `ended; what it changed was not kept: ${error instanceof Error ? error.message : String(error)}`
    })
  return {
    command: request.text,
    where: "view",
    state: () => state,
    output: outputReader(from => tail.read(from)),
    fold: () => Promise.resolve(),
    settled: async () => {
      if (ended) await settled
    },
    foldBefore: () => Promise.resolve(),
    stop: async () => {
      controller.abort()
      await settled
    },
  }
}

function outputReader(
  read: (from: number) => { readonly text: string; readonly next: number; readonly lost: number },
): () => string {
  let at = 0
  return () => {
    const piece = read(at)
    at = piece.next
    return inertOutput(piece.lost > 0 ? `[… ${piece.lost} bytes dropped …]\n${piece.text}` : piece.text)
  }
}
