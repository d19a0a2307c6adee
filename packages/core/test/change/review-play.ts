import * as fc from "fast-check"
import { applyMove, type Authorship, authorsOf, emptyWeave, type Weave } from "../../src/change/authorship.ts"
import { acceptHunks, decideLines, rejectHunks, rejectLines } from "../../src/change/decide.ts"
import { foldApply, foldWrite } from "../../src/change/fold.ts"
import type { Mover } from "../../src/change/weave-entry.ts"
import type { Hunk } from "../../src/diff/hunk.ts"
import { diffLines } from "../../src/diff/line-diff.ts"
import { contentOf, type Line, splitLines } from "../../src/text/lines.ts"

/** A file under review as a session sees it: both texts, and the weave replayed from all that happened. */
export interface Play {
  readonly base: readonly Line[]
  readonly current: readonly Line[]
  readonly weave: Weave
}

export function begin(base: readonly Line[]): Play {
  return { base, current: base, weave: emptyWeave(base) }
}

export function move(play: Play, base: readonly Line[], current: readonly Line[], actor: Mover): Play {
  const weave = applyMove(play.weave, {
    base: { before: play.base, after: base },
    current: { before: play.current, after: current },
    actor,
  })
  return { base, current, weave }
}

export function agentWrites(play: Play, current: readonly Line[]): Play {
  return move(play, play.base, current, "agent")
}

/** In apply: the person saves the file. */
export function personSaves(play: Play, disk: readonly Line[]): Play {
  const folded = foldApply({ base: play.base, current: play.current, disk })
  return move(play, folded.base, folded.current, "person")
}

/** In hold: the person edits the proposal. */
export function personProposes(play: Play, next: readonly Line[]): Play {
  const folded = foldWrite({ base: play.base, current: play.current, next, disk: "base" })
  return move(play, folded.base, folded.current, "person")
}

export function hunksOf(play: Play): readonly Hunk[] {
  return diffLines(play.base, play.current).hunks
}

export function authors(play: Play): Authorship {
  return authorsOf(play.weave, hunksOf(play))
}

export function accept(play: Play, chosen: readonly Hunk[] = hunksOf(play)): Play {
  return move(play, acceptHunks(play.base, play.current, chosen), play.current, "history")
}

/** The play after the reject, or the reason of its refusal. */
export function reject(
  play: Play,
  chosen: readonly Hunk[] = hunksOf(play),
  settle: "stop" | "keep-mine" | "take-theirs" = "stop",
): Play | string {
  const outcome = rejectHunks(play, chosen, authors(play), settle)
  return outcome.kind === "conflict" ? outcome.reason : move(play, outcome.base, outcome.current, "history")
}

/** Undo, redo or a rewind to texts that stood before. */
export function goBack(play: Play, to: Play): Play {
  return move(play, to.base, to.current, "history")
}

export interface Step {
  readonly kind: "agent" | "person" | "alter" | "accept" | "reject" | "acceptLines" | "rejectLines" | "undo"
  readonly picks: readonly number[]
}

export const anyStep: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom<Step["kind"]>(
    "agent",
    "agent",
    "agent",
    "person",
    "person",
    "alter",
    "accept",
    "reject",
    "acceptLines",
    "rejectLines",
    "undo",
  ),
  picks: fc.array(fc.nat(9_999), { minLength: 12, maxLength: 12 }),
})

/** Few different lines, so that equal ones stand beside each other, and some that stand once only. */
export const anyBase: fc.Arbitrary<Line[]> = fc
  .tuple(fc.array(fc.constantFrom("}\n", "\n", "x\n", "unique\n"), { maxLength: 14 }), fc.boolean())
  .map(([lines, open]) =>
    asSaved(
      lines.map((line, at) => (line === "unique\n" ? `B${at}\n` : line)),
      open,
    ),
  )

/** Replaces some stretches of a text. Marked lines stand once: the mark, and the number of the step. */
export function edited(text: readonly Line[], mark: string, picks: readonly number[]): Line[] {
  let lines = [...text]
  const pick = (at: number): number => picks[at % picks.length] ?? 0
  const stretches = 1 + (pick(0) % 3)
  for (let stretch = 0; stretch < stretches; stretch++) {
    const from = pick(stretch * 3 + 1) % (lines.length + 1)
    const to = Math.min(lines.length, from + (pick(stretch * 3 + 2) % 4))
    const count = pick(stretch * 3 + 3) % 4
    const added: Line[] = []
    for (let line = 0; line < count; line++) {
      const choice = (pick(stretch + line) >> 3) % 5
      added.push(choice === 0 ? "}\n" : choice === 1 ? "\n" : `${mark}_${stretch}_${line}\n`)
    }
    lines = [...lines.slice(0, from), ...added, ...lines.slice(to)]
  }
  return asSaved(lines, pick(11) % 3 === 0)
}

/** As an editor saves it: only the last line may lack a terminator. */
export function asSaved(lines: readonly Line[], open: boolean): Line[] {
  const text = lines.map(line => `${contentOf(line)}\n`).join("")
  return splitLines(open ? text.slice(0, -1) : text)
}

/** The contents of lines with a mark, such as of every line that begins with `P`. */
export function marked(lines: readonly Line[], mark: string): Set<string> {
  return new Set(contents(lines).filter(line => line.startsWith(mark)))
}

export function contents(lines: readonly Line[]): string[] {
  return lines.map(contentOf)
}

export function chooseHunks(play: Play, picks: readonly number[]): Hunk[] {
  return hunksOf(play).filter((_, at) => ((picks[at % picks.length] ?? 0) & 1) === 1)
}

/** Part of a hunk, never nothing; null where nothing is pending. */
export function chooseLines(play: Play, picks: readonly number[]) {
  const hunks = hunksOf(play)
  const hunk = hunks[(picks[0] ?? 0) % Math.max(1, hunks.length)]
  if (hunk === undefined) return null
  const span = (from: number, to: number, at: number): [number, number] => {
    const first = from + ((picks[at] ?? 0) % (to - from + 1))
    return [first, first + ((picks[at + 1] ?? 0) % (to - first + 1))]
  }
  const old = span(hunk.fromBase, hunk.toBase, 1)
  const now = span(hunk.fromCurrent, hunk.toCurrent, 3)
  if (old[0] < old[1] || now[0] < now[1]) return { hunk, ranges: { old, new: now } }
  const whole = { old: [hunk.fromBase, hunk.toBase] as const, new: [hunk.fromCurrent, hunk.toCurrent] as const }
  return { hunk, ranges: whole }
}

export function decidePart(play: Play, picks: readonly number[], decision: "accept" | "reject"): Play | string {
  const choice = chooseLines(play, picks)
  if (choice === null) return play
  if (decision === "accept") {
    const { base, current } = decideLines(play.base, play.current, choice.hunk, choice.ranges, "accept")
    return move(play, base, current, "history")
  }
  const outcome = rejectLines(play, choice.hunk, choice.ranges, authors(play), "stop")
  return outcome.kind === "conflict" ? outcome.reason : move(play, outcome.base, outcome.current, "history")
}

/** The number of runs of a law; an environment variable raises it. */
export const runs: number = Number(process.env["GALLEY_RUNS"] ?? 300)
