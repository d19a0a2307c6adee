import { CodeLens, EventEmitter, Range, languages, type TextDocument, Disposable, workspace } from "vscode"
import { type BufferHunk, linesInBuffer } from "../review/buffer-hunks.ts"
import { proposalScheme } from "../review/side-uri.ts"
import { hunksOf, type PendingDocument, type Sessions } from "../sessions.ts"

/** Actions above every pending block, and for the whole file above its first line. */
export function serveLenses(sessions: Sessions): Disposable {
  const emitter = new EventEmitter<void>()
  const provide = (document: TextDocument): CodeLens[] => {
    const pending = sessions.pendingIn(document)
    if (pending === null || !workspace.getConfiguration("galley").get<boolean>("codeLens", true)) return []
    const hunks = hunksOf(pending, document.getText())
    const last = Math.max(0, document.lineCount - 1)
    return hunks.flatMap((hunk, index) => {
      const line = Math.min(linesInBuffer(hunk, pending.side).from, last)
      return lensesOf(document, pending, hunk, index, hunks.length, line)
    })
  }
  return Disposable.from(
    emitter,
    sessions.onDidChange(() => emitter.fire()),
    workspace.onDidChangeConfiguration(change => {
      if (change.affectsConfiguration("galley.codeLens")) emitter.fire()
    }),
    languages.registerCodeLensProvider([{ scheme: "file" }, { scheme: proposalScheme }], {
      onDidChangeCodeLenses: emitter.event,
      provideCodeLenses: provide,
    }),
  )
}

function lensesOf(
  document: TextDocument,
  pending: PendingDocument,
  hunk: BufferHunk,
  index: number,
  count: number,
  line: number,
): CodeLens[] {
  const range = new Range(line, 0, line, 0)
  const lens = (title: string, command: string, args: readonly unknown[], tooltip: string): CodeLens =>
    new CodeLens(range, { title, command, arguments: [...args], tooltip })
  const place = [document.uri, rangesOf(hunk)]
  const lenses = [
    lens("$(check) Accept", "galley.acceptHunk", place, "Keep this block as it is"),
    lens("$(discard) Reject", "galley.rejectHunk", place, "Put the old lines back"),
    lens(countOf(hunk, index, count, pending), "galley.openReview", [document.uri], "Review as a diff"),
  ]
  const { same: name, substitution } = hunk.view ?? {}
  const many = name === undefined ? 0 : countSame(pending, name)
  if (many > 1)
    lenses.push(
      lens(
        `Accept all ${many} × ${substitution ?? ""}`,
        "galley.acceptSubstitution",
        [document.uri, name],
        "In every file, as one decision",
      ),
    )
  if (count > 1 && index === 0)
    lenses.push(
      lens("$(check-all) File", "galley.acceptFile", [document.uri], "Accept all blocks of this file"),
      lens("$(clear-all) File", "galley.rejectFile", [document.uri], "Reject all blocks of this file"),
    )
  return lenses
}

function countOf(hunk: BufferHunk, index: number, count: number, pending: PendingDocument): string {
  const changed = [`+${hunk.added.length}`, `−${hunk.removed.length}`].join(" ")
  const words = [
    ...(pending.side === "base" ? ["proposed"] : []),
    ...(hunk.view?.conflict === true ? ["$(warning) conflict"] : []),
    ...(hunk.view?.mixed === true ? ["with your edits"] : []),
    ...(hunk.view === null ? ["edited"] : []),
  ]
  return [`${index + 1}/${count}  ${changed}`, ...words].join(" · ")
}

function countSame(pending: PendingDocument, name: string): number {
  return pending.session.pending.flatMap(file => file.hunks).filter(hunk => hunk.same === name).length
}

/** Plain numbers: a command's arguments cross to the window and back as JSON. */
export function rangesOf(hunk: BufferHunk): {
  fromBase: number
  toBase: number
  fromCurrent: number
  toCurrent: number
} {
  const { fromBase, toBase, fromCurrent, toCurrent } = hunk
  return { fromBase, toBase, fromCurrent, toCurrent }
}
