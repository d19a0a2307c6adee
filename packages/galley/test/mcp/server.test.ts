import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { callSchema } from "@galley/core/protocol/results.ts"
import { Client, type ClientOptions } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { build } from "esbuild"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"

/** One file, as the program is built: forty unbundled starts on a busy machine take minutes. */
let serverFile = ""
let built = ""
beforeAll(async () => {
  built = mkdtempSync(join(tmpdir(), "galley-mcp-built-"))
  serverFile = join(built, "server.mjs")
  await build({
    entryPoints: [fileURLToPath(new URL("./fake-server.ts", import.meta.url))],
    outfile: serverFile,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "error",
  })
})
afterAll(() => rmSync(built, { recursive: true, force: true }))

let folder = ""
const ends: (() => Promise<void> | void)[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "galley-mcp-"))
})
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
  rmSync(folder, { recursive: true, force: true })
})

const journal = (): string => join(folder, "journal")
function noted(): Record<string, unknown>[] {
  return readFileSync(journal(), "utf8")
    .split("\n")
    .filter(line => line !== "")
    .map(line => JSON.parse(line) as Record<string, unknown>)
}

/** The official client, connected to a real child process. */
async function connect(options: ClientOptions = {}, flags: readonly string[] = [], env: Record<string, string> = {}) {
  const client = new Client({ name: "test", version: "1" }, options)
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [serverFile, journal(), ...flags],
    env: { PATH: process.env["PATH"] ?? "", ...env },
    stderr: "ignore",
  })
  await client.connect(transport)
  ends.push(() => client.close())
  return { client, transport }
}

/** A client made by hand: lines in, lines out, as agents' own code writes them. */
function raw(flags: readonly string[] = []) {
  const child: ChildProcess = spawn(process.execPath, [serverFile, journal(), ...flags], {
    stdio: ["pipe", "pipe", "ignore"],
  })
  const received: Record<string, unknown>[] = []
  const waiting: {
    readonly wanted: (message: Record<string, unknown>) => boolean
    readonly found: (message: Record<string, unknown>) => void
  }[] = []
  if (child.stdout === null || child.stdin === null) throw new Error("BUG: no pipes")
  const { stdin } = child
  createInterface({ input: child.stdout }).on("line", line => {
    const message = JSON.parse(line) as Record<string, unknown>
    received.push(message)
    for (const one of waiting.splice(0))
      if (one.wanted(message)) one.found(message)
      else waiting.push(one)
  })
  const exited = once(child, "exit")
  ends.push(async () => {
    if (child.exitCode === null) child.kill("SIGKILL")
    await exited
  })
  return {
    received,
    child,
    exited,
    say: (text: unknown) => void stdin.write(typeof text === "string" ? `${text}\n` : `${JSON.stringify(text)}\n`),
    end: () => void stdin.end(),
    next: (wanted: (message: Record<string, unknown>) => boolean) =>
      new Promise<Record<string, unknown>>(found => {
        const already = received.find(wanted)
        if (already !== undefined) found(already)
        else waiting.push({ wanted, found })
      }),
  }
}

const hello = (protocolVersion: string, capabilities: object = {}) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion, capabilities, clientInfo: { name: "raw", version: "1" } },
})
const ready = { jsonrpc: "2.0", method: "notifications/initialized" }
const call = (id: number | string, input: object, meta: object = {}) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "bash", arguments: input, _meta: meta },
})
const answers = (id: number | string | null) => (message: Record<string, unknown>) =>
  message["id"] === id && message["method"] === undefined

const generations: readonly [string, ClientOptions][] = [
  ["the previous protocol", {}],
  ["the current protocol", { versionNegotiation: { mode: { pin: "2026-07-28" } } }],
]

