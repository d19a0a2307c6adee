import type { ComponentChildren } from "preact"
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"

/** Rows beyond the screen that are kept ready. */
const overscan = 12

/** A list of equal rows of which only those on the screen are in the page. */
export function VirtualList<T>(props: {
  readonly items: readonly T[]
  readonly rowHeight: number
  readonly label: string
  readonly keyOf: (item: T, index: number) => string
  readonly row: (item: T, index: number) => ComponentChildren
  /** Brought into view when it changes. */
  readonly reveal?: number
  readonly role?: "list" | "table"
  readonly onRange?: (from: number, to: number) => void
}) {
  const { items, rowHeight, reveal, onRange } = props
  const scroller = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ top: 0, height: 600 })
  useLayoutEffect(() => {
    const dom = scroller.current
    if (dom === null) return
    const measure = (): void => setView({ top: dom.scrollTop, height: dom.clientHeight })
    measure()
    const watching = new ResizeObserver(measure)
    watching.observe(dom)
    dom.addEventListener("scroll", measure, { passive: true })
    return () => {
      watching.disconnect()
      dom.removeEventListener("scroll", measure)
    }
  }, [])
  useEffect(() => {
    const dom = scroller.current
    if (dom === null || reveal === undefined || reveal < 0) return
    const top = reveal * rowHeight
    if (top < dom.scrollTop || top + rowHeight > dom.scrollTop + dom.clientHeight)
      dom.scrollTop = Math.max(0, top - dom.clientHeight / 3)
  }, [reveal, rowHeight])
  const from = Math.max(0, Math.floor(view.top / rowHeight) - overscan)
  const to = Math.min(items.length, Math.ceil((view.top + view.height) / rowHeight) + overscan)
  useEffect(() => onRange?.(from, to), [from, to, onRange, items])
  return (
    <div class="virtual" ref={scroller} tabIndex={items.length === 0 ? -1 : 0} role="group" aria-label={props.label}>
      <div class="virtual-all" role={props.role ?? "list"} style={{ height: `${items.length * rowHeight}px` }}>
        {items.slice(from, to).map((item, at) => (
          <div
            key={props.keyOf(item, from + at)}
            class="virtual-row"
            role={props.role === "table" ? "row" : "listitem"}
            aria-setsize={props.role === "table" ? undefined : items.length}
            aria-posinset={props.role === "table" ? undefined : from + at + 1}
            style={{ top: `${(from + at) * rowHeight}px`, height: `${rowHeight}px` }}
          >
            {props.row(item, from + at)}
          </div>
        ))}
      </div>
    </div>
  )
}
