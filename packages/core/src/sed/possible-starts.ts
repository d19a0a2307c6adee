import { astralClassOf, highSurrogate } from "./alphabet.ts"
import { type Before, beforeAt, holds } from "./dfa.ts"
import { type Effort, spend } from "./effort.ts"
import type { Nfa } from "./nfa.ts"

/**
 * Marks every position of a line where some match starts, in one pass from its end: what keeps `s/\s+$//` linear on a line
 * of blanks, where trying each start would be quadratic.
 *
 * A set of states is followed backwards: those from which a match can still be completed. Sets and the steps between them are
 * kept as in `Dfa`.
 */
export function possibleStarts(
  nfa: Nfa,
  effort: Effort,
  text: string,
  lineStart: number,
  from: number,
  lineEnd: number,
): Uint8Array {
  const marks = new Uint8Array(lineEnd - from + 1)
  const backward: Backward = {
    nfa,
    effort,
    epsilon: predecessors(nfa),
    sets: [[]],
    ids: new Map([["", 0]]),
    steps: new Map(),
  }
  let live = step(backward, 0, 0, beforeAt(nfa, text, lineStart, lineEnd))
  marks[lineEnd - from] = backward.sets[live]?.includes(nfa.start) === true ? 1 : 0
  for (let at = lineEnd; at > from; ) {
    const low = text.charCodeAt(at - 1)
    at -= low >= 0xdc00 && low <= 0xdfff ? 2 : 1
    let kind = nfa.alphabet.ofUnit[text.charCodeAt(at)] ?? 0
    if (kind === highSurrogate) kind = astralClassOf(nfa.alphabet, text.codePointAt(at) ?? 0)
    live = step(backward, live, kind, beforeAt(nfa, text, lineStart, at))
    marks[at - from] = backward.sets[live]?.includes(nfa.start) === true ? 1 : 0
  }
  spend(effort, lineEnd - from)
  return marks
}

interface Backward {
  readonly nfa: Nfa
  readonly effort: Effort
  /** For each state, those that lead to it without a character. */
  readonly epsilon: readonly (readonly number[])[]
  readonly sets: (readonly number[])[]
  readonly ids: Map<string, number>
  readonly steps: Map<number, number>
}

/** The states that can complete a match from before a character of class `kind`, given those that can from after it. */
function step(backward: Backward, after: number, kind: number, before: Before): number {
  const { nfa, steps } = backward
  const key = (after * nfa.alphabet.size + kind) * 3 + before
  const known = steps.get(key)
  if (known !== undefined) return known
  const later = new Set(backward.sets[after])
  const seen = new Set<number>([0])
  nfa.states.forEach((state, at) => {
    if (kind !== 0 && state.kind === "char" && state.members[kind] === 1 && later.has(state.next)) seen.add(at)
  })
  const stack = [...seen]
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    for (const previous of backward.epsilon[at] ?? []) {
      const state = nfa.states[previous]
      if (seen.has(previous) || (state?.kind === "anchor" && !holds(nfa, state.anchor, before, kind))) continue
      seen.add(previous)
      stack.push(previous)
    }
  }
  spend(backward.effort, nfa.states.length + seen.size + 8)
  const set = [...seen].sort((a, b) => a - b)
  const name = set.join()
  let id = backward.ids.get(name)
  if (id === undefined) {
    id = backward.sets.push(set) - 1
    backward.ids.set(name, id)
  }
  steps.set(key, id)
  return id
}

function predecessors(nfa: Nfa): number[][] {
  const out: number[][] = nfa.states.map(() => [])
  nfa.states.forEach((state, at) => {
    switch (state.kind) {
      case "match":
      case "char":
        return
      case "save":
      case "anchor":
        out[state.next]?.push(at)
        return
      case "split":
        out[state.first]?.push(at)
        out[state.second]?.push(at)
        return
    }
  })
  return out
}
