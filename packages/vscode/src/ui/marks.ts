import {
  type DecorationOptions,
  Disposable,
  MarkdownString,
  OverviewRulerLane,
  Range,
  type TextEditor,
  type TextEditorDecorationType,
  ThemeColor,
  window,
  workspace,
} from "vscode"
import { type BufferHunk, linesInBuffer } from "../review/buffer-hunks.ts"
import { ghosts } from "../review/ghosts.ts"
import { hunksOf, type PendingDocument, type Sessions } from "../sessions.ts"
import { isInDiff } from "./review-tabs.ts"

/** Typing is followed at this pace (ms); between two looks the editor itself moves the marks. */
const pace = 30

/**
 * Marks pending blocks in ordinary editors: added lines tinted, removed text struck behind the line that took its place, both in the
 * overview ruler. Where the base is on disk it is the other way round: the lines that would go are struck, what would come is
 * shown behind them. No text is put into any buffer.
 */
export function drawMarks(sessions: Sessions): Disposable {
  const kinds = decorationKinds()
  let timer: NodeJS.Timeout | null = null
  const soon = (): void => {
    timer ??= setTimeout(() => {
      timer = null
      for (const editor of window.visibleTextEditors) draw(editor, sessions, kinds)
    }, pace)
  }
  const follow = (): void => {
    loadShown(sessions)
    soon()
  }
  follow()
  return Disposable.from(
    ...Object.values(kinds),
    sessions.onDidChange(follow),
    window.onDidChangeVisibleTextEditors(follow),
    window.tabGroups.onDidChangeTabs(soon),
    workspace.onDidChangeTextDocument(soon),
    workspace.onDidChangeConfiguration(change => {
      if (change.affectsConfiguration("galley")) soon()
    }),
    new Disposable(() => {
      if (timer !== null) clearTimeout(timer)
    }),
  )
}

/** Fetches the texts of pending files that are on the screen and not here yet. */
function loadShown(sessions: Sessions): void {
  for (const { document } of window.visibleTextEditors) {
    const found = document.uri.scheme === "file" ? sessions.of(document.uri) : null
    if (found === null || found.session.fileAt(found.path) === null || found.session.textsOf(found.path) !== null)
      continue
    const { session, path } = found
    session.loadTexts(path).then(
      texts => {
        if (texts !== null) session.announce()
      },
      () => {},
    )
  }
}

type Kinds = Readonly<Record<"added" | "removed" | "ghostRemoved" | "ghostAdded" | "gap", TextEditorDecorationType>>

function draw(editor: TextEditor, sessions: Sessions, kinds: Kinds): void {
  if (editor.document.uri.scheme !== "file") return
  const pending = isInDiff(editor) ? null : sessions.pendingIn(editor.document)
  const hunks = pending === null ? [] : hunksOf(pending, editor.document.getText())
  const lines: DecorationOptions[] = []
  const gaps: DecorationOptions[] = []
  const behind: DecorationOptions[] = []
  if (pending !== null)
    for (const hunk of hunks) {
      const { from, to } = linesInBuffer(hunk, pending.side)
      const hoverMessage = hoverOf(editor, pending, hunk)
      if (to > from) lines.push({ range: wholeLines(editor, from, to), hoverMessage })
      else gaps.push({ range: wholeLines(editor, Math.max(0, from - 1), Math.max(1, from)), hoverMessage })
      for (const ghost of showsGhosts() ? ghosts(hunk, pending.side) : []) {
        const at = editor.document.lineAt(Math.min(ghost.line, editor.document.lineCount - 1)).range.end
        behind.push({ range: new Range(at, at), renderOptions: { after: { contentText: ghost.text } } })
      }
    }
  const isBase = pending?.side === "base"
  editor.setDecorations(kinds.added, isBase ? [] : lines)
  editor.setDecorations(kinds.removed, isBase ? lines : [])
  editor.setDecorations(kinds.gap, gaps)
  editor.setDecorations(kinds.ghostRemoved, isBase ? [] : behind)
  editor.setDecorations(kinds.ghostAdded, isBase ? behind : [])
}

function showsGhosts(): boolean {
  return workspace.getConfiguration("galley").get<boolean>("removedText", true)
}

function wholeLines(editor: TextEditor, from: number, to: number): Range {
  const last = editor.document.lineCount - 1
  return editor.document.validateRange(
    new Range(Math.min(from, last), 0, Math.min(to - 1, last), Number.MAX_SAFE_INTEGER),
  )
}

/** The block as a diff, with what can be done about it. */
function hoverOf(editor: TextEditor, pending: PendingDocument, hunk: BufferHunk): MarkdownString {
  const hover = new MarkdownString("", true)
  // Only these of our own commands can be linked; the text is in a code block and is never read as anything.
  hover.isTrusted = { enabledCommands: ["galley.acceptHunk", "galley.rejectHunk", "galley.openReview"] }
  const { fromBase, toBase, fromCurrent, toCurrent } = hunk
  const argument = encodeURIComponent(
    JSON.stringify([editor.document.uri, { fromBase, toBase, fromCurrent, toCurrent }]),
  )
  const most = 40
  const lines = [...hunk.removed.map(line => `-${line}`), ...hunk.added.map(line => `+${line}`)]
  hover.appendMarkdown(`**Galley** · ${pending.side === "base" ? "proposed" : "changed"} by the agent\n`)
  hover.appendCodeblock(lines.slice(0, most).join("\n"), "diff")
  const whole = `command:galley.openReview?${encodeURIComponent(JSON.stringify([editor.document.uri]))}`
  if (lines.length > most) hover.appendMarkdown(`[… ${lines.length - most} more lines, open the diff](${whole})\n\n`)
  hover.appendMarkdown(
    `[$(check) Accept](command:galley.acceptHunk?${argument}) · [$(discard) Reject](command:galley.rejectHunk?${argument}) · [$(diff) Open Diff](${whole})`,
  )
  return hover
}

function decorationKinds(): Kinds {
  const line = (color: string, ruler: string, struck: boolean): TextEditorDecorationType =>
    window.createTextEditorDecorationType({
      isWholeLine: true,
      backgroundColor: new ThemeColor(color),
      overviewRulerColor: new ThemeColor(ruler),
      overviewRulerLane: OverviewRulerLane.Left,
      borderWidth: "0 0 0 2px",
      borderStyle: "solid",
      borderColor: new ThemeColor(ruler),
      ...(struck ? { textDecoration: "line-through" } : {}),
    })
  const ghost = (color: string, background: string, struck: boolean): TextEditorDecorationType =>
    window.createTextEditorDecorationType({
      after: {
        margin: "0 0 0 2.5ch",
        color: new ThemeColor(color),
        backgroundColor: new ThemeColor(background),
        ...(struck ? { textDecoration: "line-through" } : {}),
      },
    })
  return {
    added: line("galley.addedLineBackground", "galley.addedForeground", false),
    removed: line("galley.removedLineBackground", "galley.removedForeground", true),
    gap: window.createTextEditorDecorationType({
      isWholeLine: true,
      overviewRulerColor: new ThemeColor("galley.removedForeground"),
      overviewRulerLane: OverviewRulerLane.Left,
      borderWidth: "0 0 2px 0",
      borderStyle: "solid",
      borderColor: new ThemeColor("galley.removedForeground"),
    }),
    ghostRemoved: ghost("galley.removedForeground", "galley.removedLineBackground", true),
    ghostAdded: ghost("galley.addedForeground", "galley.addedLineBackground", false),
  }
}
