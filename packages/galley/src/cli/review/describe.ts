import { contentOf, type Line, splitLines, terminatorOf } from "@galley/core/text/lines.ts"
import { inert, inertLine } from "../inert.ts"
import { doneLines } from "./frame.ts"
import { factsOf, goesAndStays, linesOf, nameOf, type Shown, whereIs } from "./sentences.ts"
import { type Content, type Place, placeOf, type Spot } from "./spots.ts"
import { contentOfSpot, currentSpot, type ReviewState, shownPlace, spotsIn, partsIn } from "./state.ts"

/** Unchanged lines told before and after: enough to know where one is, little to listen to. */
const contextLines = 2

/**
 * What is shown, in words and lines for a screen reader or a terminal that cannot draw: no colour, no signs in place of words, no
 * movement of the cursor.
 */
export function describe(state: ReviewState, shown: Shown): string[] {
  const spot = currentSpot(state)
  if (spot === null) return doneLines(state).filter(line => line !== "")
  const part = state.part === null ? "" : `, part ${state.part + 1} of ${partsIn(state).length}`
  const where = `${capital(whereIs(spotsIn(state), state.at))}${part}`
  if (spot.kind === "call")
    return [
      `${where}: ${inertLine(spot.call.title)}`,
      ...(spot.call.command === undefined
        ? []
        : inert(spot.call.command)
            .split("\n")
            .map(line => `command: ${line}`)),
      ...inert(spot.call.diff ?? "")
        .trimEnd()
        .split("\n")
        .filter(line => line !== ""),
    ]
  const facts = factsOf(spot.file)
  const name = nameOf(spot.file, shown)
  const content = contentOfSpot(state, spot)
  if (spot.kind === "whole")
    return [
      `${where}: ${name}`,
      ...facts.map(fact => `${capital(fact)}.`),
      ...(content === null ? [] : wholeLines(content)),
    ]
  const place = shownPlace(state) ?? placeOf(spot.hunk)
  const lines = state.part === null ? linesOf(spot.hunk) : linesOfPart(place)
  return [
    `${where}: ${name}, ${lines}.`,
    `${capital(facts.join(", "))}.`,
    ...(content === null ? ["It is being read."] : [...remarks(spot, content), ...told(spot, content, place)]),
  ]
}

/** The changed lines with numbers by which to choose them. */
export function numberedLines(state: ReviewState): string[] {
  const spot = currentSpot(state)
  const content = contentOfSpot(state, spot)
  if (spot?.kind !== "hunk" || content === null) return []
  const { removed, added } = changed(content, placeOf(spot.hunk))
  return [
    ...removed.map((line, at) => `${at + 1} removed: ${textOf(line)}`),
    ...added.map((line, at) => `${removed.length + at + 1} added: ${textOf(line)}`),
  ]
}

/** What of a file no hunk to decide shows; of a parked one all its lines. */
function wholeLines(content: Content): string[] {
  const diff = inert(content.diff ?? "").split("\n")
  // What git's headers say of the name is said already.
  const told = diff.filter(line => line !== "" && !/^(diff |index |--- |\+\+\+ |@@ )/.test(line))
  if (!content.file.parked) return told
  return content.file.hunks.flatMap(hunk => {
    const { removed, added } = changed(content, placeOf(hunk))
    return [...removed.map(line => `removed: ${textOf(line)}`), ...added.map(line => `added: ${textOf(line)}`)]
  })
}

function remarks(spot: Extract<Spot, { kind: "hunk" }>, content: Content): string[] {
  const { hunk } = spot
  return [
    ...(hunk.substitution === undefined ? [] : [`Substitution: ${inertLine(hunk.substitution)}.`]),
    ...(hunk.mixed ? [`${capital(goesAndStays(content.authors, placeOf(hunk)))}.`] : []),
    ...(hunk.conflict ? ["Conflict: the file was changed where this hunk changes it."] : []),
    ...content.conflicts
      .filter(conflict => conflict.hunk === null || conflict.hunk === hunk.id)
      .flatMap(conflict => [
        ...splitLines(conflict.mine).map(line => `yours: ${textOf(line)}`),
        ...splitLines(conflict.theirs).map(line => `proposed: ${textOf(line)}`),
      ]),
    ...content.comments.map(
      comment => `Comment${comment.line === null ? "" : ` on line ${comment.line}`}: ${inertLine(comment.text)}`,
    ),
  ]
}

function told(spot: Extract<Spot, { kind: "hunk" }>, content: Content, place: Place): string[] {
  const base = splitLines(content.base ?? "")
  const { removed, added } = changed(content, place)
  const context = (from: number, to: number): string[] =>
    base.slice(Math.max(0, from), to).map((line, at) => `same ${Math.max(0, from) + at + 1}: ${textOf(line)}`)
  return [
    ...context(place.fromBase - contextLines, place.fromBase),
    ...removed.map((line, at) => `removed ${place.fromBase + at + 1}: ${textOf(line)}`),
    ...added.map((line, at) => {
      const author = spot.hunk.mixed ? content.authors[place.fromCurrent + at] : undefined
      const whose = author === "person" ? ", yours" : author === "altered" ? ", altered by you" : ""
      return `added ${place.fromCurrent + at + 1}${whose}: ${textOf(line)}`
    }),
    ...context(place.toBase, place.toBase + contextLines),
  ]
}

function changed(content: Content, place: Place): { readonly removed: Line[]; readonly added: Line[] } {
  return {
    removed: splitLines(content.base ?? "").slice(place.fromBase, place.toBase),
    added: splitLines(content.current ?? "").slice(place.fromCurrent, place.toCurrent),
  }
}

function linesOfPart(place: Place): string {
  const removed = place.toBase - place.fromBase
  const added = place.toCurrent - place.fromCurrent
  return [removed > 0 ? `${removed} removed` : "", added > 0 ? `${added} added` : ""]
    .filter(text => text !== "")
    .join(", ")
}

function textOf(line: Line): string {
  const text = inert(contentOf(line))
  return `${text === "" ? "(empty)" : text}${terminatorOf(line) === "" ? " (no newline at the end of the file)" : ""}`
}

export function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
}
