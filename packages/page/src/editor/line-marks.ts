import { RangeSetBuilder } from "@codemirror/state"
import {
  Decoration,
  type DecorationSet,
  type EditorView,
  ViewPlugin,
  type ViewUpdate,
  WidgetType,
} from "@codemirror/view"
import { type WordMarks, wordMarks } from "@galley/core/diff/presentable.ts"
import { type Line, terminatorOf } from "@galley/core/text/lines.ts"
import { proofField, type Span } from "./proof-state.ts"

/** Larger hunks have no marked words: they read as a whole. */
const mostLines = 400

/** Numbers, tints and marked words of the lines on the screen. Nothing is made for the others. */
export const lineMarks = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet
    private readonly words = new WeakMap<object, WordMarks>()

    constructor(view: EditorView) {
      this.decorations = this.draw(view)
    }

    update(update: ViewUpdate): void {
      if (
        update.docChanged ||
        update.viewportChanged ||
        update.startState.field(proofField) !== update.state.field(proofField)
      )
        this.decorations = this.draw(update.view)
    }

    private draw(view: EditorView): DecorationSet {
      const { proof, spans, active } = view.state.field(proofField)
      const { doc } = view.state
      const builder = new RangeSetBuilder<Decoration>()
      for (const { from, to } of view.visibleRanges) {
        let at = firstSpanAfter(spans, from)
        for (let position = from; position <= to; ) {
          const line = doc.lineAt(position)
          while (at < spans.length && isBehind(spans[at], line.from, line.to, doc.length)) at++
          const span = spans[at]
          const inside = span !== undefined && span.from < span.to && line.from >= span.from && line.from < span.to
          const lastLine =
            span !== undefined &&
            line.number === doc.lines &&
            span.to === doc.length &&
            line.from >= span.from &&
            span.from < span.to
          const number = line.number
          if (span !== undefined && (inside || lastLine)) {
            const author = proof.authors[number - 1]
            const whose = author === "person" || author === "altered" ? " yours" : ""
            builder.add(line.from, line.from, added(number, `${whose}${at === active ? " in-active" : ""}`))
            if (!span.touched) this.addWords(builder, span, proof, number, line.from, line.to)
          } else {
            const before = spans[at - 1]
            const old = before === undefined ? number : number - before.shown.hunk.toCurrent + before.shown.hunk.toBase
            builder.add(line.from, line.from, same(old, number))
          }
          position = line.to + 1
        }
      }
      return builder.finish()
    }

    private addWords(
      builder: RangeSetBuilder<Decoration>,
      { shown }: Span,
      proof: { readonly base: readonly Line[]; readonly current: readonly Line[] },
      number: number,
      from: number,
      to: number,
    ): void {
      const { fromBase, toBase, fromCurrent, toCurrent } = shown.hunk
      if (toBase === fromBase || toBase - fromBase + toCurrent - fromCurrent > mostLines) return
      const old = proof.base.slice(fromBase, toBase)
      const fresh = proof.current.slice(fromCurrent, toCurrent)
      let marks = this.words.get(shown)
      if (marks === undefined) this.words.set(shown, (marks = wordMarks(old, fresh)))
      const at = number - 1 - fromCurrent
      for (const mark of marks.new[at] ?? [])
        if (from + mark.from < Math.min(to, from + mark.to))
          builder.add(from + mark.from, Math.min(to, from + mark.to), wordMark)
      const line = fresh[at]
      if (line !== undefined && terminatorOf(line) !== terminatorOf(old[at] ?? old.at(-1) ?? line))
        builder.add(to, to, Decoration.widget({ widget: new LineEnd(terminatorOf(line)), side: 1 }))
    }
  },
  { decorations: plugin => plugin.decorations },
)

const wordMark = Decoration.mark({ class: "word-added" })

function added(number: number, more: string): Decoration {
  return Decoration.line({ class: `added${more}`, attributes: { "data-new": String(number) } })
}

function same(old: number, number: number): Decoration {
  return Decoration.line({ attributes: { "data-old": String(old), "data-new": String(number) } })
}

/** The first span that does not end before the offset. */
function firstSpanAfter(spans: readonly Span[], offset: number): number {
  let from = 0
  let to = spans.length
  while (from < to) {
    const middle = (from + to) >> 1
    if ((spans[middle]?.to ?? 0) < offset) from = middle + 1
    else to = middle
  }
  return from
}

function isBehind(span: Span | undefined, lineFrom: number, lineTo: number, end: number): boolean {
  if (span === undefined) return false
  if (span.from === span.to) return span.from <= lineFrom && !(span.from === end && lineTo === end && lineFrom < end)
  return span.to <= lineFrom && !(span.to === end && lineTo === end && lineFrom === span.from)
}

class LineEnd extends WidgetType {
  private readonly end: "\n" | "\r\n" | ""
  constructor(end: "\n" | "\r\n" | "") {
    super()
    this.end = end
  }
  override eq(other: LineEnd): boolean {
    return other.end === this.end
  }
  override toDOM(): HTMLElement {
    const dom = document.createElement("span")
    dom.className = "line-end"
    dom.textContent = { "\n": "LF", "\r\n": "CRLF", "": "no line end" }[this.end]
    return dom
  }
}
