import { isPending, type Item } from "@galley/core/change/item.ts"
import { sameLoaded, type LoadedSides } from "@galley/core/change/loaded.ts"
import type { Change, Sides } from "@galley/core/history/operation.ts"
import type { State } from "@galley/core/state.ts"
import { Failure } from "@galley/core/failure.ts"
import { showPath, type WorkspacePath } from "@galley/core/path.ts"
import type { Batch, NewOperation, Note } from "../store/store.ts"
import { startSaving } from "./contents.ts"
import { withOrigin, type Standing } from "./drift.ts"
import { gitHead, refuseBusyGit } from "./git-head.ts"
import { writeChange } from "./journal.ts"
import { foldersToRemove, missingFolders } from "./made-folders.ts"
import { conversationsIn, movesOf, movesSinceQuiet } from "./moves.ts"
import type { Move } from "./steps.ts"
import type { Session } from "./session.ts"

/** What is to become of one path. */
export interface Turn {
  readonly standing: Standing
  readonly sides: LoadedSides
  /** The side on disk if nothing was pending there; a pending item keeps its own. */
  readonly disk: "base" | "current"
  readonly renamedFrom?: WorkspacePath
  /** Folders that a command took away with the file. */
  readonly goneFolders?: readonly WorkspacePath[]
  /** Folders that came with the file where the disk holds it already, outermost first. */
  readonly madeFolders?: readonly WorkspacePath[]
  /** The file has other names (hard links), and the command replaced this one alone. */
  readonly breaksLink?: boolean
  /** Takes the conflict mark off; by default it stays while something is pending. */
  readonly settled?: boolean
  /** What the item's conflict origin is from now on, where the log tells of one (an undo). */
  readonly conflictOrigin?: State
  /** Joined to the item's conversations. */
  readonly conversation?: string
  /** The disk already holds it: an agent's own tool or a command wrote it, and this only records. */
  readonly onDisk?: boolean
}

export type OperationFacts = Omit<NewOperation, "id" | "at" | "head" | "changes">

export interface Manner {
  /** Make the operation even if no path differs. */
  readonly always?: boolean
  /** A person's decision may write files while a rebase, merge or bisect is under way. */
  readonly force?: boolean
}

export interface Committed {
  /** Null when nothing differed: no fact, no operation. */
  readonly operation: NewOperation | null
  readonly items: readonly Item[]
  /** What the person should know of the writing: an owner or attribute that could not be kept. */
  readonly remarks: readonly string[]
}

/**
 * Makes turns true, on disk and in the log, as one operation. Call it under the lock, with standings settled there.
 *
 * `rows` become true with it, also when no path moved. What fails leaves every file as it was (`journal.ts`).
 */
export async function commitTurns(
  session: Session,
  turns: readonly Turn[],
  facts: OperationFacts,
  rows: Batch = {},
  how: Manner = {},
): Promise<Committed> {
  const changes: Change[] = []
  const items: Item[] = []
  const moves: Move[] = []
  const saving = startSaving(session.store)
  for (const turn of turns) {
    const { standing } = turn
    if (
      sameLoaded(turn.sides.base, standing.sides.base) &&
      sameLoaded(turn.sides.current, standing.sides.current) &&
      turn.settled !== true
    )
      continue
    const after = saving.sides(turn.sides, standing.states)
    const disk = standing.item !== null && isPending(standing.item) ? standing.item.disk : turn.disk
    const item = await withConversations(session, itemAfter(turn, after, disk), turn)
    const renamedFrom = turn.renamedFrom ?? standing.item?.renamedFrom
    items.push(item)
    const target = disk === "base" ? turn.sides.base : turn.sides.current
    const writes = turn.onDisk !== true && !sameLoaded(target, standing.found)
    const madeFolders =
      writes && standing.found.kind === "absent"
        ? await missingFolders(session, standing.path)
        : (turn.madeFolders ?? [])
    changes.push({
      path: standing.path,
      before: withOrigin(standing.states, standing.item),
      after: withOrigin(after, item),
      ...(renamedFrom === undefined ? {} : { renamedFrom }),
      ...(madeFolders.length === 0 ? {} : { madeFolders }),
      ...(turn.goneFolders === undefined ? {} : { goneFolders: turn.goneFolders }),
      ...(turn.breaksLink === true ? { breaksLink: true as const } : {}),
    })
    if (writes) {
      const before = saving.state(standing.found)
      const breaksLink = turn.breaksLink === true || (facts.actor === "person" && (await brokeLink(session, standing)))
      const move = { path: standing.path, before, after: disk === "base" ? after.base : after.current }
      moves.push(breaksLink ? { ...move, breaksLink } : move)
    }
  }
  await saving.flush()
  const gone = moves.length === 0 ? [] : turns.flatMap(turn => turn.goneFolders ?? [])
  moves.push(...(await foldersToRemove(session, moves, gone)))
  if (changes.length === 0 && how.always !== true) {
    if (Object.keys(rows).length > 0) await session.store.commit(rows)
    return { operation: null, items: [], remarks: [] }
  }
  const operation: NewOperation = {
    ...facts,
    id: session.env.newId(),
    at: session.env.now(),
    head: await gitHead(session),
    changes,
  }
  const batch: Batch = {
    ...rows,
    ...(rows.notes === undefined ? {} : { notes: rows.notes.map(note => toldBy(note, operation)) }),
    operations: [...(rows.operations ?? []), operation],
    items: [...(rows.items ?? []), ...items],
  }
  if (moves.length > 0 && facts.actor === "person") await refuseBusyGit(session, how.force === true)
  const remarks = await carryOut(session, moves, batch)
  return { operation, items, remarks }
}

