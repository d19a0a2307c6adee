import type { Result } from "@galley/core/protocol/requests.ts"
import type { LogResult, OperationView } from "@galley/core/protocol/results.ts"
import { useEffect, useState } from "preact/hooks"
import { inertText } from "../model/inert.ts"
import { plainTitle } from "../model/titles.ts"
import type { Client } from "../wire/client.ts"
import { Counts } from "./changes-panel.tsx"
import { DiffRows } from "./diff-rows.tsx"
import { clock } from "./history-panel.tsx"
import type { PlanAsked } from "./plan-dialog.tsx"

const captures: Readonly<Record<OperationView["capture"], string>> = {
  simulated: "computed, not run",
  previewed: "run in a view",
  recorded: "recorded",
  detected: "noticed afterwards",
  none: "",
}

/** One message: what it changed, who did what, and the ways back to it. */
export function MessagePane(props: {
  readonly client: Client
  readonly message: LogResult["messages"][number]
  readonly isHead: boolean
  readonly stamp: number
  readonly workspace: string
  readonly plan: (asked: PlanAsked) => void
  readonly decide: (kind: "accept" | "reject", message: string) => void
  readonly showFile: (path: string) => void
}) {
  const { client, message, stamp } = props
  const [shown, setShown] = useState<Result<"show"> | null>(null)
  const [operations, setOperations] = useState<readonly OperationView[]>([])
  const [problem, setProblem] = useState<string | null>(null)
  useEffect(() => {
    let current = true
    Promise.all([client.ask("show", { id: message.id }), client.ask("operations", { limit: 2000 })]).then(
      ([found, all]) => {
        if (!current) return
        setShown(found)
        setOperations(all.operations.filter(operation => operation.message === message.id))
      },
      (error: Error) => setProblem(error.message),
    )
    return () => {
      current = false
    }
  }, [client, message.id, stamp])
  return (
    <article class="message-pane">
      <header class="pane-head">
        <div class="pane-title">
          <h1>{inertText(message.title)}</h1>
          <p class="fine">
            {inertText(message.conversation)} · {clock(message.createdAt)}
            {message.onHeadPath ? "" : " · on a branch that was rewound"}
          </p>
        </div>
        <div class="pane-actions">
          <button type="button" onClick={() => props.decide("accept", message.id)}>
            Accept message
          </button>
          <button type="button" onClick={() => props.decide("reject", message.id)}>
            Reject message
          </button>
          {props.isHead ? null : (
            <button
              type="button"
              onClick={() => props.plan({ message: message.id, title: message.title, after: true })}
            >
              {message.onHeadPath ? "Restore to after it…" : "Go to this branch…"}
            </button>
          )}
          <button
            type="button"
            class="primary"
            onClick={() => props.plan({ message: message.id, title: message.title, after: false })}
          >
            Restore to before it…
          </button>
        </div>
      </header>
      <div class="scroll" tabIndex={0} role="region" aria-label="What the message did">
        {problem === null ? null : <p class="problem">{inertText(problem)}</p>}
        {operations.length === 0 ? null : (
          <ol class="operations" aria-label="What was done, in order">
            {operations.map(operation => (
              <li key={operation.id} class={operation.undone ? "undone" : ""}>
                <span class={`actor actor-${operation.actor}`}>{operation.actor}</span>
                <span>{inertText(plainTitle(operation.title ?? operation.kind, props.workspace))}</span>
                <span class="fine">
                  {captures[operation.capture]}
                  {operation.undone ? " · undone" : ""}
                  {operation.remark === undefined ? "" : ` · ${inertText(operation.remark)}`}
                </span>
              </li>
            ))}
          </ol>
        )}
        {shown === null ? (
          <p class="nothing">Loading…</p>
        ) : (
          <>
            <ul class="message-files">
              {shown.files.slice(0, 1000).map(file => (
                <li key={file.path}>
                  <button type="button" class="link" onClick={() => props.showFile(file.path)}>
                    {inertText(file.path)}
                  </button>
                  <Counts added={file.added} removed={file.removed} />
                </li>
              ))}
            </ul>
            <DiffRows diff={shown.diff} label="What the message changed" />
          </>
        )}
      </div>
    </article>
  )
}
