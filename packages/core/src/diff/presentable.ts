import type { Line } from "../text/lines.ts"
import { contentOf } from "../text/lines.ts"
import { scriptLikeGit } from "./edit-script.ts"
import type { Hunk } from "./hunk.ts"
import { hunksOf } from "./line-diff.ts"
import { slideGroups } from "./slider.ts"
import { internLines } from "./symbols.ts"

/** Columns of a line in UTF-16 code units, half-open, counted from 0; never the terminator. */
export interface Mark {
  readonly from: number
  readonly to: number
}

/** One list of marks per line, in order, not touching. */
export interface WordMarks {
  readonly old: readonly (readonly Mark[])[]
  readonly new: readonly (readonly Mark[])[]
}

/**
 * Marks the words that differ within a hunk. For eyes only: nothing is decided by it.
 *
 * What is not marked reads the same on both sides. Where little is left in common everything is marked, and nothing where one side
 * has no lines. A mark never cuts a surrogate pair, or a letter from its combining marks.
 */
export function wordMarks(oldLines: readonly Line[], newLines: readonly Line[]): WordMarks {
  if (oldLines.length === 0 || newLines.length === 0)
    return { old: oldLines.map(() => []), new: newLines.map(() => []) }
  const oldText = oldLines.join("")
  const newText = newLines.join("")
  const hunks = changedStretches(oldText, newText)
  return {
    old: marksByLine(
      oldLines,
      hunks.map(hunk => ({ from: hunk.fromBase, to: hunk.toBase })),
    ),
    new: marksByLine(
      newLines,
      hunks.map(hunk => ({ from: hunk.fromCurrent, to: hunk.toCurrent })),
    ),
  }
}

/** Longer stretches, in code units without their common ends, are marked as a whole: telling words apart costs some 300 ns a unit. */
const longest = 400_000

/** Where the texts differ. These hunks count code units, not lines. */
function changedStretches(oldText: string, newText: string): Hunk[] {
  const start = commonStart(oldText, newText)
  const tail = commonTail(oldText, newText, start)
  const oldCore = oldText.slice(start, oldText.length - tail)
  const newCore = newText.slice(start, newText.length - tail)
  const whole: Hunk = {
    fromBase: start,
    toBase: oldText.length - tail,
    fromCurrent: start,
    toCurrent: newText.length - tail,
  }
  if (oldCore === "" && newCore === "") return []
  if (oldCore.length + newCore.length > longest) return [whole]

  const oldWords = wordsOf(oldCore)
  const newWords = wordsOf(newCore)
  const [oldSymbols, newSymbols] = internLines([oldWords, newWords])
  if (oldSymbols === undefined || newSymbols === undefined) throw new Error("BUG: two texts make two lists")
  const { marks } = scriptLikeGit(oldSymbols, newSymbols)
  slideGroups(marks.base, marks.current, oldSymbols, null)
  slideGroups(marks.current, marks.base, newSymbols, null)
  const hunks = joinAcrossBlanks(hunksOf(marks), oldWords)
  const common = start + tail + sharedLength(hunks, oldWords)
  if (common * 5 < Math.min(oldText.length, newText.length))
    return [{ fromBase: 0, toBase: oldText.length, fromCurrent: 0, toCurrent: newText.length }]

  const oldAt = offsetsOf(oldWords, start)
  const newAt = offsetsOf(newWords, start)
  return hunks.map(hunk => ({
    fromBase: oldAt[hunk.fromBase] as number,
    toBase: oldAt[hunk.toBase] as number,
    fromCurrent: newAt[hunk.fromCurrent] as number,
    toCurrent: newAt[hunk.toCurrent] as number,
  }))
}

/**
 * Words, runs of blanks, line ends, and single characters with all that hangs on them: combining marks, variation
 * selectors, joined emoji, flags. Scripts without blanks between words (Han, kana, Thai and kin) go by the character.
 */
