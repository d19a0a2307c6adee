import { isMixed } from "@galley/core/change/authorship.ts"
import { conflictRegions } from "@galley/core/change/fold.ts"
import { identifyHunks } from "@galley/core/change/hunk-id.ts"
import { isPending, type Item } from "@galley/core/change/item.ts"
import { linesOf, type LoadedSides } from "@galley/core/change/loaded.ts"
import { propertyTexts, viewSides, type SidesView } from "@galley/core/change/sides-view.ts"
import type { Hunk } from "@galley/core/diff/hunk.ts"
import { hasEscapedByte, pathToBytes } from "@galley/core/path.ts"
import type { FileView, HunkView, ItemKind } from "@galley/core/protocol/results.ts"
import { blobIdOf } from "../io/hash.ts"
import { authorshipOf } from "./authors.ts"
import { loadSides, loadState } from "./contents.ts"
import { isReviewed } from "./marks.ts"
import type { Session } from "./session.ts"
import { shownSides, subjectsOf, type Subject } from "./subject.ts"

/** A subject with everything that is derived of it. */
export interface SubjectView {
  readonly subject: Subject
  readonly sides: LoadedSides
  readonly view: SidesView
  readonly hunks: readonly IdentifiedHunk[]
  /** Hunks whose base moved under them. */
  readonly conflicting: readonly Hunk[]
}

export interface IdentifiedHunk {
  readonly hunk: Hunk
  readonly id: string
}

/** What surfaces are shown of these items: pending ones as subjects; those that are quiet now without hunks. */
export async function fileViews(session: Session, items: readonly Item[]): Promise<FileView[]> {
  const pending = items.filter(isPending)
  const near = pending.length === 0 ? [] : await session.store.items({ pending: true })
  const views: FileView[] = []
  for (const subject of subjectsOf(pending, near))
    views.push(await fileView(session, await viewSubject(session, subject)))
  const shown = new Set(views.flatMap(view => [view.path, view.from]))
  for (const item of items) if (!isPending(item) && !shown.has(item.path)) views.push(quietView(item))
  return views
}

export async function viewSubject(session: Session, subject: Subject): Promise<SubjectView> {
  const own = await loadSides(session.store, { base: subject.item.base, current: subject.item.current })
  const partner =
    subject.partner === null
      ? null
      : await loadSides(session.store, { base: subject.partner.base, current: subject.partner.current })
  return deriveView(session, subject, shownSides(own, partner))
}

export async function deriveView(session: Session, subject: Subject, sides: LoadedSides): Promise<SubjectView> {
  const charset = await session.charsetFor(subject.path)
  const view = viewSides(sides, charset)
  const hunks = view.text === null ? [] : identifyHunks(view.text.base, view.text.current, view.text.diff.hunks)
  const origin = subject.item.conflictOrigin
  const originLines = origin === undefined ? null : linesOf(await loadState(session.store, origin), charset)
  const regions =
    view.text === null || originLines === null ? [] : conflictRegions(originLines, view.text.current, view.text.base)
  const conflicting = hunks
    .map(one => one.hunk)
    .filter(hunk => regions.some(region => region.hunks.some(other => sameHunk(other, hunk))))
  return { subject, sides, view, hunks, conflicting }
}

export async function fileView(session: Session, shown: SubjectView): Promise<FileView> {
  const { subject, view } = shown
  const authorship = await authorshipOf(session, subject.path, view)
  const hunks: HunkView[] = shown.hunks.map(({ hunk, id }, at) => ({
    id,
    index: at + 1,
    oldStart: start(hunk.fromBase, hunk.toBase),
    oldLines: hunk.toBase - hunk.fromBase,
    newStart: start(hunk.fromCurrent, hunk.toCurrent),
    newLines: hunk.toCurrent - hunk.fromCurrent,
    mixed: authorship !== null && isMixed(hunk, authorship),
    conflict: shown.conflicting.some(other => sameHunk(other, hunk)),
  }))
  const properties = propertyTexts(view)
  return {
    ...named(subject.path),
    ...(subject.partner === null ? {} : { from: subject.partner.path }),
    kinds: kindsOf(subject, view),
    id: fileId(subject.path),
    revision: subject.item.revision,
    disk: subject.item.disk,
    hunks,
    conflict: subject.item.conflictOrigin !== undefined,
    parked: false,
    added: sum(hunks, hunk => hunk.newLines),
    removed: sum(hunks, hunk => hunk.oldLines),
    ...(view.text?.diff.coarse === true ? { coarse: true } : {}),
    ...(properties.length === 0 ? {} : { properties }),
    conversations: [...subject.item.conversations],
    reviewed: await isReviewed(session, subject.item),
  }
}

export function sameHunk(a: Hunk, b: Hunk): boolean {
  return (
    a.fromBase === b.fromBase && a.toBase === b.toBase && a.fromCurrent === b.fromCurrent && a.toCurrent === b.toCurrent
  )
}

/** A short name for a pending file, the same in every process. */
export function fileId(path: string): string {
  return `f${blobIdOf(pathToBytes(path)).slice(0, 10)}`
}

function quietView(item: Item): FileView {
  return {
    ...named(item.path),
    kinds: [],
    id: fileId(item.path),
    revision: item.revision,
    disk: item.disk,
    hunks: [],
    conflict: false,
    parked: false,
  }
}

function kindsOf(subject: Subject, view: SidesView): ItemKind[] {
  const kinds: ItemKind[] = [...view.kinds]
  if (subject.partner !== null) kinds.unshift("rename")
  return kinds
}

function named(path: string): { path: string; pathBytes?: string } {
  return hasEscapedByte(path) ? { path: path.toWellFormed(), pathBytes: base64(pathToBytes(path)) } : { path }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64")
}

/** As in a unified diff: the first line from 1; for an empty side the line before it. */
function start(from: number, to: number): number {
  return from === to ? from : from + 1
}

function sum<T>(values: readonly T[], of: (value: T) => number): number {
  return values.reduce((total, value) => total + of(value), 0)
}
