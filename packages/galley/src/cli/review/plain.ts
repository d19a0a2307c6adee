import { graphemesOf } from "../columns.ts"
import { inertLine } from "../inert.ts"
import { type LineReader, readLines } from "../terminal.ts"
import { describe, numberedLines } from "./describe.ts"
import { beginReview, type Desk, lookAgain, perform, withContent } from "./desk.ts"
import type { Effect } from "./effect.ts"
import { labelOf, sameSpot } from "./frame.ts"
import type { Key } from "./keys.ts"
import { picked, press } from "./press.ts"
import type { Pressed } from "./pressed.ts"
import { choicesOf, helpLines } from "./sentences.ts"
import { complainOf, currentSpot, type ReviewState } from "./state.ts"

/** Whole words in place of keys. */
const words: Readonly<Record<string, string>> = {
  yes: "y",
  accept: "y",
  allow: "y",
  no: "n",
  reject: "n",
  deny: "n",
  skip: "j",
  next: "j",
  back: "k",
  split: "s",
  lines: "v",
  edit: "e",
  comment: "c",
  undo: "u",
  redo: "U",
  search: "/",
  find: "/",
  file: "f",
  files: "f",
  message: "m",
  help: "?",
  quit: "q",
}

/**
 * Reviews line by line, for screen readers and terminals that cannot draw: each hunk is told in words, an answer is a line. Also reads
 * answers that are piped in. Ends when they do.
 */
export async function reviewPlainly(desk: Desk): Promise<ReviewState> {
  const { terminal } = desk
  const lines = readLines(terminal, desk.signal)
  const write = (texts: readonly string[]): void => {
    if (texts.length > 0) terminal.write(`${texts.join("\n")}\n`)
  }
  let state = await beginReview(desk)
  write(describe(state, desk.shown))
  try {
    for (;;) {
      const line = await lines.ask(promptOf(state))
      if (line === null) return state
      const now = await lookAgain(desk, { ...state, note: null })
      const moved = now.note !== null
      if (moved && line.trim() !== "" && !/^\s*(q|quit)\s*$/.test(line)) {
        // What was answered is not what is there: it is told again, and nothing done.
        state = now
        write([...noteOf(state), "Your answer was not used.", ...describe(state, desk.shown)])
        continue
      }
      const before = now
      const answered = await answer(desk, lines, now, line, write)
      if (answered === null) return state
      state = answered
      write(noteOf(state))
      const again = line.trim() === "" || !sameSpot(before, state) || revisionOf(before) !== revisionOf(state)
      if (again) write(describe(state, desk.shown))
    }
  } finally {
    lines.close()
  }
}

function promptOf(state: ReviewState): string {
  const spot = currentSpot(state)
  if (spot === null) return "u undo, q quit: "
  return spot.kind === "call" ? "y allow, n deny, j skip, ? help: " : "y accept, n reject, j skip, ? help: "
}

function noteOf({ note }: ReviewState): string[] {
  return note === null ? [] : [`${note.kind === "trouble" ? "Note: " : ""}${inertLine(note.text)}`]
}

function revisionOf(state: ReviewState): number | null {
  const spot = currentSpot(state)
  return spot === null || spot.kind === "call" ? null : spot.file.revision
}

/** Null: quit. */
async function answer(
  desk: Desk,
  lines: LineReader,
  before: ReviewState,
  line: string,
  write: (texts: readonly string[]) => void,
): Promise<ReviewState | null> {
  const [word = "", ...rest] = line.trim().split(" ")
  const text = rest.join(" ").trim()
  if (word === "") return before
  // "/text" as it is typed elsewhere.
  const command = graphemesOf(word).length === 1 ? word : word.startsWith("/") ? "/" : words[word.toLowerCase()]
  if (command === undefined) return complainOf(before, `There is no command ${word}; ? lists them.`)
  const given = word.startsWith("/") && word.length > 1 ? line.trim().slice(1) : text
  let pressed = press({ ...before, note: null }, { kind: "character", text: command })
  for (;;) {
    if (pressed.effect !== null) {
      if (pressed.effect.kind === "quit") return null
      pressed = { state: await done(desk, lines, pressed.state, pressed.effect), effect: null }
    }
    const { state } = pressed
    const { mode } = state
    switch (mode.kind) {
      case "browse":
        return withContent(desk, state)
      case "help":
        write(helpLines)
        return { ...state, mode: { kind: "browse" } }
      case "typing": {
        const typed = given !== "" ? given : await lines.ask(`${labelOf(mode.purpose, state)} `)
        pressed =
          typed === null
            ? press(state, named("escape"))
            : press(press(state, { kind: "paste", text: typed }).state, named("enter"))
        break
      }
      case "choosing": {
        write([inertLine(mode.reason)])
        const { mine, theirs } = choicesOf(mode.effect)
        const choice = (await lines.ask(`m ${mine}, t ${theirs}, empty decides nothing: `))?.trim() ?? ""
        pressed =
          choice === "m" || choice === "t"
            ? press(state, { kind: "character", text: choice })
            : press(state, named("escape"))
        break
      }
      case "picking": {
        write(mode.options.map((option, at) => `${at + 1} ${inertLine(option.label)}`))
        const number = Number((await lines.ask("Number (empty: back): "))?.trim() || Number.NaN)
        pressed = Number.isInteger(number) ? picked(state, mode, number - 1) : press(state, named("escape"))
        break
      }
      case "lines":
        pressed = await linesChosen(lines, state, write)
        break
    }
  }
}

async function linesChosen(
  lines: LineReader,
  state: ReviewState,
  write: (texts: readonly string[]) => void,
): Promise<Pressed> {
  const texts = numberedLines(state)
  write(texts)
  const range = /^\s*(\d+)(?:\s*-\s*(\d+))?\s*$/.exec((await lines.ask("Which, like 2 or 2-3 (empty: back): ")) ?? "")
  const from = Number(range?.[1] ?? 0)
  const to = Number(range?.[2] ?? from)
  if (from < 1 || to < from || to > texts.length) return press(state, named("escape"))
  const what = (await lines.ask("y accept, n reject, c comment (empty: back): "))?.trim() ?? ""
  const chosen: ReviewState = { ...state, mode: { kind: "lines", cursor: from - 1, anchor: to - 1 } }
  return /^[ync]$/.test(what) ? press(chosen, { kind: "character", text: what }) : press(state, named("escape"))
}

async function done(desk: Desk, lines: LineReader, state: ReviewState, effect: Effect): Promise<ReviewState> {
  if (effect.kind === "edit") return lines.aside(() => perform(desk, state, effect))
  return effect.kind === "redraw" || effect.kind === "suspend" ? state : perform(desk, state, effect)
}

function named(name: Extract<Key, { kind: "named" }>["name"]): Key {
  return { kind: "named", name }
}
