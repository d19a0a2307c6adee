import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs"
import { basename, dirname } from "node:path"
import type { WorkspacePath } from "@galley/core/path.ts"
import { native, seenAt } from "./seen.ts"
import type { GitPlan } from "./view-git.ts"
import { type MountStep, mountsBelow, mountsToClose, readMounts } from "./view-mounts.ts"

/** What `planMounts` needs of a request. */
export interface PlannedView {
  readonly root: string
  readonly mask: readonly string[]
  readonly passThrough: readonly WorkspacePath[]
  readonly caches: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly below?: string
}

export interface MountPlan {
  readonly steps: readonly MountStep[]
  /** Mounts to be made read-only afterwards. */
  readonly closing: readonly string[]
  /** Folders and files in the workspace that are the real ones. */
  readonly bound: ReadonlySet<WorkspacePath>
  /** Upper folder of a git directory outside the workspace, by its path. */
  readonly outerGit: ReadonlyMap<string, string>
  readonly endsWithUs: boolean
}

/**
 * Why an overlay cannot stand for a workspace, so that a private copy must; null where it can. Mounts inside the workspace: in a user
 * namespace they are locked to their place, and the kernel refuses to show what is below them (EINVAL, tried on 6.18).
 */
export function copyReason(root: string, owners: "own" | "foreign"): string | null {
  if (owners === "foreign") return "files of other owners or groups stand in the workspace"
  return mountsBelow(readMounts(), root).length > 0 ? "something is mounted inside the workspace" : null
}

/**
 * Plans the mounts of a view and makes the folders they need. The order is what makes it work: everything is first taken hold of
 * below the run folder, then /tmp is covered, then the root and what lies on it is laid over, then the store is masked.
 */
export function planMounts(run: string, view: PlannedView, git: GitPlan, isCopy: boolean): MountPlan {
  const mounts = readMounts()
  const { root } = view
  const inTmp = (path: string): boolean => isIn(path, "/tmp") || isIn(path, "/var/tmp") || isIn(path, "/dev/shm")
  const staged: MountStep[] = [bind(`${run}/io`, `${run}/io`, "bind"), bind(root, `${run}/root`, "rbind")]
  const laid: MountStep[] = []
  const bound = new Set<WorkspacePath>()
  const outerGit = new Map<string, string>()

  const below = !isCopy && view.below !== undefined && existsSync(view.below)
  if (below) {
    mkdirSync(`${run}/below`)
    staged.push(bind(view.below, `${run}/below`, "bind"))
  }
  laid.push(isCopy ? bind("./upper", root, "bind") : overlay(root, below ? "below:root" : "root", "upper", "work"))
  for (const inside of view.passThrough) {
    if (seenAt(`${root}/${inside}`).kind !== "folder") continue
    laid.push(bind(`./root/${inside}`, `${root}/${inside}`, "bind"))
    bound.add(inside)
  }
  for (const [index, path] of git.folders.entries()) {
    const inside = isIn(path, root) ? path.slice(root.length + 1) : null
    if (inside !== null) {
      if (git.policy === "dropped") continue
      laid.push(bind(`./root/${inside}`, path, "bind"))
      bound.add(inside)
      continue
    }
    for (const part of ["git", "git-upper", "git-work"]) mkdirSync(`${run}/${part}-${index}`)
    staged.push(bind(path, `${run}/git-${index}`, "bind"))
    if (git.policy === "through") laid.push(bind(`./git-${index}`, path, "bind"))
    else {
      laid.push(overlay(path, `git-${index}`, `git-upper-${index}`, `git-work-${index}`))
      outerGit.set(path, `${run}/git-upper-${index}`)
    }
    if (inTmp(path)) makeInTmp(run, path)
  }
  for (const [index, path] of view.caches.entries()) {
    if (isIn(path, root) || !makeCache(path)) continue
    mkdirSync(`${run}/cache-${index}`)
    staged.push(bind(path, `${run}/cache-${index}`, "bind"))
    laid.push(bind(`./cache-${index}`, path, "bind"))
    if (inTmp(path)) makeInTmp(run, path)
  }
  if (inTmp(root)) makeInTmp(run, root)
  for (const [index, folder] of programFolders(view.env, root, inTmp).entries()) {
    mkdirSync(`${run}/program-${index}`)
    staged.push(bind(folder, `${run}/program-${index}`, "bind"))
    laid.push(bind(`./program-${index}`, folder, "bind,ro"))
    makeInTmp(run, folder)
  }
  // ssh-agent puts its socket into /tmp, and git push needs it; gpg-agent's is below /run, which is not covered.
  const agent = view.env["SSH_AUTH_SOCK"]
  if (agent !== undefined && inTmp(agent) && !isIn(agent, root) && seenAt(agent).kind === "other") {
    writeFileSync(`${run}/agent`, "")
    staged.push(bind(agent, `${run}/agent`, "bind"))
    laid.push(bind("./agent", agent, "bind"))
    writeFileSync(`${makeInTmp(run, dirname(agent))}/${basename(agent)}`, "")
  }
  const covered = [
    bind("./tmp", "/tmp", "bind"),
    bind("./var-tmp", "/var/tmp", "bind"),
    { source: "galley", target: "/dev/shm", type: "tmpfs", options: "mode=1777" },
  ].filter(step => existsSync(step.target) && !isIn(step.target, root))
  const masks = view.mask
    .filter(path => existsSync(path) && !inTmp(path) && !isIn(root, path))
    .map(path => bind("./empty", path, "bind,ro"))
  const hidden = [root, ...view.mask, ...covered.map(step => step.target)]
  return {
    steps: [...staged, ...covered, ...laid, ...masks],
    closing: mountsToClose(mounts, hidden),
    bound,
    outerGit,
    endsWithUs: hasSetpriv(),
  }
}

