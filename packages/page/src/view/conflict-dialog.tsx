import { inertText } from "../model/inert.ts"
import { Dialog } from "./dialog.tsx"

/** A decision that touches text of both: the person says whose stands where they overlap. */
export function ConflictDialog(props: {
  readonly message: string
  readonly close: () => void
  readonly choose: (how: "keep-mine" | "take-theirs") => void
}) {
  return (
    <Dialog
      title="Both changed the same lines"
      close={props.close}
      actions={
        <>
          <button type="button" onClick={props.close}>
            Decide later
          </button>
          <button type="button" onClick={() => props.choose("take-theirs")}>
            Take the other’s
          </button>
          <button type="button" class="primary" onClick={() => props.choose("keep-mine")}>
            Keep mine
          </button>
        </>
      }
    >
      <p>{inertText(props.message)}</p>
      <p class="fine">Either settles only the lines that overlap. You can undo it.</p>
    </Dialog>
  )
}
