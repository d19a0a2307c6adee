import { Change, MergeView } from "@codemirror/merge"
import { type Extension, type Range, StateEffect, StateField } from "@codemirror/state"
import { Decoration, type DecorationSet, EditorView } from "@codemirror/view"
import { wordMarks } from "@galley/core/diff/presentable.ts"
import { diffLines } from "@galley/core/diff/line-diff.ts"
import { splitLines } from "@galley/core/text/lines.ts"
import { editorChanges, editorTextOf } from "../model/typed-text.ts"
import type { Proof } from "./proof.ts"

export interface Sides {
  /** The current text; the one that is edited and decided in. */
  readonly view: EditorView
  readonly baseView: EditorView
  showBase(proof: Proof): void
  destroy(): void
}

/** Base on the left, current on the right, lines level. Chunks are our own diff's: the component's gives up on long texts. */
export function openSides(
  parent: HTMLElement,
  base: string,
  current: string,
  left: Extension,
  right: Extension,
  folded: boolean,
): Sides {
  const merge = new MergeView({
    parent,
    a: {
      doc: base,
      extensions: [
        left,
        wordField,
        EditorView.editable.of(false),
        EditorView.contentAttributes.of({ "aria-label": "The text before", tabindex: "0" }),
      ],
    },
    b: { doc: current, extensions: right },
    gutter: false,
    highlightChanges: false,
    diffConfig: { override: changesOf },
    ...(folded ? { collapseUnchanged: { margin: 3, minSize: 8 } } : {}),
  })
  return {
    view: merge.b,
    baseView: merge.a,
    showBase(proof) {
      const text = editorTextOf(proof.base)
      merge.a.dispatch({
        changes: editorChanges(merge.a.state.doc.toString(), text),
        effects: setWords.of(oldWords(proof, text)),
      })
    },
    destroy: () => merge.destroy(),
  }
}

const setWords = StateEffect.define<DecorationSet>()
const wordField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(setWords)) return effect.value
    return value.map(transaction.changes)
  },
  provide: field => EditorView.decorations.from(field),
})

/** Larger hunks have no marked words: they read as a whole. */
const mostLines = 200

function oldWords({ base, current, hunks }: Proof, text: string): DecorationSet {
  const found: Range<Decoration>[] = []
  const lines = splitLines(text)
  let done = 0
  let offset = 0
  for (const { hunk } of hunks) {
    for (; done < hunk.fromBase; done++) offset += lines[done]?.length ?? 0
    const size = hunk.toBase - hunk.fromBase + hunk.toCurrent - hunk.fromCurrent
    const marks =
      size > mostLines
        ? []
        : wordMarks(base.slice(hunk.fromBase, hunk.toBase), current.slice(hunk.fromCurrent, hunk.toCurrent)).old
    for (let at = 0; done < hunk.toBase; done++, at++) {
      for (const { from, to } of marks[at] ?? [])
        if (from < to) found.push(wordRemoved.range(offset + from, offset + to))
      offset += lines[done]?.length ?? 0
    }
  }
  return Decoration.set(found)
}

const wordRemoved = Decoration.mark({ class: "word-removed" })

function changesOf(a: string, b: string): Change[] {
  const before = splitLines(a)
  const after = splitLines(b)
  const changes: Change[] = []
  let [atA, atB, doneA, doneB] = [0, 0, 0, 0]
  for (const hunk of diffLines(before, after).hunks) {
    while (doneA < hunk.fromBase) atA += before[doneA++]?.length ?? 0
    while (doneB < hunk.fromCurrent) atB += after[doneB++]?.length ?? 0
    const [fromA, fromB] = [atA, atB]
    while (doneA < hunk.toBase) atA += before[doneA++]?.length ?? 0
    while (doneB < hunk.toCurrent) atB += after[doneB++]?.length ?? 0
    changes.push(new Change(fromA, atA, fromB, atB))
  }
  return changes
}
