import { type CaseMap, caseMap } from "./ctype.ts"
import { Declined } from "./outcome.ts"

/** How GNU sed changes letters: all of a piece (`\U`, `\L`), its first character (`\u`, `\l`), or both. */
interface Casing {
  readonly all: "asIs" | "upper" | "lower"
  readonly first: "asIs" | "upper" | "lower"
}

/** Literal text and then, perhaps, what a group matched. */
interface Piece {
  readonly text: string
  /** 0 is the whole match. */
  readonly group: number | undefined
  readonly casing: Casing
}

export interface Replacement {
  readonly pieces: readonly Piece[]
  /** The text when it is the same for every match. */
  readonly constant: string | undefined
  readonly largestGroup: number
  readonly changesCase: boolean
}

const asIs: Casing = { all: "asIs", first: "asIs" }

/**
 * Parses a replacement as GNU sed's `setup_replacement` does, its quirks included: a `\u` or `\l` directly before another
 * case escape is lost. `groups` is how many the pattern has; a larger reference is refused, as sed refuses it.
 */
export function parseReplacement(source: string, groups: number): Replacement {
  const pieces: Piece[] = []
  let text = ""
  let casing = asIs
  let saved = asIs
  let largestGroup = 0
  const close = (group: number | undefined): void => {
    pieces.push({ text, group, casing })
    text = ""
    casing = saved
    largestGroup = Math.max(largestGroup, group ?? 0)
  }
  for (let at = 0; at < source.length; at++) {
    const char = source[at] ?? ""
    if (char === "&") {
      close(0)
      continue
    }
    if (char !== "\\") {
      text += char
      continue
    }
    const next = source[++at] ?? ""
    const control = controlEscapes[next]
    if (control !== undefined) text += control
    else if (/[0-9]/.test(next)) close(Number(next))
    else if (/[LUElu]/.test(next)) {
      close(undefined)
      if (next === "l" || next === "u") {
        saved = casing
        casing = { all: casing.all, first: next === "u" ? "upper" : "lower" }
      } else {
        casing = next === "E" ? asIs : { all: next === "U" ? "upper" : "lower", first: "asIs" }
        saved = casing
      }
    } else if (/[cdox]/.test(next)) {
      throw new Declined("replacement", `The escape \\${next} in the replacement is not simulated.`)
    } else text += next
  }
  if (text !== "") close(undefined)
  if (largestGroup > groups) {
    throw new Declined(
      "replacement",
      "sed would refuse the replacement: it refers to a group the pattern does not have.",
    )
  }
  const changesCase = pieces.some(piece => piece.casing.all !== "asIs" || piece.casing.first !== "asIs")
  const constant =
    !changesCase && pieces.every(piece => piece.group === undefined)
      ? pieces.map(piece => piece.text).join("")
      : undefined
  return { pieces, constant, largestGroup, changesCase }
}

const controlEscapes: Readonly<Record<string, string>> = { a: "\x07", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" }

/** What the groups of one match hold; `-1` bounds mean no part in the match. */
export type GroupText = (group: number) => string

/** Makes the function that writes the replacement of one match. */
export function expander(replacement: Replacement): (group: GroupText) => string {
  const { constant } = replacement
  if (constant !== undefined) return () => constant
  if (!replacement.changesCase) {
    return group =>
      replacement.pieces
        .map(piece => (piece.group === undefined ? piece.text : piece.text + group(piece.group)))
        .join("")
  }
  const upper = caseMap("upper")
  const lower = caseMap("lower")
  return group => expandWithCase(replacement.pieces, group, upper, lower)
}

/** GNU sed's `append_replacement`: a `\u` before an empty group waits for the next piece, unless that has its own. */
function expandWithCase(pieces: readonly Piece[], group: GroupText, upper: CaseMap, lower: CaseMap): string {
  let out = ""
  let waiting: Casing["first"] = "asIs"
  for (const piece of pieces) {
    let first: Casing["first"] = piece.casing.first === "asIs" ? waiting : piece.casing.first
    waiting = "asIs"
    if (piece.text !== "") {
      out += recase(piece.text, { all: piece.casing.all, first }, upper, lower)
      first = "asIs"
    }
    if (piece.group === undefined) continue
    const matched = group(piece.group)
    if (matched === "" && piece.casing.first !== "asIs") waiting = first
    else out += recase(matched, { all: piece.casing.all, first }, upper, lower)
  }
  return out
}

function recase(text: string, casing: Casing, upper: CaseMap, lower: CaseMap): string {
  if (text === "" || (casing.all === "asIs" && casing.first === "asIs")) return text
  if (text.includes("\0")) throw new Declined("text", "Case conversion ends at a NUL character.")
  let out = ""
  let how = casing.first === "asIs" ? casing.all : casing.first
  for (const char of text) {
    const point = char.codePointAt(0) ?? 0
    const mapped = how === "asIs" ? point : ((how === "upper" ? upper : lower).get(point) ?? point)
    out += String.fromCodePoint(mapped)
    how = casing.all
  }
  return out
}
