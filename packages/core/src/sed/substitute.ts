import { capture, capturerOf } from "./captures.ts"
import type { SedEdit } from "./command.ts"
import { matchesEmptyInside } from "./dfa.ts"
import { type Effort, effortFor, maxLength, refuseLength, spend } from "./effort.ts"
import { type Finder, finderOf } from "./finder.ts"
import { Declined, type NotSimulated } from "./outcome.ts"
import { compile, type Program } from "./program.ts"
import { expander, type GroupText } from "./replacement.ts"

/**
 * The locale sed would run in, as its environment says (`LC_ALL`, else `LC_CTYPE` and `LC_COLLATE`, else `LANG`).
 *
 * - `utf-8`: C.UTF-8, where everything is exact
 * - `utf-8-language`: an installed UTF-8 locale of some language, whose order of characters and case rules are its own: what
 *   could depend on them is declined (a locale that is not installed is C for sed, whatever its name)
 * - `c`: C or POSIX, where a character is a byte: only ASCII texts and commands are simulated
 */
export type SedLocale = "utf-8" | "utf-8-language" | "c"

/** What sed would leave in the file. */
export interface SedApplied {
  readonly kind: "sedApplied"
  readonly text: string
  /** How many matches were replaced; the text may still be the same. */
  readonly replacements: number
}

/**
 * Computes what GNU sed 4.9 leaves of `text`, the file's content decoded as UTF-8 *with* its byte order mark, which is a
 * character for sed, and with its line endings as they are. Never throws; time is linear in the text or the edit is declined.
 */
export function applySed(edit: SedEdit, text: string, locale: SedLocale = "utf-8"): SedApplied | NotSimulated {
  const steps = applySedSteps(edit, text, locale)
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** As `applySed`, in steps of about a millisecond, so that a large text need not hold up whatever else the caller serves. */
export function* applySedSteps(
  edit: SedEdit,
  text: string,
  locale: SedLocale = "utf-8",
): Generator<void, SedApplied | NotSimulated> {
  try {
    if (!text.isWellFormed()) throw new Declined("text", "The text has halves of surrogate pairs.")
    refuseLength(text.length, maxLength)
    const program = compile(edit.script, edit.extended)
    refuseLocale(program, edit.script, locale)
    refuseText(program, text, locale)
    return yield* substitute(program, text, effortFor(text.length))
  } catch (error) {
    if (error instanceof Declined) return error.outcome
    throw error
  }
}

export function refuseLocale(program: Program, script: string, locale: SedLocale): void {
  switch (locale) {
    case "utf-8":
      return
    case "utf-8-language":
      if (program.pattern.ranges === "other")
        throw new Declined("text", "A range in the pattern depends on the language's order.")
      if (program.replacement.changesCase) throw new Declined("text", "Case conversion depends on the language.")
      return
    case "c":
      if (!isAscii(script)) throw notAscii()
      return
  }
}

/** Refuses a text that the locale could read otherwise. */
export function refuseText(program: Program, text: string, locale: SedLocale): void {
  if (locale !== "utf-8" && !isAscii(text)) refuseCharacters(program, locale)
}

/** Refuses a text with characters outside ASCII where the locale could read them otherwise. */
export function refuseCharacters(program: Program, locale: SedLocale): void {
  switch (locale) {
    case "utf-8":
      return
    case "utf-8-language":
      if (program.pattern.ranges !== "none") {
        throw new Declined("text", "Which characters outside ASCII are in a range depends on the language.")
      }
      return
    case "c":
      throw notAscii()
  }
}

function notAscii(): Declined {
  return new Declined("text", "In the C locale a character that is not ASCII is several.")
}

function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text)
}

/** Units of text and of effort after which a step ends. */
const stepSize = 1 << 18

/** Runs a compiled substitution over a text; throws `Declined`. */
export function* substitute(program: Program, text: string, effort: Effort): Generator<void, SedApplied> {
  const finder = finderOf(program, text, effort)
  const expand = expander(program.replacement)
  const groups = groupReader(program, finder, text, effort)
  const emptyInside = program.pattern.bytewise && matchesEmptyInside(program.nfa)
  const { required } = program.literals
  const { number, global } = program
  const { pieces } = program.replacement
  // Appending makes a rope, flattened once when it is read: faster than joining pieces.
  let out = ""
  let copied = 0
  let replacements = 0
  let lineStart = 0
  let lastStep = effort.left
  while (lineStart < text.length) {
    if (required !== "") {
      const at = text.indexOf(required, lineStart)
      if (at < 0) break
      lineStart = text.lastIndexOf("\n", at) + 1
    }
    const newline = text.indexOf("\n", lineStart)
    const lineEnd = newline < 0 ? text.length : newline
    let start = lineStart
    let lastEnd = lineStart
    let count = 0
    let again = true
    // GNU sed's loop in `do_subst`: an empty match right after the last match does not count, and is stepped over.
    while (again && start <= lineEnd && finder.find(lineStart, start, lineEnd)) {
      const { start: offset, end } = finder
      if ((end > offset || count === 0 || offset > lastEnd) && ++count >= number) {
        refuseLength(out.length + (end - offset) * pieces.length, 4 * maxLength)
        out += text.slice(copied, offset)
        out += expand(groups.at(lineStart, lineEnd))
        copied = end
        replacements++
        again = global
        start = end
      } else if (end > offset) start = end
      else {
        const bytes = bytesAt(text, offset)
        start = offset + (bytes === 4 ? 2 : 1)
        if (emptyInside && bytes > 1 && offset < lineEnd) {
          // Bytewise, sed now also matches nothing between the bytes of the character stepped over.
          count += bytes - 1
          if (count >= number) {
            if (expand(() => "") !== "") throw new Declined("text", "sed would write between the bytes of a character.")
            replacements += Math.min(bytes - 1, count - number + 1)
            again = global
          }
        }
      }
      lastEnd = end
      spend(effort, 4)
      if (lastStep - effort.left > stepSize) {
        lastStep = effort.left
        yield
      }
    }
    // What plain searching costs is charged too, so that steps end on texts without a match.
    effort.left -= 1 + ((lineEnd - lineStart) >> 3)
    lineStart = lineEnd + 1
    if (lastStep - effort.left > stepSize) {
      lastStep = effort.left
      yield
    }
  }
  return { kind: "sedApplied", text: out + text.slice(copied), replacements }
}

/** Reads the groups of the finder's match, working out only what the replacement asks for. */
function groupReader(
  program: Program,
  finder: Finder,
  text: string,
  effort: Effort,
): { at: (lineStart: number, lineEnd: number) => GroupText } {
  const { nfa, pattern, replacement } = program
  const capturer = capturerOf(nfa, pattern.groups, text, effort)
  const whole: GroupText = () => text.slice(finder.start, finder.end)
  const read: GroupText = group => {
    if (group === 0) return text.slice(finder.start, finder.end)
    const from = capturer.slots[2 * group] ?? -1
    const to = capturer.slots[2 * group + 1] ?? -1
    return from < 0 || to < 0 ? "" : text.slice(from, to)
  }
  if (replacement.largestGroup === 0) return { at: () => whole }
  return {
    at: (lineStart, lineEnd) => {
      capture(capturer, lineStart, lineEnd, finder.start, finder.end)
      return read
    },
  }
}

/** Length in UTF-8 of the character at `at`. */
function bytesAt(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  if (unit < 0x80 || Number.isNaN(unit)) return 1
  if (unit < 0x800) return 2
  return unit >= 0xd800 && unit <= 0xdbff ? 4 : 3
}
