/** `galley mcp` as it is shipped, with the real engine, driven by the official client; the person decides by command line beside it. */
import { existsSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import {
  type CallResult,
  callSchema,
  logSchema,
  operationsSchema,
  statusSchema,
} from "@galley/core/protocol/results.ts"
import { Client, type ClientOptions } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { type BuiltProgram, builtProgram, newPlace, type Place } from "../program.ts"

let program: BuiltProgram
let place: Place
const ends: (() => Promise<void>)[] = []
beforeAll(async () => {
  program = await builtProgram()
})
afterAll(() => program.remove())
beforeEach(() => {
  place = newPlace(program)
})
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
  place.remove()
})

interface Given {
  readonly words?: readonly string[]
  readonly options?: ClientOptions
  readonly roots?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

async function connect({
  words = ["--workspace", place.work],
  options = {},
  roots,
  env = {},
  cwd = place.folder,
}: Given = {}) {
  const client = new Client(
    { name: "test", version: "1" },
    { ...options, ...(roots === undefined ? {} : { capabilities: { roots: {} } }) },
  )
  if (roots !== undefined) client.setRequestHandler("roots/list", () => ({ roots: roots.map(uri => ({ uri })) }))
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program.file, "mcp", ...words],
    env: { ...place.env, ...env },
    cwd,
    stderr: "pipe",
  })
  await client.connect(transport)
  ends.push(() => client.close())
  return {
    client,
    transport,
    call: async (
      name: string,
      input: Record<string, unknown>,
      more: { signal?: AbortSignal; onprogress?: () => void } = {},
    ): Promise<CallResult> => {
      const result = await client.callTool({ name, arguments: input }, more)
      const structured = callSchema.parse(result.structuredContent)
      expect(result.content).toEqual([{ type: "text", text: structured.text }])
      expect(result.isError ?? false).toBe(!structured.ok)
      return structured
    },
  }
}

const text = (path: string): string => readFileSync(join(place.work, path), "utf8")
const status = () => statusSchema.parse(place.run(["status", "--json"]).json())
const cart = (): string => join(place.work, "src/cart.js")
const floorToTrunc = () => ({
  command: "str_replace",
  path: join(place.work, "src/money.js"),
  old_str: "Math.floor",
  new_str: "Math.trunc",
})

describe("an agent at work", () => {
  it("edits, is refused with a hint, and every change is there for the person, with locations and cards", async () => {
    const { call } = await connect()
    const done = await call("str_replace_editor", floorToTrunc())
    expect(done).toMatchObject({ ok: true, capture: "recorded", changes: [{ path: "src/money.js", kind: "modify" }] })
    expect(done.locations?.[0]).toMatchObject({ path: expect.stringMatching(/src\/money\.js$/) as string })
    expect(done.diffs?.[0]?.oldText).toContain("Math.floor")
    expect(done.diffs?.[0]?.newText).toContain("Math.trunc")
    const failed = await call("str_replace_editor", {
      command: "str_replace",
      path: cart(),
      old_str: "return  sum",
      new_str: "x",
    })
    expect(failed).toMatchObject({ ok: false, error: { code: "NO_MATCH" }, changes: [] })
    expect(failed.text).toContain("old_str")
    expect(status().files.map(file => file.path)).toEqual(["src/money.js"])
  })

  it("runs a command whose changes are reviewable", async () => {
    const { call } = await connect()
    const done = await call("bash", { command: "sed -i 's/Total/Sum/' src/cart.js && echo done" })
    expect([done.ok, done.exitCode, done.changes]).toEqual([true, 0, [{ path: "src/cart.js", kind: "modify" }]])
    expect(done.text).toContain("done")
    expect(["previewed", "recorded", "detected"]).toContain(done.capture)
    const edit = await call("bash", { command: "sed -i 's/Sum/Total/' src/cart.js" })
    expect(edit).toMatchObject({ ok: true, capture: "simulated" })
    expect(status().files).toEqual([])
  })

  it("keeps the line ends, marks and tabs of real files", async () => {
    const { call } = await connect()
    const at = (path: string): string => join(place.work, path)
    await call("str_replace_editor", {
      command: "insert",
      path: at("data/prices.csv"),
      insert_line: 5,
      insert_text: "Pen,1.00\n",
    })
    await call("str_replace_editor", {
      command: "str_replace",
      path: at("data/customers.csv"),
      old_str: "Cádiz",
      new_str: "Málaga",
    })
    await call("str_replace_editor", {
      command: "str_replace",
      path: at("legal/terms.txt"),
      old_str: "14 days",
      new_str: "30 days",
    })
    await call("str_replace_editor", {
      command: "str_replace",
      path: at("Makefile"),
      old_str: "\tnode --test",
      new_str: "\tnode --test test",
    })
    expect(text("data/prices.csv")).toMatch(/1\.95\r\nPen,1\.00\r\n$/)
    expect(readFileSync(at("data/customers.csv")).subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]))
    expect(readFileSync(at("legal/terms.txt")).toString("utf16le")).toContain("30 days – unused.\r\n")
    expect(text("Makefile")).toContain("\tnode --test test\n\nreceipt:\n\tnode src")
  })
})

