import { astralClassOf, highSurrogate } from "./alphabet.ts"
import { type Effort, spend } from "./effort.ts"
import type { Nfa } from "./nfa.ts"

/** What stands before a position: nothing (the line starts), a word character, or another. */
const afterStart = 0
const afterOther = 1
const afterWord = 2
export type Before = typeof afterStart | typeof afterOther | typeof afterWord

const dead = 0
const unknown = -1
/** Tables are thrown away and begun anew at this many states. */
const maxDfaStates = 2000

/**
 * The deterministic automaton of a pattern, made while it runs. A state is a set of states of the pattern together with what
 * stands before; as a transition is made knowing the class of the character that comes, every anchor is decided exactly.
 *
 * Mutable: a cache owned by one run.
 */
export interface Dfa {
  readonly nfa: Nfa
  readonly effort: Effort
  /** `state * size + class` → twice the next state, plus 1 if a match ends before the character. */
  table: Int32Array
  states: DfaState[]
  byKey: Map<string, number>
  /** Start states by what stands before. */
  starts: [number, number, number]
}

interface DfaState {
  readonly kernel: readonly number[]
  readonly before: Before
}

export function dfaOf(nfa: Nfa, effort: Effort): Dfa {
  const dfa: Dfa = { nfa, effort, table: new Int32Array(), states: [], byKey: new Map(), starts: [0, 0, 0] }
  forget(dfa)
  return dfa
}

/** What stands before `at` in the line that starts at `lineStart`, as far as the pattern can tell. */
export function beforeAt(nfa: Nfa, text: string, lineStart: number, at: number): Before {
  if (at === lineStart) return nfa.hasLineStart || nfa.hasWordAnchor ? afterStart : afterOther
  if (!nfa.hasWordAnchor) return afterOther
  let unit = text.charCodeAt(at - 1)
  let kind = nfa.alphabet.ofUnit[unit] ?? 0
  if (unit >= 0xdc00 && unit <= 0xdfff) {
    unit = text.codePointAt(at - 2) ?? 0
    kind = astralClassOf(nfa.alphabet, unit)
  }
  return nfa.word[kind] === 1 ? afterWord : afterOther
}

/** The end of the longest match that starts at `at`, or -1. */
export function longestFrom(dfa: Dfa, text: string, lineStart: number, at: number, lineEnd: number): number {
  const { alphabet } = dfa.nfa
  const { ofUnit, size } = alphabet
  let { table } = dfa
  let state = startState(dfa, beforeAt(dfa.nfa, text, lineStart, at))
  let end = -1
  let position = at
  while (position < lineEnd) {
    let kind = ofUnit[text.charCodeAt(position)] ?? 0
    let width = 1
    if (kind === highSurrogate) {
      kind = astralClassOf(alphabet, text.codePointAt(position) ?? 0)
      width = 2
    }
    let entry = table[state * size + kind] ?? unknown
    if (entry === unknown) {
      entry = transition(dfa, state, kind)
      table = dfa.table
    }
    if ((entry & 1) === 1) end = position
    state = entry >> 1
    if (state === dead) {
      spend(dfa.effort, position - at + 1)
      return end
    }
    position += width
  }
  spend(dfa.effort, position - at + 1)
  const entry = table[state * size] ?? unknown
  return ((entry === unknown ? transition(dfa, state, 0) : entry) & 1) === 1 ? lineEnd : end
}

/**
 * The UTF-16 units at which, anywhere but at the start of a line, no match can start: 1 for those. First halves of surrogate
 * pairs are not told apart and never marked.
 */
export function hopelessUnits(nfa: Nfa): Uint8Array {
  const { ofUnit, size } = nfa.alphabet
  const contexts: readonly Before[] = nfa.hasWordAnchor ? [afterOther, afterWord] : [afterOther]
  const hopeless = Uint8Array.from({ length: size }, (_, kind) =>
    kind !== 0 &&
    contexts.every(before =>
      closure(nfa, [nfa.start], before, kind).every(at => {
        const state = nfa.states[at]
        return state?.kind === "char" && state.members[kind] !== 1
      }),
    )
      ? 1
      : 0,
  )
  const units = new Uint8Array(ofUnit.length)
  for (let unit = 0; unit < units.length; unit++) units[unit] = hopeless[ofUnit[unit] ?? 0] ?? 0
  return units
}

