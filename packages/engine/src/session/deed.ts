import { parentOf } from "@galley/core/path.ts"
import { sameState, type BlobId, type State } from "@galley/core/state.ts"
import { isSameWriting, type Files, type Stat } from "../io/files.ts"
import type { Step, Store } from "../store/store.ts"
import { errorCode } from "./disk-trouble.ts"
import { eachOf } from "./each.ts"
import type { Folders } from "./folders.ts"
import { look, nameOf, type Look } from "./look.ts"

/** What the deeds work with. */
export interface Hands {
  readonly files: Files
  readonly store: Store
  readonly folders: Folders
  /** The folders as they were when files were staged in them; for cleaning up where one was swapped since. */
  readonly staging?: Folders
  /** Absolute path of the workspace. */
  readonly root: string
  /** Paths whose file carries attributes or ACLs to be copied to the one that replaces it. */
  readonly attributed: ReadonlySet<string>
  /** Stamps of files that were at rest when the plan saw them. */
  readonly stamps: ReadonlyMap<string, Stat>
  /** Folders that the change itself makes: one that stands where a file is to go is no stranger's. */
  readonly madeFolders: ReadonlySet<string>
}

export type Deed =
  | { readonly kind: "done" }
  /** Somebody's newer text stands there, and stays. */
  | { readonly kind: "overtaken"; readonly found: State }
  /** The file cannot be replaced (a bind mount), only written in place. Nothing was done. */
  | { readonly kind: "held" }

/** Does the step: looks again that the disk is what the plan saw, moves, and verifies that nobody's newer text was replaced. */
export async function perform(hands: Hands, step: Step): Promise<Deed> {
  return inFolder(hands, step, names => {
    const { before, after } = step
    switch (after.kind) {
      case "absent":
        return before.kind === "folder" ? removeFolder(hands, names) : removeFile(hands, step, names)
      case "folder":
        return performFolder(hands, step, names, after.mode)
      case "file":
      case "symlink":
        if (step.inPlace) return writeInPlace(hands, step, names)
        if (step.temp === null) return changeMode(hands, step, names)
        if (before.kind === "absent") return putNew(hands, names)
        return before.kind === "folder" ? replaceFolder(hands, step, names) : replaceFile(hands, step, names)
      case "other":
      case "unknown":
        throw new Error(`BUG: a step towards ${after.kind} was planned`)
    }
  })
}

/** The names a step works with, each a full path through the open folder. */
export interface Names {
  readonly folder: string
  readonly path: string
  readonly temp: string
  readonly aside: string
}

export async function inFolder<T>(hands: Hands, step: Step, work: (names: Names) => Promise<T>): Promise<T> {
  return hands.folders.within(parentOf(step.path), folder => {
    const path = `${folder}/${nameOf(step.path)}`
    const temp = `${folder}/${step.temp ?? spareName(step)}`
    const aside = `${folder}/${step.aside ?? `${spareName(step)}-old`}`
    return work({ folder, path, temp, aside })
  })
}

/** The hands for the steps of one change. */
export function handsFor(tools: Omit<Hands, "madeFolders">, steps: readonly Step[]): Hands {
  const made = steps.flatMap(step =>
    step.after.kind === "folder" ? [step.path, ...step.makesFolders] : step.makesFolders,
  )
  return { ...tools, madeFolders: new Set(made) }
}

/**
 * Writes into the inode that is there; its content is in the store, before and after, and the step says it is done so. `seen` is the
 * stamp of what may be replaced: false if it is another by now, and nothing was written.
 */
export async function overwriteAs(
  files: Files,
  path: string,
  content: { readonly bytes: Uint8Array; readonly mode: number },
  seen: Stat,
): Promise<boolean> {
  // Never wider than both modes while the content changes; its owner must be able to write.
  const during = (seen.mode & content.mode) | 0o200
  if (during !== seen.mode) await files.chmod(path, during)
  if (!(await files.overwriteSeen(path, content.bytes, seen))) {
    if (during !== seen.mode && (await files.lstat(path))?.ino === seen.ino) await files.chmod(path, seen.mode)
    return false
  }
  if (during !== content.mode) await files.chmod(path, content.mode)
  return true
}

