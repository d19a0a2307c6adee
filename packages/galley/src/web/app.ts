import { randomBytes } from "node:crypto"
import type { Workspace } from "@galley/engine/workspace.ts"
import { createMcpHandler } from "@modelcontextprotocol/server"
import { Hono } from "hono"
import { type Connection, mcpServer } from "../mcp/server.ts"
import { type Access, proofFor, type Refusal, refuseForeignHost, refuseStranger } from "./access.ts"
import { answerRequest } from "./answers.ts"
import type { Audience } from "./events.ts"
import type { PageFile } from "./page-files.ts"

/** Larger bodies are refused unread. A file of `file.maxBytes` (64 MiB) as JSON text fits. */
const mostBytes = 80 << 20

export interface WebParts {
  readonly version: string
  readonly workspace: Workspace
  readonly access: Access
  readonly page: ReadonlyMap<string, PageFile>
  readonly audience: Audience
  /** What an MCP client of this server is given; its conversation may be named in the query. */
  readonly connection: Connection
  readonly log: (text: string) => void
}

/** The routes: the page's files, the API of session requests, live events, MCP. Nothing else answers. */
export function webApp(parts: WebParts): Hono {
  const { workspace, access, page, audience, log } = parts
  const app = new Hono()
  const mcp = createMcpHandler(context => mcpServer(connectionOf(parts.connection, context.requestInfo))(context), {
    onerror: error => log(error.message),
    maxRequestBodySize: mostBytes,
  })

  app.use(async (context, next) => {
    const refused = refuseForeignHost(access, context.req.raw.headers)
    if (refused !== null) return refusal(refused)
    await next()
    for (const [name, value] of Object.entries(alwaysSent)) context.header(name, value)
  })

  app.get("/api/hello", context => {
    const nonce = context.req.query("nonce") ?? ""
    if (!/^[\w-]{16,100}$/.test(nonce)) return context.json({ error: { code: "BAD_ARGUMENT", message: "nonce" } }, 400)
    return context.json({ galley: parts.version, proof: proofFor(access, nonce) })
  })
  app.use("/api/*", async (context, next) => {
    const refused = refuseStranger(access, context.req.raw.headers)
    return refused === null ? await next() : refusal(refused)
  })
  app.get("/api/events", context => {
    const hello = { version: parts.version, workspace: workspace.root }
    return new Response(audience.join(hello, context.req.raw.signal), {
      headers: { ...alwaysSent, "content-type": "text/event-stream; charset=utf-8" },
    })
  })
  app.post("/api/:name", async context => {
    const type = context.req.header("content-type") ?? ""
    if (!/^application\/json\b/i.test(type))
      return context.json({ error: { code: "BAD_ARGUMENT", message: "Send application/json." } }, 415)
    const text = await boundedText(context.req.raw)
    if (text === null)
      return context.json({ error: { code: "BAD_ARGUMENT", message: "The request is too large." } }, 413)
    const session = workspace.as({ actor: "person" })
    const answer = await answerRequest(session, context.req.param("name"), text, {
      signal: context.req.raw.signal,
      log,
    })
    return new Response(JSON.stringify(answer.body), {
      status: answer.status,
      headers: { "content-type": "application/json; charset=utf-8" },
    })
  })
  app.all("/mcp", async context => {
    const refused = refuseStranger(access, context.req.raw.headers)
    return refused === null ? await mcp.fetch(context.req.raw) : refusal(refused)
  })
  app.get("/*", context => {
    const name = context.req.path === "/" ? "/index.html" : context.req.path
    const file = page.get(name)
    if (file === undefined)
      return new Response("Not found.\n", { status: 404, headers: { "content-type": "text/plain" } })
    // The editor component adds a style element; this one value lets it, and nothing else inline.
    const nonce = randomBytes(16).toString("base64url")
    const body =
      name === "/index.html" ? new TextDecoder().decode(file.bytes).replaceAll("{{nonce}}", nonce) : file.bytes
    return new Response(body as ConstructorParameters<typeof Response>[0], {
      headers: { "content-type": file.type, "content-security-policy": policy(nonce) },
    })
  })
  return app
}

const alwaysSent = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
} as const

function policy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' blob:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ")
}

function refusal(refused: NonNullable<Refusal>): Response {
  return new Response(JSON.stringify({ error: { code: "DENIED", message: refused.why } }), {
    status: refused.status,
    headers: { ...alwaysSent, "content-type": "application/json; charset=utf-8" },
  })
}

/** Reads at most {@link mostBytes}; null for more. The declared length is believed only where it is too large. */
async function boundedText(request: Request): Promise<string | null> {
  if (Number(request.headers.get("content-length") ?? 0) > mostBytes) return null
  const body = request.body as AsyncIterable<Uint8Array> | null
  if (body === null) return ""
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of body) {
    length += part.length
    if (length > mostBytes) return null
    parts.push(part)
  }
  return new TextDecoder().decode(Buffer.concat(parts))
}

/** An HTTP client has no connection of its own: it names its conversation in the address, or shares the server's. */
function connectionOf(connection: Connection, request: Request | undefined): Connection {
  const conversation = request === undefined ? null : new URL(request.url).searchParams.get("conversation")
  if (conversation === null || conversation === "" || conversation.length > 200) return connection
  return { ...connection, identity: { ...connection.identity, conversation } }
}
