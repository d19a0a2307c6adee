import { defaultKeymap, history, historyKeymap } from "@codemirror/commands"
import { indentUnit, syntaxHighlighting } from "@codemirror/language"
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search"
import { Annotation, Compartment, EditorState, type Extension, type StateEffect, Transaction } from "@codemirror/state"
import { EditorView, highlightSpecialChars, keymap } from "@codemirror/view"
import { classHighlighter } from "@lezer/highlight"
import { standInFor } from "../model/inert.ts"
import { editorChanges, editorTextOf } from "../model/typed-text.ts"
import { languageFor } from "./languages.ts"
import { lineMarks } from "./line-marks.ts"
import type { Proof, ProofActions } from "./proof.ts"
import { decides, drawsRemoved, proofActions, rowHeight } from "./facets.ts"
import { foldedFromStart, setFolding } from "./folds.ts"
import { proofField, proofFromStart, setActive, setProof } from "./proof-state.ts"

/** A change that the program made (the server's text), not the person. */
const fromServer = Annotation.define<true>()

/** Above this (characters) syntax is not coloured: parsing ahead of the scroll takes slices of 20 to 50 ms, which is felt. */
const mostColoured = 1_000_000
/** So it is in a file with a longer line. */
const longestColoured = 20_000

export interface ProofEditor {
  text(): string
  /** The file as it is now: only what differs is replaced, so that cursor and scroll position stay. */
  show(proof: Proof, editable: boolean): void
  /** Redraws hunks for the text as it is typed. */
  redraw(proof: Proof): void
  active(): number
  activate(index: number, options: { readonly scroll: boolean }): void
  /** The hunk that a step from the active one leads to; null at the end. */
  beside(step: 1 | -1): number | null
  fold(on: boolean): void
  /** The lines of the selection, from 1; null for a mere cursor. */
  selectedLines(): { readonly from: number; readonly to: number } | null
  cursorLine(): number
  focus(): void
  destroy(): void
}

export interface ProofEditorOptions {
  readonly parent: HTMLElement
  readonly path: string
  readonly nonce: string
  readonly sideBySide: boolean
  readonly folded: boolean
  /** Each change has buttons; not where the text is decided as a whole. */
  readonly decides: boolean
  /** The hunk to begin at. */
  readonly active: number
  readonly actions: ProofActions
  /** The person typed. */
  readonly typed: () => void
  /** Cursor, selection or the active hunk moved. */
  readonly moved: () => void
  /** Keys of the page that work while typing. */
  readonly keys: Extension
}

