import type { StatusResult } from "@galley/core/protocol/results.ts"
import { inertText } from "../model/inert.ts"
import { deedOf } from "../model/titles.ts"
import type { LiveState } from "../wire/live.ts"

/** The bar at the top: where one is, what one can take back, and decisions about everything. */
export function Header(props: {
  readonly status: StatusResult | null
  readonly live: LiveState
  readonly busy: boolean
  readonly theme: string
  readonly setTheme: (theme: string) => void
  readonly comments: number
  readonly sendComments: () => void
  readonly undo: (which: "undo" | "redo") => void
  readonly decideAll: (kind: "accept" | "reject") => void
  readonly help: () => void
  readonly drawer: () => void
  readonly drawerOpen: boolean
  readonly sum: { readonly hunks: number }
}) {
  const { status, live, busy } = props
  const name = status?.workspace.split("/").at(-1) ?? ""
  const root = status?.workspace ?? ""
  const undo = named(status?.undo, root)
  const redo = named(status?.redo, root)
  const some = (status?.files.filter(file => !file.parked).length ?? 0) > 0
  return (
    <header class="top">
      <button
        type="button"
        class="icon menu"
        aria-label="List of changes"
        aria-expanded={props.drawerOpen}
        onClick={props.drawer}
      >
        ☰
      </button>
      <div class="brand">
        <img src="/icon.svg" alt="" width="22" height="22" />
        <span class="brand-name">Galley</span>
        <span class="workspace" title={inertText(status?.workspace ?? "")}>
          {inertText(name)}
        </span>
        <span class={`live live-${live}`} role="status">
          <span class="live-dot" aria-hidden="true" />
          <span class="live-text">
            {{ live: "live", connecting: "connecting", away: "offline", refused: "refused" }[live]}
          </span>
        </span>
      </div>
      <div class="top-actions">
        {props.comments === 0 ? null : (
          <button type="button" class="primary" onClick={props.sendComments}>
            Send {props.comments} {props.comments === 1 ? "comment" : "comments"}
          </button>
        )}
        <button
          type="button"
          class="quiet undo"
          disabled={undo === null || busy}
          title={undo === null ? "Nothing to undo" : `Undo: ${inertText(undo.title)}`}
          onClick={() => props.undo("undo")}
        >
          ↶ <span class="undo-name">{undo === null ? "Undo" : `Undo: ${inertText(undo.title)}`}</span>
        </button>
        <button
          type="button"
          class="quiet undo"
          disabled={redo === null || busy}
          title={redo === null ? "Nothing to redo" : `Redo: ${inertText(redo.title)}`}
          aria-label={redo === null ? "Redo" : `Redo: ${inertText(redo.title)}`}
          onClick={() => props.undo("redo")}
        >
          ↷
        </button>
        <span class="rule" aria-hidden="true" />
        <button type="button" disabled={!some || busy} onClick={() => props.decideAll("accept")}>
          Accept all
        </button>
        <button type="button" disabled={!some || busy} onClick={() => props.decideAll("reject")}>
          Reject all
        </button>
        <select
          class="theme"
          aria-label="Colours"
          value={props.theme}
          onChange={event => props.setTheme(event.currentTarget.value)}
        >
          <option value="auto">Auto</option>
          <option value="light">Light</option>
          <option value="dark">Dark</option>
        </select>
        <button type="button" class="icon" aria-label="Keys" title="Keys  ?" onClick={props.help}>
          ?
        </button>
      </div>
    </header>
  )
}

function named(deed: StatusResult["undo"], root: string): { readonly title: string } | null {
  return deed === null || deed === undefined ? null : { title: deedOf(deed.title, root) }
}
