import { Failure } from "@galley/core/failure.ts"
import { isWithin, parentOf, showPath, type WorkspacePath } from "@galley/core/path.ts"
import type { State } from "@galley/core/state.ts"
import type { Env } from "../io/env.ts"
import type { Files } from "../io/files.ts"
import type { Root } from "../io/roots.ts"
import type { Batch, Intent, Step, Store } from "../store/store.ts"
import { bring, makeFolders, tidy, unmakeFolders } from "./bring.ts"
import { handsFor, inFolder, perform, syncFolders, type Deed, type Hands } from "./deed.ts"
import { errorCode, failureFrom } from "./disk-trouble.ts"
import { eachOf } from "./each.ts"
import { Folders } from "./folders.ts"
import { lookAt, symlinkOnTheWay } from "./look.ts"
import { stage, stageAll } from "./staging.ts"
import { foldersOf, planSteps, type Move, type Plan, type Problem } from "./steps.ts"

/** What a change of files needs. */
export interface Writer {
  readonly files: Files
  readonly store: Store
  readonly root: Root
  readonly env: Pick<Env, "now" | "newId">
}

/** A change of files and the facts that become true with it, at once or not at all. */
export interface FileChange {
  readonly moves: readonly Move[]
  readonly batch: Batch
}

export type WriteOutcome =
  | {
      readonly kind: "written"
      /** What the person should know: owners or attributes that could not be kept, other names that changed too. */
      readonly remarks: readonly string[]
      /** Folders that should have gone but hold something else, and so stay. */
      readonly keptFolders: readonly WorkspacePath[]
    }
  /** Nothing was written. */
  | { readonly kind: "blocked"; readonly problems: readonly Problem[] }
  /**
   * Somebody wrote one of the paths between the plan and the deed. Everything was put back, their text stands on disk and is
   * kept in the store: fold it in and decide again.
   */
  | { readonly kind: "overtaken"; readonly found: readonly Found[] }

export interface Found {
  readonly path: WorkspacePath
  readonly state: State
}

/**
 * Writes files and facts as one: after a crash at any instant, `recover` makes it wholly done or wholly undone.
 *
 * The caller holds the workspace lock, and every after-content is in the store already. The order is DESIGN §4's. A `Failure`
 * says what was and what was not done; unless it says otherwise, everything is as it was.
 */
export async function writeChange(writer: Writer, change: FileChange): Promise<WriteOutcome> {
  const { files, store, root, env } = writer
  const folders = new Folders(files, root.path)
  const staging = new Folders(files, root.path)
  try {
    const id = env.newId()
    // Beside the plan and the journal, because it may start a process; it never throws.
    const looking = attributesOf(files, root, change.moves)
    const plan = await prepare(writer, folders, change, id)
    if (plan.kind === "blocked") return plan
    const { steps, keptFolders } = plan
    if (steps.length === 0) {
      await store.commit(change.batch)
      return { kind: "written", remarks: plan.remarks, keptFolders }
    }
    // oxlint-disable-next-line unicorn/no-thenable -- the store's word for what follows; it is data and never awaited
    const intent: Intent = { id, startedAt: env.now(), steps, then: change.batch }
    await begin(store, intent)
    const attributes = await looking
    const hands = handsFor(
      { files, store, folders, staging, root: root.path, attributed: attributes.paths, stamps: plan.stamps },
      steps,
    )
    const outcome = await new Deeds(hands, env, intent).run()
    if (outcome.kind === "overtaken") return outcome
    return { kind: "written", remarks: [...plan.remarks, ...attributes.remarks, ...outcome.remarks], keptFolders }
  } finally {
    await folders.forget("")
    await staging.forget("")
  }
}

