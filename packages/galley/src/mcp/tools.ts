import { editDescription, editInputSchema, editToolName } from "@galley/core/tool/edit-schema.ts"
import { shellDescription, shellInputSchema, shellToolName } from "@galley/core/tool/shell-schema.ts"
import type { Tool } from "@modelcontextprotocol/server"

/** Said to models that read a server's instructions. Stable: it sits in their prompt cache. */
export const instructions =
  "Galley records every change made through its tools, so that a person can review each one and take it back. Edit files with " +
  "str_replace_editor and run commands with bash. An answer may carry notes from the person: rejected changes, edits, comments. Follow them."

/** The tools, in the order and the letters that models cache. No output schema: models pay for it and clients differ in it. */
export const tools: readonly Tool[] = [
  {
    name: editToolName,
    title: "Edit files",
    description: editDescription,
    inputSchema: mutable(editInputSchema),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  },
  {
    name: shellToolName,
    title: "Run a command",
    description: shellDescription,
    inputSchema: mutable(shellInputSchema),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  },
]

/** The SDK's types ask for arrays that could be written to; a copy is cheaper than an argument. */
function mutable(schema: typeof editInputSchema | typeof shellInputSchema): Tool["inputSchema"] {
  return structuredClone(schema) as unknown as Tool["inputSchema"]
}
