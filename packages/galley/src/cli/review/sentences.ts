import type { FileView, HunkView } from "@galley/core/protocol/results.ts"
import { inertLine } from "../inert.ts"
import { kindWord } from "../render-file.ts"
import type { DecideEffect } from "./effect.ts"
import type { Content, Place, Spot } from "./spots.ts"

export type Shown = (path: string) => string

/** "hunk 3 of 12, file 2 of 5": where a spot stands among those that are left. */
export function whereIs(spots: readonly Spot[], at: number): string {
  const spot = spots[at]
  if (spot === undefined) return ""
  const alike = spots.filter(one => one.kind === spot.kind)
  const count = `${alike.indexOf(spot) + 1} of ${alike.length}`
  if (spot.kind === "call") return `call ${count} that waits for you`
  const files = [...new Set(spots.flatMap(one => (one.kind === "call" ? [] : [one.file.id])))]
  const what = spot.kind === "hunk" ? `hunk ${count}` : "the file itself"
  return `${what}, file ${files.indexOf(spot.file.id) + 1} of ${files.length}`
}

export function nameOf(file: FileView, shown: Shown): string {
  return file.from === undefined ? shown(file.path) : `${shown(file.from)} -> ${shown(file.path)}`
}

/** "lines 10 to 12, 2 removed, 3 added". */
export function linesOf(hunk: HunkView): string {
  const { oldLines, newLines } = hunk
  const [start, lines] = newLines > 0 ? [hunk.newStart, newLines] : [hunk.oldStart, oldLines]
  const where = lines === 1 ? `line ${start}` : `lines ${start} to ${start + lines - 1}`
  const counts = [oldLines > 0 ? `${oldLines} removed` : "", newLines > 0 ? `${newLines} added` : ""]
  return [where, ...counts.filter(part => part !== "")].join(", ")
}

/** What is to be known of a file beside its lines. */
export function factsOf(file: FileView): string[] {
  return [
    file.kinds.map(kindWord).join(", "),
    ...(file.properties ?? []).map(inertLine),
    ...(file.summary === undefined ? [] : [`${file.summary.files} files, shown as one`]),
    ...(file.parked
      ? [
          `parked${file.branch === undefined ? "" : ` on branch ${inertLine(file.branch)}`}: set aside when the branch changed`,
        ]
      : []),
    ...(file.disk === "base" && !file.parked ? ["held: not on disk"] : []),
    ...(file.conflict ? ["conflict"] : []),
    ...(file.reviewed === true ? ["looked at"] : []),
    ...(file.coarse === true ? ["coarse: too different for a shortest diff"] : []),
  ].filter(fact => fact !== "")
}

/** What a reject of a mixed hunk takes out, and what it leaves. */
export function goesAndStays(authors: Content["authors"], place: Place): string {
  const own = authors.slice(place.fromCurrent, place.toCurrent)
  const count = (author: Content["authors"][number]): number => own.filter(one => one === author).length
  const lines = (many: number): string => (many === 1 ? "1 line" : `${many} lines`)
  const altered = count("altered")
  const parts = [
    count("agent") > 0 || altered === 0 ? `rejecting takes out ${lines(count("agent"))} of the agent's` : "",
    count("person") > 0 ? `your ${lines(count("person"))} (*) stay${count("person") === 1 ? "s" : ""}` : "",
    altered > 0 ? `${lines(altered)} of the agent's that you altered (*) need${altered === 1 ? "s" : ""} a choice` : "",
  ]
  return `mixed: ${parts.filter(part => part !== "").join(", ")}`
}

/** What either choice leaves where both sides changed the same lines. */
export function choicesOf(effect: DecideEffect): { readonly mine: string; readonly theirs: string } {
  const theirs =
    effect.kind === "decide" && effect.decision === "accept" ? "the proposed text is taken" : "the old text comes back"
  return { mine: "your text stays", theirs }
}

export const helpLines: readonly string[] = [
  "y  accept this hunk, part, file, or allow the call",
  "n  reject it: the old text comes back, what you wrote stays; deny the call",
  "j  skip (space, Tab)          k  back",
  "J  next file                  K  file before",
  "g  first                      G  last",
  "a  accept this and the rest of the file",
  "d  reject this and the rest of the file",
  "s  split into groups of lines, then y or n for each",
  "v  choose lines: up and down, space marks an end, then y or n",
  "e  edit the proposed text in your editor ($VISUAL, $EDITOR)",
  "c  comment for the agent      w  mark the file as looked at",
  "*  accept this substitution in all files    #  reject it in all",
  "u  undo the newest decision   U  redo (Ctrl-R)",
  "/  search names and changed lines; empty: the same again",
  "f  go to a file               m  only one message's files, and back",
  "A  accept the chosen message  R  reject it",
  "up, down, PgUp, PgDn  scroll  Ctrl-L  draw anew",
  "q  quit (Ctrl-C, Ctrl-D); what is not decided stays pending",
]
