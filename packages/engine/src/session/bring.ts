import { Failure } from "@galley/core/failure.ts"
import { parentOf, showPath } from "@galley/core/path.ts"
import { sameContent, sameState, type State } from "@galley/core/state.ts"
import type { Stat } from "../io/files.ts"
import type { Step } from "../store/store.ts"
import { contentOf, inFolder, overwriteAs, type Hands, type Names } from "./deed.ts"
import { errorCode } from "./disk-trouble.ts"
import { look, lookAt, type Look } from "./look.ts"
import { createLike } from "./staging.ts"
import { isTorn } from "./torn.ts"

/** Where a step stands by what is on disk. `between` and `torn` are our own half-done work; `other` is somebody else's. */
export type Position = "before" | "after" | "between" | "torn" | "other"

/**
 * The file can only be written in place (a bind mount), and the journal does not say so yet: it must before the first byte, for
 * else a crash would leave what nobody can tell from a stranger's text. Nothing was done.
 */
export class HeldFile extends Error {
  readonly step: Step

  constructor(step: Step) {
    super(`EBUSY: ${step.path} cannot be replaced`)
    this.step = step
  }
}

/** Tells where a step stands. Looks at nothing but the path and, for a file written in place, at both contents. */
export async function positionOf(hands: Hands, step: Step, there: Look): Promise<Position> {
  const { before, after } = step
  const { state } = there
  if (sameState(state, after)) return "after"
  if (sameState(state, before)) return "before"
  if (state.kind === "folder" && after.kind === "absent" && hands.madeFolders.has(step.path)) return "after"
  if (state.kind === "folder" && (before.kind === "folder" || after.kind === "folder")) return "between"
  const swapsFolder =
    before.kind !== "absent" && after.kind !== "absent" && (before.kind === "folder") !== (after.kind === "folder")
  if (state.kind === "absent" && swapsFolder) return "between"
  if (!step.inPlace || !there.bytes || before.kind !== "file" || after.kind !== "file") return "other"
  if (sameContent(state, before) || sameContent(state, after)) return "between"
  const [old, wanted] = await Promise.all([hands.store.blob(before.blob), hands.store.blob(after.blob)])
  return isTorn(there.bytes, old, wanted) ? "torn" : "other"
}

/**
 * Brings the path to one side of its step from wherever a crash or a failure left it, and removes what was staged. Somebody
 * else's text is never replaced: it is kept in the store, stays where it is, and its state is returned; null means done.
 */
export async function bring(hands: Hands, step: Step, side: "before" | "after"): Promise<State | null> {
  const target = step[side]
  try {
    return await inFolder(hands, step, names => bringHere(hands, step, names, side))
  } catch (error) {
    const code = errorCode(error)
    if (code !== "ENOENT" && code !== "ENOTDIR") throw error
    const there = await lookAt(hands.files, hands.folders, hands.root, step.path)
    if (sameState(there.state, target)) return null
    // A symlink on the way: what it leads to is not this path, and is not touched.
    if (there.trouble?.kind === "symlink") {
      await tidyStaging(hands, step)
      return there.state
    }
    // The folder is gone or became something else, and not by us.
    if (there.state.kind !== "absent" || (await folderIsThere(hands, step))) throw error
    return there.state
  }
}

/** Removes what the step staged, and touches nothing else. A newer text that was moved aside is kept in the store first. */
export async function tidy(hands: Hands, step: Step): Promise<void> {
  try {
    await inFolder(hands, step, async names => {
      await unlinkIfThere(hands, names.temp)
      const aside = await look(hands.files, names.aside)
      if (aside.state.kind === "absent") return
      if (!sameState(aside.state, step.before)) await keepLast(hands, aside, step)
      await unlinkIfThere(hands, names.aside)
    })
  } catch (error) {
    const code = errorCode(error)
    if (code !== "ENOENT" && code !== "ENOTDIR") throw error
    await tidyStaging(hands, step)
  }
}

