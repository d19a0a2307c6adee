import type { WorkspacePath } from "./path.ts"

/**
 * Whether a path matches a glob of Galley's configuration: as {@link matchesSection}, and one that ends in `/` matches all inside that
 * folder. Never throws, whatever the glob.
 */
export function matchesGlob(path: WorkspacePath, glob: string): boolean {
  return matchesSection(glob.replace(/^\.\//, "").replace(/\/$/, "/**"), path)
}

/**
 * Whether a section of an `.editorconfig` is about a path, which is relative to the file's folder.
 *
 * `*` any run without `/`; `**` any run; `?` one character but `/`; `[a-z]`, `[!a]`; `{a,b}` alternatives, nested too; `{1..9}` integers;
 * `\` takes the next character as it is. Without a `/` the name is matched at any depth. Time is bounded by the product of both
 * lengths and the number of alternatives (at most 1000): a workspace's file cannot make us hang.
 */
export function matchesSection(glob: string, path: string): boolean {
  if (glob.length > longestGlob) return false
  const anchored = glob.startsWith("/") ? glob.slice(1) : glob.includes("/") ? glob : `**/${glob}`
  const text = Array.from(path)
  return expandBraces(anchored).some(pattern => {
    const parts = partsOf(pattern)
    return matches(parts, text) || (anchored.startsWith("**/") && matches(parts.slice(2), text))
  })
}

type Part =
  | { readonly kind: "one"; readonly test: (character: string) => boolean }
  | { readonly kind: "many"; readonly test: (character: string) => boolean }
  /** `/` or any run between two of them: what slash, two stars, slash mean. */
  | { readonly kind: "folders" }
  | { readonly kind: "number"; readonly from: number; readonly to: number }

/** The specification asks for at least 1024. */
const longestGlob = 4096
const mostAlternatives = 1000

/** Marks of a numeric range that survived the expansion; private-use characters that no escape produces. */
const rangeOpen = "\uF8F0"
const rangeClose = "\uF8F1"

function expandBraces(pattern: string): string[] {
  const open = firstGroup(pattern)
  if (!open) return [pattern]
  const { from, to, alternatives } = open
  const range = /^([+-]?\d+)\.\.([+-]?\d+)$/.exec(pattern.slice(from + 1, to))
  const head = pattern.slice(0, from)
  const tails = expandBraces(pattern.slice(to + 1))
  const middles = range ? [`${rangeOpen}${range[0]}${rangeClose}`] : alternatives.flatMap(expandBraces)
  const all: string[] = []
  for (const middle of middles) {
    for (const tail of tails) {
      if (all.length === mostAlternatives) return all
      all.push(`${head}${middle}${tail}`)
    }
  }
  return all
}

/** The first `{…}` that is a group: closed, and with a comma of its own or a numeric range. Others are plain characters. */
function firstGroup(pattern: string): { from: number; to: number; alternatives: string[] } | null {
  for (let from = pattern.indexOf("{"); from >= 0; from = pattern.indexOf("{", from + 1)) {
    if (isEscaped(pattern, from)) continue
    const commas: number[] = []
    let depth = 0
    for (let at = from; at < pattern.length; at++) {
      const character = pattern[at]
      if (character === "\\") at++
      else if (character === "{") depth++
      else if (character === "," && depth === 1) commas.push(at)
      else if (character === "}" && --depth === 0) {
        if (commas.length === 0 && !/^[+-]?\d+\.\.[+-]?\d+$/.test(pattern.slice(from + 1, at))) break
        const ends = [...commas, at]
        const starts = [from, ...commas]
        return { from, to: at, alternatives: ends.map((end, index) => pattern.slice((starts[index] ?? from) + 1, end)) }
      }
    }
  }
  return null
}

function isEscaped(pattern: string, at: number): boolean {
  let backslashes = 0
  while (pattern[at - 1 - backslashes] === "\\") backslashes++
  return backslashes % 2 === 1
}

function partsOf(pattern: string): Part[] {
  const characters = Array.from(pattern)
  const parts: Part[] = []
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? ""
    if (character === "\\" && at + 1 < characters.length) parts.push(literal(characters[++at] ?? ""))
    else if (character === "/" && characters.slice(at + 1, at + 4).join("") === "**/") {
      parts.push({ kind: "folders" })
      at += 3
    } else if (character === "*") {
      const deep = characters[at + 1] === "*"
      if (deep) at++
      parts.push({ kind: "many", test: deep ? () => true : notSlash })
    } else if (character === "?") parts.push({ kind: "one", test: notSlash })
    else if (character === "[") {
      const end = classEnd(characters, at)
      parts.push(end < 0 ? literal("[") : { kind: "one", test: classTest(characters.slice(at + 1, end)) })
      if (end >= 0) at = end
    } else if (character === rangeOpen) {
      const end = characters.indexOf(rangeClose, at)
      const [a = 0, b = 0] = characters
        .slice(at + 1, end)
        .join("")
        .split("..")
        .map(Number)
      parts.push({ kind: "number", from: Math.min(a, b), to: Math.max(a, b) })
      at = end
    } else parts.push(literal(character))
  }
  return parts
}

/** Where `[…]` closes; one that holds a `/` or does not close is no class. */
function classEnd(characters: readonly string[], open: number): number {
  for (let at = open + 1; at < characters.length; at++) {
    if (characters[at] === "/") return -1
    if (characters[at] === "\\") at++
    else if (characters[at] === "]" && at > open + 1 + (characters[open + 1] === "!" ? 1 : 0)) return at
  }
  return -1
}

function classTest(inside: readonly string[]): (character: string) => boolean {
  const negated = inside[0] === "!"
  const members: [string, string][] = []
  const list = negated ? inside.slice(1) : inside
  for (let at = 0; at < list.length; at++) {
    if (list[at] === "\\") at++
    const from = list[at] ?? ""
    if (list[at + 1] === "-" && at + 2 < list.length) {
      members.push([from, list[at + 2] ?? ""])
      at += 2
    } else members.push([from, from])
  }
  return character =>
    character !== "/" && members.some(([from, to]) => from <= character && character <= to) !== negated
}

/** Goes part by part through all places that the beginning of the pattern can end at; each part costs the length of the text. */
function matches(parts: readonly Part[], text: readonly string[]): boolean {
  let ends: readonly number[] = [0]
  for (const part of parts) {
    ends = endsOf(part, text, ends)
    if (ends.length === 0) return false
  }
  return ends.at(-1) === text.length
}

/** Where the part can end if it begins at one of `starts`; both in rising order. */
function endsOf(part: Part, text: readonly string[], starts: readonly number[]): number[] {
  switch (part.kind) {
    case "one":
      return starts.filter(at => at < text.length && part.test(text[at] ?? "")).map(at => at + 1)
    case "many":
      return runs(part.test, text, starts)
    case "folders": {
      const first = starts.find(at => text[at] === "/")
      if (first === undefined) return []
      return text.flatMap((character, at) => (at >= first && character === "/" ? [at + 1] : []))
    }
    case "number":
      return [...new Set(starts.flatMap(at => numberEnd(text, at, part.from, part.to)))].toSorted((a, b) => a - b)
  }
}

function runs(test: (character: string) => boolean, text: readonly string[], starts: readonly number[]): number[] {
  const begins = new Set(starts)
  const ends: number[] = []
  let running = false
  for (let at = 0; at <= text.length; at++) {
    running = begins.has(at) || (running && test(text[at - 1] ?? ""))
    if (running) ends.push(at)
  }
  return ends
}

function numberEnd(text: readonly string[], at: number, from: number, to: number): number[] {
  const number = /^[+-]?\d+/.exec(text.slice(at, at + 20).join(""))?.[0]
  const isIn = number !== undefined && Number(number) >= from && Number(number) <= to
  return isIn ? [at + number.length] : []
}

function literal(wanted: string): Part {
  return { kind: "one", test: character => character === wanted }
}

function notSlash(character: string): boolean {
  return character !== "/"
}
