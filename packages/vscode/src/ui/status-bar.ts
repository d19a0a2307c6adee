import { Disposable, StatusBarAlignment, ThemeColor, window } from "vscode"
import type { Sessions } from "../sessions.ts"

/** One item: how much is pending, what waits, and whether the program is there. */
export function showStatus(sessions: Sessions): Disposable {
  const item = window.createStatusBarItem("galley.status", StatusBarAlignment.Left, 90)
  item.name = "Galley"
  item.command = "galley.menu"
  const draw = (): void => {
    const { all } = sessions
    const waiting = all.reduce((sum, session) => sum + (session.status?.waiting.length ?? 0), 0)
    const files = all.reduce((sum, session) => sum + session.pending.length, 0)
    const blocks = all.reduce(
      (sum, session) => sum + session.pending.reduce((more, file) => more + blocksOf(file), 0),
      0,
    )
    const lost = all.flatMap(({ link }) => (link.kind === "lost" ? [link.why] : []))
    item.backgroundColor = waiting > 0 ? new ThemeColor("statusBarItem.warningBackground") : undefined
    if (lost.length > 0) {
      item.text = "$(debug-disconnect) Galley"
      item.tooltip = `Galley's program is not running: ${lost[0] ?? ""}`
    } else if (waiting > 0) {
      item.text = `$(question) Galley: ${waiting} waiting`
      item.tooltip = "The agent waits for your answer"
    } else if (files > 0) {
      item.text = `$(git-pull-request-draft) Galley: ${blocks} in ${files} ${files === 1 ? "file" : "files"}`
      item.tooltip = `${blocks} pending changes in ${files} ${files === 1 ? "file" : "files"}`
    } else {
      item.text = "$(pass) Galley"
      item.tooltip = "Nothing is pending"
    }
    if (all.length === 0) item.hide()
    else item.show()
  }
  draw()
  return Disposable.from(item, sessions.onDidChange(draw))
}

/** A change without blocks (a mode, a binary file) is one. */
function blocksOf(file: { readonly hunks: readonly unknown[] }): number {
  return Math.max(1, file.hunks.length)
}
