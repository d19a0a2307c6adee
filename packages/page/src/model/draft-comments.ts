import type { LineComment } from "../editor/proof.ts"
import type { Seen } from "./changes.ts"

/** A comment that is gathered and not sent yet. */
export interface DraftComment extends LineComment {
  readonly path: string
}

export function isSeen(value: unknown): value is Seen {
  return typeof value === "object" && value !== null && Object.values(value).every(one => Array.isArray(one))
}

export function isDrafts(value: unknown): value is readonly DraftComment[] {
  return (
    Array.isArray(value) &&
    value.every(
      one =>
        typeof one === "object" &&
        one !== null &&
        typeof Reflect.get(one, "path") === "string" &&
        typeof Reflect.get(one, "line") === "number" &&
        typeof Reflect.get(one, "text") === "string",
    )
  )
}
