import { columnsOf } from "../../src/cli/columns.ts"

/** What a terminal would show: enough of one to read what Galley draws, and strict: a sequence it does not know is an error. */
export interface Screen {
  write(data: string): void
  resize(columns: number, rows: number): void
  /** The rows as text, blanks at their ends cut off; with the alternate screen on, that one. */
  text(): string
  readonly alternate: boolean
  readonly cursorHidden: boolean
}

interface Grid {
  cells: string[][]
  row: number
  column: number
}

export function createScreen(columns: number, rows: number): Screen {
  let size = { columns, rows }
  let held = ""
  let hidden = false
  const empty = (): Grid => ({ cells: Array.from({ length: size.rows }, () => []), row: 0, column: 0 })
  let main = empty()
  let alternate: Grid | null = null
  const grid = (): Grid => alternate ?? main

  function put(character: string): void {
    const at = grid()
    const width = columnsOf(character)
    const line = at.cells[at.row] ?? []
    if (width === 0) {
      const before = Math.max(0, at.column - 1)
      line[before] = (line[before] ?? "") + character
      return
    }
    if (at.column + width > size.columns) {
      at.column = 0
      feed(at)
      put(character)
      return
    }
    while (line.length < at.column) line.push(" ")
    line[at.column] = character
    for (let more = 1; more < width; more++) line[at.column + more] = ""
    at.column += width
  }

  function feed(at: Grid): void {
    if (at.row < size.rows - 1) at.row++
    else {
      at.cells.shift()
      at.cells.push([])
    }
  }

  function control(final: string, given: string): void {
    const at = grid()
    const [first, second] = given.split(";").map(Number)
    if (final === "m") return
    if (final === "H") {
      at.row = Math.min(size.rows, first || 1) - 1
      at.column = Math.min(size.columns, second || 1) - 1
    } else if (final === "K" && given === "") at.cells[at.row]?.splice(at.column)
    else if (final === "K" && given === "2") at.cells[at.row]?.splice(0)
    else if (final === "J" && given === "") {
      at.cells[at.row]?.splice(at.column)
      for (let row = at.row + 1; row < size.rows; row++) at.cells[row] = []
    } else if (given === "?25") hidden = final === "l"
    else if (given === "?1049") alternate = final === "h" ? empty() : null
    else if (given === "?2004" || given === "?7") return
    else throw new Error(`The screen does not know CSI ${given} ${final}`)
  }

  return {
    write(data) {
      let text = held + data
      held = ""
      while (text !== "") {
        const sequence = /^\u001b\[([?0-9;]*)([A-Za-z])/.exec(text)
        if (sequence !== null) {
          control(sequence[2] ?? "", sequence[1] ?? "")
          text = text.slice(sequence[0].length)
          continue
        }
        if (/^\u001b(\[[?0-9;]*)?$/.test(text)) {
          held = text
          return
        }
        const character = String.fromCodePoint(text.codePointAt(0) ?? 0)
        text = text.slice(character.length)
        if (character === "\r") grid().column = 0
        else if (character === "\n") feed(grid())
        else if (character === "\b") grid().column = Math.max(0, grid().column - 1)
        else if (character < " ") throw new Error(`The screen got the control ${JSON.stringify(character)}`)
        else put(character)
      }
    },
    resize(wide, high) {
      size = { columns: wide, rows: high }
      for (const at of [main, ...(alternate === null ? [] : [alternate])]) {
        while (at.cells.length < high) at.cells.push([])
        // As terminals do: the lines above the cursor go first.
        const surplus = at.cells.length - high
        at.cells = at.row >= high ? at.cells.slice(surplus) : at.cells.slice(0, high)
        at.row = Math.min(at.row, high - 1)
        at.column = Math.min(at.column, wide - 1)
      }
    },
    text: () =>
      grid()
        .cells.map(line => line.join("").replace(/ +$/, ""))
        .join("\n"),
    get alternate() {
      return alternate !== null
    },
    get cursorHidden() {
      return hidden
    },
  }
}