/** Looks at everything and puts contents that would be lost into the store. Nothing is written to the workspace. */
async function prepare(writer: Writer, folders: Folders, change: FileChange, id: string): Promise<Plan> {
  const { files, store, root } = writer
  try {
    const blobs = change.moves
      .flatMap(move => [move.before, move.after])
      .flatMap(state => (state.kind === "file" ? [state.blob] : []))
    const missing = new Set(await store.missingBlobs([...new Set(blobs)]))
    const plan = await planSteps({ files, folders, root: root.path }, change.moves, {
      id,
      wanted: missing,
      now: writer.env.now(),
    })
    if (plan.kind === "blocked") return plan
    const kept = plan.seen.length === 0 ? [] : await store.putBlobs(plan.seen.map(bytes => ({ bytes })))
    for (const blob of kept) missing.delete(blob)
    if (missing.size > 0) throw new Failure("STORE_FAILED", `The store has not the content ${[...missing].join(", ")}.`)
    return plan
  } catch (error) {
    throw failureFrom(error, "Nothing was written.") ?? error
  }
}

async function begin(store: Store, intent: Intent): Promise<void> {
  try {
    await store.commit({ begin: intent })
  } catch (error) {
    throw failureFrom(error, "Nothing was written.") ?? error
  }
}

/** Which replaced files have attributes or ACLs to carry over. Looking may fail without harm: then it is said. */
async function attributesOf(
  files: Files,
  root: Root,
  moves: readonly Move[],
): Promise<{ readonly paths: ReadonlySet<string>; readonly remarks: readonly string[] }> {
  const replaced = moves.filter(
    ({ before, after }) => before.kind === "file" && after.kind === "file" && before.blob !== after.blob,
  )
  const byPlace = new Map(replaced.map(move => [root.absolute(move.path), move.path]))
  const found =
    byPlace.size === 0 ? new Set<string>() : await files.withAttributes([...byPlace.keys()]).catch(() => null)
  if (found) return { paths: new Set([...found].flatMap(place => byPlace.get(place) ?? [])), remarks: [] }
  return {
    paths: new Set(),
    remarks: ["Extended attributes and ACLs, if there were any, are not kept on this machine."],
  }
}

type Outcome =
  | { readonly kind: "written"; readonly remarks: readonly string[] }
  | { readonly kind: "overtaken"; readonly found: readonly Found[] }

/** Staging keeps the disk busy with this many files at once; Node's own pool has four threads. */
const width = 8

/** The run of one intent: how far it has come is what taking it back depends on. */
class Deeds {
  readonly #hands: Hands
  readonly #env: Writer["env"]
  #intent: Intent
  /** Places in the list of steps that were begun, done or not. */
  readonly #begun = new Set<number>()

  constructor(hands: Hands, env: Writer["env"], intent: Intent) {
    this.#hands = hands
    this.#env = env
    this.#intent = intent
  }

