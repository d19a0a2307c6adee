import type { RequestContext, Result } from "@galley/core/protocol/requests.ts"
import type { Operation } from "@galley/core/history/operation.ts"
import { lookBefore, type FirstLook } from "../io/look.ts"
import { changeView } from "./history-views.ts"
import { callPolicy, type SessionCall } from "./session-files.ts"
import { beginCall } from "./record.ts"
import { recordRun } from "./run.ts"
import type { Session } from "./session.ts"

/** What is kept of the disk while an agent's own shell runs, in bytes: in memory, in all and of one file. */
const keep = { total: 64 << 20, file: 8 << 20 }
const walkLimit = 50_000

/** Looks at the workspace before an agent's own shell command, which Galley cannot run itself. */
export async function armLook(session: Session, command: string): Promise<FirstLook> {
  if (session.scratch === null) throw new Error("there is no folder to keep it in")
  const touched = (await session.store.items({ pending: true })).map(item => item.path)
  return lookBefore({
    root: session.root.path,
    atRisk: [...new Set([...touched, ...(await namedIn(session, command))])].slice(0, 2000),
    keep,
    walkLimit,
    dependencyFolders: session.config["view.regenerable"],
    scratch: `${session.scratch}/views`,
    id: session.env.newId(),
  })
}

/** Looks again and records what changed meanwhile as the command's. */
export async function recordLook(
  session: Session,
  context: RequestContext,
  look: FirstLook,
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
