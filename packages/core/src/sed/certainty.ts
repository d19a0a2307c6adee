import type { Nfa } from "./nfa.ts"
import { Declined } from "./outcome.ts"
import type { Node } from "./pattern.ts"

/**
 * Refuses the patterns on which glibc 2.36 itself errs or depends on its inner workings, as found by comparing many thousand
 * random patterns with GNU sed 4.9. `usesGroups`: the replacement asks what a group matched.
 */
export function refuseUncertain(root: Node, nfa: Nfa, usesGroups: boolean): void {
  const facts = factsOf(root)
  if (facts.anchorInRepeat) throw uncertain("an anchor is repeated")
  const inner = hasAnchor(withoutEdges(root))
  if (inner && facts.emptyRepeat) throw uncertain("an anchor stands beside a repeat of something that can be empty")
  if (!usesGroups) return
  if (facts.emptyRepeat) throw uncertain("a group stands beside a repeat of something that can be empty")
  if (inner && !hasOneWay(nfa)) throw uncertain("a group stands beside an anchor in more than one way")
}

function uncertain(what: string): Declined {
  return new Declined("pattern", `The C library's answer to this pattern is not certain: ${what}.`)
}

interface Facts {
  readonly anchorInRepeat: boolean
  /** A repeat, bounded or not, of something that can match nothing. */
  readonly emptyRepeat: boolean
}

function factsOf(root: Node): Facts {
  const repeats: Node[] = []
  const visit = (node: Node): void => {
    if (node.kind === "repeat") repeats.push(node.body)
    for (const child of childrenOf(node)) visit(child)
  }
  visit(root)
  return { anchorInRepeat: repeats.some(hasAnchor), emptyRepeat: repeats.some(canBeEmpty) }
}

function childrenOf(node: Node): readonly Node[] {
  switch (node.kind) {
    case "empty":
    case "set":
    case "anchor":
      return []
    case "concat":
      return node.items
    case "either":
      return [node.first, node.second]
    case "repeat":
    case "group":
      return [node.body]
  }
}

function hasAnchor(node: Node): boolean {
  return node.kind === "anchor" || childrenOf(node).some(hasAnchor)
}

/** The pattern without a `^` at its very start and a `$` at its very end. */
function withoutEdges(root: Node): Node {
  const items = root.kind === "concat" ? root.items : [root]
  const first = items[0]
  const last = items.at(-1)
  const from = first?.kind === "anchor" && first.anchor === "lineStart" ? 1 : 0
  const to = last?.kind === "anchor" && last.anchor === "lineEnd" ? items.length - 1 : items.length
  return { kind: "concat", items: items.slice(from, Math.max(from, to)) }
}

function canBeEmpty(node: Node): boolean {
  switch (node.kind) {
    case "empty":
    case "anchor":
      return true
    case "set":
      return false
    case "concat":
      return node.items.every(canBeEmpty)
    case "either":
      return canBeEmpty(node.first) || canBeEmpty(node.second)
    case "repeat":
      return node.min === 0 || canBeEmpty(node.body)
    case "group":
      return canBeEmpty(node.body)
  }
}

/** Whether, after any character, at most one way leads on for each class of the next one, and at most one to a match. */
function hasOneWay(nfa: Nfa): boolean {
  const places = new Set([nfa.start])
  for (const state of nfa.states) if (state.kind === "char") places.add(state.next)
  return [...places].every(place => oneWayFrom(nfa, place))
}

function oneWayFrom(nfa: Nfa, place: number): boolean {
  const seen = new Set<number>()
  const taken = new Set<number>()
  const stack = [place]
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    if (seen.has(at)) return false
    seen.add(at)
    const state = nfa.states[at]
    if (state?.kind === "split") stack.push(state.first, state.second)
    else if (state?.kind === "save" || state?.kind === "anchor") stack.push(state.next)
    else if (state?.kind === "char") {
      for (const [kind, member] of state.members.entries()) {
        if (member !== 1) continue
        if (taken.has(kind)) return false
        taken.add(kind)
      }
    }
  }
  return true
}
