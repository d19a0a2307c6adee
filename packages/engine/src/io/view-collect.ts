import { setImmediate } from "node:timers/promises"
import { showPath, type WorkspacePath } from "@galley/core/path.ts"
import type { RefMove } from "./git-folder.ts"
import { type AskIgnored, askInView, askRules, folderOf, outermostIgnored, trackedIn } from "./ignored.ts"
import { type FolderRename, folderRenames, pairRenames } from "./renames.ts"
import type { ByProduct, DiskChange } from "./seen.ts"
import {
  byProductOf,
  changeOf,
  goneChanges,
  namesByFolder,
  replacedChanges,
  type Touched,
  type Upper,
  walkUpper,
} from "./upper.ts"
import { type CopyStart, walkCopy } from "./view-copy.ts"
import type { LayerEntry } from "./view-folder.ts"
import { carryGitFolder, type GitPlan, gitMoves, indexMoved } from "./view-git.ts"
import { type LinkedFiles, linkRemarks, withLinks } from "./view-links.ts"
import type { MountPlan } from "./view-plan.ts"
import type { EndedView } from "./view-process.ts"

export interface CollectedView {
  readonly changes: readonly DiskChange[]
  readonly folderRenames: readonly FolderRename[]
  readonly byProducts: readonly ByProduct[]
  readonly refsMoved: readonly RefMove[]
  readonly remarks: readonly string[]
}

interface Ended {
  readonly run: string
  readonly request: {
    readonly root: string
    readonly pending: readonly LayerEntry[]
    readonly dependencyFolders: readonly string[]
  }
  readonly git: GitPlan
  readonly plan: MountPlan
  /** Where the command worked on a private copy: how it looked at the start. */
  readonly copy: CopyStart | null
  readonly links: LinkedFiles
  readonly view: EndedView
  readonly startedNs: bigint
}

/** Reads what a command changed, while its view still stands. */
export async function collectView(ended: Ended): Promise<CollectedView> {
  const { run, request, git, plan, view } = ended
  const pending = new Map(request.pending.map(entry => [entry.path, entry.state]))
  const main: Upper = {
    upper: `${run}/upper`,
    root: request.root,
    merged: view.inside + request.root,
    pending,
    pendingNames: namesByFolder(pending),
    skipped: plan.bound,
    startedNs: ended.startedNs,
  }
  const part = await collectUpper(
    main,
    ended,
    askInView(run, async () => await view.checkIgnored()),
  )
  const known = { root: main.root, upper: main.upper, pending: new Set(pending.keys()) }
  const changes = await pairRenames(withLinks(part.changes, known, ended.links))
  const refsMoved = await gitMoves(git, view.inside)
  const remarks = [...(ended.copy?.remarks ?? []), ...part.remarks, ...linkRemarks(changes)]
  if (git.policy === "dropped" && git.main !== null) {
    const upperGit = plan.outerGit.get(git.main.gitDir) ?? `${run}/upper${git.main.gitDir.slice(request.root.length)}`
    if (refsMoved.length > 0 || (await indexMoved(git, upperGit))) remarks.push("git state not kept: accept first")
  }
  return {
    changes: [...changes].sort((a, b) => (a.path < b.path ? -1 : 1)),
    folderRenames: folderRenames(changes),
    byProducts: part.byProducts,
    refsMoved,
    remarks,
  }
}

type Part = Pick<CollectedView, "changes" | "byProducts" | "remarks">

