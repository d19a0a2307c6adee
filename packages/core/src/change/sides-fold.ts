import type { Encoding } from "../text/document.ts"
import { splitLines, type Line } from "../text/lines.ts"
import { foldApply, foldHold, foldWrite } from "./fold.ts"
import {
  fileOfLines,
  sameBytes,
  sameLoaded,
  textOf,
  type Charset,
  type Loaded,
  type LoadedFile,
  type LoadedSides,
} from "./loaded.ts"

export interface Folded {
  readonly sides: LoadedSides
  /** The two overlap: base moved where current differs. The old base must be kept as the item's conflict origin. */
  readonly conflict: boolean
}

/**
 * Somebody else wrote the file: `found` stands on disk where the item's `disk` side was last put (DESIGN §2, "Somebody else
 * wrote the file").
 *
 * Text is folded part by part; what is no text, and each property, as a whole: a property that is not itself pending follows
 * the disk on both sides. A file that somebody deleted, or replaced by something else, is theirs: in apply both sides follow; in
 * hold the proposal stays and conflicts.
 */
export function foldDisk(sides: LoadedSides, found: Loaded, disk: "base" | "current", charset?: Charset): Folded {
  if (sameLoaded(sides.base, sides.current)) return { sides: { base: found, current: found }, conflict: false }
  return disk === "current" ? foldCurrent(sides, found, charset) : foldBase(sides, found, charset)
}

/** The person wrote the proposal itself. Their text outside pending hunks is agreed on at once. */
export function foldProposal(
  sides: LoadedSides,
  next: Loaded,
  disk: "base" | "current",
  charset?: Charset,
): LoadedSides {
  const { base, current } = sides
  const texts = textsOf([base, current, next], charset)
  if (texts === null || next.kind !== "file") return { base, current: next }
  const folded = foldWrite({ base: texts.lines[0], current: texts.lines[1], next: texts.lines[2], disk })
  return { base: written(base, folded.base, texts.encodings[0], charset) ?? base, current: next }
}

function foldCurrent({ base, current }: LoadedSides, found: Loaded, charset?: Charset): Folded {
  if (current.kind !== "file" || found.kind !== "file")
    return { sides: { base: found, current: found }, conflict: false }
  if (base.kind !== "file" && base.kind !== "absent") return { sides: { base, current: found }, conflict: false }
  const moved = base.kind === "file" && base.mode === current.mode ? { ...base, mode: found.mode } : base
  if (sameBytes(current.bytes, found.bytes)) return { sides: { base: moved, current: found }, conflict: false }
  const texts = textsOf([moved, current, found], charset)
  if (texts === null) {
    const agreed = base.kind === "file" && sameBytes(base.bytes, current.bytes) && moved.kind === "file"
    return { sides: { base: agreed ? { ...moved, bytes: found.bytes } : moved, current: found }, conflict: false }
  }
  const folded = foldApply({ base: texts.lines[0], current: texts.lines[1], disk: texts.lines[2] })
  const encoding = sameEncoding(texts.encodings[0], texts.encodings[1]) ? texts.encodings[2] : texts.encodings[0]
  return { sides: { base: written(moved, folded.base, encoding, charset) ?? moved, current: found }, conflict: false }
}

function foldBase({ base, current }: LoadedSides, found: Loaded, charset?: Charset): Folded {
  if (sameLoaded(found, current)) return { sides: { base: found, current: found }, conflict: false }
  if (current.kind !== "file" || found.kind !== "file" || base.kind !== "file")
    return { sides: { base: found, current }, conflict: true }
  const moved = base.mode === current.mode ? { ...current, mode: found.mode } : current
  if (sameBytes(base.bytes, found.bytes)) return { sides: { base: found, current: moved }, conflict: false }
  if (sameBytes(base.bytes, current.bytes))
    return { sides: { base: found, current: { ...moved, bytes: found.bytes } }, conflict: false }
  const texts = textsOf([base, moved, found], charset)
  if (texts === null) return { sides: { base: found, current: moved }, conflict: true }
  const folded = foldHold({ base: texts.lines[0], current: texts.lines[1], disk: texts.lines[2] })
  const encoding = sameEncoding(texts.encodings[0], texts.encodings[1]) ? texts.encodings[2] : texts.encodings[1]
  const text = fileOfLines(folded.current, encoding, moved.mode, charset)
  if (text === null) return { sides: { base: found, current: moved }, conflict: true }
  return { sides: { base: found, current: text }, conflict: folded.conflict }
}

interface ThreeTexts {
  readonly lines: readonly [readonly Line[], readonly Line[], readonly Line[]]
  readonly encodings: readonly [Encoding, Encoding, Encoding]
}

/** Three states as texts, an absent one being empty; null where any is no text. */
function textsOf(states: readonly [Loaded, Loaded, Loaded], charset?: Charset): ThreeTexts | null {
  const found = states.map(state => textOf(state, charset))
  const some = found.find(document => document !== null)
  if (some == null || states.some((state, at) => state.kind !== "absent" && found[at] === null)) return null
  const lines = (at: number): readonly Line[] => splitLines(found[at]?.text ?? "")
  const encoding = (at: number): Encoding => found[at]?.encoding ?? some.encoding
  return { lines: [lines(0), lines(1), lines(2)], encodings: [encoding(0), encoding(1), encoding(2)] }
}

function written(was: Loaded, lines: readonly Line[], encoding: Encoding, charset?: Charset): LoadedFile | null {
  if (was.kind === "absent" && lines.length === 0) return null
  return fileOfLines(lines, encoding, was.kind === "file" ? was.mode : 0o644, charset)
}

function sameEncoding(a: Encoding, b: Encoding): boolean {
  return a.name === b.name && a.bom === b.bom
}
