import { Failure } from "@galley/core/failure.ts"

/** The code of a system error (`ENOSPC`), or "" for anything else. */
export function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : ""
}

/**
 * A trouble of the disk or the store as something a person can act on. `outcome` says what was and what was not done; it is
 * put before the cause, which is kept. Null for what is our bug.
 */
export function failureFrom(error: unknown, outcome: string): Failure | null {
  const failure = failureOf(error, outcome)
  return failure === null ? null : Object.assign(failure, { cause: error })
}

function failureOf(error: unknown, outcome: string): Failure | null {
  if (error instanceof Failure) return new Failure(error.code, `${outcome} ${error.message}`, error.hint)
  const code = errorCode(error)
  switch (code) {
    case "ENOSPC":
    case "EDQUOT":
    case "EFBIG":
      return new Failure("NO_SPACE", `${outcome} The disk has no room (${code}).`, "Make room and try again.")
    case "EACCES":
    case "EPERM":
    case "EROFS":
    case "EBUSY":
    case "ETXTBSY":
      return new Failure("DENIED", `${outcome} The system does not allow it (${code}).`)
    case "ENOENT":
    case "ENOTDIR":
    case "EEXIST":
    case "EISDIR":
    case "ENOTEMPTY":
    case "ELOOP":
    // A link that was looked at is none any more when it is read.
    case "EINVAL":
      return new Failure("FILE_CHANGED_SINCE_READ", `${outcome} Somebody else changed the folder meanwhile (${code}).`)
    case "ENAMETOOLONG":
      return new Failure("BAD_ARGUMENT", `${outcome} A name is longer than the system takes.`)
    case "":
      return null
    default:
      return new Failure("STORE_FAILED", `${outcome} The disk reports ${code}.`)
  }
}

/**
 * A refusal of the disk at a place where none was foreseen, as something a person can act on; all else as it is. For the rims where
 * requests end: whoever knows what was and was not done says so nearer by. Errors of ours carry no system call.
 */
export function unforeseen(error: unknown): unknown {
  if (error instanceof Failure || !(error instanceof Error) || !("syscall" in error)) return error
  return (
    failureFrom(
      error,
      "The request could not be finished; what it had begun is whole or is repaired at the next start.",
    ) ?? error
  )
}
