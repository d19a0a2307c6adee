import { type Line, splitLines, terminatorOf } from "@galley/core/text/lines.ts"
import type { Place } from "./spots.ts"

/** The proposed lines of a hunk, as an editor gets them. */
export function textToEdit(current: string, place: Place): string {
  return splitLines(current).slice(place.fromCurrent, place.toCurrent).join("")
}

/**
 * The whole proposed text with what came back from the editor in the hunk's place; null where nothing was changed.
 *
 * Editors end the last line and know one kind of line end: neither makes a change that the person did not.
 */
export function withEdited(current: string, place: Place, typed: string): string | null {
  const lines = splitLines(current)
  const before = lines.slice(place.fromCurrent, place.toCurrent)
  const text = openLast(likeBefore(typed, before), before, place.toCurrent === lines.length)
  if (text === before.join("")) return null
  const kept = lines.slice(0, place.fromCurrent)
  const after = lines.slice(place.toCurrent)
  // In the middle of a file the last line must end.
  const end =
    text === "" || text.endsWith("\n") || after.length === 0 ? "" : terminatorOf(kept[0] ?? after[0] ?? "\n") || "\n"
  return `${kept.join("")}${text}${end}${after.join("")}`
}

function likeBefore(typed: string, before: readonly Line[]): string {
  const ends = before.map(terminatorOf).filter(end => end !== "")
  const onlyCrLf = ends.length > 0 && ends.every(end => end === "\r\n")
  return onlyCrLf ? typed.replace(/\r?\n/g, "\r\n") : typed
}

function openLast(typed: string, before: readonly Line[], atEnd: boolean): string {
  const last = before.at(-1)
  const wasOpen = atEnd && last !== undefined && terminatorOf(last) === ""
  return wasOpen ? typed.replace(/\r?\n$/, "") : typed
}
