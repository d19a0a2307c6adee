import { linesOf, type Loaded, type LoadedSides } from "@galley/core/change/loaded.ts"
import { countChanges } from "@galley/core/diff/unified.ts"
import { diffLines } from "@galley/core/diff/line-diff.ts"
import type { Change, MessageId, Operation } from "@galley/core/history/operation.ts"
import { headPaths, messagesById } from "@galley/core/history/tree.ts"
import type { WorkspacePath } from "@galley/core/path.ts"
import type { Params } from "@galley/core/protocol/requests.ts"
import type { CallResult, LogResult, OperationsResult, OperationView } from "@galley/core/protocol/results.ts"
import { sameContent, sameState, type State } from "@galley/core/state.ts"
import { loadState } from "./contents.ts"
import { diffOfSides } from "./diff-text.ts"
import { shownPath } from "./file-view.ts"
import type { Session } from "./session.ts"
import { readUndoState } from "./undo.ts"

/** The tree of messages, oldest first, each with what its calls changed. */
export async function log(session: Session, params: Params<"log">): Promise<LogResult> {
  const messages = await session.store.messages(params.conversation)
  const onPath = headPaths(messagesById(await session.store.messages()), await session.store.conversations())
  const rows: LogResult["messages"] = []
  const wanted = params.messages === undefined ? null : new Set(params.messages)
  // The whole tree: the log is read once. A question to the database for each message costs as much as all the rest.
  const made = wanted === null && params.counts !== false ? await changesByMessage(session, params.conversation) : null
  for (const message of messages) {
    if (wanted !== null && !wanted.has(message.id)) continue
    rows.push({
      id: message.id,
      parent: message.parent,
      conversation: message.conversation,
      title: message.title,
      createdAt: message.createdAt,
      files: params.counts === false ? [] : await filesOfMessage(session, message.id, made),
      onHeadPath: onPath.has(message.id),
    })
  }
  return { version: 1, messages: rows }
}

/** The operations, oldest first. */
export async function operations(session: Session, params: Params<"operations">): Promise<OperationsResult> {
  const path = params.path === undefined ? undefined : await session.root.resolveEntry(params.path)
  const found = await session.store.operations({
    ...(path === undefined ? {} : { path }),
    ...(params.limit === undefined ? {} : { limit: params.limit }),
  })
  const { undone } = await readUndoState(session)
  return { version: 1, operations: found.map(operation => operationView(operation, undone)) }
}

export function operationView(operation: Operation, undone: ReadonlySet<string>): OperationView {
  return {
    id: operation.id,
    kind: operation.kind,
    actor: operation.actor,
    conversation: operation.conversation,
    message: operation.message,
    paths: operation.changes.map(change => change.path.toWellFormed()),
    capture: operation.capture,
    undone: undone.has(operation.id),
    title: operation.title,
    at: operation.at,
    ...(operation.remark === undefined ? {} : { remark: operation.remark }),
  }
}

export interface PathChange {
  readonly path: WorkspacePath
  readonly sides: LoadedSides
}

/** What the agents' calls of a message changed, each path once: from before its first to after its last. */
export async function changesOfMessage(session: Session, message: MessageId): Promise<PathChange[]> {
  return netOfMessage(session, await madeBy(session, message))
}

/** What one operation changed of what was proposed, or of what was agreed on where only that moved. */
export async function changesOfOperation(
  session: Session,
  operation: Pick<Operation, "changes">,
): Promise<PathChange[]> {
  return netChanges(session, operation.changes, change =>
    sameState(change.before.current, change.after.current)
      ? [change.before.base, change.after.base]
      : [change.before.current, change.after.current],
  )
}

/** What one operation changed, as a unified diff. */
export async function diffOfOperation(session: Session, operation: Pick<Operation, "changes">): Promise<string> {
  const texts: string[] = []
  for (const { path, sides } of await changesOfOperation(session, operation))
    texts.push(await diffOfSides(session, path, sides))
  return texts.join("")
}

async function madeBy(session: Session, message: MessageId): Promise<readonly Change[]> {
  const found = (await session.store.operations({ message })).filter(operation => operation.actor === "agent")
  return found.flatMap(operation => operation.changes)
}

async function changesByMessage(
  session: Session,
  conversation: string | undefined,
): Promise<ReadonlyMap<MessageId, readonly Change[]>> {
  const made = new Map<MessageId, Change[]>()
  for (const operation of await session.store.operations(conversation === undefined ? {} : { conversation })) {
    if (operation.actor !== "agent" || operation.message === null) continue
    const changes = made.get(operation.message)
    if (changes === undefined) made.set(operation.message, [...operation.changes])
    else changes.push(...operation.changes)
  }
  return made
}

function netOfMessage(session: Session, changes: readonly Change[]): Promise<PathChange[]> {
  return netChanges(session, changes, change => [change.before.current, change.after.current])
}

async function filesOfMessage(
  session: Session,
  message: MessageId,
  made: ReadonlyMap<MessageId, readonly Change[]> | null,
): Promise<LogResult["messages"][number]["files"]> {
  const files: LogResult["messages"][number]["files"] = []
  const changes = made === null ? await madeBy(session, message) : (made.get(message) ?? [])
  for (const { path, sides } of await netOfMessage(session, changes))
    files.push({ ...shownPath(path), ...(await counts(session, path, sides)) })
  return files
}

export async function counts(
  session: Session,
  path: WorkspacePath,
  sides: LoadedSides,
): Promise<{ added: number; removed: number }> {
  const charset = await session.charsetFor(path)
  const base = linesOf(sides.base, charset)
  const current = linesOf(sides.current, charset)
  if (base === null || current === null) return { added: 0, removed: 0 }
  if (base.length === 0 || current.length === 0) return { added: current.length, removed: base.length }
  return countChanges(diffLines(base, current).hunks)
}

async function netChanges(
  session: Session,
  changes: readonly Change[],
  ends: (change: Change) => readonly [State, State],
): Promise<PathChange[]> {
  const net = new Map<WorkspacePath, { from: State; to: State }>()
  for (const change of changes) {
    const [from, to] = ends(change)
    net.set(change.path, { from: net.get(change.path)?.from ?? from, to })
  }
  const found: PathChange[] = []
  for (const [path, { from, to }] of net)
    if (!sameState(from, to))
      found.push({ path, sides: { base: await load(session, from), current: await load(session, to) } })
  return found
}

async function load(session: Session, state: State): Promise<Loaded> {
  return loadState(session.store, state)
}

/** One path's change as a call's result tells it; paths are the workspace's. */
export function changeView(change: Change): CallResult["changes"][number] {
  const { current: from } = change.before
  const { current: to } = change.after
  return { ...shownPath(change.path), kind: change.renamedFrom === undefined ? kindOf(from, to) : "rename" }
}

function kindOf(from: State, to: State): CallResult["changes"][number]["kind"] {
  if (to.kind === "absent") return "delete"
  if (to.kind === "symlink") return "symlink"
  if (to.kind === "folder") return "folder"
  if (from.kind === "absent") return "create"
  return sameContent(from, to) ? "mode" : "modify"
}