for (const [name, options] of generations)
  describe(`over ${name}`, () => {
    it("lists both tools, with schemas and what they are", async () => {
      const { client } = await connect(options)
      const { tools } = await client.listTools()
      expect(tools.map(tool => [tool.name, tool.annotations?.readOnlyHint])).toEqual([
        ["str_replace_editor", false],
        ["bash", false],
      ])
      expect(tools[1]?.inputSchema).toMatchObject({ required: ["command"] })
      expect(client.getInstructions()).toContain("str_replace_editor")
    })

    it("answers with text and with the whole structured result, text included", async () => {
      const { client } = await connect(options)
      const result = await client.callTool({ name: "str_replace_editor", arguments: { command: "view" } })
      expect(result.content).toEqual([{ type: "text", text: "did str_replace_editor" }])
      expect(callSchema.parse(result.structuredContent)).toEqual({
        version: 1,
        ok: true,
        text: "did str_replace_editor",
        capture: "none",
        changes: [{ path: "a.txt", kind: "modify" }],
        locations: [{ path: "/w/a.txt", line: 3 }],
        diffs: [{ path: "/w/a.txt", oldText: "a", newText: "b" }],
      })
      expect(result.isError ?? false).toBe(false)
    })

    it("turns a refusal, a failure and a bug into results a model can read; the server goes on", async () => {
      const { client } = await connect(options)
      const tell = async (command: string) => {
        const result = await client.callTool({ name: "bash", arguments: { command } })
        expect(result.isError).toBe(true)
        return callSchema.parse(result.structuredContent)
      }
      expect(await tell("refused")).toMatchObject({ ok: false, text: "No.", error: { code: "DENIED" } })
      expect(await tell("fail")).toMatchObject({
        text: "old_str occurs 2 times.\nAdd neighbouring lines.",
        error: { code: "NOT_UNIQUE", message: "old_str occurs 2 times." },
      })
      expect(await tell("crash")).toMatchObject({ error: { code: "STORE_FAILED" } })
      expect((await client.callTool({ name: "bash", arguments: {} })).isError ?? false).toBe(false)
    })

    it("refuses a tool it does not have as a protocol error", async () => {
      const { client } = await connect(options)
      await expect(client.callTool({ name: "rm", arguments: {} })).rejects.toThrow(/no tool rm/)
    })

    it("sends progress while a call waits, what it waits for included", async () => {
      const { client } = await connect(options)
      const heard: { progress: number; message?: string | undefined }[] = []
      await client.callTool(
        { name: "bash", arguments: { command: "wait", ms: 300 } },
        { onprogress: progress => void heard.push(progress) },
      )
      expect(heard.length).toBeGreaterThan(2)
      expect(heard[0]).toMatchObject({ progress: 1, message: "waiting for review" })
      expect(heard.map(one => one.progress)).toEqual(heard.map((_, at) => at + 1))
    })

    it("cancels a call when the client does", async () => {
      const { client } = await connect(options)
      const stop = new AbortController()
      const pending = client.callTool(
        { name: "bash", arguments: { command: "wait" } },
        { signal: stop.signal, onprogress: () => stop.abort() },
      )
      await expect(pending).rejects.toThrow()
      await client.callTool({ name: "bash", arguments: {} })
      expect(noted()).toContainEqual({ aborted: true })
    })

    it("asks for roots if they are declared, and only then", async () => {
      const declared = await connect({ ...options, capabilities: { roots: {} } }, ["--ask-roots"])
      declared.client.setRequestHandler("roots/list", () => ({
        roots: [{ uri: "file:///some/where%20else" }, { uri: "file:///b" }],
      }))
      await Promise.all([1, 2].map(() => declared.client.callTool({ name: "bash", arguments: {} })))
      expect(noted().filter(one => "roots" in one)).toEqual([
        { roots: ["/some/where else", "/b"] },
        { roots: ["/some/where else", "/b"] },
      ])
      const silent = await connect(options, ["--ask-roots"])
      await silent.client.callTool({ name: "bash", arguments: {} })
      expect(noted().findLast(one => "roots" in one)).toEqual({ roots: [] })
    })

    it("stays up when the workspace cannot be opened, and says why in each call", async () => {
      const { client } = await connect(options, ["--broken"])
      for (let at = 0; at < 2; at++) {
        const result = await client.callTool({ name: "bash", arguments: {} })
        expect(callSchema.parse(result.structuredContent)).toMatchObject({
          ok: false,
          error: { code: "STORE_FAILED", message: "The database is damaged." },
        })
      }
    })

    it("goes away when its client does", async () => {
      const { client, transport } = await connect(options)
      const { pid } = transport
      await client.callTool({ name: "bash", arguments: {} })
      await client.close()
      expect(noted().at(-1)).toEqual({ closed: true })
      expect(() => process.kill(pid ?? 0, 0)).toThrow(/ESRCH/)
    })
  })

