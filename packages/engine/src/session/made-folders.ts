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
  const going = new Set(moves.filter(move => move.after.kind === "absent").map(move => move.path))
  // Operations are told once for each of their paths, which may be thousands.
  const known = new Set<string>()
  for (const path of going)
    for (const operation of await session.store.operations({ path })) {
      if (known.has(operation.id)) continue
      known.add(operation.id)
      for (const change of operation.changes)
        if (going.has(change.path))
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
