import { isPending } from "@galley/core/change/item.ts"
import { conflictRegions } from "@galley/core/change/fold.ts"
import { hunksOfSteps, type TextStep } from "@galley/core/change/hunk-origin.ts"
import { linesOf, loadedAbsent, sameLoaded, textOf, type Loaded } from "@galley/core/change/loaded.ts"
import { Failure } from "@galley/core/failure.ts"
import { isWithin, showPath, type WorkspacePath } from "@galley/core/path.ts"
import type { Params, Result } from "@galley/core/protocol/requests.ts"
import { joinLines } from "@galley/core/text/lines.ts"
import { authorshipOf } from "./authors.ts"
import { byProductList, byProductsAt, byProductView } from "./by-products.ts"
import { loadState } from "./contents.ts"
import { diffOfSides, diffOfView } from "./diff-text.ts"
import { readDisk } from "./disk.ts"
import {
  fileId,
  fileView,
  fileViewBy,
  isInConflict,
  parkedView,
  sameHunk,
  shownPath,
  viewSubject,
  type SubjectView,
} from "./file-view.ts"
import { changesOfMessage, changesOfOperation, counts, operationView, type PathChange } from "./history-views.ts"
import { readMarks } from "./marks.ts"
import { movesSinceQuiet } from "./moves.ts"
import { isNamedBy } from "./selection.ts"
import type { Session } from "./session.ts"
import { catchUp } from "./status.ts"
import { subjectsOf } from "./subject.ts"
import { readUndoState } from "./undo.ts"

/** What is pending (or one message's net change) as a unified diff. */
export async function diff(session: Session, params: Params<"diff">): Promise<Result<"diff">> {
  await catchUp(session)
  const path = params.path === undefined ? "" : await session.root.resolveEntry(params.path)
  if (params.message !== undefined) {
    await knownMessage(session, params.message)
    const changes = (await changesOfMessage(session, params.message)).filter(change => isWithin(change.path, path))
    return { version: 1, diff: await diffOfChanges(session, changes), files: [] }
  }
  const views = await pendingViews(session, path)
  const texts = views.map(view =>
    diffOfView(view.subject.path, view.subject.partner?.path ?? view.subject.path, view.sides, view.view),
  )
  const files = []
  const marks = await readMarks(session)
  for (const view of views) files.push(await fileView(session, view, marks))
  for (const entry of (await session.store.parked()).filter(one => isWithin(one.item.path, path))) {
    const parked = await parkedView(session, entry, marks)
    const where = entry.branch === null ? "a detached HEAD" : `branch ${entry.branch}`
    const text = diffOfView(entry.item.path, entry.item.path, parked.shown.sides, parked.shown.view)
    texts.push(`# ${showPath(entry.item.path)}: parked on ${where}, not on disk here\n${text}`)
    files.push(parked.file)
  }
  for (const aside of byProductsAt(session, path)) {
    texts.push(byProductList(session, aside))
    files.push(await byProductView(session, aside))
  }
  return { version: 1, diff: texts.join(""), files }
}

/** One side of a file. `message:M` is the file as it was before that message's first change of it. */
export async function cat(session: Session, params: Params<"cat">): Promise<Result<"cat">> {
  const path = await session.root.resolveEntry(params.path)
  const state = await sideOf(session, path, params.side)
  const shown = path.toWellFormed()
  if (state.kind === "absent") return { version: 1, path: shown, absent: true }
  if (state.kind === "symlink") return { version: 1, path: shown, absent: false, text: state.target }
  if (state.kind === "unknown")
    throw new Failure(
      "NOT_FOUND",
      `What ${showPath(path)} held there is not known: it could not be read, is too large, expired or was purged.`,
    )
  if (state.kind !== "file") throw new Failure("NOT_TEXT", `${showPath(path)} is a ${state.kind}, not a file.`)
  const document = textOf(state, await session.charsetFor(path))
  const base64 = Buffer.from(state.bytes).toString("base64")
  return document === null
    ? { version: 1, path: shown, absent: false, base64 }
    : { version: 1, path: shown, absent: false, text: document.text, base64 }
}

