import { createHmac, timingSafeEqual } from "node:crypto"

/**
 * Who may talk to the server. Loopback is no protection by itself: any page in the person's browser can send requests to it, any
 * other user of the machine can connect. So, in this order:
 *
 * - **Host** must name this very server: a foreign name that was pointed at 127.0.0.1 (DNS rebinding) gets nothing, not even the page.
 * - **Origin** and `Sec-Fetch-Site`, where a browser sends them, must be the page's own.
 * - **The token**, in `Authorization: Bearer`. A form or an image cannot send that header, so there is nothing for a cross-site
 *   request to ride on. A cookie could: cookies know no ports, every other local server would be sent it (docs/decisions/page-token.md).
 */
export interface Access {
  readonly port: number
  readonly token: string
}

export type Refusal = { readonly status: 401 | 403; readonly why: string } | null

/** What every request needs, the page's own files too. */
export function refuseForeignHost(access: Access, headers: Headers): Refusal {
  const host = headers.get("host") ?? ""
  return hostsOf(access.port).includes(host.toLowerCase())
    ? null
    : { status: 403, why: "This server answers to its own address only." }
}

/** What a request of the API or of MCP needs. */
export function refuseStranger(access: Access, headers: Headers): Refusal {
  const origin = headers.get("origin")
  if (origin !== null && !hostsOf(access.port).some(host => origin.toLowerCase() === `http://${host}`))
    return { status: 403, why: "Requests of other sites are refused." }
  const site = headers.get("sec-fetch-site")
  if (site !== null && site !== "same-origin" && site !== "none")
    return { status: 403, why: "Requests of other sites are refused." }
  const given = /^Bearer ([\w-]{20,200})$/.exec(headers.get("authorization") ?? "")?.[1]
  if (given === undefined || !sameText(given, access.token))
    return { status: 401, why: "The token is missing or wrong. `galley serve` prints the address with it." }
  return null
}

/**
 * Proves to a client that the server on this port knows the token, before the client sends it: another program may have taken the
 * port of a server that ended. The port is in it, so that a proof cannot be fetched from the server's new place.
 */
export function proofFor(access: Access, nonce: string): string {
  return createHmac("sha256", access.token).update(`galley ${access.port} ${nonce}`).digest("base64url")
}

function hostsOf(port: number): string[] {
  return [`127.0.0.1:${port}`, `localhost:${port}`]
}

function sameText(a: string, b: string): boolean {
  const [left, right] = [a, b].map(text => createHmac("sha256", "compare").update(text).digest())
  return left !== undefined && right !== undefined && timingSafeEqual(left, right)
}
