/**
 * The closed list of things that can go wrong and that somebody can act on. **Contract** (DESIGN §9): programs match these
 * codes; nobody matches messages.
 */
export const failureCodes = [
  "FILE_CHANGED_SINCE_READ",
  "NOT_FOUND",
  "NOT_UNIQUE",
  "NO_MATCH",
  "NOT_TEXT",
  "OUTSIDE_WORKSPACE",
  "DENIED",
  "STALE_REVISION",
  "CONFLICT",
  "BAD_ARGUMENT",
  "TIMEOUT",
  "PREVIEW_UNAVAILABLE",
  "STORE_FAILED",
  "NO_SPACE",
] as const

export type FailureCode = (typeof failureCodes)[number]

/** Plain data of a failure, as it crosses a border (JSON, MCP, HTTP). */
export interface FailureData {
  readonly code: FailureCode
  /** What was and what was not done. */
  readonly message: string
  /** What to do next. */
  readonly hint?: string
}

/**
 * A trouble that a person or a model can act on. Anything else that is thrown is our bug.
 *
 * Thrown, and translated once at the entry point (exit code, MCP result, HTTP status). An outcome that a caller must branch
 * on is returned instead.
 */
export class Failure extends Error {
  readonly code: FailureCode
  readonly hint: string | undefined

  constructor(code: FailureCode, message: string, hint?: string) {
    super(message)
    this.name = "Failure"
    this.code = code
    this.hint = hint
  }

  toData(): FailureData {
    return this.hint === undefined
      ? { code: this.code, message: this.message }
      : { code: this.code, message: this.message, hint: this.hint }
  }
}

/** Ends a switch over a closed union; reaching it is our bug. */
export function unreachable(value: never): never {
  throw new Error(`BUG: unexpected value ${JSON.stringify(value)}`)
}