describe("protocol versions", () => {
  for (const version of ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
    it(`${version} is answered in kind`, async () => {
      const agent = raw()
      agent.say(hello(version))
      const answer = await agent.next(answers(1))
      expect(answer["result"]).toMatchObject({
        protocolVersion: version,
        serverInfo: { name: "galley", version: "1.2.3" },
      })
    })

  it("a probe for the current one that falls back is served", async () => {
    const agent = raw()
    agent.say({
      jsonrpc: "2.0",
      id: "probe",
      method: "server/discover",
      params: {
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      },
    })
    expect(await agent.next(answers("probe"))).toHaveProperty("result")
    agent.say(hello("2025-11-25"))
    expect(await agent.next(answers(1))).toHaveProperty("result")
  })
})

describe("clients as they are", () => {
  it("is asked by ids that are strings, never by one that could be its own", async () => {
    const agent = raw(["--ask-roots"])
    agent.say(hello("2025-06-18", { roots: {} }))
    agent.say(ready)
    agent.say(call(2, {}))
    const asked = await agent.next(message => message["method"] === "roots/list")
    expect(typeof asked["id"]).toBe("string")
    agent.say({ jsonrpc: "2.0", id: asked["id"], result: { roots: [{ uri: "file:///r" }] } })
    await agent.next(answers(2))
    expect(noted()[0]).toEqual({ roots: ["/r"] })
  })

  it("that answers roots/list with an error is served all the same", async () => {
    const agent = raw(["--ask-roots"])
    agent.say(hello("2025-06-18", { roots: {} }))
    agent.say(ready)
    agent.say(call(2, {}))
    const asked = await agent.next(message => message["method"] === "roots/list")
    agent.say({ jsonrpc: "2.0", id: asked["id"], error: { code: -32601, message: "no" } })
    expect(await agent.next(answers(2))).toHaveProperty("result")
    expect(noted()[0]).toEqual({ roots: [] })
  })

  it("may cancel calls that are done (opencode does), or that never were", async () => {
    const agent = raw()
    agent.say(hello("2025-11-25"))
    agent.say(ready)
    agent.say(call(2, {}))
    await agent.next(answers(2))
    for (const requestId of [2, 99, "x"])
      agent.say({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId, reason: "done" } })
    agent.say(call(3, {}))
    expect(await agent.next(answers(3))).toHaveProperty("result")
  })

  const malformed: readonly [string, string, number][] = [
    ["no JSON", "{oops", -32700],
    ["a bare word", '"hello"', -32600],
    ["a batch", "[]", -32600],
    ["no method", '{"jsonrpc":"2.0","params":{}}', -32600],
    ["another protocol", '{"jsonrpc":"1.0","id":7,"method":"ping"}', -32600],
    ["bytes that are not UTF-8", "\u0000\u0001", -32700],
  ]
  for (const [what, line, code] of malformed)
    it(`a line with ${what} is answered with ${code} and survived`, async () => {
      const agent = raw()
      agent.say(hello("2025-11-25"))
      agent.say(ready)
      agent.say(line)
      const error = await agent.next(message => "error" in message)
      expect(error["error"]).toMatchObject({ code })
      agent.say("")
      agent.say(call(3, {}))
      expect(await agent.next(answers(3))).toHaveProperty("result")
    })

  it("may send a message in pieces, several in one, and a very long one", async () => {
    const agent = raw()
    agent.say(hello("2025-11-25"))
    const long = "x".repeat(20_000_000)
    const text = [ready, call(2, {}), call(3, { command: long }), call(4, {})]
      .map(one => JSON.stringify(one))
      .join("\n")
    agent.child.stdin?.write(text.slice(0, 100))
    agent.say(text.slice(100))
    for (const id of [2, 3, 4]) expect(await agent.next(answers(id))).toHaveProperty("result")
    expect(
      noted().some(one => (one["input"] as { command?: string } | undefined)?.command?.length === long.length),
    ).toBe(true)
  })

  it("that closes its end right after its last call still gets the answer, and the server ends", async () => {
    const agent = raw()
    agent.say(hello("2025-11-25"))
    agent.say(ready)
    agent.say(call(2, { command: "wait", ms: 50 }))
    agent.end()
    expect(await agent.next(answers(2))).toHaveProperty("result")
    expect(await agent.exited).toEqual([0, null])
  })

  it("that vanishes while a call waits has it cancelled, and the server ends", async () => {
    const agent = raw()
    agent.say(hello("2025-11-25"))
    agent.say(ready)
    agent.say(call(2, { command: "wait" }, { progressToken: 1 }))
    await agent.next(message => message["method"] === "notifications/progress")
    agent.child.stdin?.destroy()
    agent.child.stdout?.destroy()
    expect(await agent.exited).toEqual([0, null])
    expect(noted().slice(-2)).toEqual([{ aborted: true }, { closed: true }])
  })

  it("that is stopped by a signal lets its calls go", async () => {
    const agent = raw()
    agent.say(hello("2025-11-25"))
    agent.say(ready)
    agent.say(call(2, { command: "wait" }, { progressToken: 1 }))
    await agent.next(message => message["method"] === "notifications/progress")
    agent.child.kill("SIGTERM")
    expect(await agent.exited).toEqual([0, null])
    expect(noted()).toContainEqual({ aborted: true })
  })
})

describe("whose call it is", () => {
  it("goes with the call: conversation, message and id as the client says them", async () => {
    const { client } = await connect({}, [], { CLAUDE_CODE_SESSION_ID: "claude-session" })
    await client.callTool({ name: "bash", arguments: {}, _meta: { "claudecode/toolUseId": "toolu_1" } })
    await client.callTool({
      name: "bash",
      arguments: {},
      _meta: { sessionId: "codex-session", callId: "call_1", "x-codex-turn-metadata": { turn_id: "turn-7" } },
    })
    expect(noted().flatMap(one => ("context" in one ? [one["context"]] : []))).toEqual([
      { actor: "agent", review: "hold", conversation: "claude-session", guessed: true, callId: "toolu_1" },
      { actor: "agent", review: "hold", conversation: "codex-session", message: "turn-7", callId: "call_1" },
    ])
  })
})
