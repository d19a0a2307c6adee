import type { Item } from "@galley/core/change/item.ts"
import type { State } from "@galley/core/state.ts"
import type { Batch } from "../store/store.ts"
import type { Session } from "./session.ts"

const marksSetting = "marks"

/**
 * "Reviewed" marks follow content: a mark names the two contents that were looked at, so it survives restarts, commits and
 * renames, and ends by itself when either side changes.
 */
export async function readMarks(session: Session): Promise<Marks> {
  return new Set(await markList(session))
}

export type Marks = ReadonlySet<string>

export function isReviewed(marks: Marks, item: Item): boolean {
  return marks.has(markOf(item))
}

/** The rows that set or take back the mark of what is pending in an item now. */
export async function markRows(session: Session, item: Item, on: boolean): Promise<Batch> {
  const others = (await markList(session)).filter(mark => mark !== markOf(item))
  return { settings: { [marksSetting]: on ? [...others, markOf(item)].slice(-mostMarks) : others } }
}

/** Older marks than this many are forgotten. */
const mostMarks = 5000

async function markList(session: Session): Promise<readonly string[]> {
  const marks = await session.store.setting(marksSetting)
  return Array.isArray(marks) ? marks.filter(mark => typeof mark === "string") : []
}

function markOf(item: Item): string {
  return `${nameOf(item.base)} ${nameOf(item.current)}`
}

function nameOf(state: State): string {
  return state.kind === "file"
    ? `${state.blob.slice(0, 32)}:${state.mode}`
    : state.kind === "symlink"
      ? `link:${state.target}`
      : state.kind
}
