import { isMixed, type Authorship } from "@galley/core/change/authorship.ts"
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
import { isReviewed, readMarks, type Marks } from "./marks.ts"
import { substitutionsOf } from "@galley/core/change/substitution.ts"
import type { Parked } from "../store/store.ts"
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
  /** The base moved under a proposal whose texts cannot be compared by line. */
  readonly movedWhole: boolean
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
  const marks = await readMarks(session)
  for (const subject of subjectsOf(pending, near))
    views.push(await fileView(session, await viewSubject(session, subject), marks))
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
  const movedWhole = origin !== undefined && (view.text === null || originLines === null)
  return { subject, sides, view, hunks, conflicting, movedWhole }
}

export async function fileView(session: Session, shown: SubjectView, marks: Marks): Promise<FileView> {
  const authorship = await authorshipOf(session, shown.subject.path, shown.view)
  return fileViewBy(shown, authorship, marks)
}

/** What surfaces are shown of a parked item: the change as it was set aside. */
export async function parkedView(session: Session, { item, branch }: Parked, marks: Marks): Promise<ParkedView> {
  const { conflictOrigin: _, ...plain } = item
  const shown = await viewSubject(session, { path: item.path, item: plain, partner: null })
  const file = {
    ...fileViewBy(shown, null, marks),
    ...(item.renamedFrom === undefined ? {} : { from: item.renamedFrom.toWellFormed() }),
    parked: true,
    ...(branch === null ? {} : { branch }),
  }
  return { file, shown }
}

export interface ParkedView {
  readonly file: FileView
  readonly shown: SubjectView
}

/** {@link fileView} for a caller that knows whose lines they are. */
export function fileViewBy(shown: SubjectView, authorship: Authorship | null, marks: Marks): FileView {
  const { subject, view } = shown
  const same =
    view.text === null
      ? []
      : substitutionsOf(
          view.text.base,
          view.text.current,
          shown.hunks.map(one => one.hunk),
        )
  const hunks: HunkView[] = shown.hunks.map(({ hunk, id }, at) => ({
    id,
    ...(same[at] == null ? {} : { same: same[at].id, substitution: same[at].text }),
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
    ...shownPath(subject.path),
    ...(subject.partner === null ? {} : { from: subject.partner.path.toWellFormed() }),
    kinds: kindsOf(subject, view),
    id: fileId(subject.path),
    revision: subject.item.revision,
    disk: subject.item.disk,
    hunks,
    conflict: isInConflict(shown),
    parked: false,
    added: sum(hunks, hunk => hunk.newLines),
    removed: sum(hunks, hunk => hunk.oldLines),
    ...(view.text?.diff.coarse === true ? { coarse: true } : {}),
    ...(properties.length === 0 ? {} : { properties }),
    conversations: [...subject.item.conversations],
    reviewed: isReviewed(marks, subject.item),
  }
}

/** Whether accepting all of it needs a choice: somebody's text moved under the proposal. */
export function isInConflict(shown: SubjectView): boolean {
  return shown.conflicting.length > 0 || shown.movedWhole
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
    ...shownPath(item.path),
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

/** A path as programs are given it: with its bytes where the name is not UTF-8. */
export function shownPath(path: string): { path: string; pathBytes?: string } {
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
