import { type EditorView, WidgetType } from "@codemirror/view"
import { wordMarks } from "@galley/core/diff/presentable.ts"
import { type Line, terminatorOf } from "@galley/core/text/lines.ts"
import { kindOf, placeOf, type ProofHunk } from "./proof.ts"
import { barHeight, proofActions, rowHeight } from "./facets.ts"
import { removedRows } from "./removed-rows.ts"

export interface HunkBlockParts {
  readonly shown: ProofHunk
  readonly index: number
  readonly count: number
  readonly active: boolean
  /** It has buttons. */
  readonly decides: boolean
  /** The text's language is known. */
  readonly coloured: boolean
  /** The removed lines to draw; none where they stand on another side. */
  readonly old: readonly Line[]
  readonly fresh: readonly Line[]
}

/** Pixels. */
const conflictHeight = 132

/** What stands above a hunk's new lines: its bar with the buttons, and the removed lines in place. */
export class HunkBlock extends WidgetType {
  private readonly parts: HunkBlockParts
  private stop: (() => void) | null = null

  constructor(parts: HunkBlockParts) {
    super()
    this.parts = parts
  }

  override eq(other: HunkBlock): boolean {
    return this.parts.active === other.parts.active && this.sameButActive(other)
  }

  override updateDOM(dom: HTMLElement, _view: EditorView, from?: WidgetType): boolean {
    if (!(from instanceof HunkBlock) || !this.sameButActive(from)) return false
    dom.classList.toggle("active", this.parts.active)
    this.stop = from.stop
    return true
  }

  override get estimatedHeight(): number {
    return (
      barHeight +
      this.parts.old.length * rowHeight +
      (this.parts.shown.conflict === null || !this.parts.decides ? 0 : conflictHeight)
    )
  }

  override toDOM(view: EditorView): HTMLElement {
    const { shown, old, fresh, active } = this.parts
    const block = document.createElement("div")
    block.className = `hunk hunk-${kindOf(shown)}${active ? " active" : ""}${shown.aside ? " aside" : ""}`
    block.setAttribute("role", "group")
    block.setAttribute("aria-label", this.label())
    block.append(this.bar(view))
    if (shown.conflict !== null && this.parts.decides) block.append(conflictPanel(view, shown))
    if (old.length > 0) {
      const marks = old.length + fresh.length <= 400 ? wordMarks(old, fresh).old : []
      const ends = old.some((line, at) => terminatorOf(line) !== terminatorOf(fresh[at] ?? fresh.at(-1) ?? line))
      const rows = removedRows(view, { lines: old, first: shown.hunk.fromBase + 1, marks, ends })
      this.stop = rows.stop
      block.append(rows.dom)
    }
    return block
  }

  override destroy(): void {
    this.stop?.()
  }

  override ignoreEvent(): boolean {
    return true
  }

  private sameButActive(other: HunkBlock): boolean {
    const [a, b] = [this.parts, other.parts]
    return (
      a.index === b.index &&
      a.count === b.count &&
      a.coloured === b.coloured &&
      a.decides === b.decides &&
      a.shown.aside === b.shown.aside &&
      a.shown.view?.id === b.shown.view?.id &&
      a.shown.mixed === b.shown.mixed &&
      a.shown.conflict === b.shown.conflict &&
      a.shown.alike?.count === b.shown.alike?.count &&
      a.shown.hunk.fromBase === b.shown.hunk.fromBase &&
      a.shown.hunk.fromCurrent === b.shown.hunk.fromCurrent &&
      sameLines(a.old, b.old) &&
      sameLines(a.fresh, b.fresh)
    )
  }

  private label(): string {
    const { shown, index, count } = this.parts
    const { fromBase, toBase, fromCurrent, toCurrent } = shown.hunk
    const facts = [
      shown.aside ? "Another message’s change" : `Change ${index + 1} of ${count}`,
      placeOf(shown),
      `${toBase - fromBase} removed, ${toCurrent - fromCurrent} added`,
      ...(shown.mixed ? ["holds your text too"] : []),
      ...(shown.conflict === null ? [] : ["conflict"]),
    ]
    return facts.join(", ")
  }

  private bar(view: EditorView): HTMLElement {
    const { shown, index, count } = this.parts
    const actions = view.state.facet(proofActions)
    const bar = document.createElement("div")
    bar.className = "hunk-bar"
    const title = document.createElement("span")
    title.className = "hunk-title"
    title.textContent = shown.aside ? "" : `${index + 1}/${count}`
    title.title = placeOf(shown)
    bar.append(title)
    if (shown.mixed) bar.append(chip("with your text", "mixed"))
    if (shown.conflict !== null) bar.append(chip("conflict", "conflict"))
    if (shown.aside) bar.append(chip("not of this message", "aside"))
    if (!this.parts.decides) return bar
    const buttons = document.createElement("span")
    buttons.className = "hunk-buttons"
    if (shown.alike !== null) {
      const all = button(`Accept all ${shown.alike.count}`, "quiet", () => actions?.alike(shown, "accept"))
      all.title = `${shown.alike.what}: the same in ${shown.alike.files} files`
      buttons.append(all)
    }
    if (shown.conflict === null)
      buttons.append(
        button("Accept", "accept", () => actions?.accept(shown), `Accept change ${index + 1}`),
        button("Reject", "reject", () => actions?.reject(shown), `Reject change ${index + 1}`),
      )
    bar.append(buttons)
    return bar
  }
}

function conflictPanel(view: EditorView, shown: ProofHunk): HTMLElement {
  const panel = document.createElement("div")
  panel.className = "conflict-panel"
  const side = (name: string, text: string, how: "keep-mine" | "take-theirs", verb: string): HTMLElement => {
    const part = document.createElement("div")
    part.className = "conflict-side"
    const head = document.createElement("div")
    head.className = "conflict-head"
    const label = document.createElement("span")
    label.textContent = name
    head.append(
      label,
      button(verb, "quiet", () => view.state.facet(proofActions)?.settle(shown, how)),
    )
    const code = document.createElement("pre")
    code.tabIndex = 0
    code.setAttribute("aria-label", name)
    code.textContent = text === "" ? "(nothing)" : text.slice(0, 20_000)
    part.append(head, code)
    return part
  }
  const { mine = "", theirs = "" } = shown.conflict ?? {}
  panel.append(
    side("The file as it is now", mine, "keep-mine", "Keep this"),
    side("The agent’s", theirs, "take-theirs", "Take this"),
  )
  return panel
}

function chip(text: string, kind: string): HTMLElement {
  const dom = document.createElement("span")
  dom.className = `chip chip-${kind}`
  dom.textContent = text
  return dom
}

function button(text: string, kind: string, act: () => void, label?: string): HTMLButtonElement {
  const dom = document.createElement("button")
  dom.type = "button"
  dom.className = kind
  dom.textContent = text
  if (label !== undefined) dom.setAttribute("aria-label", label)
  // Not on mousedown: the editor must not take the focus, and a key press counts too.
  dom.addEventListener("mousedown", event => event.preventDefault())
  dom.addEventListener("click", act)
  return dom
}

function sameLines(a: readonly Line[], b: readonly Line[]): boolean {
  return a === b || (a.length === b.length && a.every((line, at) => line === b[at]))
}
