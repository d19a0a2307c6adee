import { inertText } from "../model/inert.ts"
import type { Property } from "../model/properties.ts"

/** What is decided apart from the text: the name, the mode, the encoding, a link's target. */
export function PropertyBar(props: {
  readonly properties: readonly Property[]
  readonly decide: (kind: "accept" | "reject", property: Property) => void
}) {
  if (props.properties.length === 0) return null
  return (
    <ul class="property-bar" aria-label="Beside the text">
      {props.properties.map(property => (
        <li key={property.name}>
          <span class="property-text">{wordProperty(property.text)}</span>
          {(["accept", "reject"] as const).map(kind => (
            <button
              key={kind}
              type="button"
              class={kind}
              aria-label={`${kind === "accept" ? "Accept" : "Reject"} ${wordProperty(property.text)}`}
              onClick={() => props.decide(kind, property)}
            >
              {kind === "accept" ? "Accept" : "Reject"}
            </button>
          ))}
        </li>
      ))}
    </ul>
  )
}

/** The engine's words, as they are read: `crlf` is written large. */
export function wordProperty(text: string): string {
  return inertText(text.replace(/(?<=^line endings .*)\b(lf|crlf)\b/g, name => name.toUpperCase()))
}
