import { refuseUncertain } from "./certainty.ts"
import { type Literals, literalsOf } from "./literal.ts"
import { type Nfa, nfaOf } from "./nfa.ts"
import { type Pattern, parsePattern } from "./pattern.ts"
import { parseReplacement, type Replacement } from "./replacement.ts"
import { parseScript } from "./script.ts"

/** A substitution ready to run. */
export interface Program {
  readonly pattern: Pattern
  readonly nfa: Nfa
  readonly literals: Literals
  /** Every match starts at the start of its line. */
  readonly atLineStart: boolean
  /** Every match ends at the end of its line. */
  readonly atLineEnd: boolean
  readonly replacement: Replacement
  readonly global: boolean
  readonly number: number
}

/** Compiles an `s` command; throws `Declined` if its result cannot be computed with certainty. */
export function compile(script: string, extended: boolean): Program {
  const parts = parseScript(script)
  const pattern = parsePattern(parts.pattern, extended)
  const replacement = parseReplacement(parts.replacement, pattern.groups)
  const nfa = nfaOf(pattern.root)
  refuseUncertain(pattern.root, nfa, replacement.largestGroup > 0)
  const items = pattern.root.kind === "concat" ? pattern.root.items : [pattern.root]
  const first = items[0]
  const last = items.at(-1)
  return {
    pattern,
    nfa,
    literals: literalsOf(pattern.root),
    atLineStart: first?.kind === "anchor" && first.anchor === "lineStart",
    atLineEnd: last?.kind === "anchor" && last.anchor === "lineEnd",
    replacement,
    global: parts.global,
    number: parts.number,
  }
}
