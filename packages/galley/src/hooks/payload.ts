import { isAbsolute, resolve } from "node:path"
import type { HookEvent, ToolUse, Who } from "./event.ts"

export type Payload = Readonly<Record<string, unknown>>

export function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null
}

/** An id of another program: bounded. */
export function idOf(value: unknown): string | null {
  const text = textOf(value)
  return text === null || text.length > 200 ? null : text
}

export function recordOf(value: unknown): Payload {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Payload) : {}
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : []
}

export function absolutePath(cwd: string | null, given: unknown): string[] {
  const text = textOf(given)
  if (text === null || text.includes("\0")) return []
  if (isAbsolute(text)) return [text]
  return cwd === null ? [] : [resolve(cwd, text)]
}

/** Says what was there instead of what was expected: names of fields, never their contents. */
export function strange(who: Who, payload: Payload, what: string): HookEvent {
  const keys = Object.keys(payload).slice(0, 40).join(", ")
  return { kind: "strange", who, problem: `${what}; fields: ${keys === "" ? "none" : keys}` }
}

/** Name of one of Galley's tools within the name that an agent gives it, or null. */
export function galleyTool(name: string, pattern: RegExp): string | null {
  return pattern.exec(name)?.[1] ?? null
}

export function editTitle(verb: "Edit" | "Write" | "Patch", paths: readonly string[], cwd: string | null): string {
  const shown = paths.map(path => (cwd !== null && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path))
  return `${verb} ${shown.slice(0, 3).join(", ")}${shown.length > 3 ? ` and ${shown.length - 3} more` : ""}`
}

/** An edit tool whose input does not name a file the way it did: seen, but nothing could be kept. */
export function editOrStrange(
  tool: ToolUse & { readonly kind: "edit" },
  who: Who,
  payload: Payload,
): ToolUse | HookEvent {
  return tool.paths.length > 0 ? tool : strange(who, payload, `${tool.name} names no file`)
}
