import { request } from "node:http"
import { afterAll, beforeAll, expect, test } from "vitest"
import { makeStage, type Served, serve, type Stage } from "./stage.ts"

let stage: Stage
let served: Served
beforeAll(async () => {
  stage = makeStage({ "a.txt": "a\n" })
  served = await serve(stage)
})
afterAll(async () => {
  await served.stop()
  stage.end()
})

/** Sends what a browser or an attacker would; `fetch` would not let the Host be set. */
function send(
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string },
): Promise<{ status: number; text: string; headers: Record<string, unknown> }> {
  const { port } = new URL(served.url)
  return new Promise((resolve, reject) => {
    const going = request(
      { host: "127.0.0.1", port, path, agent: false, method: options.method ?? "POST", headers: options.headers ?? {} },
      answer => {
        let text = ""
        answer.on("data", part => (text += String(part)))
        answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text, headers: answer.headers }))
      },
    )
    going.on("error", reject)
    if (options.method === "GET") going.end()
    else going.end(options.body ?? "{}")
  })
}

const json = { "content-type": "application/json" }
const mine = (): Record<string, string> => ({ ...json, authorization: `Bearer ${served.token}` })

async function check(what: Parameters<typeof send>[1], status: number, path = "/api/status"): Promise<void> {
  expect((await send(path, what)).status).toBe(status)
}

test("the token opens it", () => check({ headers: mine() }, 200))
test("no token", () => check({ headers: json }, 401))
test("a wrong token of the right length", () =>
  check({ headers: { ...json, authorization: `Bearer ${"x".repeat(43)}` } }, 401))
test("the token as a query", () => check({ headers: json }, 401, `/api/status?token=${served.token}`))
test("the token as a cookie", () => check({ headers: { ...json, cookie: `token=${served.token}` } }, 401))
test("a foreign Host, as after DNS rebinding", () => check({ headers: { ...mine(), host: "evil.example" } }, 403))
test("our address with another port as Host", () => check({ headers: { ...mine(), host: "127.0.0.1:1" } }, 403))
test("a foreign Host gets not even the page", () =>
  check({ method: "GET", headers: { host: "evil.example" } }, 403, "/"))
test("a foreign Origin", () => check({ headers: { ...mine(), origin: "https://evil.example" } }, 403))
test("another local port as Origin", () => check({ headers: { ...mine(), origin: "http://127.0.0.1:1" } }, 403))
test("a cross-site request, as a browser marks it", () =>
  check({ headers: { ...mine(), "sec-fetch-site": "cross-site" } }, 403))
test("a form", () =>
  check(
    {
      headers: { authorization: `Bearer ${served.token}`, "content-type": "application/x-www-form-urlencoded" },
      body: "all=true",
    },
    415,
    "/api/accept",
  ))
test("text as a form can send it", () =>
  check({ headers: { "content-type": "text/plain" }, body: '{"all":true}' }, 401, "/api/accept"))
test("GET of a decision", () => check({ method: "GET", headers: mine() }, 404, "/api/accept"))
test("a request that does not exist", () => check({ headers: mine() }, 404, "/api/constructor"))
test("not JSON", () => check({ headers: mine(), body: "{" }, 400))
test("parameters of the wrong kind", () => check({ headers: mine(), body: '{"path":5}' }, 400, "/api/accept"))
test("a body that says it is too large is refused unread", () =>
  check({ headers: { ...mine(), "content-length": String(90 << 20) }, body: "{}" }, 413))
test("events without the token", () => check({ method: "GET", headers: {} }, 401, "/api/events"))
test("MCP without the token", () => check({ headers: json }, 401, "/mcp"))
test("files beside the page", () => check({ method: "GET" }, 404, "/../../package.json"))
test("files beside the page, encoded", () => check({ method: "GET" }, 404, "/%2e%2e/%2e%2e/package.json"))

test("a strict policy, no permission for other sites, nothing kept", async () => {
  const { headers, text } = await send("/", { method: "GET" })
  const policy = String(headers["content-security-policy"])
  expect(policy).toContain("default-src 'none'")
  expect(policy).not.toMatch(/unsafe|https?:|\*/)
  expect(headers["access-control-allow-origin"]).toBeUndefined()
  expect(headers["cache-control"]).toBe("no-store")
  expect(text).not.toContain(served.token)
  expect(text).not.toMatch(/<script>|style="|onclick/)
})

test("two answers never have the same nonce", async () => {
  const nonce = async () =>
    /nonce-([\w-]+)/.exec(String((await send("/", { method: "GET" })).headers["content-security-policy"]))?.[1]
  expect(await nonce()).not.toBe(await nonce())
})

test("MCP over HTTP offers the tools and records what they do", async () => {
  const headers = { ...mine(), accept: "application/json, text/event-stream" }
  const call = async (method: string, params: unknown): Promise<string> =>
    (await send("/mcp?conversation=web", { headers, body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }) }))
      .text
  const hello = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } }
  expect(await call("initialize", hello)).toContain("galley")
  expect(await call("tools/list", {})).toContain("str_replace_editor")
  const input = { command: "str_replace", path: `${stage.root}/a.txt`, old_str: "a", new_str: "b" }
  expect(await call("tools/call", { name: "str_replace_editor", arguments: input })).toContain("a.txt")
  expect(stage.status().files.map(file => file.path)).toEqual(["a.txt"])
})

test("the file that tells of the server is the owner's alone, true, and gone at the end", async () => {
  const { readdirSync, readFileSync, statSync, existsSync } = await import("node:fs")
  const folder = `${stage.home}/workspaces/${readdirSync(`${stage.home}/workspaces`)[0] ?? ""}`
  const file = `${folder}/serve.json`
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
    url: served.url,
    token: served.token,
    pid: served.process.pid,
  })
  const second = stage.json("serve", "--no-open") as { url: string }
  expect(second.url).toBe(served.address)
  expect(await served.stop()).toBe(0)
  expect(existsSync(file)).toBe(false)
  const before = served
  served = await serve(stage)
  expect([served.url, served.token]).toEqual([before.url, before.token])
  served.process.kill("SIGKILL")
  await served.stop()
  expect(existsSync(file)).toBe(true)
  const after = await serve(stage, "--new-token")
  expect(after.token).not.toBe(served.token)
  served = after
})
