import { diskState, isPending, type Item } from "@galley/core/change/item.ts"
import { Failure } from "@galley/core/failure.ts"
import { isWithin, type WorkspacePath } from "@galley/core/path.ts"
import type { Params, RequestContext } from "@galley/core/protocol/requests.ts"
import type { FileView, StatusResult, WaitingView } from "@galley/core/protocol/results.ts"
import { readGitState } from "../io/git-folder.ts"
import { isAlive } from "../io/alive.ts"
import type { Waiting } from "../store/store.ts"
import { byProductsAt, byProductView } from "./by-products.ts"
import { isLoadedAs } from "./contents.ts"
import { readDisk } from "./disk.ts"
import { settleDrift } from "./drift.ts"
import { fileView, parkedView, viewSubject } from "./file-view.ts"
import { gitMoved, lookAtGit } from "./git.ts"
import { readMarks } from "./marks.ts"
import { reviewModeOf } from "./policy.ts"
import { repairInterrupted } from "./repair.ts"
import type { Session } from "./session.ts"
import { subjectsOf } from "./subject.ts"
import { readUndoState } from "./undo.ts"

/** What is pending, parked and waiting now. What others did meanwhile is folded in first, so that what is shown is so. */
export async function status(
  session: Session,
  context: RequestContext,
  params: Params<"status">,
): Promise<StatusResult> {
  const behind = await catchUp(session)
  const all = await session.store.items({ pending: true })
  const asked = await Promise.all((params.paths ?? []).map(path => session.root.resolveEntry(path)))
  const isWanted = (path: WorkspacePath): boolean =>
    params.paths === undefined || asked.some(one => isWithin(path, one))
  const wanted = all.filter(item => isWanted(item.path))
  const files: FileView[] = []
  const marks = await readMarks(session)
  for (const subject of subjectsOf(wanted, all))
    files.push(await fileView(session, await viewSubject(session, subject), marks))
  for (const entry of await session.store.parked())
    if (isWanted(entry.item.path)) files.push((await parkedView(session, entry, marks)).file)
  for (const aside of byProductsAt(session, ""))
    if (isWanted(aside.folder)) files.push(await byProductView(session, aside))
  const conversations = await session.store.conversations()
  const undo = await readUndoState(session)
  return {
    version: 1,
    workspace: session.root.path,
    review: reviewModeOf(session, context),
    heads: conversations.map(conversation => ({ conversation: conversation.id, message: conversation.head })),
    waiting: (await session.store.waiting())
      .filter(call => call.answer === null && isAlive(call.owner))
      .map(waitingView),
    files,
    notices: [
      ...(await noticesNow(session)),
      ...(behind === null
        ? []
        : [`Shown as last recorded; what changed since cannot be recorded now: ${behind.message}`]),
    ],
    undo: undo.undo === null ? null : { operation: undo.undo.id, title: undo.undo.title },
    redo: undo.redo === null ? null : { operation: undo.redo.id, title: undo.redo.title },
    rules: [...session.config["review.accept"]],
  }
}

/**
 * Repairs, notices git, folds drift of everything pending. Takes the lock only where there is something to do, so that readers do not
 * wait for each other. A store that takes nothing now is no reason to show nothing: its failure is the answer.
 */
export async function catchUp(session: Session): Promise<Failure | null> {
  if (session.store.readOnly) return null
  const pending = await session.store.items({ pending: true })
  const interrupted = (await session.store.intents()).length > 0
  const drifted = interrupted ? [] : await driftedOf(session, pending)
  if (!interrupted && drifted.length === 0 && !(await gitMoved(session))) return null
  try {
    await session.lock.hold(async () => {
      await repairInterrupted(session)
      await lookAtGit(session)
      const now = (await session.store.items({ pending: true })).map(item => item.path)
      await settleDrift(session, now)
    })
    return null
  } catch (error) {
    if (error instanceof Failure && (error.code === "NO_SPACE" || error.code === "STORE_FAILED")) return error
    throw error
  }
}

async function driftedOf(session: Session, pending: readonly Item[]): Promise<Item[]> {
  const drifted: Item[] = []
  for (const item of pending) {
    if (!isPending(item)) continue
    const found = await readDisk(session, item.path)
    if (found.kind !== "unknown" && !isLoadedAs(found, diskState(item))) drifted.push(item)
  }
  return drifted
}

async function noticesNow(session: Session): Promise<string[]> {
  const notices: string[] = []
  const busy = (await readGitState(session.root.path))?.busy ?? null
  if (busy !== null)
    notices.push(`A ${busy} is under way: decisions that would write files are refused until it is finished.`)
  if (session.store.readOnly) notices.push("The store is open for reading only: nothing can be decided or recorded.")
  notices.push(...session.unrecorded)
  return notices
}

export function waitingView(call: Waiting): WaitingView {
  return {
    id: call.id,
    title: call.title,
    since: call.since,
    diff: call.diff,
    ...(call.path === undefined ? {} : { path: call.path.toWellFormed() }),
    ...(call.command === undefined ? {} : { command: call.command }),
    ...(call.conversation === null ? {} : { conversation: call.conversation }),
  }
}
