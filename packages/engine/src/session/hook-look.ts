import type { RequestContext, Result } from "@galley/core/protocol/requests.ts"
import type { Operation } from "@galley/core/history/operation.ts"
import { lookBefore, type FirstLook } from "../io/look.ts"
import { closeCall, lostCalls } from "./hook-calls.ts"
import { keepPaths, recordPaths } from "./hook-paths.ts"
import { changeView } from "./history-views.ts"
import { callPolicy, type SessionCall } from "./session-files.ts"
import { beginCall } from "./record.ts"
import { recordRun } from "./run.ts"
import type { Session } from "./session.ts"

/** What is kept of the disk while an agent's own shell runs, in bytes: in memory, in all and of one file. */
const keep = { total: 64 << 20, file: 8 << 20 }
const walkLimit = 50_000

/** A first look, and a note in the store that there was one: should this process go, the next one knows whose the changes are. */
export interface ArmedLook extends FirstLook {
  /** What the command did is on record: nobody needs to know any more that it ran. */
  done(): Promise<void>
}

/** Looks at the workspace before a command that writes the disk itself: an agent's own shell, or one that has no view. */
export async function armLook(
  session: Session,
  command: string,
  facts: { readonly title: string; readonly tool: string; readonly context: RequestContext },
): Promise<ArmedLook> {
  if (session.scratch === null) throw new Error("there is no folder to keep it in")
  const touched = (await session.store.items({ pending: true })).map(item => item.path)
  const atRisk = [...new Set([...touched, ...(await namedIn(session, command))])].slice(0, 2000)
  const callId = `run ${session.env.newId()}`
  await keepPaths(session, facts.context, { ...facts, callId, process: session.env.process }, atRisk)
  const look = await lookBefore({
    root: session.root.path,
    atRisk,
    keep,
    walkLimit,
    dependencyFolders: session.config["view.regenerable"],
    scratch: `${session.scratch}/views`,
    id: session.env.newId(),
  }).catch(async (error: unknown) => {
    await closeCall(session, callId)
    throw error
  })
  return { ...look, done: async () => void (await closeCall(session, callId)) }
}

/**
 * Records what commands did whose process went away before it looked (it was killed): as theirs, and not as somebody else's. Seen is what
 * Galley knew before: files that they named, and all that it has met.
 */
export async function settleLost(session: Session): Promise<readonly string[]> {
  const lines: string[] = []
  for (const call of await lostCalls(session)) {
    const seen = new Map(call.paths.map(one => [one.path, one.state] as const))
    const known = (await session.store.items({})).map(item => item.path)
    const remark =
      "Galley ended before it had recorded what this command did; what it did to files that Galley had not met was not seen"
    const context: RequestContext = {
      actor: "agent",
      conversation: call.conversation,
      ...(call.message === null ? {} : { message: call.message }),
    }
    const paths = [...new Set([...seen.keys(), ...known])].sort()
    const recorded = await recordPaths(session, context, { ...call, kind: "command", paths, seen, remark })
    const count = recorded.changes.length === 1 ? "1 file" : `${recorded.changes.length} files`
    if (recorded.changes.length > 0)
      lines.push(
        `Galley ended before it had recorded what a command did (${call.title}): ${count} recorded as its work now.`,
      )
  }
  return lines
}

/** Looks again and records what changed meanwhile as the command's. */
export async function recordLook(
  session: Session,
  context: RequestContext,
  look: ArmedLook,
  facts: { readonly title: string; readonly call: NonNullable<Operation["call"]> },
): Promise<Result<"after">> {
  try {
    const second = await look.again()
    const capture = second.changes.some(change => change.capture === "detected") ? "detected" : "recorded"
    const call: SessionCall = {
      conversation: context.conversation ?? null,
      message: context.message ?? null,
      callId: facts.call.callId ?? null,
      policy: callPolicy(session, context),
      context,
      io: {},
      began: await beginCall(session),
      title: facts.title,
      tool: facts.call,
      capture: "recorded",
      recorded: [],
    }
    const unseen = second.unseen.length === 0 ? [] : [`not seen: ${second.unseen.join(", ")}`]
    const outcome = await recordRun(session, call, {
      capture,
      changes: second.changes,
      byProducts: [],
      remarks: second.changes.length === 0 ? [] : unseen,
      refsMoved: second.refsMoved,
      onDisk: true,
    })
    await look.done()
    return {
      version: 1,
      operation: outcome.operation?.id ?? null,
      capture: outcome.operation === null ? "none" : capture,
      changes: (outcome.operation?.changes ?? []).map(changeView),
      remarks: second.changes.some(change => change.capture === "detected")
        ? ["what stood in some of the files before the command was not seen; that cannot be undone"]
        : [],
    }
  } finally {
    await look.close()
  }
}

/** Words of the command that name something in the workspace; git may not tell of them (ignored files). */
async function namedIn(session: Session, command: string): Promise<string[]> {
  const words = new Set(command.split(/[\s'"`;|&<>()=]+/).filter(word => word !== "" && word.length < 1000))
  const found: string[] = []
  for (const word of [...words].slice(0, 200)) {
    const path = await session.root.resolve(word).catch(() => "")
    if (path !== "" && (await session.files.lstat(session.root.absolute(path)).catch(() => null))?.kind === "file")
      found.push(path)
  }
  return found
}
