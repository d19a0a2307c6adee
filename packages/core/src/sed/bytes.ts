import type { SedEdit } from "./command.ts"
import { type Effort, effortFor, maxLength, refuseLength } from "./effort.ts"
import { Declined, type NotSimulated } from "./outcome.ts"
import { compile, type Program } from "./program.ts"
import { refuseCharacters, refuseLocale, refuseText, type SedLocale, substitute } from "./substitute.ts"

/** What sed would leave in the file, byte for byte. */
export interface SedAppliedToBytes {
  readonly kind: "sedAppliedToBytes"
  readonly bytes: Uint8Array
  readonly replacements: number
}

/**
 * Computes what GNU sed 4.9 leaves of a file's bytes. Bytes that are not UTF-8 are kept: lines that have them are left alone
 * where no match is possible, replaced bytewise where the pattern is plain text, and the edit is declined otherwise.
 */
export function applySedToBytes(
  edit: SedEdit,
  bytes: Uint8Array,
  locale: SedLocale = "utf-8",
): SedAppliedToBytes | NotSimulated {
  const steps = applySedToBytesSteps(edit, bytes, locale)
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** As `applySedToBytes`, in the steps of `applySedSteps`; a file of many megabytes is decoded and encoded by the megabyte. */
export function* applySedToBytesSteps(
  edit: SedEdit,
  bytes: Uint8Array,
  locale: SedLocale = "utf-8",
): Generator<void, SedAppliedToBytes | NotSimulated> {
  try {
    refuseLength(bytes.length, maxLength)
    const program = compile(edit.script, edit.extended)
    refuseLocale(program, edit.script, locale)
    const effort = effortFor(bytes.length)
    const parts: Uint8Array[] = []
    let replacements = 0
    for (let from = 0; from < bytes.length; ) {
      const newline = bytes.indexOf(10, from + segmentLength)
      const to = newline < 0 ? bytes.length : newline + 1
      const part = yield* replaceInLines(program, bytes.subarray(from, to), locale, effort)
      parts.push(part.bytes)
      replacements += part.replacements
      from = to
      if (from < bytes.length) yield
    }
    // What was not touched keeps its very array.
    return { kind: "sedAppliedToBytes", bytes: replacements === 0 ? bytes : joined(parts), replacements }
  } catch (error) {
    if (error instanceof Declined) return error.outcome
    throw error
  }
}

const segmentLength = 2 ** 20

/** Some whole lines and how often they were changed. */
type Part = Omit<SedAppliedToBytes, "kind">

function* replaceInLines(
  program: Program,
  bytes: Uint8Array,
  locale: SedLocale,
  effort: Effort,
): Generator<void, Part> {
  const text = decoded(bytes)
  if (text !== undefined) {
    refuseText(program, text, locale)
    const applied = yield* substitute(program, text, effort)
    return applied.replacements === 0
      ? { bytes, replacements: 0 }
      : { bytes: new TextEncoder().encode(applied.text), replacements: applied.replacements }
  }
  refuseCharacters(program, locale)
  return program.literals.whole !== undefined && isPlain(program)
    ? yield* replaceBytewise(program, program.literals.whole, bytes, effort)
    : yield* replaceInValidLines(program, bytes, effort)
}

/** The text, byte order mark included; undefined where the bytes are not UTF-8. */
function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function isPlain(program: Program): boolean {
  return !program.replacement.changesCase && program.replacement.largestGroup === 0
}

/** Runs the substitution over a string whose characters are bytes: a plain text in UTF-8 is found there as well. */
function* replaceBytewise(program: Program, literal: string, bytes: Uint8Array, effort: Effort): Generator<void, Part> {
  const whole = byteString(new TextEncoder().encode(literal))
  const inBytes = (text: string): string => byteString(new TextEncoder().encode(text))
  const { replacement } = program
  const applied = yield* substitute(
    {
      ...program,
      literals: { whole, prefix: whole, required: whole },
      replacement: {
        ...replacement,
        pieces: replacement.pieces.map(piece => ({ ...piece, text: inBytes(piece.text) })),
        constant: replacement.constant === undefined ? undefined : inBytes(replacement.constant),
      },
    },
    byteString(bytes),
    effort,
  )
  return { bytes: bytesOf(applied.text), replacements: applied.replacements }
}

function* replaceInValidLines(program: Program, bytes: Uint8Array, effort: Effort): Generator<void, Part> {
  const required = byteString(new TextEncoder().encode(program.literals.required))
  const parts: Uint8Array[] = []
  let replacements = 0
  let validFrom = 0
  for (let lineStart = 0; lineStart <= bytes.length; ) {
    const newline = bytes.indexOf(10, lineStart)
    const lineEnd = newline < 0 ? bytes.length : newline + 1
    const line = bytes.subarray(lineStart, lineEnd)
    const valid = decoded(line) !== undefined
    if (!valid || lineEnd === bytes.length) {
      const run = bytes.subarray(validFrom, valid ? lineEnd : lineStart)
      const applied = yield* substitute(program, decoded(run) ?? "", effort)
      parts.push(applied.replacements === 0 ? run : new TextEncoder().encode(applied.text))
      replacements += applied.replacements
    }
    if (!valid) {
      if (required === "" || byteString(line).includes(required)) {
        throw new Declined("text", "A line that the pattern may match has bytes that are not UTF-8.")
      }
      parts.push(line)
      validFrom = lineEnd
    }
    if (lineEnd === bytes.length) break
    lineStart = lineEnd
  }
  return { bytes: joined(parts), replacements }
}

function byteString(bytes: Uint8Array): string {
  const chunk = 8192
  const parts: string[] = []
  for (let at = 0; at < bytes.length; at += chunk) parts.push(String.fromCharCode(...bytes.subarray(at, at + chunk)))
  return parts.join("")
}

function bytesOf(text: string): Uint8Array {
  const out = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at++) out[at] = text.charCodeAt(at)
  return out
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [only, ...more] = parts
  if (only !== undefined && more.length === 0) return only
  const out = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    out.set(part, at)
    at += part.length
  }
  return out
}
