import { dfaOf, hopelessUnits, longestFrom } from "./dfa.ts"
import { type Effort, spend } from "./effort.ts"
import type { Program } from "./program.ts"
import { leftmostToEnd, possibleStarts, type ReverseDfa, reverseDfaOf } from "./reverse-dfa.ts"

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
  if (root.kind === "anchor" && root.anchor === "lineEnd") return placeFinder((_lineStart, _from, lineEnd) => lineEnd)
  if (root.kind === "anchor" && root.anchor === "lineStart") {
    return placeFinder((lineStart, from) => (from === lineStart ? lineStart : -1))
  }
  if (program.atLineStart) return lineStartFinder(program, text, effort)
  return program.atLineEnd ? lineEndFinder(program, text, effort) : automatonFinder(program, text, effort)
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

/** For a lone `^` or `$`: the empty text at one place of a line. */
function placeFinder(place: (lineStart: number, from: number, lineEnd: number) => number): Finder {
  const finder: Finder = {
    start: 0,
    end: 0,
    find: (lineStart, from, lineEnd) => {
      finder.start = place(lineStart, from, lineEnd)
      finder.end = finder.start
      return finder.start >= 0
    },
  }
  return finder
}

/** For a pattern that ends in `$`: every match ends where the line ends. */
function lineEndFinder(program: Program, text: string, effort: Effort): Finder {
  const reverse = reverseDfaOf(program.nfa, effort)
  const finder: Finder = {
    start: 0,
    end: 0,
    find: (lineStart, from, lineEnd) => {
      finder.start = leftmostToEnd(reverse, text, lineStart, from, lineEnd)
      finder.end = lineEnd
      return finder.start >= 0
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
  let reverse: ReverseDfa | undefined
  // Charged, because a file that is not UTF-8 is searched in many pieces.
  spend(effort, 4096)
  const hopeless = hopelessUnits(nfa)

  const nextStart = (lineStart: number, at: number, lineEnd: number): number => {
    if (marks !== undefined) {
      const next = marks.indexOf(1, at - marksFrom)
      return next < 0 ? lineEnd + 1 : marksFrom + next
    }
    if (search !== undefined) return search(at)
    if (at === lineStart) return at
    let next = at
    while (next < lineEnd && hopeless[text.charCodeAt(next)] === 1) next++
    return next
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
        const unit = text.charCodeAt(at)
        at += unit >= 0xd800 && unit <= 0xdbff ? 2 : 1
        if (at > lineEnd) return false
        if (marks === undefined && effortAtLine - effort.left > 3 * (lineEnd - lineStart) + 64) {
          reverse ??= reverseDfaOf(nfa, effort)
          marks = possibleStarts(reverse, text, lineStart, at, lineEnd)
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