/**
 * Whether what the person decides about was made to this name of a file alone, although the disk shows it under others too: it is held
 * still, or a command made the path a name of another file.
 */
async function brokeLink(session: Session, { path, item, found }: Standing): Promise<boolean> {
  if (item === null || found.kind !== "file") return false
  const stat = await session.files.lstat(session.root.absolute(path))
  if (stat === null || stat.links < 2) return false
  return (await movesOf(session, path)).some(({ change }) => change.breaksLink === true)
}

/** A note that is new with an operation is about it. */
function toldBy(note: Note, operation: NewOperation): Note {
  return note.operation === undefined && note.deliveredAt === null ? { ...note, operation: operation.id } : note
}

async function carryOut(session: Session, moves: readonly Move[], batch: Batch): Promise<readonly string[]> {
  if (moves.length === 0) {
    await session.store.commit(batch)
    return []
  }
  const outcome = await writeChange(session, { moves, batch })
  switch (outcome.kind) {
    case "written":
      return [
        ...outcome.remarks,
        ...outcome.keptFolders.map(folder => `${showPath(folder)} stays: something else is in it.`),
      ]
    case "blocked": {
      const [first] = outcome.problems
      if (first === undefined) throw new Error("BUG: a change was blocked by nothing")
      const more = outcome.problems.slice(1, 6).map(problem => `${showPath(problem.path)}: ${problem.message}`)
      throw new Failure(
        first.code,
        `${showPath(first.path)}: ${first.message} Nothing was written.`,
        more.length === 0 ? undefined : `Also: ${more.join("; ")}`,
      )
    }
    case "overtaken":
      throw new Failure(
        "FILE_CHANGED_SINCE_READ",
        `${outcome.found.map(one => showPath(one.path)).join(", ")} was written by somebody else at the same moment; their text stands. Nothing was written.`,
        "Ask again: their change is then taken into account.",
      )
  }
}

/** What an undo, a rewind or the like makes pending again is the work of those who had done it. */
async function withConversations(session: Session, item: Item, turn: Turn): Promise<Item> {
  if (!isPending(item) || item.conversations.length > 0) return item
  return { ...item, conversations: conversationsIn(await movesSinceQuiet(session, turn.standing.path)) }
}

function itemAfter(turn: Turn, after: Sides, disk: "base" | "current"): Item {
  const was = turn.standing.item
  const renamedFrom = turn.renamedFrom ?? was?.renamedFrom
  const next: Item = {
    path: turn.standing.path,
    base: after.base,
    current: after.current,
    disk,
    revision: (was?.revision ?? 0) + 1,
    conversations: [],
    ...(renamedFrom === undefined ? {} : { renamedFrom }),
  }
  if (!isPending(next)) {
    const { renamedFrom: _, ...plain } = next
    return plain
  }
  const conversations = new Set([
    ...(was !== null && isPending(was) ? was.conversations : []),
    ...(turn.conversation === undefined ? [] : [turn.conversation]),
  ])
  const origin = turn.settled === true ? undefined : (turn.conflictOrigin ?? was?.conflictOrigin)
  return { ...next, conversations: [...conversations], ...(origin === undefined ? {} : { conflictOrigin: origin }) }
}
