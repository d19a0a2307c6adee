import { blobIdOf } from "./hash.ts"
import { pairAlike } from "./renames-alike.ts"
import type { DiskChange, SeenFile } from "./seen.ts"

/** A folder whose files all went to another folder under the same names. */
export interface FolderRename {
  readonly from: string
  readonly to: string
  readonly files: number
}

/**
 * Finds, for display, files whose content left one path and arrived at another, as it was or edited. Of large sets contents are read only
 * where a size is the same; a content that left several paths goes to the one with the same name, else to the first. Empty files, and files above
 * {@link readLimit} bytes, are not paired: chance and cost.
 */
export async function pairRenames(changes: readonly DiskChange[]): Promise<readonly DiskChange[]> {
  const left = changes.filter(change => change.after.kind === "absent" && pairable(change.before))
  const arrived = changes.filter(change => change.before.kind === "absent" && pairable(change.after))
  if (left.length === 0 || arrived.length === 0) return changes
  const sizes = new Set(left.map(change => sizeOf(change.before)))
  const origins = new Map<string, string[]>()
  const wanted = new Set(arrived.map(change => sizeOf(change.after)))
  for (const change of left) {
    if (!wanted.has(sizeOf(change.before))) continue
    const key = await keyOf(change.before)
    if (key !== null) origins.set(key, [...(origins.get(key) ?? []), change.path])
  }
  const from = new Map<string, string>()
  for (const change of arrived) {
    if (!sizes.has(sizeOf(change.after))) continue
    const key = await keyOf(change.after)
    const candidates = (key === null ? undefined : origins.get(key)) ?? []
    const origin = candidates.find(path => nameOf(path) === nameOf(change.path)) ?? candidates[0]
    if (origin === undefined || key === null) continue
    from.set(change.path, origin)
    origins.set(
      key,
      candidates.filter(path => path !== origin),
    )
  }
  const origin = new Set(from.values())
  const alike = await pairAlike(
    left.filter(change => !origin.has(change.path)),
    arrived.filter(change => !from.has(change.path)),
  )
  for (const [path, old] of alike) from.set(path, old)
  return changes.map(change => {
    const renamedFrom = from.get(change.path)
    return renamedFrom === undefined ? change : { ...change, renamedFrom }
  })
}

/** Whole folders among paired renames: every file that left `from` arrived in `to` under the same name. Outermost only. */
export function folderRenames(changes: readonly DiskChange[]): readonly FolderRename[] {
  const counts = new Map<string, FolderRename>()
  for (const { path, renamedFrom } of changes) {
    if (renamedFrom === undefined) continue
    const to = path.split("/")
    const from = renamedFrom.split("/")
    while (from.length > 1 && to.length > 1 && from.at(-1) === to.at(-1)) {
      from.pop()
      to.pop()
      const pair = { from: from.join("/"), to: to.join("/") }
      if (pair.from === pair.to) break
      const key = `${pair.from}\0${pair.to}`
      counts.set(key, { ...pair, files: (counts.get(key)?.files ?? 0) + 1 })
    }
  }
  const whole = [...counts.values()].filter(
    pair =>
      changes.every(change => !change.path.startsWith(`${pair.from}/`) || change.after.kind === "absent") &&
      changes.filter(change => change.path.startsWith(`${pair.from}/`)).length === pair.files,
  )
  return whole.filter(pair => !whole.some(other => isParent(other, pair)))
}

const readLimit = 32 * 1024 * 1024

function isParent(outer: FolderRename, inner: FolderRename): boolean {
  return inner.from.startsWith(`${outer.from}/`) && inner.to.startsWith(`${outer.to}/`)
}

function pairable(seen: DiskChange["before"]): seen is SeenFile {
  return seen.kind === "file" && seen.size > 0 && seen.size <= readLimit
}

function sizeOf(seen: DiskChange["before"]): number {
  return seen.kind === "file" ? seen.size : -1
}

async function keyOf(seen: DiskChange["before"]): Promise<string | null> {
  if (seen.kind !== "file") return null
  return await seen.read().then(blobIdOf, () => null)
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1)
}
