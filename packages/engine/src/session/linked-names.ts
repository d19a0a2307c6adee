import type { WorkspacePath } from "@galley/core/path.ts"
import { sameState } from "@galley/core/state.ts"
import type { Look } from "./look.ts"
import type { Move } from "./steps.ts"

/** How a move is carried out. */
export interface Way {
  readonly move: Move
  readonly inPlace: boolean
  /** The inode that is there changes, text or mode, which its other names show too. */
  readonly isShared: boolean
  /** A folder that may be closed to us with its new mode. */
  readonly isClosing: boolean
}

/**
 * Of names of one file (hard links) that all become the same, one move does it for all. Where they become different things they are
 * parted: each is replaced.
 */
export function partNames(
  moves: readonly Move[],
  looks: ReadonlyMap<WorkspacePath, Look>,
): { readonly moves: readonly Move[]; readonly parted: ReadonlySet<WorkspacePath> } {
  const groups = new Map<string, Move[]>()
  for (const move of moves) {
    const stat = looks.get(move.path)?.stat
    if (stat?.kind !== "file" || stat.links < 2 || move.after.kind !== "file" || move.breaksLink === true) continue
    const inode = `${stat.dev} ${stat.ino}`
    groups.set(inode, [...(groups.get(inode) ?? []), move])
  }
  const spared = new Set<Move>()
  const parted = new Set<WorkspacePath>()
  for (const [first, ...others] of groups.values()) {
    if (first === undefined || others.length === 0) continue
    if (others.every(other => sameState(other.after, first.after))) for (const other of others) spared.add(other)
    else for (const move of [first, ...others]) parted.add(move.path)
  }
  return { moves: moves.filter(move => !spared.has(move)), parted }
}

/** What is done to an inode comes after whatever else becomes of other names of the file: those are to be found as they were. */
export function sharedLast(ways: readonly Way[]): readonly Way[] {
  const closing = ways.filter(way => way.isClosing)
  const body = ways.filter(way => !way.isClosing)
  return [...body.filter(way => !way.isShared), ...body.filter(way => way.isShared), ...closing]
}
