import { Disposable, type SourceControl, type SourceControlResourceGroup, scm, Uri, workspace } from "vscode"
import type { Session } from "../session.ts"
import type { Sessions } from "../sessions.ts"
import { sideUri } from "./virtual-texts.ts"

/**
 * The gutter's bars and their peek, against base, with our Accept and Reject in its title (`scm/change/title`). Beside git's: the
 * editor offers both. A source control is there only while something is pending.
 */
export function showGutter(sessions: Sessions): Disposable {
  const shown = new Map<Session, { readonly control: SourceControl; readonly group: SourceControlResourceGroup }>()
  const match = (): void => {
    for (const [session, { control }] of shown)
      if (!sessions.all.includes(session) || session.pending.length === 0) {
        control.dispose()
        shown.delete(session)
      }
    for (const session of sessions.all) {
      if (session.pending.length === 0) continue
      const entry = shown.get(session) ?? open(sessions, session)
      shown.set(session, entry)
      entry.group.resourceStates = session.pending.map(file => {
        const resourceUri = session.uriOf(file.path)
        return {
          resourceUri,
          command: { command: "galley.openReview", title: "Open Review", arguments: [resourceUri] },
          decorations: { strikeThrough: file.kinds.includes("delete") },
          contextValue: "file",
        }
      })
      entry.control.count = session.pending.length
    }
  }
  return Disposable.from(
    sessions.onDidChange(match),
    new Disposable(() => {
      for (const { control } of shown.values()) control.dispose()
    }),
  )
}

function open(sessions: Sessions, session: Session): { control: SourceControl; group: SourceControlResourceGroup } {
  const control = scm.createSourceControl("galley", "Galley", session.folder.uri)
  control.inputBox.visible = false
  control.quickDiffProvider = {
    provideOriginalResource: async (uri: Uri) => {
      const found = uri.scheme === "file" ? sessions.of(uri) : null
      const file = found?.session.fileAt(found.path)
      // Where the base is on disk the gutter has nothing to say: the file is as it was.
      if (file == null || file.disk === "base") return undefined
      const base = sideUri(uri, { kind: "base" })
      await workspace.openTextDocument(base)
      return base
    },
  }
  return { control, group: control.createResourceGroup("pending", "Pending Agent Changes") }
}