/** The same in the folder where it was staged, should that have been moved away since. */
async function tidyStaging(hands: Hands, step: Step): Promise<void> {
  const { staging, ...rest } = hands
  if (staging) await tidy({ ...rest, folders: staging }, step)
}

/** Makes the folders that the step needs, outermost first; those that are there are taken as they are. */
export async function makeFolders(hands: Hands, step: Step): Promise<void> {
  for (const folder of step.makesFolders) {
    try {
      await hands.folders.within(parentOf(folder), at => hands.files.makeFolder(`${at}/${lastName(folder)}`, 0o777))
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error
    }
  }
}

/** Removes the folders that the step made, innermost first, unless somebody put something inside. */
export async function unmakeFolders(hands: Hands, step: Step): Promise<void> {
  for (const folder of step.makesFolders.toReversed()) {
    await hands.folders.forget(folder)
    try {
      await hands.folders.within(parentOf(folder), at => hands.files.removeFolder(`${at}/${lastName(folder)}`))
    } catch (error) {
      if (!["ENOENT", "ENOTDIR", "ENOTEMPTY", "EEXIST"].includes(errorCode(error))) throw error
    }
  }
}

async function bringHere(hands: Hands, step: Step, names: Names, side: "before" | "after"): Promise<State | null> {
  const there = await look(hands.files, names.path)
  const aside = step.aside === null ? null : await look(hands.files, names.aside)
  const position = await positionOf(hands, step, there)
  const asideState = aside?.state ?? { kind: "absent" }
  if (aside && asideState.kind !== "absent" && !sameState(asideState, step.before)) {
    await unlinkIfThere(hands, names.temp)
    return rescue(hands, step, names, { aside, there, position })
  }
  if (position === "other") {
    await keep(hands, there, step)
    await unlinkIfThere(hands, names.temp)
    await unlinkIfThere(hands, names.aside)
    return there.state
  }
  // What is torn could, if barely, be somebody's own mixture of the two texts.
  if (position === "torn") await keep(hands, there, step)
  const hasOld = side === "before" && asideState.kind !== "absent"
  const found = position === side ? null : await convert(hands, step, names, { there, target: step[side], hasOld })
  await unlinkIfThere(hands, names.temp)
  await unlinkIfThere(hands, names.aside)
  return found
}

interface Conversion {
  readonly there: Look
  readonly target: State
  /** The old file itself is still linked aside: it goes back with all that it is. */
  readonly hasOld: boolean
}

async function convert(hands: Hands, step: Step, names: Names, conversion: Conversion): Promise<State | null> {
  const { files } = hands
  const { there, target, hasOld } = conversion
  const { state } = there
  if (state.kind === "folder" && target.kind !== "folder") {
    await hands.folders.forget(step.path)
    const stays = await removeFolder(hands, names)
    if (stays) return target.kind === "absent" && step.before.kind === "absent" ? null : state
  }
  if (hasOld) {
    if (state.kind === "absent" || state.kind === "folder") await files.link(names.aside, names.path)
    else await files.rename(names.aside, names.path)
    return null
  }
  switch (target.kind) {
    case "absent":
      return state.kind === "folder" ? null : removeOurs(hands, names, state)
    case "folder": {
      const removed = state.kind === "folder" || state.kind === "absent" ? null : await removeOurs(hands, names, state)
      if (removed) return removed
      if (state.kind !== "folder") await files.makeFolder(names.path, target.mode)
      await files.chmod(names.path, target.mode)
      return null
    }
    case "file": {
      const content = await contentOf(hands.store, target)
      if (state.kind === "file" && state.blob === target.blob) await files.chmod(names.path, target.mode)
      else if (step.inPlace && there.stat && state.kind === "file")
        return overwriteOrFind(hands, names, content, there.stat)
      else await putFile(hands, step, names, { there, content })
      return null
    }
    case "symlink":
      await unlinkIfThere(hands, names.temp)
      await files.symlink(target.target, names.temp)
      await files.rename(names.temp, names.path)
      return null
    case "other":
    case "unknown":
      // A FIFO or socket that was deleted cannot be made again; it is said, not hidden.
      return state
  }
}

