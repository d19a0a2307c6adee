import { Failure } from "@galley/core/failure.ts"
import { showPath } from "@galley/core/path.ts"
import type { OnConflict, Selection } from "@galley/core/protocol/requests.ts"
import type { FileView } from "@galley/core/protocol/results.ts"
import type { Hunk } from "@galley/core/diff/hunk.ts"
import { type TextDocument, Uri, window, workspace } from "vscode"
import { sameHunk } from "../review/buffer-hunks.ts"
import { proposalScheme } from "../review/side-uri.ts"
import type { Session } from "../session.ts"
import type { Sessions } from "../sessions.ts"
import { Unreachable } from "../wire/request.ts"

export type Verdict = "accept" | "reject"

/** Decides one block of a document. Unsaved typing is saved first where the decision needs it: it is the person's, and stays. */
export async function decideHunk(sessions: Sessions, verdict: Verdict, uri: Uri, hunk: Hunk): Promise<void> {
  const document = await workspace.openTextDocument(uri)
  const found = sessions.of(uri)
  if (found === null) return
  const { session, path } = found
  await told(async () => {
    const before = sameHunk(sessions.hunksIn(document), hunk)
    const saves = document.isDirty && (verdict === "reject" || before?.view == null)
    if (saves && !(await document.save()))
      throw new Failure("STALE_REVISION", "The file could not be saved, so nothing was decided.")
    // Saved text is folded in when the program is asked, and that is another revision.
    if (saves || before?.view == null) await session.refresh()
    const request = (): Promise<Selection> => hunkSelection(sessions, document, before ?? hunk)
    try {
      await decide(session, verdict, await request())
    } catch (error) {
      // Somebody wrote elsewhere in the file meanwhile. The block is looked for once more; it must still be the same text.
      if (!(error instanceof Failure) || error.code !== "STALE_REVISION") throw error
      await session.refresh()
      await decide(session, verdict, await request())
    }
  })

  async function hunkSelection(from: Sessions, of: TextDocument, meant: Hunk): Promise<Selection> {
    await session.loadTexts(path)
    const file = session.fileAt(path)
    const now = sameHunk(from.hunksIn(of), meant)
    if (file === null || now?.view == null)
      throw new Failure("STALE_REVISION", "This block is another one now. Look at it again.")
    return { path, hunks: [now.view.id], revision: file.revision }
  }
}

/** Decides the selected lines of a document that shows current. */
export async function decideLines(
  sessions: Sessions,
  verdict: Verdict,
  document: TextDocument,
  from: number,
  to: number,
): Promise<void> {
  await told(async () => {
    if (document.isDirty) await document.save()
    const found = sessions.of(document.uri)
    if (found === null) return
    await found.session.refresh()
    await found.session.loadTexts(found.path)
    const pending = sessions.pendingIn(document)
    if (pending === null) return
    const range = { from: from + 1, to: to + 1 }
    const lines = pending.side === "base" ? { old: range } : { new: range }
    await decide(found.session, verdict, { path: found.path, lines, revision: pending.file.revision })
  })
}

/** Decides whole files, as one operation, after asking about unsaved text in them. */
export async function decideFiles(session: Session, verdict: Verdict, files: readonly FileView[]): Promise<void> {
  if (files.length === 0) return
  await told(async () => {
    if (
      !(await savedBefore(
        session,
        files.map(file => file.path),
        verdict,
      ))
    )
      return
    // What was decided elsewhere meanwhile needs no decision any more.
    const now = files.flatMap(file => session.fileAt(file.path) ?? [])
    const [one] = now
    if (one === undefined) return
    const named = now.map(({ path, revision }) => ({ path, revision }))
    await decide(session, verdict, now.length === 1 ? { path: one.path, revision: one.revision } : { files: named })
  })
}

/** Decides everything, or one message's changes, as one operation. */
export async function decideMany(
  session: Session,
  verdict: Verdict,
  selection: { message: string } | { all: true },
): Promise<void> {
  const files = "all" in selection ? session.pending : filesOfMessage(session, selection.message)
  await told(async () => {
    if (
      await savedBefore(
        session,
        files.map(file => file.path),
        verdict,
      )
    )
      await decide(session, verdict, selection)
  })
}

export function filesOfMessage(session: Session, message: string): readonly FileView[] {
  return session.pending.filter(file => session.messagesOf(file).includes(message))
}

/** Makes the request; where the texts overlap the person chooses a side, and then it is made again. */
async function decide(session: Session, verdict: Verdict, selection: Selection): Promise<void> {
  try {
    await session.request(verdict, selection)
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "CONFLICT" || selection.onConflict !== undefined) throw error
    const onConflict = await chosenSide(error)
    if (onConflict !== null) await session.request(verdict, { ...selection, onConflict })
  } finally {
    await session.refresh().catch(() => {})
  }
}

/** Asks which text to keep where two overlap; null when the person would rather not. */
export async function chosenSide(failure: Failure): Promise<OnConflict | null> {
  const detail = [failure.message, failure.hint].filter(text => text !== undefined).join("\n\n")
  const choice = await window.showWarningMessage(
    "Your text and the agent's are in the same lines.",
    { modal: true, detail },
    keepMine,
    takeTheirs,
  )
  return choice === keepMine ? "keep-mine" : choice === takeTheirs ? "take-theirs" : null
}

export const keepMine = "Keep Mine"
export const takeTheirs = "Take the Agent's"

/** Whether nothing unsaved is in the way: the person is asked to save it, and nothing of theirs is ever overwritten. */
export async function savedBefore(session: Session, paths: readonly string[], what: string): Promise<boolean> {
  const wanted = new Set(paths.map(path => session.uriOf(path).path))
  const unsaved = workspace.textDocuments.filter(
    ({ isDirty, uri }) => isDirty && (uri.scheme === "file" || uri.scheme === proposalScheme) && wanted.has(uri.path),
  )
  if (unsaved.length === 0) return true
  const save = `Save and ${what.charAt(0).toUpperCase()}${what.slice(1)}`
  const names = unsaved.map(({ uri }) => showPath(workspace.asRelativePath(uri.with({ scheme: "file" }), false)))
  const choice = await window.showWarningMessage(
    unsaved.length === 1 ? `${names[0] ?? ""} has unsaved text.` : `${unsaved.length} files have unsaved text.`,
    {
      modal: true,
      detail: `${names.join("\n")}\n\nGalley saves it first, so that it is kept and merged. Nothing is overwritten.`,
    },
    save,
  )
  if (choice !== save) return false
  for (const document of unsaved) if (!(await document.save())) return false
  await session.refresh()
  return true
}

/** Runs an action of the person's and says what went wrong, in their words. */
export async function told(action: () => Promise<void>): Promise<void> {
  try {
    await action()
  } catch (error) {
    if (error instanceof Failure)
      void window.showWarningMessage(error.hint === undefined ? error.message : `${error.message} ${error.hint}`)
    else if (error instanceof Unreachable)
      void window.showErrorMessage(`Galley's program cannot be reached, nothing was done. ${error.message}`)
    else void window.showErrorMessage(`Galley: ${error instanceof Error ? error.message : String(error)}`)
  }
}
