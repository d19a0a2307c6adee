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
  workspace,
} from "vscode"
import { proposalScheme } from "../review/side-uri.ts"
import type { FileTexts } from "../session.ts"
import type { Sessions } from "../sessions.ts"
import { told } from "./decide.ts"
import { realUri } from "./virtual-texts.ts"

/** Comments on lines of pending files, which the agent is told at its next contact. */
export function takeComments(sessions: Sessions): Disposable {
  const controller = commentsApi.createCommentController("galley", "Galley")
  controller.options = { prompt: "Tell the agent…", placeHolder: "The agent reads this at its next contact" }
  controller.commentingRangeProvider = {
    provideCommentingRanges: (document: TextDocument) =>
      sessions.pendingIn(document) === null ? [] : [new Range(0, 0, Math.max(0, document.lineCount - 1), 0)],
  }
  const shown = new Map<string, readonly CommentThread[]>()
  const clear = (key: string): void => {
    for (const thread of shown.get(key) ?? []) thread.dispose()
    shown.delete(key)
  }
  const known = new Map<string, string>()
  const match = (): void => {
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
    for (const key of [...shown.keys()])
      if (!open.has(key)) {
        clear(key)
        known.delete(key)
      }
  }
  return Disposable.from(
    controller,
    sessions.onDidChange(match),
    workspace.onDidOpenTextDocument(match),
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

async function send(sessions: Sessions, { thread, text }: CommentReply): Promise<void> {
  const uri = thread.uri.scheme === proposalScheme ? realUri(thread.uri) : thread.uri
  const found = sessions.of(uri)
  if (found === null || text.trim() === "") return
  await told(async () => {
    const line = thread.range === undefined ? {} : { line: thread.range.end.line + 1 }
    await found.session.request("comment", { path: found.path, ...line, text })
    if (thread.comments.length === 0) thread.dispose()
    found.session.forgetTexts(found.path)
    await found.session.refresh()
    await found.session.loadTexts(found.path)
    found.session.refreshSoon()
  })
}