async function putFile(
  hands: Hands,
  step: Step,
  names: Names,
  put: { readonly there: Look; readonly content: { readonly bytes: Uint8Array; readonly mode: number } },
): Promise<void> {
  const { files } = hands
  const { there, content } = put
  await unlinkIfThere(hands, names.temp)
  await createLike(hands, step, names.temp, content, there.state.kind === "file" ? names.path : null)
  try {
    await files.rename(names.temp, names.path)
  } catch (error) {
    const code = errorCode(error)
    if (there.state.kind !== "file" || (code !== "EBUSY" && code !== "EXDEV")) throw error
    await unlinkIfThere(hands, names.temp)
    throw new HeldFile(step)
  }
}

async function overwriteOrFind(
  hands: Hands,
  names: Names,
  content: { readonly bytes: Uint8Array; readonly mode: number },
  seen: Stat,
): Promise<State | null> {
  const written = await overwriteAs(hands.files, names.path, content, seen)
  return written ? null : (await look(hands.files, names.path)).state
}

/** Takes away what we put there; moved aside and looked at first, because it may have been replaced a moment ago. */
async function removeOurs(hands: Hands, names: Names, ours: State): Promise<State | null> {
  const { files } = hands
  if (ours.kind === "absent") return null
  await unlinkIfThere(hands, names.temp)
  await files.rename(names.path, names.temp)
  const moved = await look(files, names.temp)
  if (sameState(moved.state, ours)) {
    await files.unlink(names.temp)
    return null
  }
  await files.link(names.temp, names.path)
  await files.unlink(names.temp)
  return moved.state
}

async function removeFolder(hands: Hands, names: Names): Promise<boolean> {
  try {
    await hands.files.removeFolder(names.path)
    return false
  } catch (error) {
    const code = errorCode(error)
    if (code === "ENOTEMPTY" || code === "EEXIST") return true
    throw error
  }
}

/** What was moved aside is not what the plan saw: somebody wrote it at the last moment. Theirs goes back to its path. */
async function rescue(
  hands: Hands,
  step: Step,
  names: Names,
  seen: { readonly aside: Look; readonly there: Look; readonly position: Position },
): Promise<State> {
  const { files } = hands
  const { aside, there, position } = seen
  await keep(hands, aside, step)
  if (position === "other" || there.state.kind === "folder") {
    await keep(hands, there, step)
    await keepLast(hands, aside, step)
    await unlinkIfThere(hands, names.aside)
    return there.state
  }
  if (there.state.kind === "absent") {
    await files.link(names.aside, names.path)
    await files.unlink(names.aside)
  } else await files.rename(names.aside, names.path)
  // Two names of one file: rename(2) leaves both.
  await unlinkIfThere(hands, names.aside)
  return aside.state
}

async function keep(hands: Hands, seen: Look, step: Step): Promise<void> {
  if (!seen.bytes) return
  const near = step.before.kind === "file" ? step.before.blob : undefined
  await hands.store.putBlobs([near === undefined ? { bytes: seen.bytes } : { bytes: seen.bytes, near }])
}

/** Keeps what is about to lose its last name. What cannot be read stays: the change then waits for somebody who can. */
async function keepLast(hands: Hands, seen: Look, step: Step): Promise<void> {
  if (seen.state.kind === "unknown")
    throw new Failure("DENIED", `${showPath(step.path)}: ${seen.trouble?.message ?? "it cannot be read"}.`)
  await keep(hands, seen, step)
}

async function unlinkIfThere(hands: Hands, path: string): Promise<void> {
  try {
    await hands.files.unlink(path)
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error
  }
}

async function folderIsThere(hands: Hands, step: Step): Promise<boolean> {
  const folder = parentOf(step.path)
  if (folder === "") return true
  const there = await lookAt(hands.files, hands.folders, hands.root, folder, 0)
  return there.state.kind === "folder"
}

function lastName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1)
}
