import { isPending } from "@galley/core/change/item.ts"
import { isWithin, showPath, parentOf, type WorkspacePath } from "@galley/core/path.ts"
import type { Selection } from "@galley/core/protocol/requests.ts"
import type { FileView } from "@galley/core/protocol/results.ts"
import type { State } from "@galley/core/state.ts"
import { type AsideFolder, asideChanges, asideLayer, dropAside, keepAside, readAsides } from "../io/aside.ts"
import {
  decideAsides,
  expireDecisions,
  forgetDecisions,
  nameDecision,
  readDecision,
  repeatDecision,
  takeBackDecision,
} from "../io/aside-decided.ts"
import type { ByProduct, DiskChange } from "../io/seen.ts"
import type { LayerEntry } from "../io/view-folder.ts"
import { errorCode } from "./disk.ts"
import { fileId, shownPath } from "./file-view.ts"
import type { Session } from "./session.ts"

/**
 * Outputs in folders that git ignores, or that hold dependencies: one line each, never contents in the store. Where commands write at
 * once they are put on disk, unrecorded, as they can be made again. Where changes are held they are kept aside: later commands see them, a
 * person can take a folder whole, accepting all does not, and in the end they are dropped.
 */
export async function keepByProducts(
  session: Session,
  products: readonly ByProduct[],
  how: { readonly write: boolean; readonly title: string; readonly conversation: string | null },
): Promise<string[]> {
  const lines: string[] = []
  const { scratch } = session
  const madeFrom = how.write || products.length === 0 ? [] : await pendingNow(session)
  if (!how.write && products.length > 0)
    await session.lock.hold(async () => {
      expireByProducts(session, session.config["gc.keepDays"])
      return Promise.resolve()
    })
  for (const product of products) {
    const size = `${product.paths} ${product.paths === 1 ? "path" : "paths"}, ${product.bytes} bytes`
    const line = (what: string): void =>
      void lines.push(`${showPath(product.folder)}/ (${size}; ignored by git or dependencies): ${what}`)
    if (how.write) {
      for (const change of await product.open()) await putOnDisk(session, change)
      line("written, not reviewed.")
    } else if (scratch === null) line("not kept, as changes are held for review.")
    else {
      const facts = {
        id: session.env.newId(),
        at: session.env.now(),
        title: how.title,
        conversation: how.conversation,
        madeFrom,
      }
      const kept = await session.lock.hold(() => keepAside(scratch, product, facts))
      if (kept === "tooMuch") line("not kept: too much to keep aside.")
      else if (kept === "kept")
        line("kept aside for your next commands, not on disk; the person can accept the folder.")
    }
  }
  return lines
}

/** What of the folders kept aside a command should see where changes are held, and where it stands. */
export function byProductLayer(session: Session): readonly LayerEntry[] {
  return session.scratch === null ? [] : asideLayer(session.scratch)
}

/** The folders kept aside inside a path ("" for all), or that it is in. */
export function byProductsAt(session: Session, path: WorkspacePath | ""): readonly AsideFolder[] {
  if (session.scratch === null) return []
  return readAsides(session.scratch).filter(aside => isWithin(aside.folder, path))
}

/** A folder kept aside as a line of `status`. */
export async function byProductView(session: Session, aside: AsideFolder): Promise<FileView> {
  const stale = await isStale(session, aside)
  return {
    ...shownPath(aside.folder),
    kinds: ["folder"],
    id: fileId(aside.folder),
    revision: aside.revision,
    disk: "base",
    hunks: [],
    conflict: false,
    parked: false,
    summary: { files: aside.files },
    properties: [
      `kept aside, not on disk: ${aside.files} paths, ${aside.bytes} bytes, made by ${aside.title}`,
      ...(stale ? ["stale: pending text that it was made from has changed or was rejected"] : []),
    ],
    ...(aside.conversation === null ? {} : { conversations: [aside.conversation] }),
  }
}

/** The paths of a folder kept aside, as lines; at most {@link listed}. */
export function byProductList(session: Session, aside: AsideFolder): string {
  if (session.scratch === null) return ""
  const changes = asideChanges(session.scratch, aside)
  const lines = changes
    .slice(0, listed)
    .map(({ path, after }) => `#   ${after.kind === "absent" ? "deleted " : ""}${showPath(path)}\n`)
  const more = changes.length > listed ? `#   and ${changes.length - listed} more\n` : ""
  return `# ${showPath(aside.folder)}/: kept aside, not on disk\n${lines.join("")}${more}`
}

const listed = 2000

/** Folders kept aside that were decided about, until the log tells of it. */
export interface ByProductsDecided {
  readonly asides: readonly AsideFolder[]
  /** For the operation. */
  readonly title: string
  readonly remark: string
  /** The operation is on record: it can be undone by its id. */
  recorded(operation: string): void
  /** It could not be recorded: everything as it was. */
  takeBack(): void
}

/**
 * Decides the folders kept aside that a selection names: accepting takes a folder given by its own name, to the disk; rejecting drops
 * those inside the path, or all. Null where none is named. Call it under the lock.
 */
