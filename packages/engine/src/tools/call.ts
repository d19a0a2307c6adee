import type { FailureData } from "@galley/core/failure.ts"
import type { CallResult } from "@galley/core/protocol/results.ts"
import type { SessionCall } from "../session/session-files.ts"

export function failedCall(error: FailureData): CallResult {
  const text = error.hint === undefined ? error.message : `${error.message} ${error.hint}`
  return {
    version: 1,
    ok: false,
    text,
    capture: "none",
    changes: [],
    error: { code: error.code, message: error.message },
  }
}

/** The call named for people: what the log and a waiting question show. */
export function withTitle(call: SessionCall, tool: string, title: string): SessionCall {
  return { ...call, title, tool: { ...call.tool, tool, summary: title } }
}
