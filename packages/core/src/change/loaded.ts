import { sameState, type State } from "../state.ts"
import {
  decodeDocument,
  encodeDocument,
  isNotText,
  type Codec,
  type Encoding,
  type TextDocument,
} from "../text/document.ts"
import { joinLines, splitLines, type Line } from "../text/lines.ts"

/**
 * A {@link State} with its content in hand, so that decisions, folds and merges are pure functions. The rim loads blobs before
 * and stores new contents after.
 */
export type Loaded = Exclude<State, { kind: "file" }> | LoadedFile

export interface LoadedFile {
  readonly kind: "file"
  readonly bytes: Uint8Array
  readonly mode: number
}

/** The two sides of an item with their contents. */
export interface LoadedSides {
  readonly base: Loaded
  readonly current: Loaded
}

/** How files are to be read as text: a charset declared for the path (`.editorconfig`, configuration), and who knows it. */
export interface Charset {
  readonly charset: string
  readonly codec: Codec
}

export const loadedAbsent: Loaded = { kind: "absent" }

export function sameLoaded(a: Loaded, b: Loaded): boolean {
  if (a.kind === "file") return b.kind === "file" && a.mode === b.mode && sameBytes(a.bytes, b.bytes)
  return b.kind !== "file" && sameState(a, b)
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false
  return true
}

/** The file as text, or null where it is not one (binary, undecodable, not a file). */
export function textOf(state: Loaded, charset?: Charset): TextDocument | null {
  if (state.kind !== "file") return null
  const document = decodeDocument(state.bytes, charset)
  return isNotText(document) ? null : document
}

/** The file's lines as a diff sees them: an absent file has none. Null where the state has no text. */
export function linesOf(state: Loaded, charset?: Charset): readonly Line[] | null {
  if (state.kind === "absent") return []
  const document = textOf(state, charset)
  return document === null ? null : splitLines(document.text)
}

/** A file with these lines, or null where they cannot be written exactly in that encoding. */
export function fileOfLines(
  lines: readonly Line[],
  encoding: Encoding,
  mode: number,
  charset?: Charset,
): LoadedFile | null {
  const bytes = encodeDocument(joinLines(lines), encoding, charset?.codec)
  return isNotText(bytes) ? null : { kind: "file", bytes, mode }
}
