/** Where one is among the changes, and the way to the next. */
export function StepsBar(props: {
  readonly change: { readonly index: number; readonly count: number }
  /** From 1. */
  readonly file: number
  readonly files: number
  readonly step: (by: 1 | -1) => void
}) {
  const { index, count } = props.change
  return (
    <footer class="steps-bar" aria-label="Going through the changes">
      <button type="button" onClick={() => props.step(-1)} aria-label="Previous change">
        ↑
      </button>
      <span>
        {count === 0 ? "No change of text" : `Change ${index + 1} of ${count}`}
        <span class="fine">
          {" · "}file {props.file} of {props.files}
        </span>
      </span>
      <button type="button" onClick={() => props.step(1)} aria-label="Next change">
        ↓
      </button>
    </footer>
  )
}