/** Makes the editor: the file's text, in which the diff stands. */
export async function openProofEditor(
  options: ProofEditorOptions,
  first: Proof,
  editable: boolean,
): Promise<ProofEditor> {
  const canEdit = new Compartment()
  const colours = new Compartment()
  const shared = (own: Extension): Extension => [
    EditorView.cspNonce.of(options.nonce),
    EditorState.lineSeparator.of("\n"),
    EditorState.tabSize.of(4),
    indentUnit.of(first.current.some(line => line.startsWith("\t")) ? "\t" : "  "),
    highlightSpecialChars({
      addSpecialChars: /[\u0080-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufff9-\ufffb]/g,
      render: drawStandIn,
    }),
    search({ top: true }),
    highlightSelectionMatches(),
    syntaxHighlighting(classHighlighter),
    colours.of([]),
    own,
  ]
  const proofSide: Extension = shared([
    options.keys,
    history(),
    keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap]),
    proofFromStart(first, options.active),
    foldedFromStart(options.folded && !options.sideBySide),
    lineMarks,
    proofActions.of(options.actions),
    drawsRemoved.of(!options.sideBySide),
    decides.of(options.decides),
    canEdit.of(editing(editable)),
    EditorView.contentAttributes.of({
      "aria-label": `Text of ${options.path} with its pending changes`,
      spellcheck: "false",
    }),
    EditorView.updateListener.of(update => {
      const own = update.transactions.some(one => one.docChanged && one.annotation(fromServer) !== true)
      if (own) options.typed()
      if (update.geometryChanged) update.view.requestMeasure(widthCheck(options.parent, update.view))
      if (update.selectionSet) {
        followCursor(update.view)
        options.moved()
      }
    }),
  ])
  const text = editorTextOf(first.current)
  const base = editorTextOf(first.base)
  const sides = options.sideBySide
    ? (await import("./side-by-side.ts")).openSides(
        options.parent,
        base,
        text,
        shared(EditorState.readOnly.of(true)),
        proofSide,
        options.folded,
      )
    : null
  const view = sides?.view ?? openAt(options.parent, EditorState.create({ doc: text, extensions: proofSide }))
  if (sides !== null) {
    sides.showBase(first)
    view.dispatch({ effects: placeOfActive(view.state, options.parent) })
  }
  const watching = new ResizeObserver(() => {
    options.parent.style.setProperty("--view-width", `${view.scrollDOM.clientWidth}px`)
  })
  watching.observe(view.scrollDOM)
  if (text.length < mostColoured && !first.current.some(line => line.length > longestColoured))
    void afterPaint(() => languageFor(options.path)).then(found => {
      if (found === null || !view.dom.isConnected) return
      for (const one of sides === null ? [view] : [view, sides.baseView])
        one.dispatch({ effects: colours.reconfigure(found) })
    })

  return {
    text: () => view.state.doc.toString(),
    show(proof, editable) {
      const changes = editorChanges(view.state.doc.toString(), editorTextOf(proof.current))
      sides?.showBase(proof)
      view.dispatch({
        changes,
        effects: [setProof.of(proof), canEdit.reconfigure(editing(editable))],
        annotations: [fromServer.of(true), Transaction.addToHistory.of(false)],
      })
    },
    redraw(proof) {
      sides?.showBase(proof)
      view.dispatch({ effects: setProof.of(proof) })
    },
    active: () => view.state.field(proofField).active,
    activate(index, { scroll }) {
      const span = view.state.field(proofField).spans[index]
      if (span === undefined) return
      view.dispatch({ effects: setActive.of(index) })
      if (scroll) view.dispatch({ effects: placeOfActive(view.state, options.parent) })
      options.moved()
    },
    beside(step) {
      const { spans, active } = view.state.field(proofField)
      for (let at = active + step; at >= 0 && at < spans.length; at += step)
        if (spans[at]?.shown.aside === false) return at
      return null
    },
    fold(on) {
      view.dispatch({ effects: setFolding.of(on) })
      view.dispatch({ effects: placeOfActive(view.state, options.parent) })
    },
    selectedLines() {
      const { from, to, empty } = view.state.selection.main
      if (empty) return null
      const last = view.state.doc.lineAt(to)
      const first = view.state.doc.lineAt(from).number
      // A selection that ends before the first character of a line does not mean that line.
      return { from: first, to: Math.max(first, last.from === to ? last.number - 1 : last.number) }
    },
    cursorLine: () => view.state.doc.lineAt(view.state.selection.main.head).number,
    focus: () => view.focus(),
    destroy() {
      watching.disconnect()
      if (sides === null) view.destroy()
      else sides.destroy()
    },
  }
}

/** The text first, then its colours. */
async function afterPaint<T>(work: () => Promise<T>): Promise<T> {
  await new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)))
  return work()
}

function drawStandIn(code: number, description: string | null, placeholder: string): HTMLElement {
  const dom = document.createElement("span")
  dom.className = "cm-specialChar"
  dom.textContent = standInFor(code) ?? placeholder
  dom.title = description ?? ""
  return dom
}

/** Numbers stay in place only where the text can be scrolled sideways: keeping them there costs at every frame. */
function widthCheck(parent: HTMLElement, view: EditorView) {
  return {
    key: parent,
    read: () => view.scrollDOM.scrollWidth > view.scrollDOM.clientWidth + 1,
    write: (wide: boolean) => void parent.classList.toggle("wide", wide),
  }
}

function editing(on: boolean): Extension {
  return on
    ? []
    : [EditorState.readOnly.of(true), EditorView.editable.of(false), EditorView.contentAttributes.of({ tabindex: "0" })]
}

/** Opened where its active hunk is: measured once, not at the top first. */
function openAt(parent: HTMLElement, state: EditorState): EditorView {
  const [scrollTo] = placeOfActive(state, parent)
  return new EditorView({ parent, state, ...(scrollTo === undefined ? {} : { scrollTo }) })
}

/** Brings the active hunk into view. Its bar stands above the text: some room is left for it and for what was removed. */
function placeOfActive(state: EditorState, parent: HTMLElement): StateEffect<unknown>[] {
  const { spans, active } = state.field(proofField)
  const span = spans[active]
  if (span === undefined) return []
  const { fromBase, toBase } = span.shown.hunk
  const removed = state.facet(drawsRemoved) ? (toBase - fromBase) * rowHeight : 0
  const yMargin = Math.min(70 + removed, Math.max(70, parent.clientHeight * 0.6))
  return [EditorView.scrollIntoView(span.from, { y: "start", yMargin })]
}

/** A cursor that is put into a hunk makes it the one that keys act on. */
function followCursor(view: EditorView): void {
  const { spans, active } = view.state.field(proofField)
  const head = view.state.selection.main.head
  const at = spans.findIndex(span => span.from <= head && head < Math.max(span.to, span.from + 1))
  if (at >= 0 && at !== active) queueMicrotask(() => view.dispatch({ effects: setActive.of(at) }))
}
