import { isPending } from "@galley/core/change/item.ts"
import { fileOfLines, textOf, type Loaded } from "@galley/core/change/loaded.ts"
import { foldProposal } from "@galley/core/change/sides-fold.ts"
import { Failure } from "@galley/core/failure.ts"
import type { Conversation } from "@galley/core/history/operation.ts"
import { showPath, type WorkspacePath } from "@galley/core/path.ts"
import type { Params, RequestContext } from "@galley/core/protocol/requests.ts"
import type { DecisionResult } from "@galley/core/protocol/results.ts"
import { splitLines } from "@galley/core/text/lines.ts"
import type { Note } from "../store/store.ts"
import { commitTurns } from "./commit.ts"
import { diffOfSides } from "./diff-text.ts"
import { isNewName, settleDrift, standingAt, type Standing } from "./drift.ts"
import { makeNote } from "./feedback.ts"
import { fileViews } from "./file-view.ts"
import { lookAtGit } from "./git.ts"
import { markRows } from "./marks.ts"
import { begun } from "./messages.ts"
import { refuseAgent } from "./policy.ts"
import { carryRenamed, type Rename } from "./renamed.ts"
import { repairInterrupted } from "./repair.ts"
import type { Session } from "./session.ts"

/**
 * The person edits a proposal, or a file with nothing pending. Their text is theirs: outside pending hunks it is agreed on at once
 * (and on disk), inside it makes the hunk mixed.
 */
export async function write(
  session: Session,
  context: RequestContext,
  params: Params<"write">,
): Promise<DecisionResult> {
  refuseAgent(context, "Editing a proposal")
  const path = await pathOf(session, params.path)
  return session.lock.hold(async () => {
    await repairInterrupted(session)
    await lookAtGit(session)
    const standing = standingAt(await settleDrift(session, [path]), path)
    if (params.revision !== undefined && (standing.item?.revision ?? 0) !== params.revision)
      throw new Failure(
        "STALE_REVISION",
        `${showPath(path)} has changed since you looked. Nothing was written.`,
        "Look at it again; your text is still yours.",
      )
    const next = await given(session, standing, params)
    const disk = standing.item?.disk ?? "current"
    const sides =
      standing.item !== null && isPending(standing.item)
        ? isNewName(standing.item)
          ? { base: standing.sides.base, current: next }
          : foldProposal(standing.sides, next, disk, await session.charsetFor(path))
        : { base: next, current: next }
    const notes = await editedNotes(session, standing, next)
    const title = `Edit ${showPath(path)}`
    const { operation, items } = await commitTurns(
      session,
      [{ standing, sides, disk }],
      { kind: "write", actor: "person", conversation: null, message: null, title, capture: "none" },
      notes.length === 0 ? {} : { notes },
      { force: params.force === true },
    )
    return { version: 1, operation: operation?.id ?? null, title, files: await fileViews(session, items) }
  })
}

/** A remark on a file or line, which the agents at work there get at their next contact. */
export async function comment(
  session: Session,
  context: RequestContext,
  params: Params<"comment">,
): Promise<DecisionResult> {
  refuseAgent(context, "Commenting")
  const path = await pathOf(session, params.path)
  if (params.text.trim() === "") throw new Failure("BAD_ARGUMENT", "The comment is empty.")
  return session.lock.hold(async () => {
    const item = await session.store.item(path)
    const authors = params.conversation === undefined ? (item?.conversations ?? []) : [params.conversation]
    const notes = (authors.length === 0 ? [null] : authors).map(conversation =>
      makeNote(session, "comment", conversation, path, params.text, params.line ?? null),
    )
    await session.store.commit({ notes })
    return {
      version: 1,
      operation: null,
      title: `Comment on ${showPath(path)}`,
      files: item === null ? [] : await fileViews(session, [item]),
    }
  })
}

/** Marks what is pending in a file as looked at, or takes the mark back. It ends by itself when the content changes. */
export async function mark(session: Session, context: RequestContext, params: Params<"mark">): Promise<DecisionResult> {
  refuseAgent(context, "Marking as reviewed")
  const path = await pathOf(session, params.path)
  return session.lock.hold(async () => {
    const item = await session.store.item(path)
    if (item === null || !isPending(item)) throw new Failure("NOT_FOUND", `Nothing is pending in ${showPath(path)}.`)
    await session.store.commit(await markRows(session, item, params.off !== true))
    return { version: 1, operation: null, files: await fileViews(session, [item]) }
  })
}

