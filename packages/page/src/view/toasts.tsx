import { useCallback, useRef, useState } from "preact/hooks"
import { inertText } from "../model/inert.ts"

export interface Toast {
  readonly id: number
  readonly text: string
  readonly action?: { readonly label: string; readonly act: () => void }
}

/** Longer than one reads; a pointer on it or the focus in it holds it (ms). */
const stays = 7000

/** Short notices with, at most, one thing to do. */
export function useToasts(): {
  readonly toasts: readonly Toast[]
  readonly say: (text: string, action?: Toast["action"]) => void
  readonly drop: (id: number) => void
} {
  const [toasts, setToasts] = useState<readonly Toast[]>([])
  const next = useRef(1)
  const drop = useCallback((id: number) => setToasts(all => all.filter(one => one.id !== id)), [])
  const say = useCallback(
    (text: string, action?: Toast["action"]) => {
      const id = next.current++
      setToasts(all => [
        ...all.filter(one => one.text !== text).slice(-1),
        { id, text, ...(action === undefined ? {} : { action }) },
      ])
      setTimeout(() => drop(id), stays)
    },
    [drop],
  )
  return { toasts, say, drop }
}

export function Toasts({ toasts, drop }: { readonly toasts: readonly Toast[]; readonly drop: (id: number) => void }) {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.map(({ id, text, action }) => (
        <div key={id} class="toast">
          <span>{inertText(text)}</span>
          {action === undefined ? null : (
            <button
              type="button"
              onClick={() => {
                action.act()
                drop(id)
              }}
            >
              {action.label}
            </button>
          )}
          <button type="button" class="icon" aria-label="Dismiss" onClick={() => drop(id)}>
            ✕
          </button>
        </div>
      ))}
    </div>
  )
}
