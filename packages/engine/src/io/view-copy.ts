import { spawn } from "node:child_process"
import { setImmediate } from "node:timers/promises"
import type { BigIntStats } from "node:fs"
import { pathFromBytes, type WorkspacePath } from "@galley/core/path.ts"
import { joined, namesIn, statOf } from "./seen.ts"
import { reachableStat, type Touched, type Upper } from "./upper.ts"
import type { LinkedFiles } from "./view-links.ts"

/** A private copy of the workspace as it stood when the command began. */
export interface CopyStart extends LinkedFiles {
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
  return {
    keys,
    remarks,
    inodeAtStart: path => inodeIn(keys.get(path)),
    // What is untouched is not found by `walkCopy` in the first place.
    isUntouched: () => false,
  }
}

/** What differs from the copy as it stood at the start. */
export function walkCopy(from: Upper, start: CopyStart): Touched {
  const present: WorkspacePath[] = []
  const folders: WorkspacePath[] = []
  const gitPresent = new Set<WorkspacePath>()
  const gitGone = new Set<WorkspacePath>()
  const gone: WorkspacePath[] = []
  const there = new Set<WorkspacePath>()
  const tooDeep: WorkspacePath[] = []
  for (const [path, stat] of everything(from.upper, tooDeep)) {
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
  return { present, folders: folders.sort(), gone, gitPresent: [...gitPresent], gitGone: [...gitGone], tooDeep }
}

/** What one walk over a workspace finds that views must know. */
export interface Survey {
  readonly owners: "own" | "foreign"
  /** Files with several names (hard links), as many as were found before {@link mostLinked}. */
  readonly linked: readonly WorkspacePath[]
}

/**
 * Whether files of another owner or group than this process's stand in a workspace, and which files have several names; git directories
 * aside, and for names also dependency folders (pnpm links all of theirs). Reads all names.
 */
export async function surveyWorkspace(root: string, dependencyFolders: readonly string[]): Promise<Survey> {
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0]
  const apart = dependencyFolders.flatMap(name => ["!", "-path", `*/${name}/*`])
  const args = [root, "-xdev", "-name", ".git", "-prune", "-o", "("]
    .concat("!", "-uid", String(uid), "-o", "!", "-gid", String(gid), "-o")
    .concat("-type", "f", "-links", "+1", apart, ")", "-print0")
  return await new Promise(resolve => {
    const child = spawn("find", args, { stdio: ["ignore", "pipe", "ignore"] })
    const linked: WorkspacePath[] = []
    let rest = Buffer.alloc(0)
    const end = (owners: Survey["owners"]): void => resolve({ owners, linked })
    child.stdout.on("data", (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk])
      for (let at = rest.indexOf(0); at >= 0; at = rest.indexOf(0)) {
        const path = pathFromBytes(rest.subarray(0, at))
        rest = rest.subarray(at + 1)
        const stat = statOf(path)
        if (stat !== null && (Number(stat.uid) !== uid || Number(stat.gid) !== gid)) {
          end("foreign")
          child.kill("SIGKILL")
          return
        }
        if (stat?.isFile() === true && linked.length < mostLinked) linked.push(path.slice(root.length + 1))
      }
    })
    child.on("error", () => end("own"))
    child.on("close", () => end("own"))
  })
}

const mostLinked = 2000

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

function* everything(root: string, tooDeep: WorkspacePath[] = []): Generator<readonly [WorkspacePath, BigIntStats]> {
  const queue: WorkspacePath[] = [""]
  for (let folder = queue.pop(); folder !== undefined; folder = queue.pop())
    for (const name of namesIn(`${root}/${folder}`)) {
      const path = joined(folder, name)
      const stat = reachableStat(root, path)
      if (stat === "tooDeep") tooDeep.push(path)
      if (stat === null || stat === "tooDeep") continue
      if (stat.isDirectory()) queue.push(path)
      yield [path, stat]
    }
}

/** ctime is in the key: a same-size write with a restored mtime moves it. A folder counts by its mode alone. */
function keyOf(stat: BigIntStats): string {
  return stat.isDirectory() ? `d${stat.mode}` : `${stat.mode} ${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`
}

function inodeIn(key: string | undefined): bigint | null {
  const inode = key?.split(" ")[1]
  return inode === undefined ? null : BigInt(inode)
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
