import { createHash } from "node:crypto"
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { Failure } from "@galley/core/failure.ts"
import { showPath } from "@galley/core/path.ts"
import { hasEntries, priorEntries, withEntries, withoutEntries, withoutTomlBlock, withTomlBlock } from "./edits.ts"
import type { Part } from "./target.ts"

/** What is to become of one file. Null: no file. */
export interface FileChange {
  readonly file: string
  readonly before: string | null
  readonly after: string | null
  /** For a new file. */
  readonly mode: number
}

/** What `install` wrote, so that `uninstall` can put back the very bytes while nobody else has written since. */
export interface Memory {
  readonly file: string
  readonly before: string | null
  /** SHA-256 of what was written. */
  readonly wrote: string
  /** Folders made for it, outermost first. */
  readonly folders: readonly string[]
}

export function planInstall(parts: readonly Part[], memories: readonly Memory[]): FileChange[] {
  return parts.map(part => {
    const now = textOf(part.file)
    const clean = now === null ? null : cleaned(part, now, memories)
    switch (part.kind) {
      case "json":
        return {
          file: part.file,
          before: now,
          // What stands there already, in whatever order and form, is not written anew.
          after:
            now !== null && hasEntries(part.file, now, part.entries)
              ? now
              : withEntries(part.file, clean, part.entries),
          mode: 0o600,
        }
      case "toml":
        return {
          file: part.file,
          before: now,
          after: withTomlBlock(part.file, clean, part.block, part.tables),
          mode: 0o600,
        }
      case "file":
        if (now !== null && now !== part.text && !isOurs(now))
          throw new Failure(
            "CONFLICT",
            `${showPath(part.file)} is there already and is not Galley's. It was not touched.`,
            "Move it away, then install again.",
          )
        return { file: part.file, before: now, after: part.text, mode: part.mode }
    }
  })
}

export function planUninstall(parts: readonly Part[], memories: readonly Memory[]): FileChange[] {
  return parts.map(part => {
    const now = textOf(part.file)
    if (now === null) return { file: part.file, before: null, after: null, mode: 0o600 }
    const memory = memories.find(one => one.file === part.file)
    if (memory !== undefined && memory.wrote === digest(now))
      return { file: part.file, before: now, after: memory.before, mode: 0o600 }
    switch (part.kind) {
      case "json": {
        const bare = withoutEntries(part.file, now, part.entries)
        const prior = priorEntries(part.file, memory?.before ?? "", part.entries)
        const left = prior.length === 0 ? bare : withEntries(part.file, bare, prior)
        const emptied = memory !== undefined && memory.before === null && /^\s*\{\s*\}\s*$/.test(left)
        return { file: part.file, before: now, after: emptied ? null : left, mode: 0o600 }
      }
      case "toml": {
        const left = withoutTomlBlock(now)
        return {
          file: part.file,
          before: now,
          after: left === "" && memory?.before === null ? null : left,
          mode: 0o600,
        }
      }
      case "file":
        return { file: part.file, before: now, after: isOurs(now) ? null : now, mode: part.mode }
    }
  })
}

/** Writes the changes; each file is wholly the old or the new one. Returns what to remember: after an uninstall, nothing. */
export function carryOut(
  changes: readonly FileChange[],
  memories: readonly Memory[],
  verb: "install" | "uninstall",
): Memory[] {
  const kept = new Map(memories.map(memory => [memory.file, memory]))
  const emptied: string[] = []
  for (const change of changes) {
    if (change.before === change.after) continue
    // A dotfile is often a symlink into a repository of dotfiles: that is written, the link stays.
    const real = existsSync(change.file) ? realpathSync(change.file) : change.file
    if (textOf(change.file) !== change.before)
      throw new Failure(
        "FILE_CHANGED_SINCE_READ",
        `${showPath(change.file)} was written by somebody else just now. It was not touched.`,
      )
    const memory = kept.get(change.file)
    if (change.after === null) {
      rmSync(real)
      emptied.push(...(memory?.folders ?? []))
      kept.delete(change.file)
      continue
    }
    const folders = missingFolders(dirname(real))
    mkdirSync(dirname(real), { recursive: true })
    const mode = change.before === null ? change.mode : statSync(real).mode & 0o777
    const temp = join(dirname(real), `.galley-install-${process.pid}`)
    writeFileSync(temp, change.after, { mode, flag: "wx" })
    renameSync(temp, real)
    kept.set(change.file, {
      file: change.file,
      before: memory === undefined ? change.before : memory.before,
      wrote: digest(change.after),
      folders: memory?.folders ?? folders,
    })
  }
  for (const folder of emptied.toSorted((a, b) => b.length - a.length)) removeIfEmpty(folder)
  return verb === "uninstall" ? [] : [...kept.values()]
}

/** The file without what an earlier `install` put there: its very bytes of before, if nobody else wrote since. */
function cleaned(part: Part, now: string, memories: readonly Memory[]): string | null {
  const memory = memories.find(one => one.file === part.file)
  if (memory !== undefined && memory.wrote === digest(now)) return memory.before
  return part.kind === "json" ? withoutEntries(part.file, now, part.entries) : now
}

function isOurs(text: string): boolean {
  return text.includes("Written by galley install")
}

function textOf(file: string): string | null {
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return null
  const bytes = readFileSync(file)
  const text = bytes.toString("utf8")
  if (Buffer.from(text).equals(bytes)) return text
  throw new Failure(
    "NOT_TEXT",
    `${showPath(file)} is not UTF-8. It was not touched.`,
    "Put it right, then install again.",
  )
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex")
}

function missingFolders(folder: string): string[] {
  const missing: string[] = []
  for (let at = folder; !existsSync(at) && dirname(at) !== at; at = dirname(at)) missing.unshift(at)
  return missing
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // Something else is in it by now.
  }
}
