import type { OnConflict } from "@galley/core/protocol/requests.ts"
import { splitLines } from "@galley/core/text/lines.ts"
import { graphemesOf } from "../columns.ts"
import { browse } from "./browse.ts"
import type { Key } from "./keys.ts"
import { linesOfPlace, placeOfRows } from "./parts.ts"
import { doing, only, type Pressed, typing } from "./pressed.ts"
import { namedFile, placeOf, type Spot } from "./spots.ts"
import {
  complainOf,
  contentOfSpot,
  currentSpot,
  goTo,
  goToKey,
  type Mode,
  type ReviewState,
  say,
  shownPlace,
} from "./state.ts"

/** What a key does. Pure: what must be asked of the workspace comes back as an effect. */
export function press(before: ReviewState, key: Key): Pressed {
  const state = { ...before, note: null }
  if (key.kind === "named" && key.name === "interrupt") return doing(state, { kind: "quit" })
  if (key.kind === "named" && key.name === "suspend") return doing(state, { kind: "suspend" })
  if (key.kind === "named" && key.name === "redraw") return doing(state, { kind: "redraw" })
  const { mode } = state
  switch (mode.kind) {
    case "browse":
      return key.kind === "paste" ? only(complainOf(state, "Pasted text is no command.")) : browse(state, key)
    case "lines":
      return chooseLines(state, mode, key)
    case "typing":
      return type(state, mode, key)
    case "choosing":
      return choose(state, mode, key)
    case "picking":
      return pick(state, mode, key)
    case "help":
      return only({ ...state, mode: { kind: "browse" }, scroll: null })
  }
}

function chooseLines(state: ReviewState, mode: Extract<Mode, { kind: "lines" }>, key: Key): Pressed {
  const spot = currentSpot(state)
  if (spot?.kind !== "hunk") return only({ ...state, mode: { kind: "browse" } })
  const rows = spot.hunk.oldLines + spot.hunk.newLines
  const move = (cursor: number): Pressed =>
    only({ ...state, mode: { ...mode, cursor: Math.max(0, Math.min(cursor, rows - 1)) } })
  const text = key.kind === "character" ? key.text : ""
  const name = key.kind === "named" ? key.name : null
  if (name === "down" || text === "j") return move(mode.cursor + 1)
  if (name === "up" || text === "k") return move(mode.cursor - 1)
  if (name === "pageDown" || text === "G" || name === "end") return move(name === "pageDown" ? mode.cursor + 10 : rows)
  if (name === "pageUp" || text === "g" || name === "home") return move(name === "pageUp" ? mode.cursor - 10 : 0)
  if (text === " " || text === "v")
    return only({ ...state, mode: { ...mode, anchor: mode.anchor === null ? mode.cursor : null } })
  if (name === "escape" || text === "q") return only({ ...state, mode: { kind: "browse" } })
  const ends = [mode.cursor, mode.anchor ?? mode.cursor]
  const place = placeOfRows(placeOf(spot.hunk), Math.min(...ends), Math.max(...ends))
  if (text === "y" || text === "n")
    return doing(
      { ...state, mode: { kind: "browse" } },
      {
        kind: "decide",
        decision: text === "y" ? "accept" : "reject",
        selection: { ...namedFile(spot.file), lines: linesOfPlace(place), revision: spot.file.revision },
        count: 1,
        resume: { file: spot.file.id, fromCurrent: placeOf(spot.hunk).fromCurrent },
      },
    )
  if (text === "c") return only(typing(state, "comment"))
  return only(complainOf(state, "Here: up and down, space to mark an end, y accept, n reject, c comment, Esc."))
}

function type(state: ReviewState, mode: Extract<Mode, { kind: "typing" }>, key: Key): Pressed {
  const put = (typed: string): Pressed => only({ ...state, mode: { ...mode, typed } })
  if (key.kind === "character") return put(mode.typed + key.text)
  if (key.kind === "paste") return put(mode.typed + key.text.replace(/\s+/g, " "))
  switch (key.name) {
    case "backspace":
      return mode.typed === ""
        ? only({ ...state, mode: { kind: "browse" } })
        : put(graphemesOf(mode.typed).slice(0, -1).join(""))
    case "clear":
      return put("")
    case "tab":
      return put(`${mode.typed}\t`)
    case "escape":
    case "eof":
      return only(say({ ...state, mode: { kind: "browse" } }, "Nothing was done."))
    case "enter":
      return typed({ ...state, mode: { kind: "browse" } }, mode)
    case "up":
    case "down":
    case "left":
    case "right":
    case "home":
    case "end":
    case "pageUp":
    case "pageDown":
    case "redo":
    case "interrupt":
    case "redraw":
    case "suspend":
      return only(state)
  }
}

