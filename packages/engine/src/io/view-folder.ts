import { spawnSync } from "node:child_process"
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { parentOf, pathToBytes, type WorkspacePath } from "@galley/core/path.ts"
import { native, seenAt, statOf } from "./seen.ts"

/** What the command should find at a path instead of what the disk has: pending text, pending deletes. */
export interface LayerEntry {
  readonly path: WorkspacePath
  readonly state:
    | { readonly kind: "absent" }
    | { readonly kind: "file"; readonly mode: number; readonly bytes: Uint8Array; readonly mtimeMs?: number }
    | { readonly kind: "symlink"; readonly target: string }
    | { readonly kind: "folder"; readonly mode: number }
    /** A file of the tree kept aside (`aside.ts`), at an absolute path. */
    | { readonly kind: "kept"; readonly mode: number; readonly size: number; readonly at: string }
  /** It stands in the tree kept aside, which the view shows anyway. */
  readonly isBelow?: boolean
}

/** Makes a folder of its own for one run. Its name tells which process owns it, so that leftovers of a dead one are known. */
export function makeRunFolder(scratch: string, name: string): string {
  mkdirSync(scratch, { recursive: true, mode: 0o700 })
  const run = join(scratch, `run-${process.pid}-${processStart(process.pid) ?? "0"}-${name}`)
  mkdirSync(run, { mode: 0o700 })
  for (const part of ["upper", "work", "root", "empty", "tmp", "var-tmp", "io"])
    mkdirSync(join(run, part), { mode: 0o755 })
  for (const part of ["tmp", "var-tmp"]) chmodSync(join(run, part), 0o1777)
  return run
}

/** Removes what runs of processes that are gone left behind. A crash leaves folders only; mounts died with their namespace. */
export function sweepRunFolders(scratch: string): readonly string[] {
  const swept: string[] = []
  for (const name of readNames(scratch)) {
    const [, pid, start] = /^run-(\d+)-(\d+)-/.exec(name) ?? []
    if (pid === undefined || processStart(Number(pid)) === start) continue
    removeTree(join(scratch, name))
    swept.push(name)
  }
  return swept
}

/** Writes pending states into an upper folder, before it is mounted. Deletes are given to the script instead. */
export function writeLayer(upper: string, root: string, entries: readonly LayerEntry[]): void {
  for (const { path, state } of entries.filter(entry => entry.isBelow !== true).sort(byPath)) {
    if (state.kind === "absent" || state.kind === "kept") continue
    makeParents(upper, root, parentOf(path))
    const target = native(`${upper}/${path}`)
    // A private copy already has something there; an upper folder is empty.
    if (state.kind !== "folder" || statOf(`${upper}/${path}`)?.isDirectory() === false) removeTree(`${upper}/${path}`)
    switch (state.kind) {
      case "file":
        writeFileSync(target, state.bytes, { mode: 0o600 })
        chmodSync(target, state.mode)
        if (state.mtimeMs !== undefined) utimesSync(target, state.mtimeMs / 1000, state.mtimeMs / 1000)
        break
      case "symlink":
        symlinkSync(native(state.target), target)
        break
      case "folder":
        mkdirSync(target, { recursive: true })
        chmodSync(target, state.mode)
        break
    }
  }
}

function byPath(a: LayerEntry, b: LayerEntry): number {
  return a.path < b.path ? -1 : 1
}

/** Pending deletes, each `./path` and a NUL, for xargs. */
export function absentList(entries: readonly LayerEntry[]): Uint8Array {
  const present = new Set<string>()
  for (const { path, state } of entries)
    for (let at = path; state.kind !== "absent" && at !== ""; at = parentOf(at)) present.add(at)
  const gone = entries.filter(entry => entry.state.kind === "absent" && !present.has(entry.path))
  return nulList(gone.map(entry => entry.path))
}

export function nulList(paths: readonly string[]): Uint8Array {
  return pathToBytes(paths.map(path => (path.startsWith("/") ? `${path}\0` : `./${path}\0`)).join(""))
}

/** Removes a tree although overlayfs (`work/work`, mode 000) or a command (mode 555) closed folders in it. */
export function removeTree(path: string): void {
  try {
    rmSync(native(path), { recursive: true, force: true })
  } catch {
    openAndRemove(path)
  }
}

function openAndRemove(path: string): void {
  try {
    openFolders(Buffer.from(pathToBytes(path)))
    rmSync(native(path), { recursive: true, force: true })
  } catch {
    // Deeper than any path leads: rm(1) goes from folder to folder.
    spawnSync("rm", ["-rf", "--", path], { stdio: "ignore" })
  }
}

/** When a process began, in the kernel's ticks; null where there is none. With the pid it names a process for good. */
export function processStart(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    // A zombie: it ended, and its parent has not asked yet.
    return fields[0] === "Z" ? null : (fields[19] ?? null)
  } catch {
    return null
  }
}

/** A folder in the upper shows through as itself, so it must look as the one below: mode and times. */
export function makeParents(upper: string, root: string, folder: string): void {
  if (folder === "" || statOf(`${upper}/${folder}`)?.isDirectory() === true) return
  makeParents(upper, root, parentOf(folder))
  const target = native(`${upper}/${folder}`)
  mkdirSync(target)
  const below = seenAt(`${root}/${folder}`)
  if (below.kind !== "folder") return
  chmodSync(target, below.mode)
  const { atimeMs, mtimeMs } = statSync(native(`${root}/${folder}`))
  utimesSync(target, atimeMs / 1000, mtimeMs / 1000)
}

function openFolders(folder: Buffer): void {
  chmodSync(folder, 0o700)
  for (const entry of readdirSync(folder, { withFileTypes: true, encoding: "buffer" }))
    if (entry.isDirectory()) openFolders(Buffer.concat([folder, Buffer.from("/"), entry.name]))
}

function readNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
