import { existsSync, realpathSync, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { Failure } from "@galley/core/failure.ts"
import { showPath } from "@galley/core/path.ts"

/**
 * The workspace that is meant: the named folder; else the nearest one upward that has a `.git` or that Galley knows; else the
 * current one. A `.git` may be a file (worktrees, submodules).
 */
export function workspaceRoot(named: string | undefined, cwd: string, isKnown: (folder: string) => boolean): string {
  if (named !== undefined) return existing(resolve(cwd, named))
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git")) || isKnown(folder)) return existing(folder)
    if (dirname(folder) === folder) return existing(cwd)
  }
}

function existing(folder: string): string {
  const found = statSync(folder, { throwIfNoEntry: false })
  if (found === undefined)
    throw new Failure("NOT_FOUND", `There is no folder ${showPath(folder)}.`, "Name an existing one with --workspace.")
  if (!found.isDirectory())
    throw new Failure("BAD_ARGUMENT", `${showPath(folder)} is not a folder.`, "Name a folder with --workspace.")
  return realpathSync(folder)
}
