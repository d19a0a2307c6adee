import type { CallResult } from "@galley/core/protocol/results.ts"
import type { SessionCall } from "../session/session-files.ts"
import { changeView } from "../session/history-views.ts"
import type { EditResult } from "./edit-tool.ts"

/** The edit tool's result in the shape that every call has. */
export function editResult(result: EditResult, call: SessionCall): CallResult {
  const changes = call.recorded.flatMap(outcome => outcome.operation?.changes ?? [])
  return {
    version: 1,
    ok: result.ok,
    text: result.text,
    capture: changes.length > 0 ? call.capture : "none",
    changes: result.ok ? changes.map(changeView) : [],
    ...(result.error === undefined ? {} : { error: { code: result.error.code, message: result.error.message } }),
    locations: result.locations.map(location => ({ ...location })),
    diffs: result.diffs.map(card => ({ ...card })),
    ...(result.held === true ? { held: true } : {}),
  }
}
