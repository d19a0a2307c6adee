import {
  comments as commentsApi,
  CommentMode,
  type CommentReply,
  type CommentThread,
  CommentThreadCollapsibleState,
  commands,
  Disposable,
  Range,
  type TextDocument,
  type Uri,
  window,
  workspace,
} from "vscode"
import { linesInBuffer } from "../review/buffer-hunks.ts"
import type { FileTexts } from "../session.ts"
import { hunksOf, type Sessions } from "../sessions.ts"
import { told } from "./decide.ts"
import { realUri } from "./virtual-texts.ts"

/** Comments on lines of pending files, which the agent is told at its next contact. */
export function takeComments(sessions: Sessions): Disposable {
  const controller = commentsApi.createCommentController("galley", "Galley")
  controller.options = { prompt: "Tell the agent…", placeHolder: "The agent reads this at its next contact" }
  const ranges = {
    // The editor draws a bar beside every such line, so only the blocks have one; any line has the command.
    provideCommentingRanges: (document: TextDocument) => {
      const pending = sessions.pendingIn(document)
      const hunks = pending === null ? [] : hunksOf(pending, document.getText())
      return hunks.flatMap(hunk => {
        const { from, to } = linesInBuffer(hunk, pending?.side ?? "current")
        return to > from ? [new Range(from, 0, to - 1, 0)] : []
      })
    },
  }
  const shown = new Map<string, readonly CommentThread[]>()
  const clear = (key: string): void => {
    for (const thread of shown.get(key) ?? []) thread.dispose()
    shown.delete(key)
  }
  const known = new Map<string, string>()
  const match = (): void => {
    // Set anew, so that the editor asks anew.
    controller.commentingRangeProvider = ranges
    const open = new Set<string>()
    for (const document of workspace.textDocuments) {
      const pending = sessions.pendingIn(document)
      if (pending === null) continue
      const key = document.uri.toString()
      open.add(key)
      const fingerprint = JSON.stringify(pending.texts.comments)
      if (known.get(key) === fingerprint) continue
      known.set(key, fingerprint)
      clear(key)
      shown.set(
        key,
        threadsFor(document.uri, pending.texts.comments, (uri, range) =>
          controller.createCommentThread(uri, range, []),
        ),
      )
    }
    for (const key of shown.keys())
      if (!open.has(key)) {
        clear(key)
        known.delete(key)
      }
  }
  return Disposable.from(
    controller,
    sessions.onDidChange(match),
    workspace.onDidOpenTextDocument(match),
    commands.registerCommand("galley.commentLine", () => commentLine(sessions)),
    commands.registerCommand("galley.comment", (reply: CommentReply) => send(sessions, reply)),
  )
}

function threadsFor(
  uri: Uri,
  all: FileTexts["comments"],
  create: (uri: Uri, range: Range) => CommentThread,
): CommentThread[] {
  const byLine = Map.groupBy(all, comment => comment.line ?? 1)
  return [...byLine].map(([line, comments]) => {
    const at = Math.max(0, line - 1)
    const thread = create(uri, new Range(at, 0, at, 0))
    thread.label = "For the agent"
    thread.canReply = true
    thread.collapsibleState = CommentThreadCollapsibleState.Expanded
    thread.comments = comments.map(comment => ({
      body: comment.text,
      mode: CommentMode.Preview,
      author: { name: "You" },
      label: comment.delivered ? "told" : "not told yet",
    }))
    return thread
  })
}

async function commentLine(sessions: Sessions): Promise<void> {
  const editor = window.activeTextEditor
  const found = editor === undefined ? null : sessions.of(realUri(editor.document.uri))
  if (editor === undefined || found === null) return
  const line = editor.selection.active.line + 1
  const text = await window.showInputBox({
    title: `Tell the agent about line ${line}`,
    placeHolder: "The agent reads this at its next contact",
  })
  if (text === undefined || text.trim() === "") return
  await told(() => tell(found, line, text))
}

/** A comment raises no revision, so the file is asked for anew. */
async function tell(
  { session, path }: NonNullable<ReturnType<Sessions["of"]>>,
  line: number | null,
  text: string,
): Promise<void> {
  await session.request("comment", { path, ...(line === null ? {} : { line }), text })
  session.forgetTexts(path)
  await session.refresh()
  await session.loadTexts(path)
  session.announce()
}

async function send(sessions: Sessions, { thread, text }: CommentReply): Promise<void> {
  const found = sessions.of(realUri(thread.uri))
  if (found === null || text.trim() === "") return
  await told(async () => {
    await tell(found, thread.range === undefined ? null : thread.range.end.line + 1, text)
    if (thread.comments.length === 0) thread.dispose()
  })
}