/** setpriv is part of util-linux since 2.23; minimal systems leave it out. */
export function hasSetpriv(): boolean {
  return ["/usr/bin/setpriv", "/bin/setpriv", "/usr/local/bin/setpriv"].some(path => existsSync(path))
}

function bind(source: string, target: string, options: string): MountStep {
  return { source, target, type: "none", options }
}

/**
 * The source's name is ours too: `mount -a` skips what it takes for mounted, such as a workspace that is "overlay" already.
 * Names in the options are ours and plain: a path with a comma or colon never gets there. `volatile` (Linux 5.10; `userxattr` needs
 * 5.11): without it the end of every view waits until the whole disk under the upper folder is synced. What is in the upper
 * is not kept over a crash anyway.
 */
function overlay(target: string, lower: string, upper: string, work: string): MountStep {
  return {
    source: "galley",
    target,
    type: "overlay",
    options: `lowerdir=${lower},upperdir=${upper},workdir=${work},userxattr,volatile`,
  }
}

function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`)
}

/** A place to mount on in the private /tmp or /var/tmp. */
function makeInTmp(run: string, path: string): string {
  const isVar = isIn(path, "/var/tmp")
  const place = `${run}/${isVar ? "var-tmp" : "tmp"}${path.slice((isVar ? "/var/tmp" : "/tmp").length)}`
  mkdirSync(native(place), { recursive: true })
  return place
}

/**
 * Folders below /tmp in which commands find programs: those of PATH and that of the Node which runs us. They stay reachable, read-only,
 * although /tmp is the command's own. Outer ones first, so that an inner one is laid over it.
 */
function programFolders(
  env: Readonly<Record<string, string>>,
  root: string,
  inTmp: (path: string) => boolean,
): string[] {
  const onPath = (env["PATH"] ?? "").split(":").filter(folder => folder.startsWith("/"))
  const folders = new Set([...onPath, dirname(process.execPath)].map(folder => folder.replace(/\/+$/, "")))
  return [...folders]
    .filter(folder => inTmp(folder) && !isIn(folder, root) && !isIn(root, folder) && seenAt(folder).kind === "folder")
    .sort((a, b) => a.length - b.length)
}

function makeCache(path: string): boolean {
  try {
    mkdirSync(path, { recursive: true })
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
