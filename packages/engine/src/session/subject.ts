import { isPending, type Item } from "@galley/core/change/item.ts"
import type { LoadedSides } from "@galley/core/change/loaded.ts"
import type { WorkspacePath } from "@galley/core/path.ts"

/**
 * What a person sees and decides as one: an item, or the two items of a rename (the old name's deletion and the new name's
 * creation) shown as one file whose base is the old name's.
 */
export interface Subject {
  readonly path: WorkspacePath
  readonly item: Item
  /** The pending deletion of the old name. */
  readonly partner: Item | null
}

/** Groups pending items into subjects, in path order. `all` must hold a rename's partner for the pair to be seen. */
export function subjectsOf(items: readonly Item[], all: readonly Item[] = items): Subject[] {
  const byPath = new Map(all.map(item => [item.path, item]))
  const partners = new Map<WorkspacePath, Item>()
  for (const item of all) {
    const partner = item.renamedFrom === undefined ? undefined : byPath.get(item.renamedFrom)
    if (partner !== undefined && isPair(item, partner)) partners.set(item.path, partner)
  }
  const hidden = new Map([...partners].map(([path, partner]) => [partner.path, path]))
  const subjects = new Map<WorkspacePath, Subject>()
  for (const item of items) {
    if (!isPending(item)) continue
    const owner = byPath.get(hidden.get(item.path) ?? "") ?? item
    subjects.set(owner.path, { path: owner.path, item: owner, partner: partners.get(owner.path) ?? null })
  }
  return [...subjects.values()].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
}

/** The two sides as shown: a renamed file stands against its old name's content. */
export function shownSides(own: LoadedSides, partner: LoadedSides | null): LoadedSides {
  return partner === null ? own : { base: partner.base, current: own.current }
}

function isPair(item: Item, partner: Item): boolean {
  return (
    isPending(item) &&
    isPending(partner) &&
    item.base.kind === "absent" &&
    partner.current.kind === "absent" &&
    item.current.kind === partner.base.kind
  )
}
