import { language } from "@codemirror/language"
import type { EditorView } from "@codemirror/view"
import type { Mark } from "@galley/core/diff/presentable.ts"
import { contentOf, type Line, terminatorOf } from "@galley/core/text/lines.ts"
import { classHighlighter, highlightTree } from "@lezer/highlight"
import { inertPieces } from "../model/inert.ts"
import { proofActions, rowHeight } from "./facets.ts"

/** Fewer removed lines than this are simply there; of more only those on the screen are. */
const windowedFrom = 200
const overscan = 30
/** Longer removed texts are not coloured: telling the tokens apart would hold up the scroll. */
const mostColoured = 20_000

/** The removed lines of a hunk as rows with their old numbers; a number is a button that takes its line into the selection. */
export function removedRows(
  view: EditorView,
  given: {
    readonly lines: readonly Line[]
    readonly first: number
    readonly marks: readonly (readonly Mark[])[]
    readonly ends: boolean
  },
): { readonly dom: HTMLElement; readonly stop: () => void } {
  const { lines, first } = given
  const dom = document.createElement("div")
  dom.className = "removed"
  dom.setAttribute("role", "list")
  dom.setAttribute("aria-label", lines.length === 1 ? "1 removed line" : `${lines.length} removed lines`)
  const colours = colour(view, lines)
  let chosen: { from: number; to: number } | null = null
  const windowed = lines.length > windowedFrom
  const rows = new Map<number, HTMLElement>()
  if (windowed) {
    dom.classList.add("windowed")
    dom.style.height = `${lines.length * rowHeight}px`
  }
  const scroller = view.scrollDOM
  const draw = (): void => {
    const top = windowed ? scroller.getBoundingClientRect().top - dom.getBoundingClientRect().top : 0
    const from = windowed ? Math.max(0, Math.floor(top / rowHeight) - overscan) : 0
    const to = windowed
      ? Math.min(lines.length, from + Math.ceil(scroller.clientHeight / rowHeight) + 2 * overscan)
      : lines.length
    for (const [at, row] of rows)
      if (at < from || at >= to) {
        row.remove()
        rows.delete(at)
      }
    for (let at = from; at < to; at++) {
      if (rows.has(at)) continue
      const row = makeRow(at)
      if (windowed) row.style.top = `${at * rowHeight}px`
      rows.set(at, row)
      dom.append(row)
    }
  }
  const makeRow = (at: number): HTMLElement => {
    const line = lines[at] ?? ""
    const row = document.createElement("div")
    row.className = "row"
    row.setAttribute("role", "listitem")
    const number = document.createElement("button")
    number.type = "button"
    number.className = "old-number"
    number.textContent = String(first + at)
    number.setAttribute("aria-label", `Choose removed line ${first + at}`)
    number.setAttribute("aria-pressed", String(isChosen(at)))
    number.tabIndex = -1
    number.addEventListener("mousedown", event => event.preventDefault())
    number.addEventListener("click", event => choose(at, event.shiftKey))
    const text = document.createElement("del")
    fill(text, contentOf(line), given.marks[at] ?? [], colours[at] ?? [])
    row.append(number, text)
    if (given.ends) {
      const end = document.createElement("span")
      end.className = "line-end"
      end.textContent = { "\n": "LF", "\r\n": "CRLF", "": "no line end" }[terminatorOf(line)]
      row.append(end)
    }
    return row
  }
  const isChosen = (at: number): boolean => chosen !== null && at >= chosen.from && at <= chosen.to
  const choose = (at: number, extend: boolean): void => {
    if (chosen !== null && extend) chosen = { from: Math.min(chosen.from, at), to: Math.max(chosen.to, at) }
    else chosen = isChosen(at) && chosen?.from === chosen?.to ? null : { from: at, to: at }
    for (const [one, row] of rows) row.querySelector("button")?.setAttribute("aria-pressed", String(isChosen(one)))
    view.state
      .facet(proofActions)
      ?.oldLines(chosen === null ? null : { from: first + chosen.from, to: first + chosen.to })
  }
  let asked = false
  const onScroll = (): void => {
    if (asked) return
    asked = true
    requestAnimationFrame(() => {
      asked = false
      if (dom.isConnected) draw()
    })
  }
  if (windowed) {
    scroller.addEventListener("scroll", onScroll, { passive: true })
    // Its place is known only once it stands in the page.
    requestAnimationFrame(draw)
  } else draw()
  return { dom, stop: () => scroller.removeEventListener("scroll", onScroll) }
}

interface Coloured {
  readonly from: number
  readonly to: number
  readonly classes: string
}

function fill(dom: HTMLElement, text: string, marks: readonly Mark[], colours: readonly Coloured[]): void {
  const cuts = new Set([0, text.length])
  for (const { from, to } of [...marks, ...colours])
    cuts.add(Math.min(from, text.length)).add(Math.min(to, text.length))
  const places = [...cuts].sort((a, b) => a - b)
  for (let at = 0; at + 1 < places.length; at++) {
    const [from = 0, to = 0] = [places[at], places[at + 1]]
    const classes = colours.find(one => one.from <= from && one.to >= to)?.classes ?? ""
    const word = marks.some(mark => mark.from <= from && mark.to >= to)
    for (const piece of inertPieces(text.slice(from, to))) {
      const names = [classes, word ? "word" : "", piece.standIn ? "stand-in" : ""].filter(name => name !== "").join(" ")
      if (names === "") dom.append(piece.text)
      else {
        const span = document.createElement("span")
        span.className = names
        span.textContent = piece.text
        dom.append(span)
      }
    }
  }
}

/** Tokens by line. The removed text is parsed by itself, so the inside of a long comment or string may look like code. */
function colour(view: EditorView, lines: readonly Line[]): Coloured[][] {
  const parser = view.state.facet(language)?.parser
  const text = lines.join("")
  if (parser === undefined || text.length > mostColoured) return []
  const byLine: Coloured[][] = lines.map(() => [])
  const starts: number[] = []
  let offset = 0
  for (const line of lines) {
    starts.push(offset)
    offset += line.length
  }
  let at = 0
  highlightTree(parser.parse(text), classHighlighter, (from, to, classes) => {
    while (at + 1 < starts.length && (starts[at + 1] ?? 0) <= from) at++
    for (let line = at; line < starts.length && (starts[line] ?? 0) < to; line++) {
      const start = starts[line] ?? 0
      const length = contentOf(lines[line] ?? "").length
      const cut = { from: Math.max(0, from - start), to: Math.min(length, to - start), classes }
      if (cut.from < cut.to) byLine[line]?.push(cut)
    }
  })
  return byLine
}