function typed(state: ReviewState, mode: Extract<Mode, { kind: "typing" }>): Pressed {
  const spot = currentSpot(state)
  const text = mode.typed.trim()
  switch (mode.purpose) {
    case "deny":
      return spot?.kind === "call"
        ? doing(state, { kind: "answer", id: spot.call.id, decision: "deny", reason: text })
        : only(complainOf(state, "The call waits no more."))
    case "comment":
      if (text === "") return only(say(state, "No comment was made."))
      if (spot === null || spot.kind === "call") return only(complainOf(state, "There is no line to comment on."))
      return doing(state, { kind: "comment", file: spot.file, line: lineOf(state, spot), text })
    case "search": {
      const wanted = text === "" ? state.lastSearch : mode.typed
      return wanted === "" ? only(state) : doing({ ...state, lastSearch: wanted }, { kind: "find", text: wanted })
    }
  }
}

/** The line of the proposed text that a comment is on: the first of what is shown; beside a removal the line that follows. */
function lineOf(state: ReviewState, spot: Spot): number | null {
  const content = contentOfSpot(state, spot)
  const place = shownPlace(state)
  if (place === null || content === null) return null
  return Math.min(place.fromCurrent + 1, Math.max(1, splitLines(content.current ?? "").length))
}

function choose(state: ReviewState, mode: Extract<Mode, { kind: "choosing" }>, key: Key): Pressed {
  const quiet: ReviewState = { ...state, mode: { kind: "browse" } }
  if (key.kind === "character" && (key.text === "m" || key.text === "t")) {
    const onConflict: OnConflict = key.text === "m" ? "keep-mine" : "take-theirs"
    const { effect } = mode
    return doing(
      quiet,
      effect.kind === "decide"
        ? { ...effect, selection: { ...effect.selection, onConflict } }
        : { ...effect, onConflict },
    )
  }
  if (key.kind === "named" && key.name === "escape") return only(say(quiet, "Nothing was decided."))
  if (key.kind === "character" && key.text === "q") return only(say(quiet, "Nothing was decided."))
  return only(complainOf(state, "m keeps your text, t takes the other; Esc decides nothing."))
}

function pick(state: ReviewState, mode: Extract<Mode, { kind: "picking" }>, key: Key): Pressed {
  const move = (at: number): Pressed =>
    only({ ...state, mode: { ...mode, at: Math.max(0, Math.min(at, mode.options.length - 1)) } })
  const text = key.kind === "character" ? key.text : ""
  const name = key.kind === "named" ? key.name : null
  if (name === "down" || text === "j") return move(mode.at + 1)
  if (name === "up" || text === "k") return move(mode.at - 1)
  if (name === "pageDown") return move(mode.at + 10)
  if (name === "pageUp") return move(mode.at - 10)
  if (name === "home" || text === "g") return move(0)
  if (name === "end" || text === "G") return move(mode.options.length)
  if (/^[1-9]$/.test(text) && mode.options.length < 10) return picked(state, mode, Number(text) - 1)
  if (name === "enter") return picked(state, mode, mode.at)
  if (name === "escape" || text === "q") return only({ ...state, mode: { kind: "browse" } })
  return only(state)
}

/** Takes an option of a list; also the plain mode's way, where it is typed by number. */
export function picked(state: ReviewState, mode: Extract<Mode, { kind: "picking" }>, at: number): Pressed {
  const option = mode.options[at]
  const quiet: ReviewState = { ...state, mode: { kind: "browse" } }
  if (option === undefined) return only(complainOf(quiet, `There is no number ${at + 1}.`))
  if (mode.what === "file")
    return only(goToKey(quiet, option.value) ?? complainOf(quiet, "That file is settled by now."))
  const message = { id: option.value, title: option.label, paths: option.paths }
  return only(
    say(
      goTo({ ...quiet, message }, 0),
      "Only files of this message; A accepts it whole, R rejects it, m shows all again.",
    ),
  )
}
