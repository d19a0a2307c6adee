import { writeFileSync, readFileSync } from "node:fs"
import { pathFromBytes, pathToBytes, type WorkspacePath } from "@galley/core/path.ts"
import { runGit } from "./git-command.ts"

/** Asks git which of the paths (folders with a trailing slash) it ignores; null where it cannot tell. */
export type AskIgnored = (paths: readonly string[]) => Promise<ReadonlySet<string> | null>

/** Asks by the rules on the disk. A folder in which git tracks files is not ignored. For few paths: each costs a look at all of the index. */
export function askOnDisk(root: string): AskIgnored {
  return async paths => await askWith(root, ["check-ignore", "--stdin", "-z"], paths)
}

/** Asks what the rules on the disk say, whatever git tracks; see {@link trackedIn}. */
export function askRules(root: string): AskIgnored {
  return async paths => await askWith(root, ["check-ignore", "--no-index", "--stdin", "-z"], paths)
}

async function askWith(
  root: string,
  args: readonly string[],
  paths: readonly string[],
): Promise<ReadonlySet<string> | null> {
  if (paths.length === 0) return new Set()
  const run = await runGit(root, args, { stdin: nulText(paths) })
  return run.exitCode === 0 || run.exitCode === 1 ? namesOf(run.stdout) : null
}

/** Asks what the rules say as the command left them (it may have written `.gitignore` itself), whatever git tracks. */
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

/** Which files git tracks of those paths or in those folders, which its rules ignore: they are ordinary changes. */
export async function trackedIn(root: string, paths: readonly WorkspacePath[]): Promise<ReadonlySet<WorkspacePath>> {
  if (paths.length === 0) return new Set()
  // Git compares every path with every entry, so that many paths cost more than the whole list.
  const few = paths.length <= 20 && paths.every(path => path.isWellFormed())
  const run = await runGit(root, ["--literal-pathspecs", "ls-files", "-z", "--", ...(few ? paths : [])])
  return namesOf(run.stdout)
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
