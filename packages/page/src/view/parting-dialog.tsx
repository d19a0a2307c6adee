import { contentOf } from "@galley/core/text/lines.ts"
import { inertText } from "../model/inert.ts"
import type { Parting } from "../model/shown-file.ts"
import { Dialog } from "./dialog.tsx"

/** Before a hunk with text of both is rejected: what goes and what stays. */
export function PartingDialog(props: {
  readonly parting: Parting
  readonly close: () => void
  /** `null` where there is nothing to choose. */
  readonly reject: (how: "keep-mine" | "take-theirs" | null) => void
}) {
  const { goes, stays, altered, comesBack } = props.parting
  return (
    <Dialog
      title="This change holds your text too"
      close={props.close}
      actions={
        <>
          <button type="button" onClick={props.close}>
            Cancel
          </button>
          {altered.length === 0 ? (
            <button type="button" class="primary reject" onClick={() => props.reject(null)}>
              Reject, keep my lines
            </button>
          ) : (
            <>
              <button type="button" onClick={() => props.reject("take-theirs")}>
                Reject my form too
              </button>
              <button type="button" class="primary" onClick={() => props.reject("keep-mine")}>
                Reject, keep my lines
              </button>
            </>
          )}
        </>
      }
    >
      <Lines title="Goes: the agent’s lines" kind="removed" lines={goes} />
      <Lines title="Stays: your lines" kind="stays" lines={stays} />
      <Lines title="The agent’s lines that you changed: your choice" kind="altered" lines={altered} />
      <Lines title="Comes back" kind="added" lines={comesBack} />
    </Dialog>
  )
}

function Lines({
  title,
  kind,
  lines,
}: {
  readonly title: string
  readonly kind: string
  readonly lines: readonly string[]
}) {
  if (lines.length === 0) return null
  return (
    <section class={`parting parting-${kind}`}>
      <h3>{title}</h3>
      <pre tabIndex={0} aria-label={title}>
        {lines.slice(0, 40).map(line => `${inertText(contentOf(line))}\n`)}
        {lines.length > 40 ? `… ${lines.length - 40} more lines` : ""}
      </pre>
    </section>
  )
}
