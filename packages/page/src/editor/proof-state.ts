import { language } from "@codemirror/language"
import { type EditorState, type Range, StateEffect, StateField, type Text, type Transaction } from "@codemirror/state"
import { Decoration, type DecorationSet, EditorView } from "@codemirror/view"
import { CommentBlock } from "./comment-block.ts"
import { HunkBlock } from "./hunk-block.ts"
import { decides, drawsRemoved } from "./facets.ts"
import { noProof, type Proof, type ProofHunk } from "./proof.ts"

/** A hunk's place in the editor's text, kept right while it is typed in. Offsets; whole lines. */
export interface Span {
  readonly from: number
  readonly to: number
  readonly shown: ProofHunk
  /** Typed in since the last comparison: its word marks would be wrong. */
  readonly touched: boolean
}

export interface ProofState {
  readonly proof: Proof
  readonly spans: readonly Span[]
  /** The hunk that keys act on. */
  readonly active: number
  readonly blocks: DecorationSet
}

export const setProof = StateEffect.define<Proof>()
export const setActive = StateEffect.define<number>()

export const proofField = StateField.define<ProofState>({
  create: state => build(state, noProof, 0),
  update(value, transaction) {
    let next = value
    for (const effect of transaction.effects) {
      if (effect.is(setProof)) return build(transaction.state, effect.value, next.active)
      if (effect.is(setActive) && effect.value !== next.active)
        next = {
          ...next,
          active: effect.value,
          blocks: blocksOf(transaction.state, next.proof, next.spans, effect.value),
        }
    }
    if (transaction.docChanged) return moved(next, transaction)
    // The language has come: removed lines are coloured too.
    return transaction.startState.facet(language) === transaction.state.facet(language)
      ? next
      : { ...next, blocks: blocksOf(transaction.state, next.proof, next.spans, next.active) }
  },
  provide: field => EditorView.decorations.from(field, value => value.blocks),
})

/** With a proof from the first draw on, so that nothing is measured twice. */
export function proofFromStart(proof: Proof, active: number) {
  return proofField.init(state => build(state, proof, active))
}

function build(state: EditorState, proof: Proof, active: number): ProofState {
  const spans = proof.hunks.map(shown => ({
    from: startOfLine(state.doc, shown.hunk.fromCurrent),
    to: startOfLine(state.doc, shown.hunk.toCurrent),
    shown,
    touched: false,
  }))
  const kept = Math.max(0, Math.min(active, spans.length - 1))
  return { proof, spans, active: kept, blocks: blocksOf(state, proof, spans, kept) }
}

function moved(value: ProofState, { changes }: Transaction): ProofState {
  const spans = value.spans.map(span => ({
    ...span,
    from: changes.mapPos(span.from, span.from === span.to ? 1 : -1),
    to: changes.mapPos(span.to, 1),
    touched: span.touched || changes.touchesRange(span.from, span.to) !== false,
  }))
  return { ...value, spans, blocks: value.blocks.map(changes) }
}

function blocksOf(state: EditorState, proof: Proof, spans: readonly Span[], active: number): DecorationSet {
  const removed = state.facet(drawsRemoved)
  const own = spans.filter(({ shown }) => !shown.aside)
  let index = 0
  const blocks: Range<Decoration>[] = spans.map((span, at) => {
    const { shown } = span
    // Behind a last line without a line end there is no line to stand above of.
    const below = shown.hunk.fromCurrent >= state.doc.lines
    const widget = new HunkBlock({
      shown,
      index: shown.aside ? 0 : index++,
      count: own.length,
      active: at === active && !shown.aside,
      decides: state.facet(decides) && !shown.aside,
      coloured: state.facet(language) !== null,
      old: removed ? proof.base.slice(shown.hunk.fromBase, shown.hunk.toBase) : [],
      fresh: proof.current.slice(shown.hunk.fromCurrent, shown.hunk.toCurrent),
    })
    return Decoration.widget({ widget, block: true, side: below ? 1 : -1 }).range(span.from)
  })
  for (const comment of proof.comments) {
    if (comment.line < 1 || comment.line > state.doc.lines) continue
    const widget = new CommentBlock(comment)
    blocks.push(Decoration.widget({ widget, block: true, side: 2 }).range(state.doc.line(comment.line).to))
  }
  return Decoration.set(blocks, true)
}

export function startOfLine(doc: Text, line: number): number {
  return line < doc.lines ? doc.line(line + 1).from : doc.length
}
