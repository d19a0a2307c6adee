import { type EditorView, WidgetType } from "@codemirror/view"
import type { LineComment } from "./proof.ts"
import { proofActions } from "./facets.ts"
import { inertText } from "../model/inert.ts"

/** A comment under its line. */
export class CommentBlock extends WidgetType {
  private readonly comment: LineComment
  constructor(comment: LineComment) {
    super()
    this.comment = comment
  }

  override eq(other: CommentBlock): boolean {
    const { id, text, state } = this.comment
    return other.comment.id === id && other.comment.text === text && other.comment.state === state
  }

  override get estimatedHeight(): number {
    return 44
  }

  override toDOM(view: EditorView): HTMLElement {
    const { id, text, state, line } = this.comment
    const box = document.createElement("div")
    box.className = `comment comment-${state}`
    box.setAttribute("role", "note")
    box.setAttribute("aria-label", `Comment on line ${line}`)
    const said = document.createElement("p")
    said.textContent = inertText(text)
    const label = document.createElement("span")
    label.className = "comment-state"
    label.textContent = { draft: "not sent yet", sent: "waits for the agent", delivered: "read by the agent" }[state]
    box.append(said, label)
    if (state === "draft") {
      const drop = document.createElement("button")
      drop.type = "button"
      drop.className = "quiet"
      drop.textContent = "Discard"
      drop.addEventListener("click", () => view.state.facet(proofActions)?.dropComment(id))
      box.append(drop)
    }
    return box
  }

  override ignoreEvent(): boolean {
    return true
  }
}
