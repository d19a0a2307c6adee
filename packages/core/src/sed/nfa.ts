import { type Alphabet, alphabetOf } from "./alphabet.ts"
import type { CharSet } from "./charset.ts"
import { wordChars } from "./ctype.ts"
import { Declined } from "./outcome.ts"
import type { Anchor, Node } from "./pattern.ts"

/** One state of the automaton. `next` is an index of a state. */
export type State =
  | { readonly kind: "match" }
  /** Takes a character whose class is marked in `members`. */
  | { readonly kind: "char"; readonly members: Uint8Array; readonly next: number }
  /** Goes on at `first`, or, with less preference, at `second`. */
  | { readonly kind: "split"; readonly first: number; readonly second: number }
  | { readonly kind: "anchor"; readonly anchor: Anchor; readonly next: number }
  /** Notes the position in a slot: `2 * group` is its start, `2 * group + 1` its end. */
  | { readonly kind: "save"; readonly slot: number; readonly next: number }

export interface Nfa {
  readonly states: readonly State[]
  readonly start: number
  readonly alphabet: Alphabet
  /** 1 for each class of word characters; all 0 when the pattern has no word anchor. */
  readonly word: Uint8Array
  readonly hasWordAnchor: boolean
  readonly hasLineStart: boolean
}

export const maxStates = 3000

/** Lays a pattern out as states, in glibc's order of preference. */
export function nfaOf(root: Node): Nfa {
  const sets = new Map<CharSet, string>()
  const anchors = new Set<Anchor>()
  collect(root, sets, anchors)
  const hasWordAnchor = anchors.has("wordStart") || anchors.has("wordEnd") || anchors.has("wordEdge")
  const keys = [...new Set(sets.values())]
  const different = keys.map(key => [...sets].find(([, name]) => name === key)?.[0] ?? [])
  const alphabet = alphabetOf(hasWordAnchor ? [...different, wordChars()] : different)
  const membersOf = new Map(
    [...sets].map(([set, key]) => [set, alphabet.members[keys.indexOf(key)] ?? new Uint8Array()]),
  )
  const builder: Builder = { states: [{ kind: "match" }], membersOf }
  const start = lay(builder, root, 0)
  const word = hasWordAnchor ? (alphabet.members.at(-1) ?? new Uint8Array()) : new Uint8Array(alphabet.size)
  return { states: builder.states, start, alphabet, word, hasWordAnchor, hasLineStart: anchors.has("lineStart") }
}

function collect(node: Node, sets: Map<CharSet, string>, anchors: Set<Anchor>): void {
  switch (node.kind) {
    case "empty":
      return
    case "set":
      // Long sets come from one place in the C library's table and are the same object each time.
      if (!sets.has(node.set)) sets.set(node.set, node.set.length > 64 ? `#${sets.size}` : node.set.join())
      return
    case "anchor":
      anchors.add(node.anchor)
      return
    case "concat":
      for (const item of node.items) collect(item, sets, anchors)
      return
    case "either":
      collect(node.first, sets, anchors)
      collect(node.second, sets, anchors)
      return
    case "repeat":
    case "group":
      collect(node.body, sets, anchors)
      return
  }
}

interface Builder {
  readonly states: State[]
  readonly membersOf: ReadonlyMap<CharSet, Uint8Array>
}

function add(builder: Builder, state: State): number {
  if (builder.states.length >= maxStates) throw new Declined("pattern", "The pattern is too large.")
  return builder.states.push(state) - 1
}

/** Lays `node` out before the state `next`; answers where it begins. */
function lay(builder: Builder, node: Node, next: number): number {
  switch (node.kind) {
    case "empty":
      return next
    case "set":
      return add(builder, { kind: "char", members: builder.membersOf.get(node.set) ?? new Uint8Array(), next })
    case "anchor":
      return add(builder, { kind: "anchor", anchor: node.anchor, next })
    case "concat":
      return node.items.reduceRight((after, item) => lay(builder, item, after), next)
    case "either": {
      // glibc numbers the way past an empty branch after both branches, and prefers lower numbers.
      const first = lay(builder, node.first, next)
      const second = lay(builder, node.second, next)
      return node.first.kind === "empty"
        ? add(builder, { kind: "split", first: second, second: first })
        : add(builder, { kind: "split", first, second })
    }
    case "group": {
      const end = add(builder, { kind: "save", slot: 2 * node.index + 1, next })
      return add(builder, { kind: "save", slot: 2 * node.index, next: lay(builder, node.body, end) })
    }
    case "repeat":
      return layRepeat(builder, node.body, node.min, node.max, next)
  }
}

/**
 * `x{n,m}` is n copies, then optional ones that nest to the left, `((x)?x)?`, which is how glibc duplicates a tree; with no
 * upper bound, n copies and a star.
 */
function layRepeat(builder: Builder, body: Node, min: number, max: number, next: number): number {
  let at = next
  if (max === Number.POSITIVE_INFINITY) {
    const loop = add(builder, { kind: "match" })
    builder.states[loop] = { kind: "split", first: lay(builder, body, loop), second: next }
    at = loop
  } else if (max > min) at = layOptional(builder, body, max - min, next)
  for (let copy = 0; copy < min; copy++) at = lay(builder, body, at)
  return at
}

/** `((x)?x)?`: skipping an optional leads to the copy on its right, skipping the outermost to `next`. */
function layOptional(builder: Builder, body: Node, copies: number, next: number): number {
  const skips: number[] = []
  let start = next
  for (let copy = 0; copy < copies; copy++) {
    skips.push(start)
    start = lay(builder, body, start)
  }
  for (const skip of skips.toReversed()) start = add(builder, { kind: "split", first: start, second: skip })
  return start
}
