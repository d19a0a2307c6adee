import { Declined } from "./outcome.ts"

/** The parts of `s/pattern/replacement/flags` after GNU sed's first reading: delimiters and `\n` in the pattern resolved. */
export interface Substitution {
  readonly pattern: string
  readonly replacement: string
  readonly global: boolean
  /** Which match of a line is the first to be replaced, from 1. */
  readonly number: number
}

/** Reads a script that is one `s` command; throws `Declined` for every other. */
export function parseScript(script: string): Substitution {
  if (!script.startsWith("s")) throw new Declined("script", "The sed script is not a single s command.")
  const delimiter = script[1]
  if (delimiter === undefined || delimiter === "\n" || delimiter === "\\" || delimiter > "\x7f") {
    throw new Declined("script", "The s command has no usable delimiter.")
  }
  const pattern = readPart(script, 2, delimiter, "pattern")
  const replacement = readPart(script, pattern.end, delimiter, "replacement")
  if (pattern.text === "") throw new Declined("pattern", "An empty pattern means the last one used.")
  return { pattern: pattern.text, replacement: replacement.text, ...parseFlags(script.slice(replacement.end)) }
}

/** GNU sed's `match_slash`: ends at a delimiter outside brackets; `\` before it vanishes; `\n` in a pattern is a newline. */
function readPart(
  script: string,
  from: number,
  delimiter: string,
  part: "pattern" | "replacement",
): { text: string; end: number } {
  let text = ""
  for (let at = from; at < script.length; at++) {
    const char = script[at] ?? ""
    if (char === "\n") break
    if (char === delimiter) return { text, end: at + 1 }
    if (char === "\\") {
      const next = script[++at]
      if (next === undefined) break
      if (next === "n" && part === "pattern") text += "\n"
      else if (next === "\n" || (next === delimiter && !(part === "replacement" && next === "&"))) text += next
      else text += `\\${next}`
    } else if (char === "[" && part === "pattern") {
      const end = bracketEnd(script, at)
      if (end === undefined) break
      text += script.slice(at, end + 1)
      at = end
    } else text += char
  }
  throw new Declined("script", "The s command is not terminated.")
}

/** Where the bracket expression that opens at `from` closes. Newlines and classes such as `[:alpha:]` are respected. */
export function bracketEnd(text: string, from: number): number | undefined {
  let at = from + 1
  if (text[at] === "^") at++
  if (text[at] === "]") at++
  for (; at < text.length; at++) {
    const char = text[at]
    if (char === "\n") return undefined
    if (char === "]") return at
    const inner = text[at + 1]
    if (char === "[" && (inner === ":" || inner === "." || inner === "=")) {
      const close = text.indexOf(`${inner}]`, at + 2)
      if (close < 0) return undefined
      at = close + 1
    }
  }
  return undefined
}

function parseFlags(flags: string): { global: boolean; number: number } {
  const wrong = /[^g0-9]/.exec(flags)?.[0]
  if (wrong === ";" || wrong === "}" || wrong === "\n") {
    throw new Declined("script", "The sed script has more than one command.")
  }
  if (wrong !== undefined)
    throw new Declined("flag", `The flag ${JSON.stringify(wrong)} of the s command is not simulated.`)
  const parts = /^(g?)([0-9]*)(g?)$/.exec(flags)
  if (parts === null || (parts[1] === "g" && parts[3] === "g")) {
    throw new Declined("flag", "A flag of the s command is given twice.")
  }
  const digits = parts[2] ?? ""
  const number = digits === "" ? 1 : Number(digits)
  if (number === 0) throw new Declined("flag", "The s command counts matches from 1.")
  if (number > 1_000_000) throw new Declined("flag", "The number of the s command is too large.")
  return { global: parts[1] === "g" || parts[3] === "g", number }
}
