/** One JSON-RPC message as it stood on the wire. A message that nobody here changes is passed on letter by letter. */
export interface Wire {
  readonly line: string
  readonly message: Message | null
}

export interface Message {
  readonly id?: string | number | null
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: unknown
  readonly error?: unknown
}

export function parseWire(line: string): Wire {
  try {
    const value: unknown = JSON.parse(line)
    return { line, message: isRecord(value) ? value : null }
  } catch {
    return { line, message: null }
  }
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

export function recordAt(value: unknown, key: string): Readonly<Record<string, unknown>> {
  const inner = isRecord(value) ? value[key] : undefined
  return isRecord(inner) ? inner : {}
}

export function textAt(value: unknown, key: string): string | null {
  const inner = isRecord(value) ? value[key] : undefined
  return typeof inner === "string" ? inner : null
}

export function listAt(value: unknown, key: string): readonly unknown[] {
  const inner = isRecord(value) ? value[key] : undefined
  return Array.isArray(inner) ? (inner as unknown[]) : []
}
