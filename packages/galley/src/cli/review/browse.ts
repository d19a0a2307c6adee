import type { DecideEffect } from "./effect.ts"
import type { Key, KeyName } from "./keys.ts"
import { linesOfPlace } from "./parts.ts"
import { doing, only, type Pressed, typing } from "./pressed.ts"
import { keyOfSpot, namedFile, placeOf, propertiesOf, type Spot } from "./spots.ts"
import {
  complainOf,
  contentOfSpot,
  currentSpot,
  goTo,
  partsIn,
  type ReviewState,
  say,
  shownPlace,
  spotsIn,
} from "./state.ts"

/** Keys while a spot is shown. */
export function browse(state: ReviewState, key: Exclude<Key, { kind: "paste" }>): Pressed {
  if (key.kind === "named") return browseNamed(state, key.name)
  const spot = currentSpot(state)
  switch (key.text) {
    case "y":
      return decide(state, spot, "accept")
    case "n":
      return decide(state, spot, "reject")
    case "a":
      return decideRest(state, spot, "accept")
    case "d":
      return decideRest(state, spot, "reject")
    case "*":
      return decideSame(state, spot, "accept")
    case "#":
      return decideSame(state, spot, "reject")
    case "A":
      return decideMessage(state, "accept")
    case "R":
      return decideMessage(state, "reject")
    case " ":
    case "j":
      return only(next(state))
    case "k":
      return only(back(state))
    case "J":
      return only(nextFile(state, 1))
    case "K":
      return only(nextFile(state, -1))
    case "g":
      return only(goTo(state, 0))
    case "G":
      return only(goTo(state, spotsIn(state).length - 1))
    case "s":
      return only(split(state))
    case "v":
      return only(beginLines(state, spot))
    case "e":
      return edit(state, spot)
    case "c":
      return only(
        spot === null || spot.kind === "call"
          ? complainOf(state, "There is no line to comment on.")
          : typing(state, "comment"),
      )
    case "u":
      return doing(state, { kind: "undo", onConflict: null })
    case "U":
      return doing(state, { kind: "redo", onConflict: null })
    case "/":
      return only(typing(state, "search"))
    case "f":
      return only(pickFile(state))
    case "m":
      return state.message === null
        ? doing(state, { kind: "listMessages" })
        : only(say(leaveMessage(state), "All messages again."))
    case "w":
      return spot === null || spot.kind === "call" ? only(state) : doing(state, { kind: "mark", file: spot.file })
    case "?":
    case "h":
      return only({ ...state, mode: { kind: "help" }, scroll: null })
    case "q":
      return doing(state, { kind: "quit" })
    default:
      return only(complainOf(state, `There is no command ${key.text}; ? lists them.`))
  }
}

function browseNamed(state: ReviewState, name: KeyName): Pressed {
  switch (name) {
    case "down":
      return only({ ...state, scroll: (state.scroll ?? state.seen) + 1 })
    case "up":
      return only({ ...state, scroll: Math.max(0, (state.scroll ?? state.seen) - 1) })
    case "pageDown":
      return only({ ...state, scroll: (state.scroll ?? state.seen) + 10 })
    case "pageUp":
      return only({ ...state, scroll: Math.max(0, (state.scroll ?? state.seen) - 10) })
    case "tab":
    case "right":
      return only(next(state))
    case "left":
      return only(back(state))
    case "home":
      return only(goTo(state, 0))
    case "end":
      return only(goTo(state, spotsIn(state).length - 1))
    case "redo":
      return doing(state, { kind: "redo", onConflict: null })
    case "eof":
      return doing(state, { kind: "quit" })
    case "escape":
      return only(state.part === null ? leaveMessage(state) : { ...state, part: null, scroll: null })
    case "enter":
    case "backspace":
    case "clear":
    case "interrupt":
    case "redraw":
    case "suspend":
      return only(state)
  }
}

function decide(state: ReviewState, spot: Spot | null, decision: "accept" | "reject"): Pressed {
  if (spot === null) return only(complainOf(state, "There is nothing left to decide."))
  switch (spot.kind) {
    case "call":
      return decision === "accept"
        ? doing(state, { kind: "answer", id: spot.call.id, decision: "allow", reason: "" })
        : only(typing(state, "deny"))
    case "hunk": {
      if (contentOfSpot(state, spot) === null) return only(complainOf(state, "It is being read; press again."))
      const { revision } = spot.file
      if (state.part !== null) {
        const place = shownPlace(state) ?? placeOf(spot.hunk)
        return doing(state, {
          kind: "decide",
          decision,
          selection: { ...namedFile(spot.file), lines: linesOfPlace(place), revision },
          count: 1,
          resume: { file: spot.file.id, fromCurrent: place.fromCurrent },
        })
      }
      const effect = simply(decision, { ...namedFile(spot.file), hunks: [spot.hunk.id], revision }, 1)
      return spot.hunk.conflict && decision === "accept"
        ? only(choosing(state, effect, "The file was changed where this hunk changes it."))
        : doing(state, effect)
    }
    case "whole": {
      const { file } = spot
      const properties = propertiesOf(file)
      const part = properties.length > 0 ? { properties: [...properties], revision: file.revision } : {}
      const whole = file.hunks.length === 0 && !file.parked ? { revision: file.revision } : {}
      return doing(state, simply(decision, { ...namedFile(file), ...part, ...whole }, 1))
    }
  }
}

