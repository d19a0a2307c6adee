import type { Workspace } from "@galley/engine/workspace.ts"
import { expect, test } from "vitest"
import type { Connection } from "../../src/mcp/server.ts"
import { webApp } from "../../src/web/app.ts"

/** What another page, another program or another name may get of the server: the routes alone, with no engine behind them. */
const token = "t".repeat(43)
const host = "127.0.0.1:4000"
const asked: string[] = []
const session = new Proxy({}, { get: (_, name) => async () => Promise.resolve(asked.push(String(name))) })
const app = webApp({
  version: "test",
  workspace: { root: "/shop", as: () => session } as unknown as Workspace,
  access: { port: 4000, token },
  page: new Map([
    [
      "/index.html",
      {
        type: "text/html; charset=utf-8",
        bytes: new TextEncoder().encode('<meta name="style-nonce" content="{{nonce}}">'),
      },
    ],
  ]),
  audience: { join: () => new ReadableStream(), tell: () => {}, size: () => 0, close: () => {} },
  connection: { identity: {} } as unknown as Connection,
  log: () => {},
})

const mine = { host, authorization: `Bearer ${token}`, "content-type": "application/json" }

function send(path: string, headers: Record<string, string>, body: string | null = "{}"): Promise<Response> {
  const request = body === null ? { headers } : { method: "POST", headers, body }
  return Promise.resolve(app.request(`http://${host}${path}`, request))
}

test("the page's own request is carried out", async () => {
  asked.length = 0
  expect((await send("/api/status", mine)).status).toBe(200)
  expect(asked).toEqual(["status"])
})

const without = (name: string): Record<string, string> =>
  Object.fromEntries(Object.entries(mine).filter(([key]) => key !== name))

test.each<[string, string, Record<string, string>, number]>([
  ["no token", "/api/accept", without("authorization"), 401],
  ["a wrong token", "/api/accept", { ...mine, authorization: `Bearer ${"x".repeat(43)}` }, 401],
  ["a token cut short", "/api/accept", { ...mine, authorization: `Bearer ${token.slice(1)}` }, 401],
  ["the token in a cookie", "/api/accept", { ...without("authorization"), cookie: `token=${token}` }, 401],
  ["the token in the query", `/api/accept?token=${token}`, without("authorization"), 401],
  ["no Host", "/api/accept", without("host"), 403],
  ["a foreign Host", "/api/accept", { ...mine, host: "evil.example" }, 403],
  ["a name pointed at us (DNS rebinding), with our port", "/api/accept", { ...mine, host: "evil.example:4000" }, 403],
  ["a name that ends as ours", "/api/accept", { ...mine, host: "localhost:4000.evil.example" }, 403],
  ["a foreign Origin", "/api/accept", { ...mine, origin: "https://evil.example" }, 403],
  ["an opaque Origin (a sandboxed frame)", "/api/accept", { ...mine, origin: "null" }, 403],
  ["another local port's Origin", "/api/accept", { ...mine, origin: "http://127.0.0.1:4001" }, 403],
  ["our Origin over https", "/api/accept", { ...mine, origin: `https://${host}` }, 403],
  ["what a browser calls cross-site", "/api/accept", { ...mine, "sec-fetch-site": "cross-site" }, 403],
  ["what a browser calls same-site", "/api/accept", { ...mine, "sec-fetch-site": "same-site" }, 403],
  ["a form's content type", "/api/accept", { ...mine, "content-type": "application/x-www-form-urlencoded" }, 415],
  ["JSON sent as plain text, as a form can", "/api/accept", { ...mine, "content-type": "text/plain" }, 415],
  ["a type that only begins like JSON's", "/api/accept", { ...mine, "content-type": "application/jsonp" }, 415],
  ["a body that says it is huge", "/api/accept", { ...mine, "content-length": String(90 << 20) }, 413],
  ["a request that is a name of objects", "/api/__proto__", mine, 404],
  ["MCP without the token", "/mcp", without("authorization"), 401],
  ["MCP of another site", "/mcp", { ...mine, origin: "https://evil.example" }, 403],
])("%s is refused, and nothing is carried out", async (_, path, headers, status) => {
  asked.length = 0
  expect((await send(path, headers)).status).toBe(status)
  expect(asked).toEqual([])
})

test.each(["/../package.json", "/%2e%2e/package.json", "/..%2fpackage.json", "/index.html%00.js", "//etc/passwd"])(
  "no file beside the page: %s",
  async path => {
    expect((await send(path, { host }, null)).status).toBe(404)
  },
)

test("the policy, word for word; one nonce for each answer", async () => {
  const nonces = new Set<string>()
  for (let at = 0; at < 2; at++) {
    const answer = await send("/", { host }, null)
    const text = await answer.text()
    const nonce = /content="([\w-]{20,})"/.exec(text)?.[1] ?? ""
    nonces.add(nonce)
    expect(answer.headers.get("content-security-policy")).toBe(
      `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'`,
    )
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff")
    expect(answer.headers.get("referrer-policy")).toBe("no-referrer")
    expect(answer.headers.get("access-control-allow-origin")).toBeNull()
    expect(text).not.toContain(token)
  }
  expect(nonces.size).toBe(2)
})
