import { isPending, type Item } from "@galley/core/change/item.ts"
import type { Chosen } from "@galley/core/change/sides-decision.ts"
import type { PropertyName } from "@galley/core/change/sides-view.ts"
import { substitutionIds } from "@galley/core/change/substitution.ts"
import type { Hunk } from "@galley/core/diff/hunk.ts"
import { Failure } from "@galley/core/failure.ts"
import { isWithin, showPath, type WorkspacePath } from "@galley/core/path.ts"
import type { Selection } from "@galley/core/protocol/requests.ts"
import { settleDrift, standingAt, type Standing } from "./drift.ts"
import { fileId, viewSubject, type SubjectView } from "./file-view.ts"
import { placeSince } from "./moves.ts"
import { pathsNow } from "./renamed.ts"
import type { Session } from "./session.ts"
import { subjectsOf, type Subject } from "./subject.ts"

export interface SelectedSubject {
  readonly shown: SubjectView
  readonly standings: { readonly own: Standing; readonly partner: Standing | null }
}

/**
 * The pending files that a selection is about, as they stand after drift was folded in. Call it under the lock.
 *
 * A file that is not pending is `NOT_FOUND`; one whose revision is not the one that was seen is `STALE_REVISION`.
 */
export async function selectSubjects(session: Session, selection: Selection): Promise<SelectedSubject[]> {
  const path = await askedPath(session, selection)
  const listed = await listedFiles(session, selection)
  const before = await pendingUnder(session, path)
  const standings = await settleDrift(
    session,
    before.map(item => item.path),
  )
  const pending = await session.store.items({ pending: true })
  const wanted = pending.filter(
    item =>
      path === null ||
      isWithin(item.path, path) ||
      (item.renamedFrom !== undefined && isWithin(item.renamedFrom, path)),
  )
  const touched = selection.message === undefined ? null : await pathsOfMessage(session, selection.message)
  const isOf = (paths: { has(path: WorkspacePath): boolean } | null, { path: own, partner }: Subject): boolean =>
    paths === null || paths.has(own) || (partner !== null && paths.has(partner.path))
  const subjects = subjectsOf(wanted, pending).filter(subject => isOf(touched, subject) && isOf(listed, subject))
  refuseNotPending(listed, subjects)
  if (subjects.length === 0 && path !== null) throw await nothingPending(session, path)
  if (isPartial(selection) && path !== null && subjects.length !== 1)
    throw new Failure("BAD_ARGUMENT", "Hunks, lines and properties are chosen in one file; give its path.")
  const selected: SelectedSubject[] = []
  for (const subject of subjects) {
    const seen = listed?.get(subject.path)
    refuseStale(seen === undefined ? selection : { ...selection, revision: seen }, subject.item, before)
    const paths = [subject.path, ...(subject.partner === null ? [] : [subject.partner.path])]
    const missing = paths.filter(one => !standings.has(one))
    const stood = missing.length === 0 ? standings : new Map([...standings, ...(await settleDrift(session, missing))])
    const shown = await viewSubject(session, subject)
    selected.push({
      shown,
      standings: {
        own: standingAt(stood, subject.path),
        partner: subject.partner === null ? null : standingAt(stood, subject.partner.path),
      },
    })
  }
  return selection.path === undefined && selection.hunks !== undefined
    ? selected.filter(one => selection.hunks?.some(name => hunksNamed(one.shown, name).length > 0) === true)
    : selected
}

/** Whether hunks, lines or properties are chosen, and not all that is pending. */
export function isPartial(selection: Selection): boolean {
  return selection.hunks !== undefined || selection.lines !== undefined || selection.properties !== undefined
}

/** What of a subject the selection names, in the order in which to decide it. */
export function chosenIn(shown: SubjectView, selection: Selection): Chosen[] {
  const chosen: Chosen[] = []
  if (selection.hunks !== undefined) {
    // Without a path a name may be of hunks in many files, or of a substitution made all over.
    const hunks = selection.hunks
      .flatMap(name => (selection.path === undefined ? hunksNamed(shown, name) : hunkNamed(shown, name)))
      .sort((a, b) => a.fromBase - b.fromBase || a.fromCurrent - b.fromCurrent)
    if (selection.lines === undefined)
      chosen.push({ kind: "hunks", hunks: hunks.filter((hunk, at) => hunks.indexOf(hunk) === at) })
  }
  if (selection.lines !== undefined) chosen.push(...linesChosen(shown, selection.lines))
  if (selection.properties !== undefined)
    chosen.push({ kind: "properties", names: selection.properties.map(propertyNamed) })
  return chosen.length === 0 ? [{ kind: "all" }] : chosen
}

async function askedPath(session: Session, selection: Selection): Promise<WorkspacePath | "" | null> {
  if (selection.path !== undefined) return session.root.resolveEntry(selection.path)
  const given = selection.files ?? selection.message ?? selection.hunks
  if (given === undefined && selection.all !== true)
    throw new Failure(
      "BAD_ARGUMENT",
      "Nothing is chosen. Nothing was changed.",
      "Give a path, --hunk, --message or --all.",
    )
  return null
}

/** The files that are named one by one, with the revisions that were seen. */
async function listedFiles(
  session: Session,
  selection: Selection,
): Promise<ReadonlyMap<WorkspacePath, number | undefined> | null> {
  if (selection.files === undefined) return null
  if (selection.path !== undefined || isPartial(selection))
    throw new Failure("BAD_ARGUMENT", "Files that are named one by one are decided whole. Nothing was changed.")
  const listed = new Map<WorkspacePath, number | undefined>()
  for (const { path, revision } of selection.files) listed.set(await session.root.resolveEntry(path), revision)
  return listed
}

