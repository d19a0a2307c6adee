import type { FileState } from "../model/file-session.ts"

/** Lines that were chosen: what they are and the two decisions. */
export function LinesBar(props: { readonly words: string; readonly decide: (kind: "accept" | "reject") => void }) {
  return (
    <div class="lines-bar" role="group" aria-label="Chosen lines">
      <span>{props.words}</span>
      {(["accept", "reject"] as const).map(kind => (
        <button
          key={kind}
          type="button"
          class={kind}
          // The selection must not go.
          onMouseDown={event => event.preventDefault()}
          onClick={() => props.decide(kind)}
        >
          {kind === "accept" ? "Accept lines" : "Reject lines"}
        </button>
      ))}
    </div>
  )
}

type Overlaps = Extract<FileState, { kind: "shown" }>["overlaps"]

/** Somebody else changed lines that were being typed in. */
export function OverlapsBanner(props: { readonly overlaps: Overlaps; readonly dismiss: () => void }) {
  const { overlaps } = props
  return (
    <div class="banner" role="alert">
      <p>
        The file was changed in {overlaps.length === 1 ? "a place" : `${overlaps.length} places`} where you were typing.
        Your text stands; the other was:
      </p>
      {overlaps.slice(0, 5).map((one, at) => (
        <pre key={at}>{one.theirs === "" ? "(removed)" : one.theirs.slice(0, 2000)}</pre>
      ))}
      <button type="button" onClick={props.dismiss}>
        Understood
      </button>
    </div>
  )
}
