import { dfaOf, longestFrom, skipHopeless } from "./dfa.ts"
import type { Effort } from "./effort.ts"
import { possibleStarts } from "./possible-starts.ts"
import type { Program } from "./program.ts"

/** Finds the leftmost longest match within a line, from a position on. */
export interface Finder {
  /** Answers whether there is one; its bounds are then in `start` and `end`. */
  readonly find: (lineStart: number, from: number, lineEnd: number) => boolean
  start: number
  end: number
}

export function finderOf(program: Program, text: string, effort: Effort): Finder {
  const { whole } = program.literals
  if (whole !== undefined) return literalFinder(whole, text)
  const { root } = program.pattern
  if (root.kind === "anchor" && root.anchor === "lineEnd") return lineEndFinder()
  return program.atLineStart ? lineStartFinder(program, text, effort) : automatonFinder(program, text, effort)
}

function literalFinder(literal: string, text: string): Finder {
  const search = searcher(literal, text)
  const finder: Finder = {
    start: 0,
    end: 0,
    find: (_lineStart, from, lineEnd) => {
      finder.start = search(from)
      finder.end = finder.start + literal.length
      return finder.end <= lineEnd
    },
  }
  return finder
}

function lineEndFinder(): Finder {
  const finder: Finder = {
    start: 0,
    end: 0,
    find: (_lineStart, _from, lineEnd) => {
      finder.start = lineEnd
      finder.end = lineEnd
      return true
    },
  }
  return finder
}

function lineStartFinder(program: Program, text: string, effort: Effort): Finder {
  const dfa = dfaOf(program.nfa, effort)
  const finder: Finder = {
    start: 0,
    end: 0,
    find: (lineStart, from, lineEnd) => {
      if (from > lineStart) return false
      finder.start = lineStart
      finder.end = longestFrom(dfa, text, lineStart, lineStart, lineEnd)
      return finder.end >= 0
    },
  }
  return finder
}

function automatonFinder(program: Program, text: string, effort: Effort): Finder {
  const { nfa, literals } = program
  const dfa = dfaOf(nfa, effort)
  const search = literals.prefix === "" ? undefined : searcher(literals.prefix, text)
  let line = -1
  let effortAtLine = 0
  // Once the attempts on a line have cost too much: which positions from `marksFrom` can start a match.
  let marks: Uint8Array | undefined
  let marksFrom = 0

  const nextStart = (lineStart: number, at: number, lineEnd: number): number => {
    if (marks !== undefined) {
      const next = marks.indexOf(1, at - marksFrom)
      return next < 0 ? lineEnd + 1 : marksFrom + next
    }
    if (search !== undefined) return search(at)
    return at === lineStart ? at : skipHopeless(dfa, text, at, lineEnd)
  }

  const finder: Finder = {
    start: 0,
    end: 0,
    find: (lineStart, from, lineEnd) => {
      if (line !== lineStart) {
        line = lineStart
        effortAtLine = effort.left
        marks = undefined
      }
      for (let at = nextStart(lineStart, from, lineEnd); at <= lineEnd; at = nextStart(lineStart, at, lineEnd)) {
        finder.end = longestFrom(dfa, text, lineStart, at, lineEnd)
        if (finder.end >= 0) {
          finder.start = at
          return true
        }
        at += text.codePointAt(at) === text.charCodeAt(at) || at >= lineEnd ? 1 : 2
        if (at > lineEnd) return false
        if (marks === undefined && effortAtLine - effort.left > 8 * (lineEnd - lineStart) + 256) {
          marks = possibleStarts(nfa, effort, text, lineStart, at, lineEnd)
          marksFrom = at
        }
      }
      return false
    },
  }
  return finder
}

/** Finds a literal from ever larger positions; what was found ahead is remembered, so the text is searched once. */
function searcher(literal: string, text: string): (from: number) => number {
  let found = -1
  return from => {
    if (found < from) {
      const at = text.indexOf(literal, from)
      found = at < 0 ? Number.POSITIVE_INFINITY : at
    }
    return found
  }
}
