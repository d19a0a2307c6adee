import { astralClassOf, highSurrogate } from "./alphabet.ts"
import { beforeAt, holds } from "./dfa.ts"
import { type Effort, spend } from "./effort.ts"
import type { Nfa } from "./nfa.ts"

/**
 * Finds what each group of a match holds: the first way, in glibc's order of preference, through the pattern that ends exactly
 * at the match's end. Answers positions by slot, -1 where a group took no part.
 *
 * A pair of state and position that failed once fails always, so each is tried once; groups keep what they held in an
 * earlier turn of a loop, as in glibc.
 */
export function capturesOf(
  nfa: Nfa,
  effort: Effort,
  memory: CaptureMemory,
  text: string,
  lineStart: number,
  lineEnd: number,
  start: number,
  end: number,
  slots: Int32Array,
): void {
  const width = end - start + 1
  const generation = nextGeneration(memory, nfa.states.length * width)
  const { tried } = memory
  slots.fill(-1)
  // Frames of three: a state and position to try, or (state -1 - slot) an old value of a slot to put back.
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
      if (tried[pair] === generation) break
      tried[pair] = generation
      steps++
      const state = nfa.states[at]
      if (state === undefined) break
      if (state.kind === "match") {
        if (position !== end) break
        spend(effort, steps)
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

/** Which pairs were tried, by the number of the match that tried them; kept between matches to save clearing it. */
export interface CaptureMemory {
  tried: Uint32Array
  generation: number
}

export function captureMemory(): CaptureMemory {
  return { tried: new Uint32Array(1024), generation: 0 }
}

function nextGeneration(memory: CaptureMemory, pairs: number): number {
  if (pairs > memory.tried.length) {
    memory.tried = new Uint32Array(2 ** Math.ceil(Math.log2(pairs)))
    memory.generation = 0
  }
  return ++memory.generation
}

function kindAt(nfa: Nfa, text: string, at: number, lineEnd: number): number {
  if (at >= lineEnd) return 0
  const kind = nfa.alphabet.ofUnit[text.charCodeAt(at)] ?? 0
  return kind === highSurrogate ? astralClassOf(nfa.alphabet, text.codePointAt(at) ?? 0) : kind
}
