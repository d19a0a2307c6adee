import { Failure } from "@galley/core/failure.ts"
import { directoryViewText } from "@galley/core/tool/edit-text.ts"
import { type DirectoryEntry, directoryRow, inViewOrder, isLeftOut, prefix } from "@galley/core/tool/view.ts"
import type { CallContext, ToolFiles } from "../session/tool-files.ts"

/**
 * The entries of a folder and of the folders in it, in order, each folder before what it holds. Once `limit` UTF-16 units of
 * rows are reached no further folder is read, so the cost is bounded by what is shown and one listing.
 */
export async function viewDirectory(files: ToolFiles, path: string, limit: number, call: CallContext): Promise<string> {
  const top = await files.list(path, call)
  const shown = inViewOrder(top.filter(entry => !isLeftOut(entry)))
  const rows: string[] = []
  let used = 0
  let hidden = top.length - shown.length
  let passed = 0
  for (const entry of shown) {
    if (used > limit) break
    passed++
    add(directoryRow(path, entry))
    if (entry.kind !== "folder") continue
    const below = await entriesOf(files, `${path === "/" ? "" : path}/${entry.name}`, call)
    if (below === null) {
      rows.push(`${rows.pop() ?? ""} (unreadable)`)
      continue
    }
    const listed = below.filter(one => !isLeftOut(one))
    hidden += below.length - listed.length
    for (const inner of inViewOrder(listed)) add(directoryRow(`${path === "/" ? "" : path}/${entry.name}`, inner))
  }
  return clipped(path, rows, limit, { hidden, unread: shown.length - passed })

  function add(row: string): void {
    used += row.length + (rows.length === 0 ? 0 : 1)
    rows.push(row)
  }
}

async function entriesOf(
  files: ToolFiles,
  folder: string,
  call: CallContext,
): Promise<readonly DirectoryEntry[] | null> {
  try {
    return await files.list(folder, call)
  } catch (error) {
    // One closed or vanished folder must not hide its neighbours.
    if (error instanceof Failure) return null
    throw error
  }
}

/** Whole rows up to the limit; if not even one fits, the prefix of it. */
function clipped(
  path: string,
  rows: readonly string[],
  limit: number,
  left: { readonly hidden: number; readonly unread: number },
): string {
  let used = 0
  let whole = 0
  for (const row of rows) {
    const length = row.length + (whole === 0 ? 0 : 1)
    if (used + length > limit) break
    used += length
    whole++
  }
  const text = whole > 0 ? rows.slice(0, whole).join("\n") : prefix(rows[0] ?? "", limit)
  const cut = whole < rows.length
  return directoryViewText(path, text, {
    clippedAt: cut ? text.length : null,
    hidden: left.hidden,
    more: cut ? rows.length - whole + left.unread : 0,
  })
}
