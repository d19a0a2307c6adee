import type { FailureData } from "@galley/core/failure.ts"
import { Failure } from "@galley/core/failure.ts"
import type { CallResult } from "@galley/core/protocol/results.ts"
import type { CallToolResult } from "@modelcontextprotocol/server"

/**
 * A call's result for a client. The text and the structured part each say everything: Claude Code and Codex show the model only the
 * structured one, Gemini CLI and opencode only the text.
 */
export function toolResult(result: CallResult): CallToolResult {
  return {
    content: [{ type: "text", text: result.text }],
    structuredContent: { ...result },
    ...(result.ok ? {} : { isError: true }),
  }
}

/** A trouble that kept a call from being made at all. */
export function failedCall(error: unknown): CallResult {
  const data = failureData(error)
  const text = data.hint === undefined ? data.message : `${data.message}\n${data.hint}`
  return {
    version: 1,
    ok: false,
    text,
    capture: "none",
    changes: [],
    error: { code: data.code, message: data.message },
  }
}

function failureData(error: unknown): FailureData {
  if (error instanceof Failure) return error.toData()
  // Our own bug, or the system's trouble: the model can only be told; the stack goes to standard error.
  return { code: "STORE_FAILED", message: `Galley failed: ${error instanceof Error ? error.message : String(error)}` }
}