/** Whether the pattern matches the empty text somewhere inside a line, between characters that no anchor looks at. */
export function matchesEmptyInside(nfa: Nfa): boolean {
  return closure(nfa, [nfa.start], afterOther, 1).includes(0)
}

function startState(dfa: Dfa, before: Before): number {
  const known = dfa.starts[before]
  if (known !== dead) return known
  const made = intern(dfa, [dfa.nfa.start], before)
  dfa.starts[before] = made
  return made
}

/** Forgets every state; the dead one is number 0 again. */
function forget(dfa: Dfa): void {
  const { size } = dfa.nfa.alphabet
  dfa.table = new Int32Array(16 * size).fill(unknown)
  dfa.table.fill(0, 0, size)
  dfa.states = [{ kernel: [], before: afterOther }]
  dfa.byKey = new Map()
  dfa.starts = [dead, dead, dead]
}

function intern(dfa: Dfa, kernel: readonly number[], before: Before): number {
  if (kernel.length === 0) return dead
  const key = `${before}:${kernel.join()}`
  const known = dfa.byKey.get(key)
  if (known !== undefined) return known
  const { size } = dfa.nfa.alphabet
  const state = dfa.states.push({ kernel, before }) - 1
  if ((state + 1) * size > dfa.table.length) {
    const table = new Int32Array(dfa.table.length * 2).fill(unknown)
    table.set(dfa.table)
    dfa.table = table
  }
  dfa.byKey.set(key, state)
  return state
}

function transition(dfa: Dfa, state: number, kind: number): number {
  const { kernel, before } = dfa.states[state] ?? { kernel: [], before: afterOther }
  const { states, word } = dfa.nfa
  const reached = closure(dfa.nfa, kernel, before, kind)
  spend(dfa.effort, reached.length + kernel.length + 8)
  const accepts = reached.includes(0) ? 1 : 0
  const next = new Set<number>()
  for (const at of reached) {
    const from = states[at]
    if (from?.kind === "char" && from.members[kind] === 1) next.add(from.next)
  }
  const after: Before = word[kind] === 1 ? afterWord : afterOther
  const target = [...next].sort((a, b) => a - b)
  if (dfa.states.length >= maxDfaStates) {
    // The state we stand in is forgotten too, so the entry is answered but not kept.
    forget(dfa)
    return 2 * intern(dfa, target, after) + accepts
  }
  const entry = 2 * intern(dfa, target, after) + accepts
  dfa.table[state * dfa.nfa.alphabet.size + kind] = entry
  return entry
}

/** The states reached from `kernel` without a character, at a place between `before` and a character of class `kind`. */
function closure(nfa: Nfa, kernel: readonly number[], before: Before, kind: number): number[] {
  const seen = new Set<number>()
  const stack = [...kernel]
  const reached: number[] = []
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    if (seen.has(at)) continue
    seen.add(at)
    const state = nfa.states[at]
    switch (state?.kind) {
      case undefined:
        break
      case "match":
      case "char":
        reached.push(at)
        break
      case "split":
        stack.push(state.first, state.second)
        break
      case "save":
        stack.push(state.next)
        break
      case "anchor":
        if (holds(nfa, state.anchor, before, kind)) stack.push(state.next)
        break
    }
  }
  return reached
}

/** Whether an anchor holds between what stands before and a character of class `kind` (0 is the end of the line). */
export function holds(
  nfa: Nfa,
  anchor: "lineStart" | "lineEnd" | "wordStart" | "wordEnd" | "wordEdge",
  before: Before,
  kind: number,
): boolean {
  const wordBefore = before === afterWord
  const wordNext = nfa.word[kind] === 1
  switch (anchor) {
    case "lineStart":
      return before === afterStart
    case "lineEnd":
      return kind === 0
    case "wordStart":
      return !wordBefore && wordNext
    case "wordEnd":
      return wordBefore && !wordNext
    case "wordEdge":
      return wordBefore !== wordNext
  }
}
