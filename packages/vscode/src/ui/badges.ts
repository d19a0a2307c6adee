import { Disposable, EventEmitter, type FileDecoration, ThemeColor, type Uri, window } from "vscode"
import type { Sessions } from "../sessions.ts"

/** Counts of pending blocks in the explorer and on tabs. */
export function showBadges(sessions: Sessions): Disposable {
  const emitter = new EventEmitter<undefined>()
  return Disposable.from(
    emitter,
    sessions.onDidChange(() => emitter.fire(undefined)),
    window.registerFileDecorationProvider({
      onDidChangeFileDecorations: emitter.event,
      provideFileDecoration: uri => badgeOf(sessions, uri),
    }),
  )
}

function badgeOf(sessions: Sessions, uri: Uri): FileDecoration | undefined {
  const found = uri.scheme === "file" ? sessions.of(uri) : null
  const file = found?.session.fileAt(found.path)
  if (file == null) return undefined
  const count = file.hunks.length
  return {
    badge: count === 0 ? "●" : count > 99 ? "99" : String(count),
    tooltip: count === 0 ? "Pending change of the agent" : `${count} pending ${count === 1 ? "block" : "blocks"}`,
    color: new ThemeColor("galley.pendingForeground"),
    propagate: true,
  }
}
