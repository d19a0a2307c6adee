import { astralClassOf, highSurrogate } from "./alphabet.ts"
import { beforeAt, holds } from "./dfa.ts"
import { type Effort, spend } from "./effort.ts"
import type { Nfa } from "./nfa.ts"
import { Declined } from "./outcome.ts"

/**
 * What finds the groups of matches in one text. Mutable: `slots` holds the last answer, the rest is kept between matches to
 * save clearing it.
 */
export interface Capturer {
  readonly nfa: Nfa
  readonly text: string
  readonly effort: Effort
  /** Where group `n` starts at `2 * n` and ends at `2 * n + 1`; -1 where it took no part. */
  readonly slots: Int32Array
  /** For each pair of state and position, the number of the match that tried it last. */
  tried: Uint32Array
  match: number
}

export function capturerOf(nfa: Nfa, groups: number, text: string, effort: Effort): Capturer {
  return { nfa, text, effort, slots: new Int32Array(2 * groups + 2), tried: new Uint32Array(1024), match: 0 }
}

/**
 * Finds what each group of the match from `start` to `end` holds: the first way, in glibc's order of preference, through the
 * pattern that ends exactly there. Groups keep what they held in an earlier turn of a loop, as in glibc.
 *
 * A pair of state and position that failed once fails always, so each is tried once.
 */
export function capture(capturer: Capturer, lineStart: number, lineEnd: number, start: number, end: number): void {
  const { nfa, text, slots } = capturer
  const width = end - start + 1
  const match = nextMatch(capturer, nfa.states.length * width)
  const { tried } = capturer
  slots.fill(-1)
  // Pairs: a state and a position to try, or -1 - slot and the old value to put back there.
  const stack: number[] = [nfa.start, start]
  let steps = 0
  while (stack.length > 0) {
    let position = stack.pop() ?? 0
    let at = stack.pop() ?? 0
    if (at < 0) {
      slots[-1 - at] = position
      continue
    }
    for (;;) {
      const pair = at * width + (position - start)
      if (tried[pair] === match) break
      tried[pair] = match
      steps++
      const state = nfa.states[at]
      if (state === undefined) break
      if (state.kind === "match") {
        if (position !== end) break
        spend(capturer.effort, steps)
        return
      }
      if (state.kind === "split") {
        stack.push(state.second, position)
        at = state.first
      } else if (state.kind === "save") {
        stack.push(-1 - state.slot, slots[state.slot] ?? -1)
        slots[state.slot] = position
        at = state.next
      } else if (state.kind === "anchor") {
        if (!holds(nfa, state.anchor, beforeAt(nfa, text, lineStart, position), kindAt(nfa, text, position, lineEnd)))
          break
        at = state.next
      } else {
        if (position >= end || state.members[kindAt(nfa, text, position, lineEnd)] !== 1) break
        position += nfa.alphabet.ofUnit[text.charCodeAt(position)] === highSurrogate ? 2 : 1
        at = state.next
      }
    }
  }
  throw new Error("BUG: a match has no way through its pattern")
}

/** 64 MB of memory; only a match of many hundred thousand characters asks for more. */
const maxPairs = 2 ** 24

function nextMatch(capturer: Capturer, pairs: number): number {
  if (pairs > maxPairs) throw new Declined("effort", "Finding the groups of a match would take too much memory.")
  if (pairs > capturer.tried.length) {
    capturer.tried = new Uint32Array(2 ** Math.ceil(Math.log2(pairs)))
    capturer.match = 0
  }
  return ++capturer.match
}

function kindAt(nfa: Nfa, text: string, at: number, lineEnd: number): number {
  if (at >= lineEnd) return 0
  const kind = nfa.alphabet.ofUnit[text.charCodeAt(at)] ?? 0
  return kind === highSurrogate ? astralClassOf(nfa.alphabet, text.codePointAt(at) ?? 0) : kind
}
