import { useMemo } from "preact/hooks"
import { inertPieces } from "../model/inert.ts"
import { type DiffRow, readUnified } from "../model/unified.ts"
import { VirtualList } from "./virtual-list.tsx"

/** As high as the style sheet's rows. */
const rowHeight = 20
/** Up to this many rows a diff is simply there, as high as it is. */
const plainUpTo = 400

/** A unified diff to read: of a message, of a step of a plan, of a call that waits. */
export function DiffRows({ diff, label }: { readonly diff: string; readonly label: string }) {
  const rows = useMemo(() => readUnified(diff), [diff])
  if (rows.length === 0) return <p class="nothing">No change of text.</p>
  if (rows.length <= plainUpTo)
    return (
      <div class="diff-rows" role="group" aria-label={label} tabIndex={0}>
        {rows.map((row, at) => (
          <Row key={at} row={row} />
        ))}
      </div>
    )
  return (
    <div class="diff-rows many">
      <VirtualList
        items={rows}
        rowHeight={rowHeight}
        label={label}
        keyOf={(_, at) => String(at)}
        row={row => <Row row={row} />}
      />
    </div>
  )
}

function Row({ row }: { readonly row: DiffRow }) {
  const number = row.new ?? row.old
  const sign = { added: "+", removed: "−", same: "", file: "", place: "", note: "" }[row.kind]
  return (
    <div class={`diff-row diff-${row.kind}`}>
      <span class="diff-number">{number ?? ""}</span>
      <span class="diff-sign">{sign}</span>
      <span class="diff-text">
        <Inert text={row.text} />
      </span>
    </div>
  )
}

/** Text of files and names: characters that deceive are shown by name. */
export function Inert({ text }: { readonly text: string }) {
  return (
    <>
      {inertPieces(text).map((piece, at) =>
        piece.standIn ? (
          <span key={at} class="stand-in">
            {piece.text}
          </span>
        ) : (
          piece.text
        ),
      )}
    </>
  )
}