export async function decideByProducts(
  session: Session,
  selection: Selection,
  decision: "accept" | "reject",
): Promise<ByProductsDecided | null> {
  const { scratch } = session
  const partial = selection.hunks ?? selection.lines ?? selection.properties ?? selection.message
  if (scratch === null || partial !== undefined) return null
  if (selection.path === undefined && (selection.all !== true || decision === "accept")) return null
  const path = selection.path === undefined ? "" : await session.root.resolveEntry(selection.path)
  const asides = byProductsAt(session, path).filter(aside => decision === "reject" || aside.folder === path)
  if (asides.length === 0) return null
  const root = session.root.path
  const id = session.env.newId()
  decideAsides({ scratch, root, id }, asides, decision, session.env.now())
  const names = asides.map(aside => `${showPath(aside.folder)}/ (${aside.files} paths)`).join(", ")
  return {
    asides,
    title: `${decision === "accept" ? "Accept" : "Drop"} ${names}`,
    remark:
      decision === "accept"
        ? "outputs are not in the store: an undo takes back what still stands as it was put on disk, until galley gc"
        : "outputs are not in the store: an undo finds them again until galley gc",
    recorded: operation => nameDecision(scratch, id, operation),
    takeBack: () => void takeBackDecision(scratch, root, id),
  }
}

/**
 * Undoes or repeats what an operation decided about folders kept aside. Returns what could not be, in words, and what to do once a redo is
 * on record, which then stands for the decision. Call it under the lock.
 */
export function repeatByProducts(
  session: Session,
  operation: string,
  direction: "back" | "forward",
): { readonly remarks: readonly string[]; recorded(operation: string): void } {
  const { scratch } = session
  const nothing = { remarks: [], recorded: () => undefined }
  if (scratch === null || readDecision(scratch, operation) === null) return nothing
  const root = session.root.path
  if (direction === "forward") {
    repeatDecision({ scratch, root, id: operation }, session.env.now())
    return { remarks: [], recorded: redo => nameDecision(scratch, operation, redo) }
  }
  const left = takeBackDecision(scratch, root, operation)
  if (left.length === 0) return nothing
  const more = left.length > 3 ? ` and ${left.length - 3} more` : ""
  const remark = `left as they are, changed since: ${left.slice(0, 3).map(showPath).join(", ")}${more}`
  return { ...nothing, remarks: [remark] }
}

/** Removes outputs at a path that were kept for an undo (a purge). Call it under the lock. */
export function forgetByProducts(session: Session, path: WorkspacePath | ""): void {
  if (session.scratch !== null) forgetDecisions(session.scratch, path)
}

/** Drops what was kept aside, or decided about, longer ago than `keepDays`. Call it under the lock. */
export function expireByProducts(session: Session, keepDays: number): void {
  const { scratch } = session
  if (scratch === null) return
  const before = session.env.now() - keepDays * 86_400_000
  for (const aside of readAsides(scratch)) if (aside.at < before) dropAside(scratch, aside.folder)
  expireDecisions(scratch, before)
}

async function pendingNow(session: Session): Promise<AsideFolder["madeFrom"]> {
  const items = (await session.store.items({ pending: true })).filter(item => item.disk === "base" && isPending(item))
  return items.map(item => [item.path, nameOf(item.current)] as const)
}

/** Whether text that was pending when it was made is not proposed, nor agreed on, any more. */
async function isStale(session: Session, aside: AsideFolder): Promise<boolean> {
  const items = new Map(
    (await session.store.items({ paths: aside.madeFrom.map(([path]) => path) })).map(item => [item.path, item]),
  )
  return aside.madeFrom.some(([path, state]) => {
    const item = items.get(path)
    return item === undefined || nameOf(item.current) !== state
  })
}

function nameOf(state: State): string {
  switch (state.kind) {
    case "file":
      return `file ${state.blob} ${state.mode}`
    case "symlink":
      return `symlink ${state.target}`
    case "folder":
      return `folder ${state.mode}`
    case "absent":
    case "other":
    case "unknown":
      return state.kind
  }
}

async function putOnDisk(session: Session, { path, after }: Pick<DiskChange, "path" | "after">): Promise<void> {
  const absolute = session.root.absolute(path)
  switch (after.kind) {
    case "absent":
      return removeIt(session, absolute)
    case "folder":
      return makeFolders(session, path, after.mode)
    case "file": {
      await makeFolders(session, parentOf(path), 0o755)
      const there = await session.files.lstat(absolute)
      if (there?.kind === "folder") await removeIt(session, absolute)
      const staged = `${absolute}.galley-${session.env.newId()}`
      await session.files.create(staged, await after.read(), after.mode)
      return session.files.rename(staged, absolute)
    }
    case "symlink":
      await makeFolders(session, parentOf(path), 0o755)
      await removeIt(session, absolute)
      return session.files.symlink(after.target, absolute)
    case "other":
    case "unknown":
      return
  }
}

async function removeIt(session: Session, absolute: string): Promise<void> {
  const stat = await session.files.lstat(absolute)
  if (stat === null) return
  try {
    await (stat.kind === "folder" ? session.files.removeFolder(absolute) : session.files.unlink(absolute))
  } catch (error) {
    // Something the command did not know of is still inside.
    if (errorCode(error) !== "ENOTEMPTY") throw error
  }
}

async function makeFolders(session: Session, path: WorkspacePath | "", mode: number): Promise<void> {
  if (path === "" || (await session.files.lstat(session.root.absolute(path))) !== null) return
  await makeFolders(session, parentOf(path), 0o755)
  await session.files.makeFolder(session.root.absolute(path), mode)
}
