import type { Node } from "./pattern.ts"

/** Plain text known of every match of a pattern. */
export interface Literals {
  /** The pattern matches this and nothing else. */
  readonly whole: string | undefined
  /** Every match starts with it; may be empty. */
  readonly prefix: string
  /** Every match contains it; may be empty. */
  readonly required: string
}

export function literalsOf(root: Node): Literals {
  const whole = exact(root)
  if (whole !== undefined) return { whole, prefix: whole, required: whole }
  return { whole: undefined, prefix: prefixOf(root), required: within(root) }
}

/** What every match of a node starts with. */
function prefixOf(node: Node): string {
  const whole = exact(node)
  if (whole !== undefined) return whole
  switch (node.kind) {
    case "concat": {
      let prefix = ""
      for (const item of node.items) {
        const text = exact(item)
        if (text === undefined) return prefix + prefixOf(item)
        prefix += text
      }
      return prefix
    }
    case "either":
      return commonPrefix(prefixOf(node.first), prefixOf(node.second))
    case "group":
      return prefixOf(node.body)
    case "repeat":
      return node.min > 0 ? prefixOf(node.body) : ""
    case "empty":
    case "set":
    case "anchor":
      return ""
  }
}

/** Ends between characters, never inside a surrogate pair. */
function commonPrefix(a: string, b: string): string {
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  return a.slice(0, length).toWellFormed() === a.slice(0, length) ? a.slice(0, length) : a.slice(0, length - 1)
}

/** The text that a node matches, if it matches one text only. */
function exact(node: Node): string | undefined {
  switch (node.kind) {
    case "set":
      return node.set.length === 2 && node.set[0] === node.set[1] ? String.fromCodePoint(node.set[0] ?? 0) : undefined
    case "concat": {
      const texts = node.items.map(exact)
      return texts.includes(undefined) ? undefined : texts.join("")
    }
    case "group":
      return exact(node.body)
    case "empty":
    case "anchor":
    case "either":
    case "repeat":
      return undefined
  }
}

/** The longest text that a sequence of nodes cannot match without. */
function longest(items: readonly Node[]): string {
  let best = ""
  let run = ""
  for (const item of items) {
    const text = exact(item)
    run = text === undefined ? "" : run + text
    const inner = text === undefined ? within(item) : ""
    for (const candidate of [run, inner]) if (candidate.length > best.length) best = candidate
  }
  return best
}

/** Text that a node cannot match without. */
function within(node: Node): string {
  switch (node.kind) {
    case "group":
      return within(node.body)
    case "repeat":
      return node.min > 0 ? (exact(node.body) ?? within(node.body)) : ""
    case "concat":
      return longest(node.items)
    case "either":
      return prefixOf(node)
    case "empty":
    case "set":
    case "anchor":
      return ""
  }
}
