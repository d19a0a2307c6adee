import { showPath, parentOf, type WorkspacePath } from "@galley/core/path.ts"
import type { ByProduct, DiskChange } from "../io/seen.ts"
import { errorCode } from "./disk.ts"
import type { Session } from "./session.ts"

/**
 * Outputs in folders that git ignores, or that hold dependencies: one line each, never blobs, never pending. Where commands write at
 * once they are put on disk, unrecorded, as they can be made again; where changes are held they are dropped, and said so.
 */
export async function keepByProducts(
  session: Session,
  products: readonly ByProduct[],
  write: boolean,
): Promise<string[]> {
  const lines: string[] = []
  for (const product of products) {
    const size = `${product.paths} ${product.paths === 1 ? "path" : "paths"}, ${product.bytes} bytes`
    if (!write)
      lines.push(
        `${showPath(product.folder)}/ (${size}; ignored by git or dependencies): not kept, as changes are held for review.`,
      )
    else {
      for (const change of await product.open()) await putOnDisk(session, change)
      lines.push(`${showPath(product.folder)}/ (${size}; ignored by git or dependencies): written, not reviewed.`)
    }
  }
  return lines
}

async function putOnDisk(session: Session, { path, after }: DiskChange): Promise<void> {
  const absolute = session.root.absolute(path)
  switch (after.kind) {
    case "absent":
      return removeIt(session, absolute)
    case "folder":
      return makeFolders(session, path, after.mode)
    case "file": {
      await makeFolders(session, parentOf(path), 0o755)
      const staged = `${absolute}.galley-${session.env.newId()}`
      await session.files.create(staged, await after.read(), after.mode)
      return session.files.rename(staged, absolute)
    }
    case "symlink":
      await makeFolders(session, parentOf(path), 0o755)
      await removeIt(session, absolute)
      return session.files.symlink(after.target, absolute)
    case "other":
    case "unknown":
      return
  }
}

async function removeIt(session: Session, absolute: string): Promise<void> {
  const stat = await session.files.lstat(absolute)
  if (stat === null) return
  try {
    await (stat.kind === "folder" ? session.files.removeFolder(absolute) : session.files.unlink(absolute))
  } catch (error) {
    // Something the command did not know of is still inside.
    if (errorCode(error) !== "ENOTEMPTY") throw error
  }
}

async function makeFolders(session: Session, path: WorkspacePath | "", mode: number): Promise<void> {
  if (path === "" || (await session.files.lstat(session.root.absolute(path))) !== null) return
  await makeFolders(session, parentOf(path), 0o755)
  await session.files.makeFolder(session.root.absolute(path), mode)
}