/** Touched paths, what git ignores of them, and the changes with contents compared. */
async function collectUpper(upper: Upper, ended: Ended, ask: AskIgnored): Promise<Part> {
  const walked = ended.copy === null ? await walkUpper(upper) : walkCopy(upper, ended.copy)
  const touched = { ...walked, present: walked.present.filter(path => !ended.links.isUntouched(path)) }
  const remarks = handleGit(upper, touched, ended.git)
  if (touched.present.length + touched.gone.length === 0) return { changes: [], byProducts: [], remarks }
  const inside = (path: WorkspacePath): string => `./${path}`
  const folders = touched.folders.map(path => `${inside(path)}/`)
  const [ignoredThere, ignoredGone] = !ended.git.hasRules
    ? [null, null]
    : [
        await ask([...folders, ...touched.present.map(inside)]),
        await askRules(ended.request.root)(touched.gone.flatMap(path => [inside(path), `${inside(path)}/`])),
      ]
  const known = ignoredThere === null && ignoredGone === null ? null : [...(ignoredThere ?? []), ...(ignoredGone ?? [])]
  const ignored = known === null ? null : new Set(known)
  const tops = outermostIgnored([...touched.folders, ...touched.gone], ignored, ended.request.dependencyFolders)
  const singles = touched.present.filter(path => ignored?.has(`./${path}`) === true && folderOf(path, tops) === null)
  const tracked = ended.git.hasRules ? await trackedIn(upper.root, [...tops, ...singles]) : new Set<string>()
  const isIgnored = (path: WorkspacePath): boolean => ignored?.has(`./${path}`) === true && !tracked.has(path)
  const changes: DiskChange[] = []
  const aside = new Map<WorkspacePath, { present: WorkspacePath[]; gone: WorkspacePath[] }>()
  const scattered = crowdedFolders(singles.filter(isIgnored))
  const sort = (path: WorkspacePath, kind: "present" | "gone"): boolean => {
    const top = tracked.has(path)
      ? null
      : (folderOf(path, tops) ?? (isIgnored(path) ? folderOf(path, scattered) : null))
    if (top === null) return false
    const group = aside.get(top) ?? { present: [], gone: [] }
    group[kind].push(path)
    aside.set(top, group)
    return true
  }
  for (const [index, path] of touched.present.entries()) {
    if (index % 200 === 199) await setImmediate()
    if (sort(path, "present")) continue
    const change = changeOf(upper, path, isIgnored(path))
    if (change !== null) changes.push(change, ...replacedChanges(upper, change))
  }
  for (const path of touched.gone) {
    // The command never saw it.
    if (upper.pending.get(path)?.kind === "absent") continue
    const onGit = (at: WorkspacePath): void => void remarks.push(gitGoneRemark(at))
    const expands = folderOf(path, tops) !== null && [...tracked].some(each => each.startsWith(`${path}/`))
    if (!expands && sort(path, "gone")) continue
    for (const change of goneChanges(upper, path, isIgnored(path), onGit))
      if (!expands) changes.push(change)
      else if (!sort(change.path, "gone")) changes.push({ ...change, ignored: false })
  }
  const products = [...aside].map(([folder, group]) => byProductOf(upper, folder, group.present, group.gone))
  return { changes, byProducts: products, remarks }
}

/**
 * Top folders that hold many ignored files although they are not ignored themselves (git does not call a folder ignored in which
 * it tracks a file): those files are one line too.
 */
function crowdedFolders(paths: readonly WorkspacePath[]): ReadonlySet<WorkspacePath> {
  const counts = new Map<WorkspacePath, number>()
  for (const path of paths) {
    const top = path.includes("/") ? path.slice(0, path.indexOf("/")) : null
    if (top !== null) counts.set(top, (counts.get(top) ?? 0) + 1)
  }
  return new Set([...counts].filter(([, count]) => count > crowd).map(([folder]) => folder))
}

const crowd = 50

/** Git directories are never items: bound ones were not in the upper at all, the rest is carried to the disk or dropped. */
function handleGit(upper: Upper, touched: Touched, git: GitPlan): string[] {
  const remarks = touched.gitGone.map(gitGoneRemark)
  const [deep] = touched.tooDeep
  if (deep !== undefined) remarks.push(`not kept, as it stands too deep for a path: ${showPath(deep).slice(0, 60)}…`)
  if (git.policy === "through")
    for (const path of touched.gitPresent) carryGitFolder(`${upper.upper}/${path}`, `${upper.root}/${path}`)
  else {
    const others = touched.gitPresent.filter(path => path !== ".git" || git.main === null)
    for (const path of others) remarks.push(`git state not kept in ${showPath(path)}: accept first`)
  }
  return remarks
}

function gitGoneRemark(path: WorkspacePath): string {
  return `the git directory ${showPath(path)} is still there: it is removed only by hand`
}