/** This hunk and all that follow in its file, as `a` and `d` of `git add -p`. */
function decideRest(state: ReviewState, spot: Spot | null, decision: "accept" | "reject"): Pressed {
  if (spot === null || spot.kind === "call") return only(complainOf(state, "No file is shown."))
  const { file } = spot
  const hunks = spotsIn(state)
    .slice(state.at)
    .flatMap(one => (one.kind === "hunk" && one.file.id === file.id ? [one.hunk.id] : []))
  if (hunks.length === 0) return decide(state, spot, decision)
  const all = hunks.length === file.hunks.length
  const selection = all ? {} : { hunks }
  return doing(state, simply(decision, { ...namedFile(file), ...selection, revision: file.revision }, hunks.length))
}

/** All hunks, in all files, that make the same substitution. */
function decideSame(state: ReviewState, spot: Spot | null, decision: "accept" | "reject"): Pressed {
  const same = spot?.kind === "hunk" ? spot.hunk.same : undefined
  if (same === undefined) return only(complainOf(state, "This is no substitution that is made elsewhere too."))
  const count = state.files.flatMap(file => file.hunks).filter(hunk => hunk.same === same).length
  return doing(state, simply(decision, { hunks: [same] }, count))
}

function decideMessage(state: ReviewState, decision: "accept" | "reject"): Pressed {
  if (state.message === null) return only(complainOf(state, "Choose a message first (m)."))
  return doing(state, simply(decision, { message: state.message.id }, spotsIn(state).length))
}

function simply(
  decision: "accept" | "reject",
  selection: Extract<DecideEffect, { kind: "decide" }>["selection"],
  count: number,
): Extract<DecideEffect, { kind: "decide" }> {
  return { kind: "decide", decision, selection, count, resume: null }
}

function edit(state: ReviewState, spot: Spot | null): Pressed {
  if (spot?.kind !== "hunk") return only(complainOf(state, "Only a hunk of text can be edited here."))
  return doing(state, { kind: "edit", file: spot.file, hunk: spot.hunk })
}

function next(state: ReviewState): ReviewState {
  const parts = state.part === null ? 0 : partsIn(state).length
  if (state.part !== null && state.part + 1 < parts) return { ...state, part: state.part + 1, scroll: null }
  const last = spotsIn(state).length - 1
  return state.at >= last ? say({ ...state, part: null }, "That was the last one.") : goTo(state, state.at + 1)
}

function back(state: ReviewState): ReviewState {
  if (state.part !== null && state.part > 0) return { ...state, part: state.part - 1, scroll: null }
  return state.at === 0 ? say({ ...state, part: null }, "This is the first one.") : goTo(state, state.at - 1)
}

/** To the first spot of the next file, or of the one before; waiting calls count as one file. */
function nextFile(state: ReviewState, step: 1 | -1): ReviewState {
  const spots = spotsIn(state)
  const fileAt = (at: number): string => {
    const spot = spots[at]
    return spot === undefined || spot.kind === "call" ? "" : spot.file.id
  }
  const firsts = spots.flatMap((_, at) => (at === 0 || fileAt(at - 1) !== fileAt(at) ? [at] : []))
  const now = firsts.findLastIndex(first => first <= state.at)
  const to = firsts[now + step]
  if (to === undefined) return say(state, step > 0 ? "This is the last file." : "This is the first file.")
  return goTo(state, to)
}

function split(state: ReviewState): ReviewState {
  const parts = partsIn(state)
  if (parts.length < 2) return complainOf(state, "There is nothing to split: it is one line, or no hunk.")
  return say({ ...state, part: 0, scroll: null }, `Split into ${parts.length} parts.`)
}

function beginLines(state: ReviewState, spot: Spot | null): ReviewState {
  if (spot?.kind !== "hunk" || contentOfSpot(state, spot) === null)
    return complainOf(state, "There are no lines to choose.")
  return { ...state, part: null, mode: { kind: "lines", cursor: 0, anchor: null } }
}

function choosing(state: ReviewState, effect: DecideEffect, reason: string): ReviewState {
  return { ...state, mode: { kind: "choosing", effect, reason } }
}

function pickFile(state: ReviewState): ReviewState {
  const seen = new Set<string>()
  const options = spotsIn(state).flatMap(spot => {
    if (spot.kind === "call" || seen.has(spot.file.id)) return []
    seen.add(spot.file.id)
    return [{ label: spot.file.path, value: keyOfSpot(spot), paths: [] }]
  })
  if (options.length === 0) return complainOf(state, "No file is pending.")
  const shown = currentSpot(state)
  const at = shown === null || shown.kind === "call" ? 0 : [...seen].indexOf(shown.file.id)
  return { ...state, mode: { kind: "picking", what: "file", options, at } }
}

function leaveMessage(state: ReviewState): ReviewState {
  return state.message === null ? state : goTo({ ...state, message: null }, 0)
}
