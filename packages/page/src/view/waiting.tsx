import type { WaitingView } from "@galley/core/protocol/results.ts"
import { useState } from "preact/hooks"
import { inertText } from "../model/inert.ts"
import { AskError, type Client } from "../wire/client.ts"
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
  const [edited, setEdited] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const answer = async (decision: "allow" | "deny"): Promise<void> => {
    setBusy(true)
    try {
      await client.ask("answer", {
        id: call.id,
        decision,
        ...(reason.trim() === "" ? {} : { reason: reason.trim() }),
        ...(decision === "allow" && edited !== null ? { content: edited } : {}),
      })
    } catch (error) {
      say(error instanceof AskError ? error.message : String(error))
    } finally {
      setBusy(false)
    }
  }
  const edit = async (): Promise<void> => {
    if (call.path === undefined) return
    try {
      const { current } = await client.ask("file", { path: call.path })
      setEdited(current ?? "")
    } catch (error) {
      say(error instanceof AskError ? error.message : String(error))
    }
  }
  return (
    <article class="call">
      <header class="call-head">
        <span class="call-mark" aria-hidden="true" />
        <h2>{inertText(call.title.replaceAll(`${workspace}/`, ""))}</h2>
        <span class="fine">
          {call.conversation === undefined ? "" : `${inertText(call.conversation)} · `}
          {call.since === undefined ? "" : `waits since ${clock(call.since)}`}
        </span>
      </header>
      {call.command === undefined ? null : <pre class="command">{inertText(call.command)}</pre>}
      {edited === null ? (
        call.diff === undefined || call.diff === "" ? null : (
          <div class="call-diff">
            <DiffRows diff={call.diff} label={`What ${inertText(call.title)} would change`} />
          </div>
        )
      ) : (
        <label class="call-edit">
          <span>The file as it will be written</span>
          <textarea
            rows={14}
            spellcheck={false}
            value={edited}
            onInput={event => setEdited(event.currentTarget.value)}
          />
        </label>
      )}
      <footer class="call-actions">
        <button type="button" class="accept" disabled={busy} onClick={() => void answer("allow")}>
          {edited === null ? "Allow" : "Allow edited"}
        </button>
        {call.path === undefined ? null : edited === null ? (
          <button type="button" disabled={busy} onClick={() => void edit()}>
            Edit first
          </button>
        ) : (
          <button type="button" onClick={() => setEdited(null)}>
            Do not edit
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
