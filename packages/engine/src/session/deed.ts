import { parentOf } from "@galley/core/path.ts"
import { sameState, type BlobId, type State } from "@galley/core/state.ts"
import type { Files, NewFile, Stat } from "../io/files.ts"
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

/**
 * Stages what the step will put in place: a new file with its final mode before its first byte, durable, beside its target.
 * Returns what of the old file's identity could not be kept, in words.
 */
export async function stage(hands: Hands, step: Step): Promise<readonly string[]> {
  const { temp, after, before } = step
  if (temp === null) return []
  const { files } = hands
  // A symlink is as long as a file name: nothing of it is in the store.
  const bytes = after.kind === "file" ? await hands.store.blob(after.blob) : null
  return inFolder(hands, step, async names => {
    if (after.kind === "symlink") await files.symlink(after.target, names.temp)
    if (after.kind !== "file" || bytes === null) return []
    return createLike(hands, step, names.temp, { bytes, mode: after.mode }, before.kind === "file" ? names.path : null)
  })
}

/**
 * Stages many plain files together; see {@link stage}. The others, which need more than a new file, are left to it: they are
 * returned.
 */
export async function stageAll(
  hands: Hands,
  steps: readonly Step[],
  lost: (step: Step, what: readonly string[]) => void,
): Promise<readonly Step[]> {
  const isPlain = ({ temp, before, after, path }: Step): boolean =>
    temp !== null && after.kind === "file" && !(before.kind === "file" && hands.attributed.has(path))
  for (const chunk of chunksOf(steps.filter(isPlain))) {
    await hands.folders.withinAll(
      chunk.map(step => parentOf(step.path)),
      async pathOf => {
        const files = chunk.flatMap(step => {
          const { after, temp, path } = step
          return after.kind === "file" && temp !== null
            ? [{ step, after, path: `${pathOf(parentOf(path))}/${temp}` }]
            : []
        })
        const contents: NewFile[] = []
        for (const { after, path } of files) contents.push({ path, ...(await contentOf(hands.store, after)) })
        await hands.files.createAll(contents)
        for (const { step, path } of files) {
          if (step.before.kind !== "file") continue
          lost(step, await hands.files.copyOwner(`${pathOf(parentOf(step.path))}/${nameOf(step.path)}`, path))
        }
      },
    )
  }
  return steps.filter(step => !isPlain(step))
}

/** Parts of at most 32 MiB of content and 64 folders. */
function chunksOf(steps: readonly Step[]): Step[][] {
  const chunks: Step[][] = []
  let size = 0
  let folders = new Set<string>()
  for (const step of steps) {
    const bytes = step.after.kind === "file" ? step.after.size : 0
    const folder = parentOf(step.path)
    const last = chunks.at(-1)
    if (last && size + bytes <= 32 * 2 ** 20 && (folders.size < 64 || folders.has(folder))) last.push(step)
    else {
      chunks.push([step])
      size = 0
      folders = new Set()
    }
    size += bytes
    folders.add(folder)
  }
  return chunks
}

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

/** Makes a new file that has the owner, attributes and ACLs of another, as far as we may; returns what could not be kept. */
export async function createLike(
  hands: Hands,
  step: Step,
  path: string,
  content: { readonly bytes: Uint8Array; readonly mode: number },
  like: string | null,
): Promise<readonly string[]> {
  const { files } = hands
  const { bytes, mode } = content
  if (like === null) {
    await files.create(path, bytes, mode)
    return []
  }
  if (!hands.attributed.has(step.path)) {
    await files.create(path, bytes, mode)
    return files.copyOwner(like, path)
  }
  const narrows = step.before.kind === "file" && (step.before.mode & ~mode) !== 0
  if (!narrows) {
    // The content first: a write takes capabilities (setcap) away again.
    await files.create(path, bytes, mode)
    return files.copyIdentity(like, path)
  }
  // An ACL comes with the mode of its source, which is wider: it is copied while the file is empty.
  await files.create(path, new Uint8Array(), 0o600)
  const lost = await files.copyIdentity(like, path)
  if ((mode & 0o200) !== 0) await files.chmod(path, mode)
  await files.overwrite(path, bytes)
  if ((mode & 0o200) === 0) await files.chmod(path, mode)
  return lost
}

/** The hands for the steps of one change. */
export function handsFor(tools: Omit<Hands, "madeFolders">, steps: readonly Step[]): Hands {
  const made = steps.flatMap(step =>
    step.after.kind === "folder" ? [step.path, ...step.makesFolders] : step.makesFolders,
  )
  return { ...tools, madeFolders: new Set(made) }
}

/** Writes into the inode that is there; its content is in the store, before and after, and the step says it is done so. */
export async function overwriteAs(
  files: Files,
  path: string,
  content: { readonly bytes: Uint8Array; readonly mode: number },
): Promise<void> {
  const stat = await files.lstat(path)
  if (!stat) throw Object.assign(new Error(`ENOENT: ${path}`), { code: "ENOENT" })
  // Never wider than both modes while the content changes; its owner must be able to write.
  const during = (stat.mode & content.mode) | 0o200
  if (during !== stat.mode) await files.chmod(path, during)
  await files.overwrite(path, content.bytes)
  if (during !== content.mode) await files.chmod(path, content.mode)
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
  const now = await files.lstat(names.path)
  if (
    !now ||
    !found.stat ||
    now.ino !== found.stat.ino ||
    now.mtimeNs !== found.stat.mtimeNs ||
    now.size !== found.stat.size
  ) {
    return putBack(hands, names, step.after, linked)
  }
  // Left open: somebody's rename(2) onto the path between the two calls next to each other, this lstat and our rename. Only
  // RENAME_EXCHANGE would close it, which Node cannot ask for.
  try {
    await files.rename(names.temp, names.path)
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
  return a.ino === b.ino && a.dev === b.dev && a.size === b.size && a.mtimeNs === b.mtimeNs && a.mode === b.mode
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
  if (!sameState(found.state, step.before)) return { kind: "overtaken", found: found.state }
  await overwriteAs(files, names.path, content)
  return { kind: "done" }
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
