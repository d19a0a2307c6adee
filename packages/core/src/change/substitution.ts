import { diffLines } from "../diff/line-diff.ts"
import type { Hunk } from "../diff/hunk.ts"
import { contentOf, type Line } from "../text/lines.ts"
import { shortHash } from "./hunk-id.ts"

export interface Substitution {
  /** `s` and seven digits made of what stood and what stands there: equal for equal substitutions, in whatever file. */
  readonly id: string
  /** `foo → bar`, for people. */
  readonly text: string
}

/**
 * Tells the substitution that each hunk makes, so that one decision can be about the same one in forty files: null where a hunk does more
 * than put one text in the place of another.
 *
 * A hunk substitutes if it has as many new lines as old ones and every one that differs does so by the same words. Where the words around
 * differ does not matter, as with `sed`.
 */
export function substitutionsOf(
  base: readonly Line[],
  current: readonly Line[],
  hunks: readonly Hunk[],
): readonly (Substitution | null)[] {
  return hunks.map(hunk => {
    const length = hunk.toBase - hunk.fromBase
    if (length !== hunk.toCurrent - hunk.fromCurrent || length > mostLines) return null
    const found = new Map<string, string>()
    for (let at = 0; at < length; at++) {
      const pairs = pairsOf(base[hunk.fromBase + at] ?? "", current[hunk.fromCurrent + at] ?? "")
      if (pairs === null) return null
      for (const { stood, stands } of pairs) found.set(`${stood.length}:${stood}${stands}`, `${stood} → ${stands}`)
    }
    const [only] = found
    return found.size === 1 && only !== undefined ? { id: `s${shortHash(only[0])}`, text: only[1] } : null
  })
}

/** The names alone of {@link substitutionsOf}. */
export function substitutionIds(
  base: readonly Line[],
  current: readonly Line[],
  hunks: readonly Hunk[],
): readonly (string | null)[] {
  return substitutionsOf(base, current, hunks).map(one => one?.id ?? null)
}

const mostLines = 200
/** Longer lines are no place for a substitution that a person reads at a glance. */
const longestLine = 2000

/** What was put in the place of what, by words; null where something was only put in or only taken out, or the terminators differ. */
function pairsOf(old: Line, now: Line): { stood: string; stands: string }[] | null {
  if (old === now) return []
  if (old.length > longestLine || now.length > longestLine) return null
  if (old.slice(contentOf(old).length) !== now.slice(contentOf(now).length)) return null
  const from = wordsOf(contentOf(old))
  const to = wordsOf(contentOf(now))
  const pairs: { stood: string; stands: string }[] = []
  for (const hunk of diffLines(from, to).hunks) {
    if (hunk.fromBase === hunk.toBase || hunk.fromCurrent === hunk.toCurrent) return null
    const stood = from.slice(hunk.fromBase, hunk.toBase).join("")
    pairs.push({ stood, stands: to.slice(hunk.fromCurrent, hunk.toCurrent).join("") })
  }
  return pairs
}

function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|./gsu) ?? []
}