/** Makes the names that the steps changed durable, in parents of new folders too. */
export async function syncFolders(hands: Hands, steps: readonly Step[]): Promise<void> {
  const touched = steps.flatMap(step => [step.path, ...step.makesFolders]).map(parentOf)
  await eachOf([...new Set(touched)], 8, async folder => {
    try {
      await hands.folders.within(folder, path => hands.files.syncFolder(path))
    } catch (error) {
      // The folder itself went, or never came to be.
      if (errorCode(error) !== "ENOENT" && errorCode(error) !== "ENOTDIR") throw error
    }
  })
}

/** The text of a state that is in the store. */
export async function contentOf(
  store: Store,
  state: { readonly blob: BlobId; readonly mode: number },
): Promise<{ bytes: Uint8Array; mode: number }> {
  return { bytes: await store.blob(state.blob), mode: state.mode }
}

/** A name for a step that stages nothing itself but may need to: known from the row, so that recovery finds it. */
function spareName(step: Step): string {
  return step.temp ?? step.aside?.replace(/-old$/, "") ?? `.galley-spare-0`
}

async function changeMode(hands: Hands, step: Step, names: Names): Promise<Deed> {
  const found = await look(hands.files, names.path)
  if (!sameState(found.state, step.before)) return { kind: "overtaken", found: found.state }
  if (step.after.kind === "file") await hands.files.chmod(names.path, step.after.mode)
  return { kind: "done" }
}

async function performFolder(hands: Hands, step: Step, names: Names, mode: number): Promise<Deed> {
  const { files } = hands
  if (step.before.kind === "folder") {
    const found = await look(files, names.path)
    if (!sameState(found.state, step.before)) return { kind: "overtaken", found: found.state }
    await files.chmod(names.path, mode)
    return { kind: "done" }
  }
  if (step.before.kind !== "absent") {
    const removed = await removeFile(hands, step, names)
    if (removed.kind !== "done") return removed
  }
  try {
    await files.makeFolder(names.path, mode)
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error
    const found = await look(files, names.path)
    return { kind: "overtaken", found: found.state }
  }
  await files.chmod(names.path, mode)
  return { kind: "done" }
}

async function removeFolder(hands: Hands, names: Names): Promise<Deed> {
  try {
    await hands.files.removeFolder(names.path)
    return { kind: "done" }
  } catch (error) {
    const code = errorCode(error)
    if (code !== "ENOTEMPTY" && code !== "EEXIST" && code !== "ENOENT" && code !== "ENOTDIR") throw error
    const found = await look(hands.files, names.path)
    return { kind: "overtaken", found: found.state }
  }
}

/** A new name: link(2) refuses where somebody made one meanwhile, which rename(2) would replace. */
async function putNew(hands: Hands, names: Names): Promise<Deed> {
  const { files } = hands
  try {
    await files.link(names.temp, names.path)
  } catch (error) {
    const code = errorCode(error)
    if (code !== "EEXIST" && !hasNoLinks(code)) throw error
    const found = await look(files, names.path)
    if (found.state.kind !== "absent") return { kind: "overtaken", found: found.state }
    if (code === "EEXIST") throw error
    await files.rename(names.temp, names.path)
    return { kind: "done" }
  }
  await files.unlink(names.temp)
  return { kind: "done" }
}

async function replaceFolder(hands: Hands, step: Step, names: Names): Promise<Deed> {
  const found = await look(hands.files, names.path)
  if (found.state.kind !== "folder") return { kind: "overtaken", found: found.state }
  const removed = await removeFolder(hands, names)
  if (removed.kind !== "done") return removed
  await hands.folders.forget(step.path)
  return putNew(hands, names)
}

