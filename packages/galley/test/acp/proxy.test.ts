import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { realEnv } from "@galley/engine/io/env.ts"
import { openWorkspace } from "@galley/engine/open.ts"
import { resolveConfig } from "@galley/engine/session/config.ts"
import type { ReviewMode } from "@galley/core/protocol/results.ts"
import { afterEach, expect, test } from "vitest"
import { openProxy } from "../../src/acp/proxy.ts"
import { parseWire } from "../../src/acp/wire.ts"

let ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends) await end()
  ends = []
})

/** A message as the test reads it: any field, of any depth; what is not there makes the test fail. */
interface Sent {
  readonly id: unknown
  readonly method: unknown
  readonly result: Record<string, unknown>
  readonly error: { readonly message: string }
  readonly params: {
    readonly prompt: readonly { readonly text: string }[]
    readonly mcpServers: readonly { readonly name: string }[]
    readonly _meta: { readonly claudeCode: { readonly options: { readonly disallowedTools: readonly string[] } } }
  }
}

/** A proxy between two lists, over a real workspace, with one session opened. */
async function scene(review: ReviewMode = "apply", agent = "qwen-code") {
  const folder = mkdtempSync(join(tmpdir(), "galley-acp-"))
  const root = join(folder, "work")
  mkdirSync(root)
  writeFileSync(join(root, "a.txt"), "one\ntwo\nthree\n")
  execFileSync("git", ["init", "-q", root])
  const workspace = await openWorkspace({
    root,
    home: join(folder, "home"),
    config: resolveConfig([{ source: "test", values: { "ask.waitSeconds": 20 } }]),
    env: realEnv(),
  })
  ends.push(async () => {
    await workspace.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const toAgent: Sent[] = []
  const toEditor: Sent[] = []
  const raw: string[] = []
  const troubles: string[] = []
  const named: string[] = []
  const proxy = openProxy({
    toAgent: line => {
      raw.push(line)
      toAgent.push(JSON.parse(line) as Sent)
    },
    toEditor: line => toEditor.push(JSON.parse(line) as Sent),
    review,
    workspace: () => Promise.resolve(workspace),
    server: () => ({ name: "galley", command: "/opt/node", args: ["/opt/galley.mjs", "mcp"], env: [] }),
    named: (_, session) => named.push(session),
    log: text => troubles.push(text),
  })
  const editor = (message: unknown): Promise<void> => proxy.fromEditor(parseWire(JSON.stringify(message)))
  const fromAgent = (message: unknown): Promise<void> => proxy.fromAgent(parseWire(JSON.stringify(message)))
  await editor({
    jsonrpc: "2.0",
    id: 0,
    method: "initialize",
    params: { protocolVersion: 1, clientCapabilities: { fs: { writeTextFile: true } } },
  })
  await fromAgent({ jsonrpc: "2.0", id: 0, result: { protocolVersion: 1, agentInfo: { name: agent } } })
  await editor({ jsonrpc: "2.0", id: 1, method: "session/new", params: { cwd: root, mcpServers: [{ name: "other" }] } })
  await fromAgent({ jsonrpc: "2.0", id: 1, result: { sessionId: "s1" } })
  return {
    root,
    proxy,
    editor,
    fromAgent,
    toAgent,
    toEditor,
    raw,
    troubles,
    named,
    person: workspace.as({ actor: "person" }),
    at: (path: string) => join(root, path),
    text: (path: string) => readFileSync(join(root, path), "utf8"),
    prompt: (text: string, id = 2) =>
      editor({
        jsonrpc: "2.0",
        id,
        method: "session/prompt",
        params: { sessionId: "s1", prompt: [{ type: "text", text }] },
      }),
    update: (update: unknown) =>
      fromAgent({ jsonrpc: "2.0", method: "session/update", params: { sessionId: "s1", update } }),
  }
}

test("the server is offered beside the editor's own, and the session's id is told to it", async () => {
  const s = await scene()
  expect(s.toAgent[1]?.params.mcpServers.map(server => server.name)).toEqual(["other", "galley"])
  expect(s.named).toEqual(["s1"])
  expect(s.toEditor.at(-1)).toEqual({ jsonrpc: "2.0", id: 1, result: { sessionId: "s1" } })
})

test("what is not known passes letter by letter, both ways", async () => {
  const s = await scene()
  const odd = '{"jsonrpc":"2.0",  "id":"x","method":"_vendor/thing","params":{"n":1.50}}'
  await s.proxy.fromEditor(parseWire(odd))
  expect(s.raw.at(-1)).toBe(odd)
  await s.proxy.fromEditor(parseWire("[not json")).catch(() => {})
  await s.fromAgent({ jsonrpc: "2.0", id: 9, method: "terminal/create", params: { sessionId: "s1", command: "ls" } })
  expect(s.toEditor.at(-1)?.method).toBe("terminal/create")
})

test("prompts become messages, and carry what the person did since, once", async () => {
  const s = await scene()
  await s.prompt("First")
  expect(s.toAgent.at(-1)?.params.prompt).toEqual([{ type: "text", text: "First" }])
  await s.person.comment({ path: "a.txt", line: 1, text: "keep this" })
  await s.prompt("Second", 3)
  expect(s.toAgent.at(-1)?.params.prompt[1]?.text).toContain("keep this")
  const { messages } = await s.person.log({})
  expect(messages.map(one => [one.title, one.conversation])).toEqual([
    ["First", "s1"],
    ["Second", "s1"],
  ])
})

test("a write of the agent is an edit through the session, answered by Galley", async () => {
  const s = await scene()
  await s.prompt("Write")
  const write = (id: number, path: string, content: string) =>
    s.fromAgent({
      jsonrpc: "2.0",
      id,
      method: "fs/write_text_file",
      params: { sessionId: "s1", path: s.at(path), content },
    })
  await write(7, "a.txt", "one\nTWO\nthree\n")
  await write(8, "new.txt", "made\n")
  await write(9, "a.txt", "one\nTWO\nthree\n")
  expect(s.toAgent.slice(-3).map(one => [one.id, one.result])).toEqual([
    [7, {}],
    [8, {}],
    [9, {}],
  ])
  expect(s.toEditor.some(one => one.method === "fs/write_text_file")).toBe(false)
  expect([s.text("a.txt"), s.text("new.txt")]).toEqual(["one\nTWO\nthree\n", "made\n"])
  const { operations } = await s.person.operations({})
  expect(operations.map(one => [one.conversation, one.capture, one.paths])).toEqual([
    ["s1", "recorded", ["a.txt"]],
    ["s1", "recorded", ["new.txt"]],
  ])
})

test("in hold a write is not on disk, and the agent reads it back", async () => {
  const s = await scene("hold")
  await s.prompt("Write")
  const path = s.at("a.txt")
  await s.fromAgent({
    jsonrpc: "2.0",
    id: 7,
    method: "fs/write_text_file",
    params: { sessionId: "s1", path, content: "new\ntext\n" },
  })
  expect(s.text("a.txt")).toBe("one\ntwo\nthree\n")
  await s.fromAgent({
    jsonrpc: "2.0",
    id: 8,
    method: "fs/read_text_file",
    params: { sessionId: "s1", path, line: 2, limit: 1 },
  })
  expect(s.toAgent.at(-1)).toEqual({ jsonrpc: "2.0", id: 8, result: { content: "text\n" } })
  await s.fromAgent({
    jsonrpc: "2.0",
    id: 9,
    method: "fs/read_text_file",
    params: { sessionId: "s1", path: "/etc/hosts" },
  })
  expect(s.toEditor.at(-1)?.id).toBe(9)
})

test("in ask there is one question: the permission is Galley's, and a denial reaches the agent with its reason", async () => {
  const s = await scene("ask")
  await s.prompt("Write")
  const options = [
    { optionId: "yes", kind: "allow_once" },
    { optionId: "no", kind: "reject_once" },
  ]
  const path = s.at("a.txt")
  const toolCall = {
    toolCallId: "t1",
    kind: "edit",
    content: [{ type: "diff", path, oldText: "one\ntwo\nthree\n", newText: "x\n" }],
  }
  await s.fromAgent({
    jsonrpc: "2.0",
    id: 5,
    method: "session/request_permission",
    params: { sessionId: "s1", toolCall, options },
  })
  expect(s.toAgent.at(-1)?.result["outcome"]).toEqual({ outcome: "selected", optionId: "yes" })
  const writing = s.fromAgent({
    jsonrpc: "2.0",
    id: 6,
    method: "fs/write_text_file",
    params: { sessionId: "s1", path, content: "x\n" },
  })
  let waiting = (await s.person.status({})).waiting
  while (waiting.length === 0) waiting = (await s.person.status({})).waiting
  await s.person.answer({ id: waiting[0]?.id ?? "", decision: "deny", reason: "keep it" })
  await writing
  expect(s.toAgent.at(-1)?.error.message).toContain("keep it")
  expect(s.toEditor.some(one => one.method === "session/request_permission")).toBe(false)
})

test("an edit that the agent makes itself is recorded around its permission and its end", async () => {
  const s = await scene("apply", "claude-agent-acp")
  await s.prompt("Edit")
  const toolCall = { toolCallId: "t1", kind: "edit", title: "Edit a.txt", rawInput: { file_path: s.at("a.txt") } }
  await s.fromAgent({
    jsonrpc: "2.0",
    id: 5,
    method: "session/request_permission",
    params: { sessionId: "s1", toolCall, options: [] },
  })
  expect(s.toEditor.at(-1)?.id).toBe(5)
  writeFileSync(s.at("a.txt"), "one\nTWO\nthree\n")
  await s.update({ sessionUpdate: "tool_call_update", toolCallId: "t1", status: "completed" })
  await s.person.reject({ path: "a.txt" })
  expect(s.text("a.txt")).toBe("one\ntwo\nthree\n")
})

for (const [agent, toolCall] of [
  ["claude-agent-acp", { toolCallId: "t1", kind: "execute", title: "make", rawInput: { command: "make" } }],
  ["gemini-cli", { toolCallId: "t1", kind: "execute", title: "make [current working directory /w]" }],
] as const)
  test(`a shell command of ${agent} is looked at before and after`, async () => {
    const s = await scene("apply", agent)
    await s.prompt("Run")
    await s.fromAgent({
      jsonrpc: "2.0",
      id: 5,
      method: "session/request_permission",
      params: { sessionId: "s1", toolCall, options: [] },
    })
    writeFileSync(s.at("out.txt"), "made\n")
    await s.update({ sessionUpdate: "tool_call_update", toolCallId: "t1", status: "completed" })
    const { operations } = await s.person.operations({})
    expect(operations.map(one => [one.kind, one.paths])).toEqual([["command", ["out.txt"]]])
    const [message] = (await s.person.log({})).messages
    await s.person.rewind({ message: message?.id ?? "" })
    expect(existsSync(s.at("out.txt"))).toBe(false)
  })

test("with changes held back, claude-agent-acp is told to leave its own tools", async () => {
  const s = await scene("hold")
  expect(s.toAgent[1]?.params._meta.claudeCode.options.disallowedTools).toContain("Bash")
})