/** An operation, a message or a pending file, by id. */
export async function show(session: Session, params: Params<"show">): Promise<Result<"show">> {
  const operation = await session.store.operation(params.id)
  if (operation !== null) {
    const changes = await changesOfOperation(session, operation)
    const { undone } = await readUndoState(session)
    return {
      version: 1,
      kind: "operation",
      operation: operationView(operation, undone),
      title: operation.title,
      diff: await diffOfChanges(session, changes),
      files: await countsOf(session, changes),
    }
  }
  const message = await session.store.message(params.id)
  if (message !== null) {
    const changes = await changesOfMessage(session, message.id)
    return {
      version: 1,
      kind: "message",
      title: message.title,
      diff: await diffOfChanges(session, changes),
      files: await countsOf(session, changes),
    }
  }
  await catchUp(session)
  const pending = await session.store.items({ pending: true })
  const subject = subjectsOf(pending).find(one => isNamedBy(one.item, params.id))
  const aside = byProductsAt(session, "").find(one => fileId(one.folder) === params.id || one.folder === params.id)
  if (subject === undefined && aside !== undefined)
    return {
      version: 1,
      kind: "file",
      title: `${showPath(aside.folder)}/`,
      diff: byProductList(session, aside),
      files: [],
    }
  if (subject === undefined)
    throw new Failure("NOT_FOUND", `Nothing has the id ${params.id}.`, "galley status and galley log list ids.")
  const view = await viewSubject(session, subject)
  const text = diffOfView(subject.path, subject.partner?.path ?? subject.path, view.sides, view.view)
  const changes = [{ path: subject.path, sides: view.sides }]
  return {
    version: 1,
    kind: "file",
    title: showPath(subject.path),
    diff: text,
    files: await countsOf(session, changes),
  }
}

/** All that a review surface needs of one file; a quiet one has its text on both sides. */
export async function file(session: Session, params: Params<"file">): Promise<Result<"file">> {
  await catchUp(session)
  const path = await session.root.resolveEntry(params.path)
  const [view] = await pendingViews(session, path)
  const comments = (await session.store.notes({ path }))
    .filter(note => note.kind === "comment")
    .map(note => ({ id: note.id, line: note.line, text: note.text, delivered: note.deliveredAt !== null }))
  if (view === undefined || !(view.subject.path === path || view.subject.partner?.path === path))
    return { ...((await parkedFile(session, path)) ?? (await quietFile(session, path))), comments }
  const charset = await session.charsetFor(view.subject.path)
  const authorship = await authorshipOf(session, view.subject.path, view.view)
  const text = (state: Loaded): string | null => (state.kind === "absent" ? "" : (textOf(state, charset)?.text ?? null))
  return {
    version: 1,
    file: fileViewBy(view, authorship, await readMarks(session)),
    base: text(view.sides.base),
    current: text(view.sides.current),
    authors: authorship === null ? [] : [...authorship.current],
    conflicts: await conflictsOf(session, view),
    comments,
    ...(params.message === undefined ? {} : { ofMessage: await hunksOfMessage(session, view, params.message) }),
  }
}

/** The hunks that hold what a message's calls did. */
async function hunksOfMessage(session: Session, view: SubjectView, message: string): Promise<string[]> {
  await knownMessage(session, message)
  const { text } = view.view
  if (text === null) return []
  const charset = await session.charsetFor(view.subject.path)
  const steps: TextStep[] = []
  for (const { operation, change } of await movesSinceQuiet(session, view.subject.path)) {
    if (operation.actor !== "agent" || operation.message !== message) continue
    const [before, after] = [change.before.current, change.after.current]
    const from = linesOf(await loadState(session.store, before), charset) ?? []
    steps.push({ before: from, after: linesOf(await loadState(session.store, after), charset) ?? from })
  }
  const hunks = view.hunks.map(one => one.hunk)
  const found = new Set(hunksOfSteps(steps, text.current, hunks))
  return view.hunks.filter(one => found.has(one.hunk)).map(one => one.id)
}

