import type { Item } from "@galley/core/change/item.ts"
import type { Change, Sides } from "@galley/core/history/operation.ts"
import { parentOf, showPath, type WorkspacePath } from "@galley/core/path.ts"
import { sameState, type State } from "@galley/core/state.ts"
import type { Batch, Intent, NewOperation, Step } from "../store/store.ts"
import { bring, HeldFile, makeFolders, positionOf, unmakeFolders } from "./bring.ts"
import { handsFor, syncFolders, type Hands } from "./deed.ts"
import { failureFrom } from "./disk-trouble.ts"
import { Folders } from "./folders.ts"
import type { Writer } from "./journal.ts"
import { lookAt } from "./look.ts"

/**
 * Finishes or undoes what a crash interrupted, and says so in words. Run under the workspace lock when a workspace is opened
 * and before any commit; without an interrupted change it costs one look at the store.
 *
 * A change of which any step was done is finished, any other undone. What somebody wrote since the crash stays on disk, is
 * kept in the store, and is recorded as theirs.
 */
export async function recover(writer: Writer): Promise<string[]> {
  const intents = await writer.store.intents()
  const words: string[] = []
  for (const intent of intents.toSorted((a, b) => a.startedAt - b.startedAt)) words.push(await repair(writer, intent))
  return words
}

async function repair(writer: Writer, intent: Intent): Promise<string> {
  const { files, store, root } = writer
  const folders = new Folders(files, root.path)
  const attributed = new Set(intent.steps.map(step => step.path))
  const hands = handsFor({ files, store, folders, root: root.path, attributed, stamps: new Map() }, intent.steps)
  const title = intent.then.operations?.[0]?.title ?? "a change"
  const count = intent.steps.length === 1 ? "1 path" : `${intent.steps.length} paths`
  try {
    if (!(await anyDone(hands, intent))) {
      await undo(hands, intent)
      await syncFolders(hands, intent.steps)
      await store.commit({ settle: intent.id })
      return `Undid what a crash had interrupted before its first file: ${title} (${count}).`
    }
    const found = await finish(hands, intent)
    await syncFolders(hands, intent.steps)
    await store.commit({ ...withFound(writer, intent.then, found), settle: intent.id })
    const kept = [...found.keys()].map(showPath)
    const conflicts = kept.length === 0 ? "" : ` Changed by somebody since, and left so: ${kept.join(", ")}.`
    return `Finished what a crash had interrupted: ${title} (${count}).${conflicts}`
  } catch (error) {
    if (error instanceof HeldFile) return await repair(writer, await journalInPlace(writer, intent, error.step))
    throw failureFrom(error, `What a crash interrupted could not be repaired yet: ${title} (${count}).`) ?? error
  } finally {
    await folders.forget("")
  }
}

/** The same change, begun anew with the one file to be written in place. */
async function journalInPlace(writer: Writer, intent: Intent, held: Step): Promise<Intent> {
  const steps = intent.steps.map(step => (step === held ? { ...step, inPlace: true } : step))
  const next = { ...intent, id: writer.env.newId(), steps }
  await writer.store.commit({ settle: intent.id, begin: next })
  return next
}

/** Whether any step came as far as its path. A file that somebody changed since tells by the old one beside it, under another name. */
async function anyDone(hands: Hands, intent: Intent): Promise<boolean> {
  for (const step of intent.steps) {
    const there = await lookAt(hands.files, hands.folders, hands.root, step.path)
    const position = await positionOf(hands, step, there)
    if (position === "after" || position === "between" || position === "torn") return true
    if (position !== "other" || step.aside === null) continue
    const aside = await lookAt(hands.files, hands.folders, hands.root, siblingOf(step.path, step.aside))
    if (sameState(aside.state, step.before) && aside.stat?.ino !== there.stat?.ino) return true
  }
  return false
}

function siblingOf(path: WorkspacePath, name: string): WorkspacePath {
  const folder = parentOf(path)
  return folder === "" ? name : `${folder}/${name}`
}

async function undo(hands: Hands, intent: Intent): Promise<void> {
  for (const step of intent.steps.toReversed()) {
    await bring(hands, step, "before")
    await unmakeFolders(hands, step)
  }
}

async function finish(hands: Hands, intent: Intent): Promise<Map<WorkspacePath, State>> {
  const found = new Map<WorkspacePath, State>()
  for (const step of intent.steps) {
    if (step.after.kind !== "absent") await makeFolders(hands, step)
    const foreign = await bring(hands, step, "after")
    if (foreign) found.set(step.path, foreign)
    if (step.before.kind === "folder" || step.after.kind === "folder") await hands.folders.forget(step.path)
  }
  return found
}

/** The facts as they are with what was found: recorded as somebody else's move after the operation, folded as DESIGN §2 says. */
function withFound(writer: Writer, then: Batch, found: ReadonlyMap<WorkspacePath, State>): Batch {
  if (found.size === 0) return then
  const items = new Map((then.items ?? []).map(item => [item.path, item]))
  const changes: Change[] = []
  for (const [path, state] of found) {
    const item = items.get(path)
    const before = item ? { base: item.base, current: item.current } : sidesAfter(then, path)
    if (!before) continue
    const folded = item ? fold(item, state) : null
    if (folded) items.set(path, folded)
    changes.push({
      path,
      before,
      after: folded ? { base: folded.base, current: folded.current } : { base: state, current: state },
    })
  }
  const operation: NewOperation = {
    id: writer.env.newId(),
    kind: "recover",
    actor: "external",
    conversation: null,
    message: null,
    at: writer.env.now(),
    title: `Keep what somebody wrote after a crash (${changes.length})`,
    capture: "detected",
    head: null,
    changes,
  }
  return { ...then, items: [...items.values()], operations: [...(then.operations ?? []), operation] }
}

function fold(item: Item, state: State): Item {
  const revision = item.revision + 1
  if (item.disk === "current") return { ...item, current: state, revision }
  if (sameState(item.base, item.current)) return { ...item, base: state, current: state, revision }
  return { ...item, base: state, conflictOrigin: item.conflictOrigin ?? item.base, revision }
}

function sidesAfter(then: Batch, path: WorkspacePath): Sides | null {
  const changes = (then.operations ?? []).flatMap(operation => operation.changes).filter(change => change.path === path)
  return changes.at(-1)?.after ?? null
}
