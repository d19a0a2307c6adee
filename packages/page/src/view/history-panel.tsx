import type { LogResult, StatusResult } from "@galley/core/protocol/results.ts"
import { useMemo } from "preact/hooks"
import { inertText } from "../model/inert.ts"
import { layTree, type TreeRow } from "../model/tree.ts"
import { Counts } from "./changes-panel.tsx"
import { VirtualList } from "./virtual-list.tsx"

const rowHeight = 52
const laneWidth = 14

/** The tree of messages, newest first; each is a place one can go back to. */
export function HistoryPanel(props: {
  readonly log: LogResult | null
  readonly heads: StatusResult["heads"]
  readonly open: string | null
  readonly show: (id: string) => void
  readonly onRange: (from: number, to: number, rows: readonly TreeRow[]) => void
  readonly countsOf: (id: string) => LogResult["messages"][number]["files"]
}) {
  const { log, heads } = props
  const rows = useMemo(
    () => layTree(log?.messages ?? [], new Map(heads.map(head => [head.conversation, head.message]))),
    [log, heads],
  )
  const lanes = useMemo(() => rows.reduce((most, row) => Math.max(most, row.lane + 1), 1), [rows])
  if (log === null) return <p class="nothing">Loading the history…</p>
  if (rows.length === 0)
    return (
      <p class="nothing">No messages yet. Each message of an agent’s conversation becomes a place to go back to.</p>
    )
  return (
    <section class="panel" aria-label="Messages">
      <VirtualList
        items={rows}
        rowHeight={rowHeight}
        label="Messages, newest first"
        keyOf={row => row.message.id}
        reveal={rows.findIndex(row => row.message.id === props.open)}
        onRange={(from, to) => props.onRange(from, to, rows)}
        row={row => <MessageRow row={row} lanes={Math.min(lanes, 8)} {...props} />}
      />
    </section>
  )
}

function MessageRow(props: {
  readonly row: TreeRow
  readonly lanes: number
  readonly open: string | null
  readonly show: (id: string) => void
  readonly countsOf: (id: string) => LogResult["messages"][number]["files"]
}) {
  const { row } = props
  const { message } = row
  const files = props.countsOf(message.id)
  const added = files.reduce((sum, file) => sum + file.added, 0)
  const removed = files.reduce((sum, file) => sum + file.removed, 0)
  const state = row.isHead ? "here" : message.onHeadPath ? "" : "rewound"
  return (
    <button
      type="button"
      class={`message-row${message.id === props.open ? " open" : ""}${message.onHeadPath ? "" : " off-path"}`}
      aria-current={message.id === props.open ? "true" : undefined}
      onClick={() => props.show(message.id)}
    >
      <Rails row={row} lanes={props.lanes} />
      <span class="message-text">
        <span class="name">{inertText(message.title)}</span>
        <span class="folder">
          {row.opens === null ? "" : `${inertText(row.opens)} · `}
          {clock(message.createdAt)}
          {files.length === 0 ? "" : ` · ${files.length} ${files.length === 1 ? "file" : "files"}`}
        </span>
      </span>
      <span class="file-facts">
        {state === "" ? null : <span class={`chip chip-${state}`}>{state}</span>}
        <Counts added={added} removed={removed} />
      </span>
    </button>
  )
}

/** The lines of the tree beside a row. */
function Rails({ row, lanes }: { readonly row: TreeRow; readonly lanes: number }) {
  const x = (lane: number): number => Math.min(lane, lanes - 1) * laneWidth + laneWidth / 2
  const dot = rowHeight / 2
  const leads = row.message.parent !== null
  return (
    <svg class="rails" width={lanes * laneWidth} height={rowHeight} aria-hidden="true">
      {row.through.map(lane => (
        <path key={`t${lane}`} d={`M${x(lane)} 0V${rowHeight}`} />
      ))}
      {row.joins.map(lane => (
        <path
          key={`j${lane}`}
          d={`M${x(lane)} 0C${x(lane)} ${dot * 0.8} ${x(row.lane)} ${dot * 0.3} ${x(row.lane)} ${dot}`}
        />
      ))}
      <path d={`M${x(row.lane)} ${row.isHead || row.lane > 0 ? dot : 0}V${leads ? rowHeight : dot}`} />
      <circle cx={x(row.lane)} cy={dot} r={row.isHead ? 5 : 3.5} class={row.isHead ? "head" : ""} />
    </svg>
  )
}

/** Today by the clock, else by the day. */
export function clock(at: number): string {
  const when = new Date(at)
  const today = when.toDateString() === new Date().toDateString()
  return today
    ? when.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })
    : when.toLocaleDateString([], { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" })
}
