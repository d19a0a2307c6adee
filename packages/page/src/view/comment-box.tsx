import { useState } from "preact/hooks"
import { inertText } from "../model/inert.ts"
import { Dialog } from "./dialog.tsx"

/** Words on a line, gathered with others and sent to the agent together. */
export function CommentBox(props: {
  readonly path: string
  readonly line: number
  readonly close: () => void
  readonly add: (text: string) => void
}) {
  const [text, setText] = useState("")
  const add = (): void => {
    if (text.trim() !== "") props.add(text.trim())
  }
  return (
    <Dialog
      title={`Comment on ${inertText(props.path)}:${props.line}`}
      close={props.close}
      actions={
        <>
          <span class="fine">Gathered with your other comments; the agent gets them when you send them.</span>
          <button type="button" onClick={props.close}>
            Cancel
          </button>
          <button type="button" class="primary" disabled={text.trim() === ""} onClick={add}>
            Add comment
          </button>
        </>
      }
    >
      <textarea
        class="comment-text"
        rows={4}
        aria-label="Comment"
        value={text}
        onInput={event => setText(event.currentTarget.value)}
        onKeyDown={event => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) add()
        }}
      />
    </Dialog>
  )
}