function wordsOf(text: string): string[] {
  return text.match(wordPattern) ?? []
}

const hanging = String.raw`(?:[\p{M}\p{Emoji_Modifier}\u{E0020}-\u{E007F}]|\u200D\p{Extended_Pictographic}?)`
const letter = String.raw`(?![\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}])[\p{L}\p{N}_]`
const wordPattern = new RegExp(
  String.raw`\r?\n|(?:${letter}${hanging}*)+|[ \t]+(?!${hanging})|(?:\p{RI}\p{RI}|[^])${hanging}*`,
  "gu",
)

/** Two changes with only blanks of one line between them read better as one. */
function joinAcrossBlanks(hunks: readonly Hunk[], oldWords: readonly string[]): Hunk[] {
  const joined: Hunk[] = []
  for (const hunk of hunks) {
    const last = joined.at(-1)
    if (last !== undefined && isBlank(oldWords, last.toBase, hunk.fromBase))
      joined[joined.length - 1] = { ...hunk, fromBase: last.fromBase, fromCurrent: last.fromCurrent }
    else joined.push(hunk)
  }
  return joined
}

function isBlank(words: readonly string[], from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (/[^ \t]/.test(words[at] ?? "")) return false
  return true
}

/** Code units of the words outside the hunks; blanks count for nothing. */
function sharedLength(hunks: readonly Hunk[], oldWords: readonly string[]): number {
  let shared = 0
  let next = 0
  for (let at = 0; at < oldWords.length; at++) {
    while (next < hunks.length && (hunks[next]?.toBase ?? 0) <= at) next++
    if ((hunks[next]?.fromBase ?? Number.MAX_SAFE_INTEGER) <= at) continue
    const word = oldWords[at] ?? ""
    if (word.trim() !== "") shared += word.length
  }
  return shared
}

function offsetsOf(words: readonly string[], start: number): Int32Array {
  const offsets = new Int32Array(words.length + 1)
  let offset = start
  words.forEach((word, at) => {
    offsets[at] = offset
    offset += word.length
  })
  offsets[words.length] = offset
  return offsets
}

/** Length of the common beginning, back to behind a blank or newline before an ASCII character: there nothing is cut. */
function commonStart(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length)
  let start = 0
  while (start < shorter && a.charCodeAt(start) === b.charCodeAt(start)) start++
  if (start === a.length && start === b.length) return start
  while (start > 0 && !(isGap(a, start - 1) && isAscii(a, start) && isAscii(b, start))) start--
  return start
}

/** Length of the common end, forward to a blank or newline. */
function commonTail(a: string, b: string, start: number): number {
  const most = Math.min(a.length, b.length) - start
  let tail = 0
  while (tail < most && a.charCodeAt(a.length - 1 - tail) === b.charCodeAt(b.length - 1 - tail)) tail++
  while (tail > 0 && !isGap(a, a.length - tail)) tail--
  return tail
}

function isGap(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit === 0x20 || unit === 0x09 || unit === 0x0a
}

function isAscii(text: string, at: number): boolean {
  return at >= text.length || text.charCodeAt(at) < 0x80
}

/** Cuts ranges of the joined lines into columns of each line; terminators and empty marks are left out. */
function marksByLine(lines: readonly Line[], ranges: readonly Mark[]): Mark[][] {
  const marks: Mark[][] = []
  let next = 0
  let start = 0
  for (const line of lines) {
    const end = start + contentOf(line).length
    const own: Mark[] = []
    for (let at = next; at < ranges.length && (ranges[at]?.from ?? 0) < end; at++) {
      const from = Math.max(ranges[at]?.from ?? 0, start)
      const to = Math.min(ranges[at]?.to ?? 0, end)
      if (from < to) own.push({ from: from - start, to: to - start })
    }
    marks.push(own)
    start += line.length
    while (next < ranges.length && (ranges[next]?.to ?? 0) <= start) next++
  }
  return marks
}