function refuseNotPending(listed: ReadonlyMap<WorkspacePath, unknown> | null, subjects: readonly Subject[]): void {
  const found = new Set(subjects.flatMap(subject => [subject.path, subject.partner?.path]))
  for (const path of listed?.keys() ?? [])
    if (!found.has(path))
      throw new Failure(
        "NOT_FOUND",
        `Nothing is pending in ${showPath(path)}. Nothing was changed.`,
        "galley status lists what is pending.",
      )
}

async function pendingUnder(session: Session, path: WorkspacePath | "" | null): Promise<readonly Item[]> {
  const items = await session.store.items({ pending: true })
  const inside = items.filter(item => path === null || isWithin(item.path, path))
  const partners = new Set(inside.flatMap(item => (item.renamedFrom === undefined ? [] : [item.renamedFrom])))
  const owners = items.filter(
    item =>
      partners.has(item.path) || (item.renamedFrom !== undefined && inside.some(one => one.path === item.renamedFrom)),
  )
  return [...new Map([...inside, ...owners].map(item => [item.path, item])).values()]
}

async function nothingPending(session: Session, path: WorkspacePath): Promise<Failure> {
  const now = await placeSince(session, path, 0)
  return new Failure(
    "NOT_FOUND",
    `Nothing is pending in ${showPath(path)}. Nothing was changed.`,
    now === path ? "galley status lists what is pending." : `It was renamed to ${showPath(now)}.`,
  )
}

async function pathsOfMessage(session: Session, message: string): Promise<ReadonlySet<WorkspacePath>> {
  if ((await session.store.message(message)) === null)
    throw new Failure(
      "NOT_FOUND",
      `There is no message ${message}. Nothing was changed.`,
      "galley log lists the messages.",
    )
  return new Set(await pathsNow(session, await session.store.operations({ message })))
}

function refuseStale(selection: Selection, item: Item, before: readonly Item[]): void {
  const was = before.find(one => one.path === item.path)
  const numbered = selection.hunks?.some(isNumber) === true || selection.lines !== undefined
  const moved = was !== undefined && was.revision !== item.revision
  if (selection.revision !== undefined ? selection.revision !== item.revision : numbered && moved)
    throw new Failure(
      "STALE_REVISION",
      `${showPath(item.path)} has changed since you looked (revision ${item.revision} now). Nothing was decided.`,
      "Look at it again (galley diff), then decide.",
    )
}

/** The hunks with that id, or all that make that substitution; bare numbers are of one file and name none. */
function hunksNamed(shown: SubjectView, name: string): Hunk[] {
  if (isNumber(name)) return []
  const own = shown.hunks.find(one => one.id === name)
  if (own !== undefined) return [own.hunk]
  const text = shown.view.text
  if (text === null) return []
  const hunks = shown.hunks.map(one => one.hunk)
  const same = substitutionIds(text.base, text.current, hunks)
  return hunks.filter((_, at) => same[at] === name)
}

function hunkNamed(shown: SubjectView, name: string): readonly Hunk[] {
  const found = isNumber(name)
    ? shown.hunks.slice(Number(name) - 1, Number(name)).map(one => one.hunk)
    : hunksNamed(shown, name)
  if (found.length > 0 && name !== "0") return found
  if (isNumber(name))
    throw new Failure(
      "BAD_ARGUMENT",
      `${showPath(shown.subject.path)} has ${shown.hunks.length} hunks; there is no hunk ${name}. Nothing was decided.`,
    )
  throw new Failure(
    "STALE_REVISION",
    `${showPath(shown.subject.path)} has no hunk ${name} now. Nothing was decided.`,
    "Look at it again (galley status), then decide.",
  )
}

function linesChosen(shown: SubjectView, lines: NonNullable<Selection["lines"]>): Chosen[] {
  const chosen: Chosen[] = []
  for (const { hunk } of shown.hunks.toReversed()) {
    const old = overlap(lines.old, hunk.fromBase, hunk.toBase)
    const fresh = overlap(lines.new, hunk.fromCurrent, hunk.toCurrent)
    if (old === null && fresh === null) continue
    chosen.push({
      kind: "lines",
      hunk,
      ranges: { ...(old === null ? {} : { old }), ...(fresh === null ? {} : { new: fresh }) },
    })
  }
  if (chosen.length === 0)
    throw new Failure(
      "BAD_ARGUMENT",
      `No changed line of ${showPath(shown.subject.path)} is in that range. Nothing was decided.`,
    )
  return chosen
}

/** A person's range (from 1, both ends included) cut to a hunk's (from 0, half-open). */
function overlap(
  range: { readonly from: number; readonly to: number } | undefined,
  from: number,
  to: number,
): readonly [number, number] | null {
  if (range === undefined) return null
  const start = Math.max(range.from - 1, from)
  const end = Math.min(range.to, to)
  return start < end ? [start, end] : null
}

function propertyNamed(name: string): PropertyName {
  const known: readonly PropertyName[] = ["existence", "mode", "encoding", "content"]
  const found = known.find(one => one === name)
  if (found === undefined)
    throw new Failure("BAD_ARGUMENT", `There is no property ${name}; properties are ${known.join(", ")}.`)
  return found
}

function isNumber(name: string): boolean {
  return /^[0-9]+$/.test(name)
}

/** Whether an id given to `show` names this pending file. */
export function isNamedBy(item: Item, id: string): boolean {
  return isPending(item) && (fileId(item.path) === id || item.path === id)
}
