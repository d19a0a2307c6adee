import { columnsOf, expandTabs, fitColumns, graphemesOf, wrapColumns } from "../columns.ts"
import { inert, inertLine } from "../inert.ts"
import type { Look } from "../look.ts"
import { counts } from "../render-file.ts"
import { renderFileDiff } from "../render-diff.ts"
import { hunkRows, type Row, textRows, unifiedRows } from "./rows.ts"
import { choicesOf, factsOf, helpLines, nameOf, type Shown, whereIs } from "./sentences.ts"
import { keyOfSpot, type Spot } from "./spots.ts"
import { contentOfSpot, currentSpot, partsIn, type ReviewState, spotsIn } from "./state.ts"

export interface Size {
  readonly columns: number
  readonly rows: number
}

/** One picture of the terminal. */
export interface Frame {
  /** At most as many as the terminal has, none wider than it. */
  readonly rows: readonly string[]
  /** Where text is typed; from 0. Null hides the cursor. */
  readonly cursor: { readonly row: number; readonly column: number } | null
  /** The first row of the body that is seen, within what there is. */
  readonly scroll: number
}

/** Draws a state. Everything that comes from files or agents is inert, and no row is wider than the terminal. */
export function frameOf(state: ReviewState, size: Size, plainLook: Look, shown: Shown): Frame {
  const columns = Math.max(10, size.columns)
  const height = Math.max(3, size.rows)
  const look: Look = { ...plainLook, width: columns }
  const { color } = look
  const head = headOf(state, shown, look)
  const foot = footOf(state, look, columns, height)
  const body = bodyOf(state, shown, look)
  const room = Math.max(1, height - head.length - foot.rows.length)
  const scroll = scrollOf(state, body, room)
  const seen = body.slice(scroll, scroll + room)
  const below = body.length - scroll - seen.length
  const rows = [
    ...head,
    ...seen.map(row => row.text),
    ...Array.from({ length: room - seen.length }, () => ""),
    ...foot.rows,
  ]
  if (below > 0 && foot.rows.length > 0) {
    const at = head.length + room
    rows[at] = fitStyled(
      `${color.dim(`-- ${below} more ${below === 1 ? "row" : "rows"} below --`)} ${rows[at] ?? ""}`,
      columns,
    )
  }
  return {
    rows: rows.slice(0, height).map(row => fitStyled(expandTabs(row), columns)),
    cursor:
      foot.cursor === null
        ? null
        : {
            row: Math.min(height - 1, head.length + room + foot.cursor.row),
            column: Math.min(columns - 1, foot.cursor.column),
          },
    scroll,
  }
}

function headOf(state: ReviewState, shown: Shown, { color }: Look): string[] {
  const spots = spotsIn(state)
  const spot = spots[state.at]
  const part = state.part === null ? "" : `, part ${state.part + 1} of ${partsIn(state).length}`
  const message = state.message === null ? [] : [color.dim(`message: ${inertLine(state.message.title)}`)]
  if (spot === undefined) return [color.bold("galley review"), ...message]
  const where = color.inverse(` ${whereIs(spots, state.at)}${part} `)
  if (spot.kind === "call") return [where, ...message]
  const facts = [
    color.bold(nameOf(spot.file, shown)),
    counts(spot.file, color),
    ...factsOf(spot.file).map(fact => color.dim(fact)),
  ]
  return [where, facts.filter(fact => fact !== "").join("  "), ...message]
}

function bodyOf(state: ReviewState, shown: Shown, look: Look): Row[] {
  const { mode } = state
  if (mode.kind === "help") return textRows(helpLines)
  if (mode.kind === "picking")
    return mode.options.map((option, at) => {
      const label = mode.what === "file" ? shown(option.label) : inertLine(option.label)
      const text = `${at === mode.at ? ">" : " "} ${at + 1}  ${label}`
      return { text: at === mode.at ? look.color.bold(text) : text, change: at }
    })
  const spot = currentSpot(state)
  return spot === null ? textRows(doneLines(state)) : spotRows(state, spot, look, shown)
}

