import type { WaitingView } from "@galley/core/protocol/results.ts"
import { useRef, useState } from "preact/hooks"
import { readDraft } from "../model/drafts.ts"
import { inertText } from "../model/inert.ts"
import { plainTitle } from "../model/titles.ts"
import { AskError, type Client } from "../wire/client.ts"
import { CallEditor, type CallEditorHandle, type EditedProposal } from "./call-editor.tsx"
import { DiffRows } from "./diff-rows.tsx"
import { clock } from "./history-panel.tsx"

/** Calls that wait for the person: what they would do, and the answers. */
export function Waiting({
  client,
  calls,
  workspace,
  say,
}: {
  readonly client: Client
  readonly calls: readonly WaitingView[]
  readonly workspace: string
  readonly say: (text: string) => void
}) {
  if (calls.length === 0) return null
  return (
    <section class="waiting" aria-label="Waiting for your answer">
      <p class="sr" role="status">
        {calls.length === 1 ? "A call waits" : `${calls.length} calls wait`} for your answer.
      </p>
      {"Notification" in globalThis && Notification.permission === "default" ? (
        <button type="button" class="link notify" onClick={() => void Notification.requestPermission()}>
          Notify me when a call waits
        </button>
      ) : null}
      {calls.map(call => (
        <Call key={call.id} client={client} call={call} workspace={workspace} say={say} />
      ))}
    </section>
  )
}

function Call({
  client,
  call,
  workspace,
  say,
}: {
  readonly client: Client
  readonly call: WaitingView
  readonly workspace: string
  readonly say: (text: string) => void
}) {
  const [reason, setReason] = useState("")
  // A proposal that was being edited before a reload is open again.
  const [editing, setEditing] = useState(() => readDraft(sessionStorage, `call ${call.id}`) !== null)
  const editor = useRef<CallEditorHandle | null>(null)
  const [busy, setBusy] = useState(false)
  const answer = async (decision: "allow" | "deny"): Promise<void> => {
    setBusy(true)
    try {
      let edited: EditedProposal | null = null
      if (decision === "allow" && editing) {
        edited = (await editor.current?.settle()) ?? null
        if (edited === null) return say("The file was changed meanwhile. It is merged in: look again, then allow.")
      }
      await client.ask("answer", {
        id: call.id,
        decision,
        ...(reason.trim() === "" ? {} : { reason: reason.trim() }),
        ...edited,
      })
      editor.current?.drop()
    } catch (error) {
      say(error instanceof AskError ? error.message : String(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <article class="call">
      <header class="call-head">
        <span class="call-mark" aria-hidden="true" />
        <h2>{inertText(plainTitle(call.title, workspace))}</h2>
        <span class="fine">
          {call.conversation === undefined ? "" : `${inertText(call.conversation)} · `}
          {call.since === undefined ? "" : `waits since ${clock(call.since)}`}
        </span>
      </header>
      {call.command === undefined ? null : <pre class="command">{inertText(call.command)}</pre>}
      {!editing || call.path === undefined ? (
        call.diff === undefined || call.diff === "" ? null : (
          <div class="call-diff">
            <DiffRows diff={call.diff} label={`What ${inertText(call.title)} would change`} />
          </div>
        )
      ) : (
        <CallEditor
          client={client}
          path={call.path}
          call={call.id}
          handle={editor}
          failed={text => {
            setEditing(false)
            say(text)
          }}
        />
      )}
      <footer class="call-actions">
        <button type="button" class="accept" disabled={busy} onClick={() => void answer("allow")}>
          {editing ? "Allow edited" : "Allow"}
        </button>
        {call.path === undefined ? null : (
          <button
            type="button"
            disabled={busy}
            onClick={() => {
              if (editing) editor.current?.drop()
              setEditing(!editing)
            }}
          >
            {editing ? "Do not edit" : "Edit first"}
          </button>
        )}
        <input
          type="text"
          placeholder="Why not? The agent is told."
          aria-label="Reason, for the agent"
          value={reason}
          onInput={event => setReason(event.currentTarget.value)}
          onKeyDown={event => {
            if (event.key === "Enter" && reason.trim() !== "") void answer("deny")
          }}
        />
        <button type="button" class="reject" disabled={busy} onClick={() => void answer("deny")}>
          Deny
        </button>
      </footer>
    </article>
  )
}
