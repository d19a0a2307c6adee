import { type CharSet, anyChar, charSet, complement } from "./charset.ts"
import { classOf, wordChars } from "./ctype.ts"
import { parseBracket, type Ranges, worse } from "./bracket.ts"
import { Declined } from "./outcome.ts"

export type Anchor = "lineStart" | "lineEnd" | "wordStart" | "wordEnd" | "wordEdge"

/** A POSIX pattern as a tree. Repeats keep their bounds; `expand` in nfa.ts lays them out as glibc does. */
export type Node =
  | { readonly kind: "empty" }
  | { readonly kind: "set"; readonly set: CharSet }
  | { readonly kind: "anchor"; readonly anchor: Anchor }
  | { readonly kind: "concat"; readonly items: readonly Node[] }
  | { readonly kind: "either"; readonly first: Node; readonly second: Node }
  | { readonly kind: "repeat"; readonly body: Node; readonly min: number; readonly max: number }
  | { readonly kind: "group"; readonly index: number; readonly body: Node }

export interface Pattern {
  readonly root: Node
  readonly groups: number
  /**
   * Whether glibc matches this pattern byte by byte in UTF-8: only literals, periods and plain ASCII brackets. Such a
   * pattern can match the empty text between the bytes of one character.
   */
  readonly bytewise: boolean
  readonly ranges: Ranges
}

/** Parses what glibc's regcomp and gnulib's dfa both read alike; throws `Declined` for what sed refuses or what is uncertain. */
export function parsePattern(source: string, extended: boolean): Pattern {
  const reader = new Reader(source, extended)
  const root = parseAlternatives(reader, 0)
  if (reader.token.kind === "close") throw refused("a closing parenthesis has no opening one")
  return { root, groups: reader.groups, bytewise: reader.bytewise, ranges: reader.ranges }
}

type Token =
  | { readonly kind: "end" | "or" | "open" | "close" | "openBrace" }
  | { readonly kind: "star" | "plus" | "question"; readonly point: number }
  | { readonly kind: "anchor"; readonly anchor: Anchor }
  | { readonly kind: "set"; readonly set: CharSet; readonly bytewise: boolean; readonly ranges: Ranges }

/** What comes next in the pattern. A class because parsing moves one cursor. */
class Reader {
  readonly source: string
  readonly extended: boolean
  at = 0
  token: Token = { kind: "end" }
  groups = 0
  bytewise = true
  ranges: Ranges = "none"

  constructor(source: string, extended: boolean) {
    this.source = source
    this.extended = extended
    this.next(true)
  }

  /** `opening`: at the start of a pattern, a group or a branch, where `^` is an anchor in a basic pattern. */
  next(opening: boolean): void {
    const { token, end } = tokenAt(this.source, this.at, this.extended, opening)
    this.token = token
    this.at = end
  }
}

function parseAlternatives(reader: Reader, depth: number): Node {
  if (depth > 100) throw new Declined("pattern", "The pattern is nested too deeply.")
  let tree = parseBranch(reader, depth)
  while (reader.token.kind === "or") {
    reader.next(true)
    tree = { kind: "either", first: tree, second: parseBranch(reader, depth) }
  }
  return tree
}

function parseBranch(reader: Reader, depth: number): Node {
  const items: Node[] = []
  while (reader.token.kind !== "or" && reader.token.kind !== "end" && reader.token.kind !== "close") {
    items.push(parsePiece(reader, depth))
  }
  const [only, ...more] = items
  if (only === undefined) return { kind: "empty" }
  return more.length === 0 ? only : { kind: "concat", items }
}

/** One atom with its repeats. */
function parsePiece(reader: Reader, depth: number): Node {
  const token = reader.token
  if (token.kind === "anchor") {
    reader.next(false)
    if (token.anchor !== "lineStart" && isRepeat(reader.token)) {
      throw new Declined("pattern", "The pattern repeats an anchor.")
    }
    return { kind: "anchor", anchor: token.anchor }
  }
  let tree = parseAtom(reader, depth)
  while (isRepeat(reader.token)) {
    const { min, max } = parseRepeat(reader)
    tree = { kind: "repeat", body: tree, min, max }
    const next = reader.token.kind
    if (!reader.extended && (next === "star" || next === "openBrace")) throw refused("a repeat is repeated")
  }
  return tree
}

function parseAtom(reader: Reader, depth: number): Node {
  const token = reader.token
  switch (token.kind) {
    case "set":
      reader.bytewise &&= token.bytewise
      reader.ranges = worse(reader.ranges, token.ranges)
      reader.next(false)
      return { kind: "set", set: token.set }
    case "open": {
      const index = ++reader.groups
      reader.next(true)
      const body = parseAlternatives(reader, depth + 1)
      if (reader.token.kind !== "close") throw refused("a parenthesis is not closed")
      reader.next(false)
      return { kind: "group", index, body }
    }
    case "star":
    case "plus":
    case "question":
      if (reader.extended) throw refused("a repeat has nothing before it")
      reader.next(false)
      return { kind: "set", set: charSet(token.point) }
    case "openBrace":
      throw refused("a repeat has nothing before it")
    case "anchor":
    case "or":
    case "close":
    case "end":
      throw new Error(`BUG: ${token.kind} is not an atom`)
  }
}