describe("ask", () => {
  const ask = ["--review", "ask", "--set", "ask.waitSeconds=60"]
  async function waiting() {
    for (;;) {
      // The client in this process needs its turn to send the call.
      await new Promise(resolve => setTimeout(resolve, 20))
      const [call] = status().waiting
      if (call !== undefined) return call
    }
  }

  it("waits for the person; allowed, it is done", async () => {
    const { call } = await connect({ words: ["--workspace", place.work, ...ask] })
    const pending = call("str_replace_editor", floorToTrunc())
    const { id } = await waiting()
    expect(text("src/money.js")).toContain("Math.floor")
    expect(place.run(["answer", id, "allow"]).code).toBe(0)
    expect((await pending).ok).toBe(true)
    expect(text("src/money.js")).toContain("Math.trunc")
  })

  it("denied, nothing is written and the reason reaches the agent", async () => {
    const { call } = await connect({ words: ["--workspace", place.work, ...ask] })
    const pending = call("str_replace_editor", floorToTrunc())
    const { id } = await waiting()
    place.run(["answer", id, "deny", "--reason", "keep floor, amounts are positive"])
    const result = await pending
    expect(result.ok).toBe(false)
    expect(result.text).toContain("keep floor, amounts are positive")
    expect(text("src/money.js")).toContain("Math.floor")
    expect(status().files).toEqual([])
  })

  it("past the wait it is held, and says so", async () => {
    const { call } = await connect({
      words: ["--workspace", place.work, "--review", "ask", "--set", "ask.waitSeconds=0.2"],
    })
    const result = await call("str_replace_editor", floorToTrunc())
    expect(result.held).toBe(true)
    expect(text("src/money.js")).toContain("Math.floor")
    expect(status().files).toMatchObject([{ path: "src/money.js", disk: "base" }])
  })

  for (const how of ["cancels", "vanishes"])
    it(`a client that ${how} meanwhile leaves the change pending and nothing on disk`, async () => {
      const { call, client } = await connect({ words: ["--workspace", place.work, ...ask] })
      const stop = new AbortController()
      const pending = call("str_replace_editor", floorToTrunc(), { signal: stop.signal }).catch(() => null)
      const { id } = await waiting()
      if (how === "cancels") stop.abort()
      else await client.close()
      await pending
      // The server hears of it a moment later.
      while (status().waiting.some(one => one.id === id)) await new Promise(resolve => setTimeout(resolve, 20))
      expect(text("src/money.js")).toContain("Math.floor")
      expect(status().files.map(file => [file.path, file.disk])).toEqual([["src/money.js", "base"]])
    })

  it("a server that is killed meanwhile leaves the change pending and nothing on disk", async () => {
    const { call, transport } = await connect({ words: ["--workspace", place.work, ...ask] })
    const pending = call("str_replace_editor", floorToTrunc()).catch(() => null)
    await waiting()
    process.kill(transport.pid ?? 0, "SIGKILL")
    await pending
    expect(text("src/money.js")).toContain("Math.floor")
    expect(status().files.map(file => [file.path, file.disk])).toEqual([["src/money.js", "base"]])
    expect(place.run(["accept", "--all"]).code).toBe(0)
    expect(text("src/money.js")).toContain("Math.trunc")
  })
})

describe("which workspace", () => {
  it("is the client's root where none is named", async () => {
    const { call } = await connect({ words: [], roots: [`file://${place.work}`] })
    expect((await call("str_replace_editor", floorToTrunc())).ok).toBe(true)
    expect(status().files.length).toBe(1)
  })
  it("is the folder it was started in, and up, where the client says nothing", async () => {
    const { call } = await connect({ words: [], cwd: join(place.work, "src") })
    expect((await call("str_replace_editor", floorToTrunc())).ok).toBe(true)
    expect(status().files.length).toBe(1)
  })
  it("is the named one even if the client has other roots", async () => {
    const other = join(place.folder, "other")
    mkdirSync(other)
    const { call } = await connect({ roots: [`file://${other}`] })
    expect(
      (await call("str_replace_editor", { command: "create", path: join(other, "x"), file_text: "" })).error?.code,
    ).toBe("OUTSIDE_WORKSPACE")
    expect(existsSync(join(other, "x"))).toBe(false)
  })
  it("that does not exist is said in each call", async () => {
    const { call } = await connect({ words: ["--workspace", join(place.folder, "nowhere")] })
    expect((await call("bash", { command: "true" })).error?.code).toBe("NOT_FOUND")
  })
})

describe("whose conversation", () => {
  it("is the agent's own where it says so, each connection's else", async () => {
    const claude = await connect({ env: { CLAUDE_CODE_SESSION_ID: "claude-1" } })
    await claude.call("str_replace_editor", floorToTrunc())
    const silent = await connect()
    await silent.call("str_replace_editor", { command: "create", path: join(place.work, "a"), file_text: "" })
    await silent.call("str_replace_editor", { command: "create", path: join(place.work, "b"), file_text: "" })
    await silent.client.callTool({
      name: "str_replace_editor",
      arguments: { command: "create", path: join(place.work, "c"), file_text: "" },
      _meta: { sessionId: "codex-1", "x-codex-turn-metadata": { turn_id: "turn-1" } },
    })
    const { messages } = logSchema.parse(place.run(["log", "--json"]).json())
    const conversations = messages.map(message => message.conversation)
    expect(conversations).toEqual(["claude-1", expect.stringMatching(/^mcp-/), "codex-1"])
    expect(messages[1]?.files.map(file => file.path).sort()).toEqual(["a", "b"])
    expect(messages[2]?.id).toBe("turn-1")
    const { operations } = operationsSchema.parse(place.run(["log", "--operations", "--json"]).json())
    expect(operations.map(operation => operation.actor)).toEqual(["agent", "agent", "agent", "agent"])
  })
})