export function doneLines(state: ReviewState): string[] {
  return [
    state.message === null ? "Nothing is pending." : "Nothing of this message is pending; m shows all.",
    "",
    tallyOf(state),
    ...(state.undo === null ? [] : [`u takes back: ${inertLine(state.undo)}`]),
    ...state.notices.map(notice => `! ${inertLine(notice)}`),
  ]
}

/** "3 accepted, 1 rejected." of this review. */
export function tallyOf({ tally }: ReviewState): string {
  const parts = [`${tally.accepted} accepted`, `${tally.rejected} rejected`]
  return `${parts.join(", ")}${tally.undone > 0 ? `, ${tally.undone === 1 ? "1 decision" : `${tally.undone} decisions`} undone` : ""}.`
}

function spotRows(state: ReviewState, spot: Spot, look: Look, shown: Shown): Row[] {
  const { color } = look
  switch (spot.kind) {
    case "call": {
      const { call } = spot
      const about = [call.title, ...(call.command === undefined ? [] : [call.command])]
      const told = [...new Set(about)].flatMap(text => inert(text).split("\n")).map(color.bold)
      const from = call.conversation === undefined ? [] : [color.dim(`conversation ${inertLine(call.conversation)}`)]
      return [...textRows([...told, ...from]), ...unifiedRows(call.diff ?? "", look)]
    }
    case "hunk": {
      const content = contentOfSpot(state, spot)
      if (content === null) return textRows([color.dim("Reading...")])
      const { mode } = state
      const part = state.part === null ? null : (partsIn(state)[state.part] ?? null)
      const ends = mode.kind === "lines" ? [mode.cursor, mode.anchor ?? mode.cursor] : []
      const chosen =
        mode.kind === "lines" ? { from: Math.min(...ends), to: Math.max(...ends), cursor: mode.cursor } : null
      return hunkRows(spot, content, { part, chosen }, look)
    }
    case "whole": {
      const content = contentOfSpot(state, spot)
      if (content === null) return textRows([color.dim("Reading...")])
      if (content.diff !== undefined && content.diff !== "") return unifiedRows(content.diff, look)
      if (!spot.file.parked) return textRows(factsOf(spot.file))
      // Its first line is the heading, which is on the screen already.
      return textRows(renderFileDiff(content, shown(spot.file.path), look).trimEnd().split("\n").slice(1))
    }
  }
}

/** What is asked for, within what there is, and so that the cursor is seen. */
function scrollOf(state: ReviewState, body: readonly Row[], room: number): number {
  const most = Math.max(0, body.length - room)
  const { mode } = state
  const wanted = Math.max(0, Math.min(state.scroll ?? startOf(body, room), most))
  const target = mode.kind === "lines" ? mode.cursor : mode.kind === "picking" ? mode.at : null
  if (target === null) return wanted
  const first = body.findIndex(row => row.change === target)
  const last = body.findLastIndex(row => row.change === target)
  if (first < wanted) return Math.max(0, first)
  return last >= wanted + room ? Math.min(most, last - room + 1) : wanted
}

/** Where the change is seen, with as much before it as there is room for. */
function startOf(body: readonly Row[], room: number): number {
  const first = body.findIndex(row => row.change !== null)
  const last = body.findLastIndex(row => row.change !== null)
  if (last < room || first < room / 3) return 0
  return Math.min(first, last - room + 1)
}

interface Foot {
  readonly rows: readonly string[]
  readonly cursor: { readonly row: number; readonly column: number } | null
}

