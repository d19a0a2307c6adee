import { Failure, type FailureCode, type FailureData } from "@galley/core/failure.ts"

/** **Contract** (DESIGN §9). */
export const exitCodes = { done: 0, failed: 1, usage: 2, conflict: 3, stale: 4 } as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** What was typed makes no sense; nothing was asked of the workspace. Exit 2, and with `--json` a `BAD_ARGUMENT`. */
export class UsageError extends Error {
  readonly hint: string | undefined
  constructor(message: string, hint?: string) {
    super(message)
    this.name = "UsageError"
    this.hint = hint
  }
}

/** An end of the command as its user sees it. */
export interface Ending {
  readonly code: ExitCode
  readonly data: FailureData
  /** Our own bug: the stack is worth showing. */
  readonly bug: boolean
}

/** The one place where something thrown becomes an exit code and an error document. */
export function endingOf(error: unknown): Ending {
  if (error instanceof UsageError)
    return { code: exitCodes.usage, data: data("BAD_ARGUMENT", error.message, error.hint), bug: false }
  if (error instanceof Failure) return { code: exitCodeOf(error.code), data: error.toData(), bug: false }
  const system = systemFailure(error)
  if (system !== null) return { code: exitCodes.failed, data: system, bug: false }
  const message = error instanceof Error ? error.message : String(error)
  // The closed list has no code for our own bugs on purpose: nobody can act on one. This is the nearest.
  return {
    code: exitCodes.failed,
    data: data("STORE_FAILED", `Galley failed: ${message}`, "This is a bug of Galley. GALLEY_DEBUG=1 shows where."),
    bug: true,
  }
}

export function exitCodeOf(code: FailureCode): ExitCode {
  switch (code) {
    case "CONFLICT":
      return exitCodes.conflict
    case "STALE_REVISION":
      return exitCodes.stale
    case "FILE_CHANGED_SINCE_READ":
    case "NOT_FOUND":
    case "NOT_UNIQUE":
    case "NO_MATCH":
    case "NOT_TEXT":
    case "OUTSIDE_WORKSPACE":
    case "DENIED":
    case "BAD_ARGUMENT":
    case "TIMEOUT":
    case "PREVIEW_UNAVAILABLE":
    case "STORE_FAILED":
    case "NO_SPACE":
      return exitCodes.failed
  }
}

/** Troubles of the system that reach us untranslated: reading a given file, the workspace's folder. */
function systemFailure(error: unknown): FailureData | null {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return null
  switch (error.code) {
    case "ENOENT":
    case "ENOTDIR":
      return data("NOT_FOUND", error.message)
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return data("DENIED", error.message)
    case "ENOSPC":
    case "EDQUOT":
      return data("NO_SPACE", error.message, "Make room, then try again. Nothing was half written.")
    case "EISDIR":
      return data("BAD_ARGUMENT", error.message)
    default:
      return null
  }
}

function data(code: FailureCode, message: string, hint?: string): FailureData {
  return hint === undefined ? { code, message } : { code, message, hint }
}
