import { Failure, type FailureCode, type FailureData } from "@galley/core/failure.ts"
import { type RequestName, requests } from "@galley/core/protocol/requests.ts"
import type { Requests } from "@galley/engine/workspace.ts"

export interface Answer {
  readonly status: number
  readonly body: unknown
}

/** Carries out one request of the closed set, as it came over the wire, and words what went wrong. */
export async function answerRequest(
  session: Requests,
  name: string,
  text: string,
  io: { readonly signal: AbortSignal; readonly log: (text: string) => void },
): Promise<Answer> {
  if (!isRequestName(name)) return failed({ code: "BAD_ARGUMENT", message: "There is no such request." }, 404)
  let given: unknown
  try {
    given = text === "" ? {} : JSON.parse(text)
  } catch {
    return failed({ code: "BAD_ARGUMENT", message: "The request's body is not JSON." }, 400)
  }
  const read = requests[name].params.safeParse(given)
  if (!read.success) {
    const where = read.error.issues.map(issue => `${issue.path.join(".") || "body"}: ${issue.message}`).join("; ")
    return failed({ code: "BAD_ARGUMENT", message: `The parameters of ${name} are not right. ${where}` }, 400)
  }
  try {
    const method = session[name] as (params: unknown, io: { signal: AbortSignal }) => Promise<unknown>
    return { status: 200, body: await method(read.data, { signal: io.signal }) }
  } catch (error) {
    if (error instanceof Failure) return failed(error.toData(), statusOf(error.code))
    io.log(error instanceof Error ? (error.stack ?? error.message) : String(error))
    const message = error instanceof Error ? error.message : String(error)
    return failed({ code: "STORE_FAILED", message: `Galley failed: ${message}`, hint: "This is a bug of Galley." }, 500)
  }
}

function failed(error: FailureData, status: number): Answer {
  return { status, body: { error } }
}

function isRequestName(name: string): name is RequestName {
  return Object.hasOwn(requests, name)
}

function statusOf(code: FailureCode): number {
  switch (code) {
    case "CONFLICT":
    case "STALE_REVISION":
    case "FILE_CHANGED_SINCE_READ":
      return 409
    case "NOT_FOUND":
      return 404
    case "DENIED":
    case "OUTSIDE_WORKSPACE":
      return 403
    case "BAD_ARGUMENT":
      return 400
    case "NOT_UNIQUE":
    case "NO_MATCH":
    case "NOT_TEXT":
    case "PREVIEW_UNAVAILABLE":
      return 422
    case "TIMEOUT":
      return 504
    case "STORE_FAILED":
      return 500
    case "NO_SPACE":
      return 507
  }
}