async function replaceFile(hands: Hands, step: Step, names: Names): Promise<Deed> {
  const { files } = hands
  const found = await lookAgain(hands, step, names.path)
  if (!sameState(found.state, step.before)) return { kind: "overtaken", found: found.state }
  const linked = await linkAside(files, names)
  if (!found.stat) throw new Error("BUG: what stands there has a stamp")
  // Left open: somebody's rename(2) onto the path between the last look and ours, two system calls next to each other. Only
  // RENAME_EXCHANGE would close it, which Node cannot ask for.
  try {
    if (!(await files.renameOverSeen(names.temp, names.path, found.stat)))
      return await putBack(hands, names, step.after, linked)
  } catch (error) {
    const code = errorCode(error)
    if (code !== "EBUSY" && code !== "EXDEV") throw error
    if (linked) await files.unlink(names.aside)
    return { kind: "held" }
  }
  if (!linked) return { kind: "done" }
  return (await isStill(hands, step, names.aside)) ? { kind: "done" } : putBack(hands, names, step.after, linked)
}

/** Looks whether the path is what the plan saw; an equal stamp of a file that was at rest spares reading it. */
async function lookAgain(hands: Hands, step: Step, path: string): Promise<Look> {
  const known = hands.stamps.get(step.path)
  const stat = known ? await hands.files.lstat(path) : null
  const same = known && stat && sameInode(stat, known) && stat.ctimeNs === known.ctimeNs
  return same ? { state: step.before, stat } : look(hands.files, path)
}

/**
 * Whether the old file, now under another name, still is what the plan saw. Giving it that name moved its ctime, so its mtime has to
 * tell; only a write whose mtime is set back in these very milliseconds would escape it.
 */
async function isStill(hands: Hands, step: Step, aside: string): Promise<boolean> {
  const known = hands.stamps.get(step.path)
  const stat = known ? await hands.files.lstat(aside) : null
  if (known && stat && sameInode(stat, known)) return true
  return sameState((await look(hands.files, aside)).state, step.before)
}

function sameInode(a: Stat, b: Stat): boolean {
  return isSameWriting(a, b) && a.mode === b.mode
}

async function linkAside(files: Files, names: Names): Promise<boolean> {
  try {
    await files.link(names.path, names.aside)
    return true
  } catch (error) {
    // No hard links on this file system, or not to files of others (fs.protected_hardlinks), or a mount point: then the look
    // just before the rename has to do.
    if (hasNoLinks(errorCode(error))) return false
    throw error
  }
}

async function removeFile(hands: Hands, step: Step, names: Names): Promise<Deed> {
  const { files } = hands
  const found = await lookAgain(hands, step, names.path)
  if (!sameState(found.state, step.before)) return { kind: "overtaken", found: found.state }
  try {
    await files.rename(names.path, names.aside)
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error
    return { kind: "overtaken", found: { kind: "absent" } }
  }
  return (await isStill(hands, step, names.aside)) ? { kind: "done" } : putBack(hands, names, { kind: "absent" }, true)
}

/**
 * Their newer text was moved aside, or stands at the path: it stands at the path afterwards, and is what was found. `left` is what
 * we ourselves left at the path.
 */
async function putBack(hands: Hands, names: Names, left: State, linked: boolean): Promise<Deed> {
  const { files } = hands
  const there = await look(files, names.path)
  const aside = linked ? await look(files, names.aside) : null
  const ours = sameState(there.state, left)
  if (aside && ours && aside.state.kind !== "absent") {
    if (there.state.kind === "absent") {
      await files.link(names.aside, names.path)
      await files.unlink(names.aside)
    } else await files.rename(names.aside, names.path)
    return { kind: "overtaken", found: aside.state }
  }
  return { kind: "overtaken", found: there.state }
}

async function writeInPlace(hands: Hands, step: Step, names: Names): Promise<Deed> {
  const { files, store } = hands
  if (step.after.kind !== "file") throw new Error("BUG: only a file is written in place")
  const content = await contentOf(store, step.after)
  const found = await look(files, names.path)
  if (!found.stat || !sameState(found.state, step.before)) return { kind: "overtaken", found: found.state }
  if (await overwriteAs(files, names.path, content, found.stat)) return { kind: "done" }
  return { kind: "overtaken", found: (await look(files, names.path)).state }
}

function hasNoLinks(code: string): boolean {
  return (
    code === "EPERM" ||
    code === "EXDEV" ||
    code === "EMLINK" ||
    code === "ENOTSUP" ||
    code === "EOPNOTSUPP" ||
    code === "ENOSYS"
  )
}
