import { resolve } from "node:path"
import { isWithin, type WorkspacePath } from "@galley/core/path.ts"
import type { Command } from "./processes.ts"
import { seenAt } from "./seen.ts"

/**
 * Why no view may be made over a folder; null where one may. A view over everything would hide nothing and list everything, and
 * the scratch folder must not lie in what it is laid over.
 */
export function viewRefusal(root: string, home: string, scratch: string): string | null {
  if (root === "/") return "the whole disk is the workspace"
  if (root === home) return "the home folder is the workspace"
  if (home.startsWith(`${root}/`)) return "the workspace holds the home folder"
  if (/^\/(proc|sys|dev|run)(\/|$)/.test(root)) return "the workspace is not on a disk"
  if (scratch === root || scratch.startsWith(`${root}/`)) return "Galley's own folder lies in the workspace"
  return null
}

/** Overlayfs answers EXDEV to rename(2) of a folder that is still in the lower layer. */
export function saysCrossDevice(output: string): boolean {
  return /Invalid cross-device link|\bEXDEV\b/.test(output)
}

/** Overlayfs answers EOVERFLOW where owner or group have no place in the user namespace. */
export function saysForeignOwner(output: string): boolean {
  return /Value too large for defined data type|\bEOVERFLOW\b/.test(output)
}

export function saysReadOnly(output: string): boolean {
  return /Read-only file system|\bEROFS\b/.test(output)
}

/** Whether running a command once more has no effect beyond files: each of its programs only works on them. */
export function isKnownLocal(command: Command): boolean {
  const programs = programsOf(command)
  return programs !== null && programs.every(program => localPrograms.has(program))
}

/**
 * Folders of the workspace that a command names, to be copied up so that they can be renamed. `git mv` needs it up front; `mv`
 * copes by itself (it copies on EXDEV).
 */
export async function foldersToCopyUp(
  request: { readonly root: string; readonly cwd: string; readonly command: Command },
  which: "git mv" | "any",
): Promise<readonly WorkspacePath[]> {
  const words = typeof request.command === "string" ? wordsOf(request.command) : request.command
  const found = new Set<WorkspacePath>()
  let cwd = request.cwd
  for (const segment of segmentsOf(words)) {
    if (segment[0] === "cd" && segment[1] !== undefined) cwd = resolve(cwd, segment[1])
    const isMove = segment[0] === "git" && segment.includes("mv")
    if (which === "git mv" && !isMove) continue
    for (const word of segment.slice(1)) {
      const path = resolve(cwd, word)
      const inside = path.startsWith(`${request.root}/`) ? path.slice(request.root.length + 1) : null
      if (inside !== null && inside !== ".git" && seenAt(path).kind === "folder") found.add(inside)
    }
  }
  const folders = [...found].sort()
  await Promise.resolve()
  return folders.filter(path => !folders.some(other => other !== path && isWithin(path, other)))
}

const localPrograms: ReadonlySet<string> = new Set(
  "git mv|git rm|git add|git status|mv|cp|rm|mkdir|rmdir|touch|ln|ls|cat|echo|printf|cd|pwd|true|test|find|sed|head|tail|wc|chmod".split(
    "|",
  ),
)

/** Program names in a command, with git's subcommand; null where a text has anything that could hide one. */
function programsOf(command: Command): readonly string[] | null {
  if (typeof command === "string" && /[`$(){}<]/.test(command)) return null
  const segments = segmentsOf(typeof command === "string" ? wordsOf(command) : command)
  return segments.map(([program = "", sub = ""]) => (program === "git" ? `git ${sub}` : program))
}

/** Splits a word list at the shell's separators. A plain argument vector has none. */
function segmentsOf(words: readonly string[]): readonly (readonly string[])[] {
  const segments: string[][] = [[]]
  for (const word of words) {
    if (/^(;|&|&&|\|\||\||\n)$/.test(word)) segments.push([])
    else segments.at(-1)?.push(word)
  }
  return segments.filter(segment => segment.length > 0)
}

/** Words of a shell text, quotes removed; separators are words. A guess that only chooses what to copy up, never what to run. */
export function wordsOf(text: string): readonly string[] {
  const words: string[] = []
  const pattern = /(?:[^\s;&|'"\\]|\\[\s\S]|'[^']*'|"(?:[^"\\]|\\[\s\S])*")+|&&|\|\||[;&|\n]/g
  for (const [word] of text.matchAll(pattern))
    words.push(
      word.replace(/'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])/g, (_, single, double, escaped) =>
        String(single ?? (double === undefined ? escaped : String(double).replace(/\\(["\\$`])/g, "$1"))),
      ),
    )
  return words
}
