import type { FileView } from "@galley/core/protocol/results.ts"
import type { Saving } from "../model/file-session.ts"
import { inertText } from "../model/inert.ts"
import type { ShownFile } from "../model/shown-file.ts"
import { Counts, kindLetter } from "./changes-panel.tsx"
import { wordProperty } from "./property-bar.tsx"

/** The open file's name, what kind of change it is, and decisions about all of it. */
export function FileHead(props: {
  readonly path: string
  readonly sideBySide: boolean
  readonly setSideBySide: (on: boolean) => void
  readonly folded: boolean
  readonly setFolded: (on: boolean) => void
  /** The title of the one message that is looked at. */
  readonly message: string | null
  readonly showAll: () => void
  readonly mark: (file: FileView) => void
  readonly shown: ShownFile
  readonly saving: Saving
  readonly decideFile: (kind: "accept" | "reject") => void
  readonly comment: () => void
}) {
  const { shown, saving } = props
  const { file } = shown.result
  const pending = file.kinds.length > 0 && !file.parked
  const slash = props.path.lastIndexOf("/")
  return (
    <header class="pane-head">
      <div class="pane-title">
        <h1>
          <span class="folder">{inertText(slash < 0 ? "" : props.path.slice(0, slash + 1))}</span>
          {inertText(props.path.slice(slash + 1))}
        </h1>
        <p class="fine">
          {pending ? <span class="chip">{kindLetter(file).word}</span> : null}
          {file.from === undefined ? null : <span class="chip">from {inertText(file.from)}</span>}
          {(file.properties ?? []).map(text => (
            <span key={text} class="chip">
              {wordProperty(text)}
            </span>
          ))}
          {file.coarse === true ? (
            <span class="chip" title="The texts differ so much that no shortest diff was looked for.">
              coarse diff
            </span>
          ) : null}
          {pending && file.disk === "base" ? <span class="chip chip-held">not on disk until accepted</span> : null}
          {file.parked ? (
            <span class="chip">parked{file.branch === undefined ? "" : ` on ${inertText(file.branch)}`}</span>
          ) : null}
          <Counts added={file.added ?? 0} removed={file.removed ?? 0} />
          {props.message === null ? null : (
            <span class="chip chip-message">
              only of “{inertText(props.message).slice(0, 60)}”{" "}
              <button type="button" class="link" onClick={props.showAll}>
                Show all
              </button>
            </span>
          )}
          <span class={`saving saving-${saving}`} role="status">
            {{ saved: "", typing: "typing…", saving: "saving…", unsent: "not saved yet, kept in this browser" }[saving]}
          </span>
        </p>
      </div>
      <div class="pane-actions">
        {pending ? (
          <label class="check">
            <input type="checkbox" checked={file.reviewed === true} onChange={() => props.mark(file)} /> Reviewed
          </label>
        ) : null}
        {shown.isText ? (
          <>
            <button type="button" class="quiet" onClick={props.comment}>
              Comment
            </button>
            <button
              type="button"
              class="quiet wide-only"
              aria-pressed={props.sideBySide}
              onClick={() => props.setSideBySide(!props.sideBySide)}
            >
              Side by side
            </button>
            <button
              type="button"
              class="quiet"
              aria-pressed={props.folded}
              title="Fold unchanged text away  x"
              onClick={() => props.setFolded(!props.folded)}
            >
              Fold
            </button>
          </>
        ) : null}
        {pending ? (
          <>
            <button type="button" class="accept" onClick={() => props.decideFile("accept")}>
              {props.message === null ? "Accept file" : "Accept its changes"}
            </button>
            <button type="button" class="reject" onClick={() => props.decideFile("reject")}>
              {props.message === null ? "Reject file" : "Reject its changes"}
            </button>
          </>
        ) : null}
      </div>
    </header>
  )
}
