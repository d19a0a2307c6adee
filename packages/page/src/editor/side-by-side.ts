import { Change, MergeView } from "@codemirror/merge"
import type { Extension } from "@codemirror/state"
import { EditorView } from "@codemirror/view"
import { diffLines } from "@galley/core/diff/line-diff.ts"
import { splitLines } from "@galley/core/text/lines.ts"
import { editorChanges } from "../model/typed-text.ts"

export interface Sides {
  /** The current text; the one that is edited and decided in. */
  readonly view: EditorView
  readonly baseView: EditorView
  showBase(text: string): void
  destroy(): void
}

/** Base on the left, current on the right, lines level. Chunks are our own diff's: the component's gives up on long texts. */
export function openSides(
  parent: HTMLElement,
  base: string,
  current: string,
  left: Extension,
  right: Extension,
): Sides {
  const merge = new MergeView({
    parent,
    a: {
      doc: base,
      extensions: [
        left,
        EditorView.editable.of(false),
        EditorView.contentAttributes.of({ "aria-label": "The text before", tabindex: "0" }),
      ],
    },
    b: { doc: current, extensions: right },
    gutter: false,
    highlightChanges: true,
    diffConfig: { override: changesOf },
  })
  return {
    view: merge.b,
    baseView: merge.a,
    showBase(text) {
      const changes = editorChanges(merge.a.state.doc.toString(), text)
      if (changes.length > 0) merge.a.dispatch({ changes })
    },
    destroy: () => merge.destroy(),
  }
}

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
