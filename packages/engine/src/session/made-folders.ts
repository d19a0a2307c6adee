import { parentOf, type WorkspacePath } from "@galley/core/path.ts"
import type { Session } from "./session.ts"
import type { Move } from "./steps.ts"

/** The folders that writing a path would have to make, outermost first. */
export async function missingFolders(session: Session, path: WorkspacePath): Promise<WorkspacePath[]> {
  const missing: WorkspacePath[] = []
  for (let folder = parentOf(path); folder !== ""; folder = parentOf(folder)) {
    if ((await session.files.lstat(session.root.absolute(folder))) !== null) break
    missing.unshift(folder)
  }
  return missing
}

/**
 * Moves that take away folders which came into being with files that now go, or that a command took away with them (`gone`, and those
 * on record). The writer leaves those in which something else is; a folder that was there before the file, or that somebody made since,
 * is never among them.
 */
export async function foldersToRemove(
  session: Session,
  moves: readonly Move[],
  gone: readonly WorkspacePath[],
): Promise<Move[]> {
  const folders = new Set(gone)
  for (const { path, after } of moves) {
    if (after.kind !== "absent") continue
    for (const operation of await session.store.operations({ path }))
      for (const change of operation.changes)
        if (change.path === path)
          for (const folder of [...(change.madeFolders ?? []), ...(change.goneFolders ?? [])]) folders.add(folder)
  }
  const written = new Set(moves.map(move => move.path))
  const removals: Move[] = []
  for (const folder of [...folders].sort((a, b) => b.length - a.length)) {
    if (written.has(folder)) continue
    const stat = await session.files.lstat(session.root.absolute(folder))
    if (stat?.kind === "folder")
      removals.push({ path: folder, before: { kind: "folder", mode: stat.mode }, after: { kind: "absent" } })
  }
  return removals
}
