import { type EditorState, type Range, StateEffect, StateField, type Transaction } from "@codemirror/state"
import { Decoration, type DecorationSet, EditorView, WidgetType } from "@codemirror/view"
import { foldable, type Stretch } from "../model/folds.ts"
import { proofField, setProof } from "./proof-state.ts"

interface Folds {
  readonly on: boolean
  /** What the person opened, as offsets: it stays open when changes go. */
  readonly opened: readonly Stretch[]
  readonly bars: DecorationSet
}

export const setFolding = StateEffect.define<boolean>()
const openFold = StateEffect.define<Stretch>()

/** Unchanged text as bars that open at a click. The text itself is whole: a search and the cursor open what they go into. */
export const foldField = StateField.define<Folds>({
  create: () => ({ on: false, opened: [], bars: Decoration.none }),
  update(value, transaction) {
    let { on, opened } = value
    let anew = false
    if (transaction.docChanged && opened.length > 0)
      opened = opened.map(({ from, to }) => ({
        from: transaction.changes.mapPos(from, -1),
        to: transaction.changes.mapPos(to, 1),
      }))
    for (const effect of transaction.effects) {
      if (effect.is(setFolding)) [on, opened, anew] = [effect.value, [], true]
      else if (effect.is(openFold)) [opened, anew] = [[...opened, effect.value], true]
      else if (effect.is(setProof)) anew = true
    }
    const entered = on && transaction.selection !== undefined ? foldAt(value, transaction) : null
    if (entered !== null) [opened, anew] = [[...opened, entered], true]
    if (anew) return { on, opened, bars: on ? barsOf(transaction.state, opened) : Decoration.none }
    return transaction.docChanged ? { on, opened, bars: value.bars.map(transaction.changes) } : value
  },
  provide: field => EditorView.decorations.from(field, value => value.bars),
})

/** Folding from the first draw on. */
export function foldedFromStart(on: boolean) {
  return foldField.init(state => ({ on, opened: [], bars: on ? barsOf(state, []) : Decoration.none }))
}

/** The fold that the selection was put into; null for none. */
function foldAt({ bars }: Folds, transaction: Transaction): Stretch | null {
  const { head } = transaction.newSelection.main
  let found: Stretch | null = null
  bars.map(transaction.changes).between(head, head, (from, to) => {
    if (from <= head && head <= to) found = { from, to }
  })
  return found
}

function barsOf(state: EditorState, opened: readonly Stretch[]): DecorationSet {
  const { doc } = state
  const { proof, spans } = state.field(proofField)
  const lineAt = (offset: number): number => doc.lineAt(Math.min(offset, doc.length)).number - 1
  const changes = spans.map(({ shown }) => ({ from: shown.hunk.fromCurrent, to: shown.hunk.toCurrent }))
  const kept = [
    ...opened.map(({ from, to }) => ({ from: lineAt(from), to: lineAt(to) + 1 })),
    ...proof.comments.map(({ line }) => ({ from: line - 1, to: line })),
  ]
  // Behind the last line end there is an empty line, which nobody counts.
  const lines = doc.line(doc.lines).length === 0 ? doc.lines - 1 : doc.lines
  const bars: Range<Decoration>[] = foldable(lines, changes, kept).map(({ from, to }) =>
    Decoration.replace({ widget: new FoldBar(to - from), block: true }).range(doc.line(from + 1).from, doc.line(to).to),
  )
  return Decoration.set(bars)
}

class FoldBar extends WidgetType {
  private readonly lines: number
  constructor(lines: number) {
    super()
    this.lines = lines
  }

  override eq(other: FoldBar): boolean {
    return other.lines === this.lines
  }

  override get estimatedHeight(): number {
    return 24
  }

  override toDOM(view: EditorView): HTMLElement {
    const bar = document.createElement("button")
    bar.type = "button"
    bar.className = "fold"
    bar.textContent = `⋯ ${this.lines.toLocaleString("en")} unchanged lines`
    bar.title = "Show them"
    bar.addEventListener("mousedown", event => event.preventDefault())
    bar.addEventListener("click", () => {
      const at = view.posAtDOM(bar)
      view.state.field(foldField).bars.between(at, at, (from, to) => {
        queueMicrotask(() => view.dispatch({ effects: openFold.of({ from, to }) }))
        return false
      })
    })
    return bar
  }

  override ignoreEvent(): boolean {
    return true
  }
}
