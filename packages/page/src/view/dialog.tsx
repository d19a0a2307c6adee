import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"

/** A modal dialog: the browser's own, so focus stays in it, Escape closes it and focus goes back. */
export function Dialog(props: {
  readonly title: string
  readonly close: () => void
  readonly children: ComponentChildren
  readonly actions?: ComponentChildren
  readonly wide?: boolean
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const before = document.activeElement
    dialog.current?.showModal()
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      class={props.wide === true ? "dialog wide" : "dialog"}
      aria-label={props.title}
      onCancel={event => {
        event.preventDefault()
        props.close()
      }}
      onClick={event => {
        if (event.target === dialog.current) props.close()
      }}
    >
      <div class="dialog-inside">
        <header class="dialog-head">
          <h2>{props.title}</h2>
          <button type="button" class="icon" aria-label="Close" onClick={props.close}>
            ✕
          </button>
        </header>
        <div class="dialog-body">{props.children}</div>
        {props.actions === undefined ? null : <footer class="dialog-actions">{props.actions}</footer>}
      </div>
    </dialog>
  )
}
