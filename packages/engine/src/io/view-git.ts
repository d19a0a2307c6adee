import { cpSync, lstatSync, readdirSync, rmSync } from "node:fs"
import { findGitFolder, type RefMove, readRefs, type Refs, refMoves } from "./git-folder.ts"
import { runGit } from "./git-command.ts"
import { isIgnoredWhole } from "./look-git.ts"
import { native, statOf } from "./seen.ts"
import { isWhiteout } from "./upper.ts"

export type GitPolicy = "through" | "dropped"

/** The repositories a command will meet at the workspace's root and at its working directory. */
export interface GitPlan {
  readonly policy: GitPolicy
  /** Absolute git directories, each once, outermost first. */
  readonly folders: readonly string[]
  /** The root's own repository and where its refs stood. */
  readonly main: { readonly gitDir: string; readonly commonDir: string; readonly refs: Refs } | null
  /** Whether git's ignore rules say something about the workspace: it is in a repository and not ignored whole. */
  readonly hasRules: boolean
}

export async function gitPlan(root: string, cwd: string, policy: GitPolicy): Promise<GitPlan> {
  const found = [await findGitFolder(root), cwd === root ? null : await findGitFolder(cwd)]
  const folders = new Set(found.flatMap(folder => (folder === null ? [] : [folder.commonDir, folder.gitDir])))
  const outermost = [...folders].filter(path => ![...folders].some(other => path.startsWith(`${other}/`)))
  const own = found[0] ?? null
  const main = own === null ? null : { gitDir: own.gitDir, commonDir: own.commonDir, refs: await readRefs(own) }
  const hasRules = own !== null && !(await isIgnoredWhole(own, root))
  return { policy, folders: outermost.sort(), main, hasRules }
}

/** What a command did to the root's repository: as `inside` (a prefix for paths) shows it. */
export async function gitMoves(plan: GitPlan, inside: string): Promise<readonly RefMove[]> {
  if (plan.main === null) return []
  const { gitDir, commonDir, refs } = plan.main
  const prefix = plan.policy === "through" ? "" : inside
  return refMoves(refs, await readRefs({ gitDir: prefix + gitDir, commonDir: prefix + commonDir }))
}

/** Whether index entries differ between the real repository and the view's; a refreshed stat cache is no difference. */
export async function indexMoved(plan: GitPlan, upperGitDir: string): Promise<boolean> {
  if (plan.main === null || statOf(`${upperGitDir}/index`) === null) return false
  const entries = async (index: string): Promise<string> => {
    const env = { GIT_INDEX_FILE: index, GIT_DIR: plan.main?.gitDir ?? "" }
    const run = await runGit("/", ["ls-files", "-s", "-z", "--full-name"], { env })
    return run.exitCode === 0 ? run.stdout.toString("latin1") : `unreadable ${index}`
  }
  return (await entries(`${plan.main.gitDir}/index`)) !== (await entries(`${upperGitDir}/index`))
}

/**
 * Carries what a command did to a git directory that was not bound through (it made it, or we did not know of it) to the real
 * one: all files first, then the refs, then HEAD and index, then removals, so that nothing names what is not there yet.
 */
export function carryGitFolder(upper: string, real: string): void {
  const stat = statOf(upper)
  if (stat === null) return
  if (!stat.isDirectory()) {
    cpSync(upper, real, copying)
    return
  }
  const names = readdirSync(native(upper)).filter(name => name !== "refs" && name !== "HEAD" && name !== "index")
  for (const name of [...names, "refs", "HEAD", "index"]) carry(`${upper}/${name}`, `${real}/${name}`)
}

function carry(upper: string, real: string): void {
  const stat = statOf(upper)
  if (stat === null) return
  if (isWhiteout(stat)) {
    rmSync(native(real), { recursive: true, force: true })
    return
  }
  if (stat.isDirectory() && statOf(real)?.isDirectory() === true) {
    for (const name of readdirSync(native(upper))) carry(`${upper}/${name}`, `${real}/${name}`)
    return
  }
  cpSync(upper, real, { ...copying, filter: from => !isWhiteout(lstatSync(from, { bigint: true })) })
}

const copying = { recursive: true, preserveTimestamps: true, verbatimSymlinks: true, force: true } as const