async function conflictsOf(session: Session, view: SubjectView): Promise<Result<"file">["conflicts"]> {
  const origin = view.subject.item.conflictOrigin
  if (origin === undefined) return []
  const lines = linesOf(await loadState(session.store, origin), await session.charsetFor(view.subject.path))
  if (!isInConflict(view)) return []
  if (lines === null || view.view.text === null)
    return [
      { hunk: null, reason: "The file was changed on disk while this was pending.", mine: "", theirs: "", origin: "" },
    ]
  return conflictRegions(lines, view.view.text.current, view.view.text.base).map(region => ({
    hunk: view.hunks.find(one => region.hunks.some(hunk => sameHunk(hunk, one.hunk)))?.id ?? null,
    reason: "Both changed these lines.",
    mine: joinLines(region.base),
    theirs: joinLines(region.current),
    origin: joinLines(region.origin),
  }))
}

/** The newest parked change of a path: the two texts as they were set aside. */
async function parkedFile(session: Session, path: WorkspacePath): Promise<Omit<Result<"file">, "comments"> | null> {
  const entry = (await session.store.parked()).filter(one => one.item.path === path).at(-1)
  if (entry === undefined) return null
  const { file, shown } = await parkedView(session, entry, await readMarks(session))
  const charset = await session.charsetFor(path)
  const text = (state: Loaded): string | null => (state.kind === "absent" ? "" : (textOf(state, charset)?.text ?? null))
  return {
    version: 1,
    file,
    base: text(shown.sides.base),
    current: text(shown.sides.current),
    authors: [],
    conflicts: [],
  }
}

async function quietFile(session: Session, path: WorkspacePath): Promise<Omit<Result<"file">, "comments">> {
  const state = path === "" ? loadedAbsent : await readDisk(session, path)
  if (state.kind === "absent") throw new Failure("NOT_FOUND", `There is no file ${showPath(path)}.`)
  const text = textOf(state, await session.charsetFor(path))?.text ?? null
  const item = await session.store.item(path)
  return {
    version: 1,
    file: {
      ...shownPath(path),
      kinds: [],
      id: fileId(path),
      revision: item?.revision ?? 0,
      disk: item?.disk ?? "current",
      hunks: [],
      conflict: false,
      parked: false,
    },
    base: text,
    current: text,
    authors: [],
    conflicts: [],
  }
}

async function sideOf(session: Session, path: WorkspacePath, side: string): Promise<Loaded> {
  if (side === "disk") return readDisk(session, path)
  if (side === "base" || side === "current") {
    await catchUp(session)
    const item = await session.store.item(path)
    return item === null || !isPending(item) ? readDisk(session, path) : loadState(session.store, item[side])
  }
  const id = side.slice("message:".length)
  await knownMessage(session, id)
  const operations = (await session.store.operations({ message: id, path })).filter(
    operation => operation.actor === "agent",
  )
  const change = operations[0]?.changes.find(one => one.path === path)
  if (change !== undefined) return loadState(session.store, change.before.current)
  throw new Failure(
    "NOT_FOUND",
    `Message ${id} did not change ${showPath(path)}.`,
    "galley log lists the files of each message.",
  )
}

async function pendingViews(session: Session, path: WorkspacePath | ""): Promise<SubjectView[]> {
  const pending = await session.store.items({ pending: true })
  const subjects = subjectsOf(pending).filter(
    subject => isWithin(subject.path, path) || (subject.partner !== null && isWithin(subject.partner.path, path)),
  )
  return Promise.all(subjects.map(subject => viewSubject(session, subject)))
}

async function knownMessage(session: Session, id: string): Promise<void> {
  if ((await session.store.message(id)) === null)
    throw new Failure("NOT_FOUND", `There is no message ${id}.`, "galley log lists the messages.")
}

async function diffOfChanges(session: Session, changes: readonly PathChange[]): Promise<string> {
  const texts: string[] = []
  for (const { path, sides } of changes)
    if (!sameLoaded(sides.base, sides.current)) texts.push(await diffOfSides(session, path, sides))
  return texts.join("")
}

async function countsOf(session: Session, changes: readonly PathChange[]): Promise<Result<"show">["files"]> {
  const found: Result<"show">["files"] = []
  for (const { path, sides } of changes) found.push({ ...shownPath(path), ...(await counts(session, path, sides)) })
  return found
}
