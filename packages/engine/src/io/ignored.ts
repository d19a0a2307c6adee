import { writeFileSync, readFileSync } from "node:fs"
import { pathFromBytes, pathToBytes, type WorkspacePath } from "@galley/core/path.ts"
import { runGit } from "./git-command.ts"

/** Asks git which of the paths (folders with a trailing slash) it ignores; null where it cannot tell. */
export type AskIgnored = (paths: readonly string[]) => Promise<ReadonlySet<string> | null>

/** Asks by the rules on the disk. */
export function askOnDisk(root: string): AskIgnored {
  return async paths => {
    if (paths.length === 0) return new Set()
    const run = await runGit(root, ["check-ignore", "--stdin", "-z"], { stdin: nulText(paths) })
    return run.exitCode === 0 || run.exitCode === 1 ? namesOf(run.stdout) : null
  }
}

/** Asks by the rules as the command left them: it may have written `.gitignore` itself. */
export function askInView(run: string, check: () => Promise<number>): AskIgnored {
  return async paths => {
    if (paths.length === 0) return new Set()
    writeFileSync(`${run}/io/ask`, nulText(paths))
    const code = await check()
    return code === 0 || code === 1 ? namesOf(readFileSync(`${run}/io/answer`)) : null
  }
}

/** The outermost of the folders that are ignored, or that hold dependencies by their name where git cannot be asked. */
export function outermostIgnored(
  folders: readonly WorkspacePath[],
  ignored: ReadonlySet<string> | null,
  dependencyFolders: readonly string[],
): ReadonlySet<WorkspacePath> {
  const found = new Set<WorkspacePath>()
  for (const folder of [...folders].sort()) {
    if (folderOf(folder, found) !== null) continue
    const name = folder.slice(folder.lastIndexOf("/") + 1)
    if (ignored === null ? dependencyFolders.includes(name) : ignored.has(`./${folder}/`)) found.add(folder)
  }
  return found
}

/** The one of `folders` that a path is in, or is. */
export function folderOf(path: WorkspacePath, folders: ReadonlySet<WorkspacePath>): WorkspacePath | null {
  if (folders.size === 0) return null
  for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1)) {
    const folder = path.slice(0, end)
    if (folders.has(folder)) return folder
  }
  return null
}

/** Files that git tracks although their folder is ignored: they are ordinary changes. */
export async function trackedIn(root: string, folders: readonly WorkspacePath[]): Promise<ReadonlySet<WorkspacePath>> {
  if (folders.length === 0) return new Set()
  const tracked = new Set<WorkspacePath>()
  // `ls-files` reads no pathspec file (git 2.39), so folders are given in portions; a name that is not UTF-8 cannot be given.
  const sayable = folders.filter(folder => folder.isWellFormed())
  for (let at = 0; at < sayable.length; at += 500) {
    const args = ["--literal-pathspecs", "ls-files", "-z", "--", ...sayable.slice(at, at + 500)]
    for (const name of namesOf((await runGit(root, args)).stdout)) tracked.add(name)
  }
  return tracked
}

function nulText(paths: readonly string[]): Uint8Array {
  return pathToBytes(paths.map(path => `${path}\0`).join(""))
}

function namesOf(output: Buffer): ReadonlySet<string> {
  const names = new Set<string>()
  let start = 0
  for (let end = output.indexOf(0); end >= 0; end = output.indexOf(0, start)) {
    names.add(pathFromBytes(output.subarray(start, end)))
    start = end + 1
  }
  return names
}
