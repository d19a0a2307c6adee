import type { Loaded } from "@galley/core/change/loaded.ts"
import { sameLoaded } from "@galley/core/change/loaded.ts"
import type { Capture } from "@galley/core/history/operation.ts"
import { showPath, type WorkspacePath } from "@galley/core/path.ts"
import type { RequestContext, Result } from "@galley/core/protocol/requests.ts"
import type { State } from "@galley/core/state.ts"
import { loadState, saveState } from "./contents.ts"
import { readDisk } from "./disk.ts"
import { settleDrift, standingAt } from "./drift.ts"
import { changeView } from "./history-views.ts"
import { openCall, type OpenCall } from "./hook-calls.ts"
import { conversationOf } from "./messages.ts"
import { beginCall, type ProposedChange, recordChange } from "./record.ts"
import { repairInterrupted } from "./repair.ts"
import type { Session } from "./session.ts"

/** Makes an item of each path, so that its content has an owner in the store, and notes the call as open. */
export async function keepPaths(
  session: Session,
  context: RequestContext,
  call: KeptCall,
  paths: readonly WorkspacePath[],
): Promise<OpenCall["paths"]> {
  if (paths.length === 0 && call.process === undefined) return []
  const conversation = await conversationOf(session, context)
  return session.lock.hold(async () => {
    await repairInterrupted(session)
    const standings = await settleDrift(session, paths)
    const kept: { path: WorkspacePath; state: State }[] = []
    const items = []
    for (const path of paths) {
      const { item, found, states } = standingAt(standings, path)
      const state = await saveState(session.store, found)
      kept.push({ path, state })
      if (item === null && state.kind !== "unknown")
        items.push({
          path,
          base: states.base,
          current: states.current,
          disk: "current" as const,
          revision: 0,
          conversations: [],
        })
    }
    await openCall(
      session,
      {
        callId: call.callId,
        tool: call.tool,
        title: call.title,
        conversation,
        message: context.message ?? null,
        at: session.env.now(),
        paths: kept,
        ...(call.process === undefined ? {} : { process: call.process }),
      },
      items,
    )
    return kept
  })
}

/** What is noted of a call that begins. */
export type KeptCall = Pick<OpenCall, "callId" | "tool" | "title" | "process">

interface PathsCall {
  /** `edit` unless given. */
  readonly kind?: "command"
  readonly callId: string
  readonly tool: string
  readonly title: string
  readonly paths: readonly WorkspacePath[]
  readonly seen: ReadonlyMap<WorkspacePath, State>
  readonly originals?: Readonly<Record<string, string>> | undefined
  readonly remark?: string
}

/** Records what stands at paths now against what stood there before a call, as far as that is known. */
export async function recordPaths(
  session: Session,
  context: RequestContext,
  call: PathsCall,
): Promise<Result<"after">> {
  const changes: ProposedChange[] = []
  const guessed: string[] = []
  for (const path of call.paths) {
    const now = await readDisk(session, path)
    const earlier = call.seen.get(path)
    const old = earlier === undefined ? await oldOf(session, path, call) : await loadState(session.store, earlier)
    if (old.kind === "unknown") guessed.push(showPath(path))
    if (now.kind === "unknown" || sameLoaded(old, now)) continue
    changes.push({ path, after: now, expected: null, onDisk: { seen: old } })
  }
  const lost =
    guessed.length === 0 ? [] : [`cannot be undone: what stood there before was not seen (${guessed.join(", ")})`]
  const remarks = [...(call.remark === undefined ? [] : [call.remark]), ...lost]
  if (changes.length === 0) return { version: 1, operation: null, capture: "none", changes: [], remarks: lost }
  const capture: Capture = guessed.length === 0 ? "recorded" : "detected"
  const outcome = await recordChange(session, {
    context,
    kind: call.kind ?? "edit",
    title: call.title,
    capture,
    changes,
    call: { tool: call.tool, summary: call.title, callId: call.callId },
    // The disk holds it already: it cannot be refused for a rewind meanwhile, only recorded where the conversation stands now.
    began: await beginCall(session),
    ...(remarks.length === 0 ? {} : { remark: remarks.join("; ") }),
  })
  return {
    version: 1,
    operation: outcome.operation?.id ?? null,
    capture,
    changes: (outcome.operation?.changes ?? []).map(changeView),
    remarks: lost,
  }
}

/** What stood at a path that no hook looked at before: what Galley last saw there, else what the agent says it was, else unknown. */
async function oldOf(session: Session, path: WorkspacePath, call: PathsCall): Promise<Loaded> {
  const item = await session.store.item(path)
  if (item !== null) return loadState(session.store, item.disk === "current" ? item.current : item.base)
  for (const [given, text] of Object.entries(call.originals ?? {})) {
    const named = await session.root.resolve(given).catch(() => null)
    const now = await readDisk(session, path)
    // An agent tells text, not bytes: believed only where its own encoding of the new text is plain UTF-8 with the same line ends.
    if (
      named === path &&
      now.kind === "file" &&
      !Buffer.from(now.bytes.subarray(0, 3)).equals(bom) &&
      !now.bytes.includes(13)
    )
      return { kind: "file", bytes: new TextEncoder().encode(text), mode: now.mode }
  }
  return { kind: "unknown" }
}

const bom = Buffer.from([0xef, 0xbb, 0xbf])
