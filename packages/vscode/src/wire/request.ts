import { request as httpRequest } from "node:http"
import { Failure, type FailureCode, failureCodes } from "@galley/core/failure.ts"
import type { Params, RequestName, Result } from "@galley/core/protocol/requests.ts"
import type { Address } from "./address.ts"

/** The server could not be reached: it ended, or never was. */
export class Unreachable extends Error {}

/** Makes one request. `Failure` where the program refuses, `Unreachable` where there is none. */
export function request<N extends RequestName>(address: Address, name: N, params: Params<N>): Promise<Result<N>> {
  // node:http and not fetch: the editor routes fetch through the person's proxy, which knows no loopback of ours.
  return new Promise((resolve, reject) => {
    const call = httpRequest(
      new URL(`api/${name}`, address.url),
      {
        method: "POST",
        agent: false,
        headers: { authorization: `Bearer ${address.token}`, "content-type": "application/json" },
      },
      response => {
        const parts: Buffer[] = []
        response.on("data", (part: Buffer) => parts.push(part))
        response.on("error", error => reject(new Unreachable(error.message)))
        response.on("end", () => {
          const text = Buffer.concat(parts).toString("utf8")
          if (response.statusCode === 200) resolve(JSON.parse(text) as Result<N>)
          else reject(failureFrom(response.statusCode ?? 0, text))
        })
      },
    )
    call.on("error", error => reject(new Unreachable(error.message)))
    call.end(JSON.stringify(params))
  })
}

/** The failure in an answer's body. A 401 is another server on a port that once was ours. */
export function failureFrom(status: number, text: string): Error {
  if (status === 401) return new Unreachable("Another server answers there now.")
  try {
    const { error } = JSON.parse(text) as { error?: { code?: unknown; message?: unknown; hint?: unknown } }
    if (isCode(error?.code) && typeof error?.message === "string")
      return new Failure(error.code, error.message, typeof error.hint === "string" ? error.hint : undefined)
  } catch {
    // Not ours: said below.
  }
  return new Error(`The program answered with status ${status}.`)
}

function isCode(code: unknown): code is FailureCode {
  return failureCodes.some(known => known === code)
}