function footOf(state: ReviewState, look: Look, columns: number, height: number): Foot {
  const { color } = look
  const { mode, note } = state
  const most = Math.max(1, Math.floor(height / 3))
  const paint = note?.kind === "trouble" ? (text: string) => color.bold(color.yellow(text)) : color.green
  const notes = note === null ? [""] : wrapWords(inertLine(note.text), columns).slice(0, most).map(paint)
  switch (mode.kind) {
    case "typing": {
      const label = `${labelOf(mode.purpose, state)} `
      const text = inertLine(mode.typed)
      const room = Math.max(4, columns - columnsOf(label) - 1)
      const tail = tailColumns(text, room)
      return {
        rows: [...notes, `${color.bold(label)}${tail}`],
        cursor: { row: notes.length, column: columnsOf(label) + columnsOf(tail) },
      }
    }
    case "choosing": {
      const reason = wrapWords(inertLine(mode.reason), columns)
        .slice(0, most)
        .map(text => color.yellow(text))
      const { mine, theirs } = choicesOf(mode.effect)
      const choices = wrapWords(`m: ${mine}   t: ${theirs}   Esc: decide nothing`, columns).map(text =>
        color.bold(text),
      )
      return { rows: [...reason, ...choices], cursor: null }
    }
    case "picking":
      return {
        rows: [...notes, color.dim(fitColumns("Enter takes it   Esc goes back   up, down", columns))],
        cursor: null,
      }
    case "help":
      return { rows: [color.dim("any key goes back")], cursor: null }
    case "lines":
      return {
        rows: [...notes, color.dim(fitColumns("y accept  n reject  space mark an end  c comment  Esc back", columns))],
        cursor: null,
      }
    case "browse":
      return { rows: [...notes, color.dim(hintsOf(state, columns))], cursor: null }
  }
}

export function labelOf(purpose: "comment" | "search" | "deny", state: ReviewState): string {
  switch (purpose) {
    case "comment":
      return "Comment:"
    case "deny":
      return "Reason for the agent (may be empty):"
    case "search":
      return state.lastSearch === "" ? "Search:" : `Search (empty: ${inertLine(state.lastSearch)}):`
  }
}

/** As many as fit; the most needed first. */
function hintsOf(state: ReviewState, columns: number): string {
  const spot = currentSpot(state)
  const own =
    spot === null
      ? ["u undo"]
      : spot.kind === "call"
        ? ["y allow", "n deny", "j skip"]
        : spot.kind === "whole"
          ? ["y accept", "n reject", "j skip", "k back", "u undo"]
          : [
              "y accept",
              "n reject",
              "j skip",
              "k back",
              "s split",
              "u undo",
              "e edit",
              "c comment",
              "v lines",
              "a rest",
              "/ search",
            ]
  const fixed = ["? help", "q quit"]
  let taken: string[] = []
  for (const hint of own) {
    if (columnsOf([...taken, hint, ...fixed].join("  ")) > columns) break
    taken = [...taken, hint]
  }
  return fitColumns([...taken, ...fixed].join("  "), columns)
}

/** Cuts a styled row to a width; styles that are on are ended. Rows are made to fit before; this is what holds. */
export function fitStyled(row: string, columns: number): string {
  const plain = row.replace(styles, "")
  if (columnsOf(plain) <= columns) return row
  let left = columns - 1
  let cut = ""
  let styled = false
  for (const piece of row.split(/(\u001b\[[0-9;]*m)/)) {
    if (piece.startsWith("\u001b")) {
      cut += piece
      styled = true
      continue
    }
    const part = left > 0 ? (wrapColumns(piece, left)[0] ?? "") : ""
    if (columnsOf(piece) > left) return `${cut}${columnsOf(part) <= left ? part : ""}…${styled ? "\u001b[0m" : ""}`
    cut += piece
    left -= columnsOf(piece)
  }
  return cut
}

const styles = /\u001b\[[0-9;]*m/g

/** Breaks at blanks where it can. */
function wrapWords(text: string, columns: number): string[] {
  const lines: string[] = []
  let line = ""
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`
    if (columnsOf(longer) <= columns) line = longer
    else {
      if (line !== "") lines.push(line)
      const pieces = wrapColumns(word, columns)
      lines.push(...pieces.slice(0, -1))
      line = pieces.at(-1) ?? ""
    }
  }
  return [...lines, line]
}

/** The end of a text that is being typed. */
function tailColumns(text: string, columns: number): string {
  let tail = ""
  for (const character of graphemesOf(text).toReversed()) {
    if (columnsOf(character + tail) > columns) break
    tail = character + tail
  }
  return tail
}

/** Whether two states show the same spot: if not, a plain review tells it anew. */
export function sameSpot(a: ReviewState, b: ReviewState): boolean {
  const [one, other] = [currentSpot(a), currentSpot(b)]
  if (one === null || other === null) return one === other
  return keyOfSpot(one) === keyOfSpot(other) && a.part === b.part
}
