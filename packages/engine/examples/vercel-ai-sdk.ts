/**
 * Galley's two tools for the Vercel AI SDK: `generateText({ tools: galleyTools(workspace, "chat-1"), … })`.
 *
 * Written against the shape that `dynamicTool({ description, inputSchema, execute })` of the package `ai` takes, which is not a
 * dependency here: pass its `dynamicTool` and `jsonSchema` in.
 */
import { editDescription, editInputSchema, editToolName } from "@galley/core/tool/edit-schema.ts"
import { shellDescription, shellInputSchema, shellToolName } from "@galley/core/tool/shell-schema.ts"
import type { Workspace } from "@galley/engine/workspace.ts"

export interface AiSdk<Tool, Schema> {
  jsonSchema(schema: unknown): Schema
  dynamicTool(tool: {
    readonly description: string
    readonly inputSchema: Schema
    readonly execute: (
      input: unknown,
      options: { readonly toolCallId: string; readonly abortSignal?: AbortSignal },
    ) => Promise<string>
  }): Tool
}

export function galleyTools<Tool, Schema>(
  sdk: AiSdk<Tool, Schema>,
  workspace: Workspace,
  conversation: string,
): Readonly<Record<string, Tool>> {
  const make = (tool: string, description: string, schema: unknown): Tool =>
    sdk.dynamicTool({
      description,
      inputSchema: sdk.jsonSchema(schema),
      execute: async (input, { toolCallId, abortSignal }) => {
        const requests = workspace.as({ actor: "agent", conversation, callId: toolCallId })
        const given = typeof input === "object" && input !== null ? (input as Record<string, unknown>) : {}
        const result = await requests.call(
          { tool, input: given },
          abortSignal === undefined ? {} : { signal: abortSignal },
        )
        return result.text
      },
    })
  return {
    [editToolName]: make(editToolName, editDescription, editInputSchema),
    [shellToolName]: make(shellToolName, shellDescription, shellInputSchema),
  }
}
