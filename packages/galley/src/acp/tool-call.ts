import { isRecord, listAt, recordAt, textAt } from "./wire.ts"

/** What an ACP agent (protocol v1) says of one of its tool calls, in updates and permission requests. */
export interface ToolCall {
  readonly id: string
  readonly kind: "edit" | "shell" | "galley" | "other"
  readonly title: string
  readonly paths: readonly string[]
  readonly command: string | null
  /** Old texts that the agent gives, by path. Fragments of a file too: those are never taken for its whole. */
  readonly originals: Readonly<Record<string, string>>
}

/** Joins what an update says to what was known of the call. */
export function toolCallOf(update: Readonly<Record<string, unknown>>, known: ToolCall | undefined): ToolCall | null {
  const id = textAt(update, "toolCallId")
  if (id === null) return null
  const input = recordAt(update, "rawInput")
  const title = textAt(update, "title") ?? known?.title ?? ""
  const diffs = listAt(update, "content")
    .filter(isRecord)
    .filter(part => part["type"] === "diff")
  const paths = [
    ...(known?.paths ?? []),
    ...listAt(update, "locations").flatMap(place => textAt(place, "path") ?? []),
    ...diffs.flatMap(diff => textAt(diff, "path") ?? []),
    ...["file_path", "filePath", "path"].flatMap(key => textAt(input, key) ?? []),
  ]
  // gemini-cli 0.61 tells a command in its title only.
  const told = textAt(update, "kind") === "execute" && title !== "" ? title : null
  const command = textAt(input, "command") ?? known?.command ?? told
  const originals = Object.fromEntries(
    diffs.flatMap(diff => {
      const path = textAt(diff, "path")
      const old = textAt(diff, "oldText")
      return path === null || old === null ? [] : [[path, old] as const]
    }),
  )
  return {
    id,
    kind: kindOf(textAt(update, "kind"), title, input, command) ?? known?.kind ?? "other",
    title,
    paths: [...new Set(paths)],
    command,
    originals: { ...known?.originals, ...originals },
  }
}

function kindOf(
  kind: string | null,
  title: string,
  input: Readonly<Record<string, unknown>>,
  command: string | null,
): ToolCall["kind"] | null {
  if (/galley/i.test(title) || /galley/i.test(textAt(input, "server") ?? "")) return "galley"
  switch (kind) {
    case "edit":
    case "delete":
    case "move":
      return "edit"
    case "execute":
      return command === null ? null : "shell"
    case null:
      return null
    default:
      return "other"
  }
}
