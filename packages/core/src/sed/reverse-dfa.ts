import { astralClassOf, highSurrogate } from "./alphabet.ts"
import { type Before, beforeAt, holds } from "./dfa.ts"
import { type Effort, spend } from "./effort.ts"
import type { Nfa } from "./nfa.ts"

/**
 * The automaton of a pattern run backwards from the end of a line. Its states are sets of the pattern's states from which a
 * match can still be completed; as every place may end a match, the final state is in each of them.
 *
 * It tells in one pass every position where some match starts, which keeps `s/\s+x//` linear on a line of blanks, where trying
 * each start would be quadratic. Mutable: a cache owned by one run.
 */
export interface ReverseDfa {
  readonly nfa: Nfa
  readonly effort: Effort
  /** For each state of the pattern, those that lead to it without a character. */
  readonly epsilon: readonly (readonly number[])[]
  /** `(state * size + class) * 3 + before` → twice the next state, plus 1 if a match starts before the character. */
  table: Int32Array
  sets: (readonly number[])[]
  byName: Map<string, number>
}

const unknown = -1
/** What stands to the right of the line's last place; no set is completed there yet. */
const beyond = 0
/** Only the final state: nothing that has begun can be completed. */
const idle = 1
const maxReverseStates = 2000

export function reverseDfaOf(nfa: Nfa, effort: Effort): ReverseDfa {
  const reverse: ReverseDfa = {
    nfa,
    effort,
    epsilon: predecessors(nfa),
    table: new Int32Array(),
    sets: [],
    byName: new Map(),
  }
  forget(reverse)
  return reverse
}

/** Marks, from `from` to the end of the line inclusive, every position where some match starts. */
export function possibleStarts(
  reverse: ReverseDfa,
  text: string,
  lineStart: number,
  from: number,
  lineEnd: number,
): Uint8Array {
  const marks = new Uint8Array(lineEnd - from + 1)
  walk(reverse, text, lineStart, from, lineEnd, at => {
    marks[at - from] = 1
  })
  return marks
}

/** For a pattern that matches only up to the end of a line: where its leftmost match from `from` on starts, or -1. */
export function leftmostToEnd(
  reverse: ReverseDfa,
  text: string,
  lineStart: number,
  from: number,
  lineEnd: number,
): number {
  let leftmost = -1
  walk(
    reverse,
    text,
    lineStart,
    from,
    lineEnd,
    at => {
      leftmost = at
    },
    idle,
  )
  return leftmost
}

/** Calls `found` for every start of a match, from right to left; ends early in the state `stop`. */
function walk(
  reverse: ReverseDfa,
  text: string,
  lineStart: number,
  from: number,
  lineEnd: number,
  found: (at: number) => void,
  stop = -1,
): void {
  const { nfa, effort } = reverse
  const { ofUnit, size } = nfa.alphabet
  const plain = !nfa.hasWordAnchor
  const beforeEnd = beforeAt(nfa, text, lineStart, lineEnd)
  let entry = reverse.table[beyond * size * 3 + beforeEnd] ?? unknown
  if (entry === unknown) entry = entryOf(reverse, beyond, 0, beforeEnd)
  let at = lineEnd
  for (;;) {
    if ((entry & 1) === 1) found(at)
    const state = entry >> 1
    if (at <= from || state === stop) break
    at--
    const unit = text.charCodeAt(at)
    let kind = ofUnit[unit] ?? 0
    if (unit >= 0xdc00 && unit <= 0xdfff) {
      at--
      kind = astralClassOf(nfa.alphabet, text.codePointAt(at) ?? 0)
    } else if (kind === highSurrogate) kind = 1
    const before = plain && at > lineStart ? 1 : beforeAt(nfa, text, lineStart, at)
    entry = reverse.table[(state * size + kind) * 3 + before] ?? unknown
    if (entry === unknown) entry = entryOf(reverse, state, kind, before)
  }
  spend(effort, lineEnd - at + 1)
}

function forget(reverse: ReverseDfa): void {
  reverse.table = new Int32Array(16 * reverse.nfa.alphabet.size * 3).fill(unknown)
  reverse.sets = [[], [0]]
  reverse.byName = new Map([["0", idle]])
}

/** The states that can complete a match from before a character of class `kind`, given those that can from after it. */
function entryOf(reverse: ReverseDfa, after: number, kind: number, before: Before): number {
  const { nfa } = reverse
  const later = new Set(reverse.sets[after])
  const seen = new Set<number>([0])
  nfa.states.forEach((state, at) => {
    if (kind !== 0 && state.kind === "char" && state.members[kind] === 1 && later.has(state.next)) seen.add(at)
  })
  const stack = [...seen]
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    for (const previous of reverse.epsilon[at] ?? []) {
      const state = nfa.states[previous]
      if (seen.has(previous) || (state?.kind === "anchor" && !holds(nfa, state.anchor, before, kind))) continue
      seen.add(previous)
      stack.push(previous)
    }
  }
  spend(reverse.effort, nfa.states.length + seen.size + 8)
  const set = [...seen].sort((a, b) => a - b)
  const full = reverse.sets.length >= maxReverseStates
  if (full) forget(reverse)
  const entry = 2 * intern(reverse, set) + (seen.has(nfa.start) ? 1 : 0)
  // After forgetting, the state we stand in is gone, so the entry is answered but not kept.
  if (!full) reverse.table[(after * nfa.alphabet.size + kind) * 3 + before] = entry
  return entry
}

function intern(reverse: ReverseDfa, set: readonly number[]): number {
  const name = set.join()
  const known = reverse.byName.get(name)
  if (known !== undefined) return known
  const state = reverse.sets.push(set) - 1
  if ((state + 1) * reverse.nfa.alphabet.size * 3 > reverse.table.length) {
    const table = new Int32Array(reverse.table.length * 2).fill(unknown)
    table.set(reverse.table)
    reverse.table = table
  }
  reverse.byName.set(name, state)
  return state
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
