import { spawn } from "node:child_process"
import { setImmediate } from "node:timers/promises"
import type { BigIntStats } from "node:fs"
import type { WorkspacePath } from "@galley/core/path.ts"
import { joined, namesIn, statOf } from "./seen.ts"
import type { Touched, Upper } from "./upper.ts"

/** A private copy of the workspace as it stood when the command began. */
export interface CopyStart {
  readonly keys: ReadonlyMap<WorkspacePath, string>
  readonly remarks: readonly string[]
}

/**
 * Copies a workspace that no overlay can stand for (see `copyReason`): files of other owners, which it could not write (EOVERFLOW),
 * or mounts inside. All copies belong to this process. The cost grows with the workspace, and is said.
 */
export async function copyWorkspace(root: string, to: string, why: string): Promise<CopyStart> {
  const said = await copied(root, to)
  const keys = new Map<WorkspacePath, string>()
  let seen = 0
  for (const [path, stat] of everything(to)) {
    if (++seen % 500 === 0) await setImmediate()
    keys.set(path, keyOf(stat))
  }
  const remarks = [`ran over a private copy: ${why}`]
  if (said > 0) remarks.push(`${said} files could not be read and were not there for the command`)
  return { keys, remarks }
}

/** What differs from the copy as it stood at the start. */
export function walkCopy(from: Upper, start: CopyStart): Touched {
  const present: WorkspacePath[] = []
  const folders: WorkspacePath[] = []
  const gitPresent = new Set<WorkspacePath>()
  const gitGone = new Set<WorkspacePath>()
  const gone: WorkspacePath[] = []
  const there = new Set<WorkspacePath>()
  for (const [path, stat] of everything(from.upper)) {
    there.add(path)
    const differs = start.keys.get(path) !== keyOf(stat)
    const git = gitFolderOf(path)
    if (git !== null) {
      if (differs && !from.skipped.has(git)) gitPresent.add(git)
    } else if (stat.isDirectory()) {
      if (differs) folders.push(path)
      if (differs && (start.keys.has(path) || namesIn(`${from.upper}/${path}`).length === 0)) present.push(path)
    } else if (differs) present.push(path)
  }
  for (const path of start.keys.keys()) {
    if (there.has(path)) continue
    const git = gitFolderOf(path)
    if (git !== null) {
      if (!there.has(git)) gitGone.add(git)
    } else if (!hasGoneParent(path, start, there)) gone.push(path)
  }
  return { present, folders: folders.sort(), gone, gitPresent: [...gitPresent], gitGone: [...gitGone] }
}

/** Whether files of another owner or group than this process's stand in a folder (git directories aside). Reads all names. */
export async function surveyOwners(root: string): Promise<"own" | "foreign"> {
  const foreign = [
    "(",
    "!",
    "-uid",
    String(process.getuid?.() ?? 0),
    "-o",
    "!",
    "-gid",
    String(process.getgid?.() ?? 0),
    ")",
  ]
  const args = [root, "-xdev", "-name", ".git", "-prune", "-o", ...foreign, "-print"]
  return await new Promise(resolve => {
    const child = spawn("find", args, { stdio: ["ignore", "pipe", "ignore"] })
    child.stdout.once("data", () => {
      resolve("foreign")
      child.kill("SIGKILL")
    })
    child.on("error", () => resolve("own"))
    child.on("close", () => resolve("own"))
  })
}

/** Copies a tree over another. */
export async function copyOver(from: string, to: string): Promise<void> {
  await copied(from, to)
}

/** Files `cp` could not read. */
async function copied(root: string, to: string): Promise<number> {
  const args = ["-a", "--no-preserve=ownership", "--reflink=auto", "--", `${root}/.`, to]
  return await new Promise(resolve => {
    const child = spawn("cp", args, { stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, LC_ALL: "C" } })
    let lines = 0
    child.stderr.setEncoding("latin1").on("data", (text: string) => {
      lines += text.split("\n").length - 1
    })
    child.on("error", () => resolve(1))
    child.on("close", () => resolve(lines))
  })
}

function* everything(root: string): Generator<readonly [WorkspacePath, BigIntStats]> {
  const queue: WorkspacePath[] = [""]
  for (let folder = queue.pop(); folder !== undefined; folder = queue.pop())
    for (const name of namesIn(`${root}/${folder}`)) {
      const path = joined(folder, name)
      const stat = statOf(`${root}/${path}`)
      if (stat === null) continue
      if (stat.isDirectory()) queue.push(path)
      yield [path, stat]
    }
}

/** ctime is in the key: a same-size write with a restored mtime moves it. A folder counts by its mode alone. */
function keyOf(stat: BigIntStats): string {
  return stat.isDirectory() ? `d${stat.mode}` : `${stat.mode} ${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`
}

function gitFolderOf(path: WorkspacePath): WorkspacePath | null {
  const found = /^(?:.*?\/)?\.git(?=\/|$)/.exec(path)
  return found === null ? null : found[0]
}

function hasGoneParent(path: WorkspacePath, start: CopyStart, there: ReadonlySet<WorkspacePath>): boolean {
  const slash = path.lastIndexOf("/")
  if (slash < 0) return false
  const parent = path.slice(0, slash)
  return start.keys.has(parent) && !there.has(parent)
}
