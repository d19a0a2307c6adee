/** What was typed and is not acknowledged by the server yet, kept over a reload. Over the text it was typed into. */
export interface Draft {
  readonly origin: string
  readonly text: string
}

export function readDraft(storage: Storage, path: string): Draft | null {
  try {
    const kept: unknown = JSON.parse(storage.getItem(key(path)) ?? "null")
    if (typeof kept !== "object" || kept === null) return null
    const { origin, text } = kept as Partial<Draft>
    return typeof origin === "string" && typeof text === "string" ? { origin, text } : null
  } catch {
    return null
  }
}

/** False where the browser has no room for it: the page then warns before it is left. */
export function keepDraft(storage: Storage, path: string, draft: Draft | null): boolean {
  try {
    if (draft === null) storage.removeItem(key(path))
    else storage.setItem(key(path), JSON.stringify(draft))
    return true
  } catch {
    return draft === null
  }
}

function key(path: string): string {
  return `galley-draft ${path}`
}
