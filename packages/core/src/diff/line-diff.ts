import type { Line } from "../text/lines.ts"
import { type EditScript, type Marks, scriptLikeGit, shortestScript, type Symbols } from "./edit-script.ts"
import type { Hunk } from "./hunk.ts"
import { slideGroups } from "./slider.ts"

export interface LineDiff {
  /** Ordered; between two hunks there is at least one unchanged line. */
  readonly hunks: readonly Hunk[]
  /** Correct, but maybe not a shortest script: the search was cut short. */
  readonly coarse: boolean
}

/** Steps of the search for a shortest script, some 5 ns each. */
const usualBudget = 20_000_000

/**
 * Returns what makes `current` of `base`, placed where `git diff` places it.
 *
 * Unless `coarse`, no script has fewer changed lines. That carries a law: after any decision the rest of the hunks still leads
 * from one text to the other, so a new diff has no more changed lines than were left, and a run of decisions ends. Git
 * itself sometimes shows a longer script; there the two differ.
 */
export function diffLines(base: readonly Line[], current: readonly Line[], budget: number = usualBudget): LineDiff {
  const [baseSymbols, currentSymbols] = internLines([base, current])
  if (baseSymbols === undefined || currentSymbols === undefined) throw new Error("BUG: two texts make two lists")
  const script = bestScript(baseSymbols, currentSymbols, budget)
  slideGroups(script.marks.base, script.marks.current, baseSymbols, base)
  slideGroups(script.marks.current, script.marks.base, currentSymbols, current)
  return { hunks: hunksOf(script.marks), coarse: !script.shortest }
}

/** Git's own script where that is a shortest one, else a shortest one, else (out of budget) git's after all. */
function bestScript(base: Symbols, current: Symbols, budget: number): EditScript {
  const usual = scriptLikeGit(base, current)
  if (usual.shortest) return usual
  const shortest = shortestScript(base, current, budget)
  if (shortest === null) return usual
  return shortest.changed < usual.changed ? shortest : { ...usual, shortest: true }
}

/** Gives equal lines equal numbers, counting from 0, over all texts together. */
export function internLines(texts: readonly (readonly Line[])[]): Symbols[] {
  const known = new Map<Line, number>()
  return texts.map(lines => {
    const symbols = new Int32Array(lines.length)
    for (let at = 0; at < lines.length; at++) {
      const line = lines[at] ?? ""
      let symbol = known.get(line)
      if (symbol === undefined) {
        symbol = known.size
        known.set(line, symbol)
      }
      symbols[at] = symbol
    }
    return symbols
  })
}

export function hunksOf(marks: Marks): Hunk[] {
  const { base, current } = marks
  const hunks: Hunk[] = []
  let b = 0
  let c = 0
  while (b < base.length && c < current.length) {
    const fromBase = b
    const fromCurrent = c
    while (base[b] === 1) b++
    while (current[c] === 1) c++
    if (b > fromBase || c > fromCurrent) hunks.push({ fromBase, toBase: b, fromCurrent, toCurrent: c })
    b++
    c++
  }
  return hunks
}