function isRepeat(token: Token): boolean {
  return token.kind === "star" || token.kind === "plus" || token.kind === "question" || token.kind === "openBrace"
}

/** glibc's RE_DUP_MAX. */
const maxRepeat = 32767

function parseRepeat(reader: Reader): { min: number; max: number } {
  const kind = reader.token.kind
  if (kind !== "openBrace") {
    reader.next(false)
    return { min: kind === "plus" ? 1 : 0, max: kind === "question" ? 1 : Number.POSITIVE_INFINITY }
  }
  const bounds = (reader.extended ? /^([0-9]*)(,?)([0-9]*)\}/ : /^([0-9]*)(,?)([0-9]*)\\\}/).exec(
    reader.source.slice(reader.at, reader.at + 32),
  )
  if (bounds === null || (bounds[1] === "" && bounds[3] === "")) throw refused("the bounds of a repeat are malformed")
  const min = Number(bounds[1])
  const max = bounds[2] === "" ? min : bounds[3] === "" ? Number.POSITIVE_INFINITY : Number(bounds[3])
  if (min > max || Math.max(min, Number.isFinite(max) ? max : 0) > maxRepeat)
    throw refused("the bounds of a repeat are wrong")
  if (max === 0) throw new Declined("pattern", "The pattern repeats something no times.")
  reader.at += bounds[0].length
  reader.next(false)
  return { min, max }
}

function tokenAt(source: string, at: number, extended: boolean, opening: boolean): { token: Token; end: number } {
  const point = source.codePointAt(at)
  if (point === undefined) return { token: { kind: "end" }, end: at }
  const end = at + (point > 0xffff ? 2 : 1)
  const char = source.slice(at, end)
  if (char === "\\") return { token: escaped(source[at + 1], extended), end: at + 2 }
  if (char === "[") {
    const bracket = parseBracket(source, at)
    return { token: { kind: "set", ...bracket }, end: bracket.end }
  }
  const operator = extended ? extendedOperators[char] : basicOperators[char]
  if (operator !== undefined) return { token: operator, end }
  if (char === "^" && (extended || opening)) return { token: { kind: "anchor", anchor: "lineStart" }, end }
  if (char === "$" && (extended || endsBranch(source.slice(end))))
    return { token: { kind: "anchor", anchor: "lineEnd" }, end }
  if (char === ".") return { token: { kind: "set", set: anyChar, bytewise: true, ranges: "none" }, end }
  return { token: literal(point), end }
}

const basicOperators: Readonly<Record<string, Token>> = { "*": { kind: "star", point: 0x2a } }

const extendedOperators: Readonly<Record<string, Token>> = {
  "*": { kind: "star", point: 0x2a },
  "+": { kind: "plus", point: 0x2b },
  "?": { kind: "question", point: 0x3f },
  "|": { kind: "or" },
  "(": { kind: "open" },
  ")": { kind: "close" },
  "{": { kind: "openBrace" },
}

const escapedBasicOperators: Readonly<Record<string, Token>> = {
  "+": { kind: "plus", point: 0x2b },
  "?": { kind: "question", point: 0x3f },
  "|": { kind: "or" },
  "(": { kind: "open" },
  ")": { kind: "close" },
  "{": { kind: "openBrace" },
}

/** In a basic pattern `$` is an anchor only where a branch can end. */
function endsBranch(rest: string): boolean {
  return rest === "" || rest.startsWith("\\)") || rest.startsWith("\\|")
}

const escapedAnchors: Readonly<Record<string, Anchor>> = { "<": "wordStart", ">": "wordEnd", b: "wordEdge" }

/** Characters that GNU sed puts in place of a letter after a backslash. */
const controlEscapes: Readonly<Record<string, number>> = { a: 7, f: 12, r: 13, t: 9, v: 11 }

function escaped(char: string | undefined, extended: boolean): Token {
  if (char === undefined) throw refused("it ends in a backslash")
  const operator = extended ? undefined : escapedBasicOperators[char]
  if (operator !== undefined) return operator
  const anchor = escapedAnchors[char]
  if (anchor !== undefined) return { kind: "anchor", anchor }
  const control = controlEscapes[char]
  if (control !== undefined) return literal(control)
  if (/[wWsS]/.test(char)) {
    const set = /[wW]/.test(char) ? wordChars() : classOf("space")
    return { kind: "set", set: /[ws]/.test(char) ? set : complement(set), bytewise: false, ranges: "none" }
  }
  if (/[1-9]/.test(char)) throw new Declined("pattern", "The pattern refers back to one of its own groups.")
  if (/[0-9A-Za-z`'}\n]/.test(char) && !(extended && char === "}")) {
    throw new Declined("pattern", `The escape \\${char} in the pattern is not simulated.`)
  }
  if (char > "\x7f" || char < " ")
    throw new Declined("pattern", "The pattern has a backslash before an unusual character.")
  return literal(char.charCodeAt(0))
}

function literal(point: number): Token {
  return { kind: "set", set: charSet(point), bytewise: true, ranges: "none" }
}

function refused(why: string): Declined {
  return new Declined("pattern", `sed would refuse the pattern: ${why}.`)
}
