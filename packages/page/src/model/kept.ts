import { useCallback, useState } from "preact/hooks"

/** A value that survives a reload, in this browser, for this server. Where storage is off it lives as long as the page. */
export function useKept<T>(
  name: string,
  first: T,
  isRight: (value: unknown) => value is T,
): [T, (next: T | ((now: T) => T)) => void] {
  const [value, setValue] = useState<T>(() => {
    try {
      const kept: unknown = JSON.parse(localStorage.getItem(`galley-${name}`) ?? "null")
      return isRight(kept) ? kept : first
    } catch {
      return first
    }
  })
  const set = useCallback(
    (next: T | ((now: T) => T)) =>
      setValue(now => {
        const made = typeof next === "function" ? (next as (now: T) => T)(now) : next
        try {
          localStorage.setItem(`galley-${name}`, JSON.stringify(made))
        } catch {
          // Kept for this page only.
        }
        return made
      }),
    [name],
  )
  return [value, set]
}