  async run(): Promise<Outcome> {
    try {
      const remarks = await this.#stage()
      // From here on folders are walked to anew: one that was swapped for a symlink since the plan is not entered.
      await this.#hands.folders.forget("")
      const overtaken = await this.#perform(remarks)
      if (overtaken) return await this.#takeBack(overtaken)
      await this.#releaseAsides("")
      await syncFolders(this.#hands, this.#intent.steps)
      await this.#settle()
      return { kind: "written", remarks }
    } catch (error) {
      if (error instanceof Unsettled) throw error.failure
      await this.#takeBack(null, error)
      throw failureFrom(error, "Nothing was changed: what was begun is put back.") ?? error
    }
  }

  async #stage(): Promise<string[]> {
    const late = lateSteps(this.#intent.steps)
    const early = this.#intent.steps.filter(step => !late.has(step))
    const hands = { ...this.#hands, folders: this.#hands.staging ?? this.#hands.folders }
    for (const step of early) await makeFolders(hands, step)
    const remarks: string[] = []
    const single = await stageAll(hands, early, (step, lost) => remarks.push(...lostWords(step, lost)))
    await eachOf(single, width, async step => {
      remarks.push(...lostWords(step, await stage(hands, step)))
    })
    return remarks
  }

  /** Does the steps in order, neighbours that touch only their own file side by side. Stops at the first that was overtaken. */
  async #perform(remarks: string[]): Promise<Found | null> {
    const overtaken: Found[] = []
    const late = new Set([...lateSteps(this.#intent.steps)].map(step => step.path))
    for (const group of groupsOf(this.#intent.steps)) {
      const held: number[] = []
      await eachOf(group, width, async index => {
        if (overtaken.length > 0) return
        const deed = await this.#one(index, late, remarks)
        if (deed.kind === "held") held.push(index)
        if (deed.kind === "overtaken") overtaken.push({ path: this.#step(index).path, state: deed.found })
      })
      for (const index of held) {
        if (overtaken.length > 0) break
        await this.#rewriteInPlace(index)
        const deed = await this.#one(index, late, remarks)
        if (deed.kind === "overtaken") overtaken.push({ path: this.#step(index).path, state: deed.found })
      }
      if (overtaken[0]) return overtaken[0]
    }
    return null
  }

  async #one(index: number, late: ReadonlySet<string>, remarks: string[]): Promise<Deed> {
    const step = this.#step(index)
    this.#begun.add(index)
    if (late.has(step.path)) {
      await makeFolders(this.#hands, step)
      remarks.push(...lostWords(step, await stage(this.#hands, step)))
    }
    const folderGoes = step.before.kind === "folder" && step.after.kind !== "folder"
    if (folderGoes) await this.#releaseAsides(step.path)
    const deed = await perform(this.#hands, step).catch((error: unknown) => this.#explain(step, error))
    // Nothing was done: there is nothing to take back, and what stands there is not ours even where it looks so.
    if (deed.kind !== "done") this.#begun.delete(index)
    if (folderGoes || step.after.kind === "folder") await this.#hands.folders.forget(step.path)
    return deed
  }

  async #explain(step: Step, error: unknown): Promise<never> {
    const { files, root } = this.#hands
    const link = errorCode(error) === "ENOTDIR" ? await symlinkOnTheWay(files, root, parentOf(step.path)) : null
    if (link === null) throw error
    throw new Failure("OUTSIDE_WORKSPACE", `${showPath(link)} became a symlink, which is not followed.`)
  }

  #step(index: number): Step {
    const step = this.#intent.steps[index]
    if (!step) throw new Error(`BUG: no step ${index}`)
    return step
  }

  /** The rename was refused (EBUSY on a bind mount): the journal learns that the file may be found torn, then it is overwritten. */
  async #rewriteInPlace(index: number): Promise<void> {
    const step = this.#step(index)
    if (step.before.kind !== "file" || step.after.kind !== "file") {
      throw new Failure("DENIED", `${showPath(step.path)} is a mount point and cannot be replaced.`)
    }
    const steps = this.#intent.steps.map(other => (other === step ? { ...step, inPlace: true } : other))
    const intent = { ...this.#intent, id: this.#env.newId(), steps }
    await this.#hands.store.commit({ settle: this.#intent.id, begin: intent })
    this.#intent = intent
    await tidy(this.#hands, step)
  }

  /**
   * Removes the old files below `folder` that were verified. At the very end, so that taking back gives the very same files; from a
   * folder that is about to go earlier, after which taking back writes their text anew.
   */
  async #releaseAsides(folder: string): Promise<void> {
    const replaced = this.#intent.steps.filter(step => step.aside !== null && isWithin(step.path, folder))
    await eachOf(replaced, width, step =>
      inFolder(this.#hands, step, async names => {
        try {
          await this.#hands.files.unlink(names.aside)
        } catch (error) {
          if (errorCode(error) !== "ENOENT") throw error
        }
      }).catch((error: unknown) => {
        // The folder itself went, in this very change.
        if (errorCode(error) !== "ENOENT" && errorCode(error) !== "ENOTDIR") throw error
      }),
    )
  }

  async #settle(): Promise<void> {
    const { store } = this.#hands
    const { id, then } = this.#intent
    try {
      await store.commit({ ...then, settle: id })
    } catch (error) {
      // A failed commit may have come through all the same; the store itself knows. If it cannot be asked, nothing is undone,
      // because the facts may be there: the next start finds all files new and settles it either way.
      const open = await store.intents().catch(() => null)
      if (open === null) {
        const outcome = "The files are written; whether that was recorded is found out at the next start."
        throw new Unsettled(failureFrom(error, outcome) ?? new Failure("STORE_FAILED", outcome))
      }
      if (open.some(intent => intent.id === id)) throw error
    }
  }

  async #takeBack(overtaken: Found | null, cause?: unknown): Promise<Outcome> {
    const found = new Map<WorkspacePath, State>(overtaken ? [[overtaken.path, overtaken.state]] : [])
    try {
      await takeBackSteps(this.#hands, this.#intent.steps, this.#begun, found)
      await syncFolders(this.#hands, this.#intent.steps)
      if (overtaken) await this.#keepFound(found)
      await this.#hands.store.commit({ settle: this.#intent.id })
    } catch (error) {
      const outcome = "The change was interrupted and could not be put back; the next start finishes or undoes it."
      throw failureFrom(cause ?? error, outcome) ?? cause ?? error
    }
    return { kind: "overtaken", found: [...found].map(([path, state]) => ({ path, state })) }
  }

  async #keepFound(found: Map<WorkspacePath, State>): Promise<void> {
    for (const path of found.keys()) {
      const there = await lookAt(this.#hands.files, this.#hands.folders, this.#hands.root, path)
      if (there.bytes) await this.#hands.store.putBlobs([{ bytes: there.bytes }])
      found.set(path, there.state)
    }
  }
}

/**
 * Undoes the steps that were begun, last one first, and removes what was staged for the others. Works through the folders that
 * are open: the very ones that were changed, whatever their names lead to now.
 */
async function takeBackSteps(
  hands: Hands,
  steps: readonly Step[],
  begun: ReadonlySet<number>,
  found: Map<WorkspacePath, State>,
): Promise<void> {
  for (const [index, step] of [...steps.entries()].toReversed()) {
    if (begun.has(index)) {
      const foreign = await bring(hands, step, "before")
      if (foreign) found.set(step.path, foreign)
    } else await tidy(hands, step)
    await unmakeFolders(hands, step)
  }
}

/** Places of steps, in order; together in one group where the order among them does not matter. */
function groupsOf(steps: readonly Step[]): number[][] {
  const groups: number[][] = []
  const late = lateSteps(steps)
  let kind = ""
  for (const [index, step] of steps.entries()) {
    const folders = step.before.kind === "folder" || step.after.kind === "folder"
    const next = folders || late.has(step) ? "alone" : kindOf(step)
    const last = groups.at(-1)
    if (last && next === kind && next !== "alone") last.push(index)
    else groups.push([index])
    kind = next
  }
  return groups
}

/** Writes in place, and modes, show at other names of the file, which the steps before them have to find as they were. */
function kindOf(step: Step): string {
  if (step.after.kind === "absent") return "delete"
  return step.inPlace || (step.after.kind === "file" && step.temp === null) ? "in place" : "write"
}

/** Steps below a path that another step decides about: nothing can be staged there before its turn. */
function lateSteps(steps: readonly Step[]): ReadonlySet<Step> {
  const decided = new Set(steps.map(step => step.path))
  return new Set(steps.filter(step => foldersOf(step.path).some(folder => decided.has(folder))))
}

function lostWords(step: Step, lost: readonly string[]): string[] {
  return lost.map(what => `${showPath(step.path)}: ${what} could not be kept.`)
}

/** Carries the one failure after which nothing may be taken back. */
class Unsettled extends Error {
  readonly failure: Failure

  constructor(failure: Failure) {
    super(failure.message)
    this.failure = failure
  }
}