/** The person renamed or moved files or folders in an editor, on disk already: what is known of them goes on at their new places. */
export async function renamed(
  session: Session,
  context: RequestContext,
  params: Params<"renamed">,
): Promise<DecisionResult> {
  refuseAgent(context, "Telling of a rename")
  const asked: Rename[] = []
  for (const { from, to } of params.files)
    asked.push({ from: await pathOf(session, from), to: await pathOf(session, to) })
  return session.lock.hold(async () => {
    await repairInterrupted(session)
    await lookAtGit(session)
    const targets = (await carryRenamed(session, asked)).map(rename => rename.to)
    await settleDrift(session, targets)
    return {
      version: 1,
      operation: null,
      files: await fileViews(session, await session.store.items({ paths: targets })),
    }
  })
}

/** Begins a message of a conversation: what agents do from now on belongs to it. Hosts and hooks may do it too. */
export async function message(
  session: Session,
  context: RequestContext,
  params: Params<"message">,
): Promise<DecisionResult> {
  const id = params.conversation ?? context.conversation ?? "cli"
  return session.lock.hold(async () => {
    await repairInterrupted(session)
    if (params.id !== undefined) {
      const known = await session.store.message(params.id)
      if (known !== null) return { version: 1, operation: null, files: [], message: known.id }
    }
    const known = await session.store.conversation(id)
    const parent = params.parent === undefined ? null : await session.store.message(params.parent)
    if (params.parent !== undefined && parent === null)
      throw new Failure("NOT_FOUND", `There is no message ${params.parent}.`, "galley log lists the messages.")
    if (known !== null && parent !== null && parent.conversation !== id && known.forkedFrom !== parent.id)
      throw new Failure(
        "BAD_ARGUMENT",
        `Message ${parent.id} is of conversation ${parent.conversation}; only a new conversation can begin there.`,
      )
    const conversation: Conversation = {
      ...(known ?? { id, title: params.text, head: null, createdAt: session.env.now() }),
      ...(parent === null ? {} : { head: parent.id }),
      ...(known === null && parent !== null ? { forkedFrom: parent.id } : {}),
    }
    const origin = begun(session, conversation, params.text, params.id ?? null)
    await session.store.commit(origin.rows)
    return { version: 1, operation: null, files: [], message: origin.message.id }
  })
}

async function pathOf(session: Session, asked: string): Promise<WorkspacePath> {
  const path = await session.root.resolveEntry(asked)
  if (path === "") throw new Failure("BAD_ARGUMENT", "That is the workspace itself; give a file in it.")
  return path
}

async function given(session: Session, standing: Standing, params: Params<"write">): Promise<Loaded> {
  const { current, base } = standing.sides
  const was = current.kind === "file" ? current : base.kind === "file" ? base : null
  const mode = was?.mode ?? 0o644
  if (params.base64 !== undefined)
    return { kind: "file", bytes: new Uint8Array(Buffer.from(params.base64, "base64")), mode }
  if (params.text === undefined) throw new Failure("BAD_ARGUMENT", "Give the new content as text or base64.")
  const charset = await session.charsetFor(standing.path)
  const encoding = (was === null ? null : textOf(was, charset))?.encoding ?? { name: "utf-8", bom: false }
  const file = fileOfLines(splitLines(params.text), encoding, mode, charset)
  if (file === null)
    throw new Failure(
      "NOT_TEXT",
      `The text cannot be written in the encoding of ${showPath(standing.path)} (${encoding.name}). Nothing was written.`,
    )
  return file
}

async function editedNotes(session: Session, standing: Standing, next: Loaded): Promise<Note[]> {
  const conversations = standing.item === null || !isPending(standing.item) ? [] : standing.item.conversations
  if (conversations.length === 0) return []
  const diff = await diffOfSides(session, standing.path, { base: standing.sides.current, current: next })
  const changed = diff.split("\n").filter(line => /^[-+]/.test(line) && !/^(---|\+\+\+) /.test(line))
  return conversations.map(conversation =>
    makeNote(session, "edited", conversation, standing.path, changed.slice(0, 12).join("\n")),
  )
}
