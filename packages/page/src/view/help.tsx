import { Dialog } from "./dialog.tsx"

/** Every key, once: the sheet and the handler read the same table. */
export const keySheet = [
  { keys: "j", alt: "Alt N", does: "next change, on to the next file" },
  { keys: "k", alt: "Alt P", does: "previous change" },
  { keys: "]", alt: "", does: "next file" },
  { keys: "[", alt: "", does: "previous file" },
  { keys: "a", alt: "Alt Enter", does: "accept the change (or the chosen lines)" },
  { keys: "r", alt: "Alt Backspace", does: "reject the change (or the chosen lines)" },
  { keys: "Shift A", alt: "", does: "accept the whole file" },
  { keys: "Shift R", alt: "", does: "reject the whole file" },
  { keys: "u", alt: "", does: "undo your last decision" },
  { keys: "Shift U", alt: "", does: "redo" },
  { keys: "e", alt: "Esc leaves", does: "edit the text" },
  { keys: "c", alt: "Alt C", does: "comment on the line" },
  { keys: "v", alt: "", does: "mark the file as reviewed" },
  { keys: "s", alt: "", does: "inline or side by side" },
  { keys: "x", alt: "", does: "fold unchanged text away" },
  { keys: "1", alt: "", does: "list of changes" },
  { keys: "2", alt: "", does: "history" },
  { keys: "/", alt: "", does: "find a file" },
  { keys: "?", alt: "", does: "this sheet" },
] as const

export function Help({ close, advisory }: { readonly close: () => void; readonly advisory: boolean }) {
  return (
    <Dialog title="Keys" close={close}>
      <table class="keys">
        <thead>
          <tr>
            <th scope="col">Key</th>
            <th scope="col">While typing</th>
            <th scope="col">Does</th>
          </tr>
        </thead>
        <tbody>
          {keySheet.map(({ keys, alt, does }) => (
            <tr key={keys}>
              <td>
                {keys.split(" ").map(key => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </td>
              <td>
                {alt === "" ? (
                  ""
                ) : alt.startsWith("Esc") ? (
                  <span>
                    <kbd>Esc</kbd> leaves
                  </span>
                ) : (
                  alt.split(" ").map(key => <kbd key={key}>{key}</kbd>)
                )}
              </td>
              <td>{does}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {advisory ? (
        <p class="fine">
          Decisions are advisory: an agent that runs as you, outside Galley’s view, could call the same program.
        </p>
      ) : null}
    </Dialog>
  )
}
