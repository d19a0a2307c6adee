import type { FailureCode } from "@galley/core/failure.ts"
import type { Params, RequestName, Result } from "@galley/core/protocol/requests.ts"

/** Asks the server; the only way from the page to the workspace. */
export interface Client {
  ask<N extends RequestName>(name: N, params: Params<N>): Promise<Result<N>>
  /** Live events until `signal` is aborted or the server goes; resolves at the end of the stream. */
  listen(on: (event: string, data: unknown) => void, signal: AbortSignal): Promise<void>
}

/** What the server answered instead of a result. `UNREACHABLE` and `UNTRUSTED` are the page's own. */
export class AskError extends Error {
  readonly code: FailureCode | "UNREACHABLE" | "UNTRUSTED"
  readonly hint: string | undefined
  constructor(code: AskError["code"], message: string, hint?: string) {
    super(message)
    this.name = "AskError"
    this.code = code
    this.hint = hint
  }
}

/** A client of the server this page came from. The server proves itself before it is sent the token, and again after each silence. */
export function connect(token: string): Client {
  let trusted = false
  return {
    async ask(name, params) {
      const answer = await send(`/api/${name}`, { method: "POST", body: JSON.stringify(params) })
      const body: unknown = await answer.json().catch(() => null)
      if (answer.ok) return body as Result<typeof name>
      throw failureIn(body, answer.status)
    },
    async listen(on, signal) {
      const answer = await send("/api/events", { signal })
      if (!answer.ok || answer.body === null) throw failureIn(await answer.json().catch(() => null), answer.status)
      try {
        await readEvents(answer.body, on)
      } finally {
        trusted = false
      }
    },
  }

  async function send(path: string, init: RequestInit): Promise<Response> {
    try {
      if (!trusted) await prove(token)
      trusted = true
      return await fetch(path, {
        ...init,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        cache: "no-store",
        redirect: "error",
      })
    } catch (error) {
      trusted = false
      if (error instanceof AskError) throw error
      throw new AskError("UNREACHABLE", "The server does not answer.")
    }
  }
}

async function prove(token: string): Promise<void> {
  const nonce = base64url(crypto.getRandomValues(new Uint8Array(18)))
  const answer = await fetch(`/api/hello?nonce=${nonce}`, { cache: "no-store", redirect: "error" })
  const said: unknown = await answer.json()
  const utf8 = new TextEncoder()
  const key = await crypto.subtle.importKey("raw", utf8.encode(token), { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
  ])
  const expected = await crypto.subtle.sign("HMAC", key, utf8.encode(`galley ${location.port} ${nonce}`))
  const proof: unknown = typeof said === "object" && said !== null ? Reflect.get(said, "proof") : null
  if (proof !== base64url(new Uint8Array(expected)))
    throw new AskError(
      "UNTRUSTED",
      "This page's key does not fit the server at this address.",
      "Run galley serve and open the address it prints.",
    )
}

function failureIn(body: unknown, status: number): AskError {
  const error: unknown = typeof body === "object" && body !== null ? Reflect.get(body, "error") : null
  if (typeof error !== "object" || error === null) return new AskError("UNREACHABLE", `The server answered ${status}.`)
  const { code, message, hint } = error as { code: FailureCode; message: string; hint?: string }
  if (status === 401) return new AskError("UNTRUSTED", message, hint)
  return new AskError(code, message, hint)
}

/** The event-stream format, as far as our server writes it: `event:` and one `data:` line, a blank line between. */
async function readEvents(body: ReadableStream<Uint8Array>, on: (event: string, data: unknown) => void): Promise<void> {
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader()
  let rest = ""
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const blocks = (rest + value).split("\n\n")
    rest = blocks.pop() ?? ""
    for (const block of blocks) {
      const event = /^event: (.+)$/m.exec(block)?.[1]
      const data = /^data: (.+)$/m.exec(block)?.[1]
      if (event !== undefined && data !== undefined) on(event, JSON.parse(data))
    }
  }
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "")
}
