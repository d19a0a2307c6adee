import { commands, Disposable, window, workspace } from "vscode"
import type { Sessions } from "../sessions.ts"
import { activePending } from "./review-tabs.ts"

/** Keeps what the manifest's `when` clauses ask for. */
export function keepContexts(sessions: Sessions): Disposable {
  const set = (name: string, value: unknown): void =>
    void commands.executeCommand("setContext", `galley.${name}`, value)
  const look = (): void => {
    const active = activePending(sessions)
    set(
      "pending",
      sessions.all.some(session => session.pending.length > 0),
    )
    set("activePending", active !== null)
    set(
      "connected",
      sessions.all.some(session => session.link.kind === "open"),
    )
    set(
      "lost",
      sessions.all.some(session => session.link.kind === "lost"),
    )
    set(
      "canUndo",
      sessions.all.some(session => session.status?.undo != null),
    )
    set(
      "canRedo",
      sessions.all.some(session => session.status?.redo != null),
    )
    set("groupBy", workspace.getConfiguration("galley").get<string>("groupBy", "message"))
  }
  look()
  return Disposable.from(
    sessions.onDidChange(look),
    window.onDidChangeActiveTextEditor(look),
    workspace.onDidChangeConfiguration(change => {
      if (change.affectsConfiguration("galley")) look()
    }),
  )
}
