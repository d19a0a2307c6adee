import { useEffect, useRef } from "preact/hooks"

/** Single keys, where nothing is being typed and no dialog is open. Keys with Ctrl, Alt or Meta are the browser's and the editor's. */
export function usePageKeys(keys: Readonly<Record<string, () => void>>): void {
  const now = useRef(keys)
  now.current = keys
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
      if (isTyping(event.target) || document.querySelector("dialog[open]") !== null) return
      const act = now.current[event.key]
      if (act === undefined) return
      event.preventDefault()
      act()
    }
    addEventListener("keydown", onKey)
    return () => removeEventListener("keydown", onKey)
  }, [])
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target instanceof HTMLInputElement ||
      target instanceof HTMLTextAreaElement ||
      target instanceof HTMLSelectElement) &&
    !(target instanceof HTMLInputElement && (target.type === "checkbox" || target.type === "radio"))
  )
}
