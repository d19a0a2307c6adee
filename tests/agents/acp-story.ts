/**
 * A real ACP agent behind `galley acp`, driven by a scripted editor (protocol v1): `node acp-story.ts AGENT PROGRAM`, inside a network
 * namespace with loopback only. Two prompts: one through Galley's tools, one with the agent's own edit and shell tools; then reject and
 * rewind.
 */
import { spawn, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { logSchema, operationsSchema } from "@galley/core/protocol/results.ts"
import type { Call } from "./driver.ts"
import { startFakeModel } from "./fake-model.mjs"

const [agent = "", program = ""] = process.argv.slice(2)
const modules = join(import.meta.dirname, "node_modules")
const port = 18081

interface AcpDriver {
  readonly words: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly prepare?: (home: string) => void
  readonly mode?: string
  ours(input: object): Call
  ownReplace(path: string, from: string, to: string): readonly Call[]
  ownShell(command: string): Call
}

/** In its read-only mode codex asks only about a command that says it needs more. */
const escalated = { sandbox_permissions: "require_escalated", justification: "as scripted" }

const drivers: Readonly<Record<string, AcpDriver>> = {
  "qwen-code": {
    words: [process.execPath, join(modules, "@qwen-code/qwen-code/cli.js"), "--acp", "--auth-type", "openai"],
    env: { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`, OPENAI_API_KEY: "dummy", OPENAI_MODEL: "fake-model" },
    mode: "default",
    prepare: home =>
      write(join(home, ".qwen/settings.json"), {
        general: { enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        security: { auth: { selectedType: "openai" } },
      }),
    ours: a => ({ t: "mcp__galley__str_replace_editor", a }),
    ownReplace: (file_path, old_string, new_string) => [
      { t: "read_file", a: { file_path } },
      { t: "edit", a: { file_path, old_string, new_string } },
    ],
    ownShell: command => ({ t: "run_shell_command", a: { command, description: "as scripted", is_background: false } }),
  },
  "claude-agent-acp": {
    words: [process.execPath, join(modules, "@agentclientprotocol/claude-agent-acp/dist/index.js")],
    env: {
      ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`,
      ANTHROPIC_API_KEY: "dummy",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
    },
    mode: "default",
    ours: a => ({ t: "mcp__galley__str_replace_editor", a }),
    ownReplace: (file_path, old_string, new_string) => [
      { t: "Read", a: { file_path } },
      { t: "Edit", a: { file_path, old_string, new_string } },
    ],
    ownShell: command => ({ t: "Bash", a: { command, description: "as scripted" } }),
  },
  "gemini-cli": {
    words: [
      process.execPath,
      join(modules, "@google/gemini-cli/bundle/gemini.js"),
      "--acp",
      "--skip-trust",
      "-m",
      "gemini-2.5-flash",
    ],
    env: { GOOGLE_GEMINI_BASE_URL: `http://127.0.0.1:${port}`, GEMINI_API_KEY: "dummy" },
    mode: "default",
    prepare: home =>
      write(join(home, ".gemini/settings.json"), {
        general: { enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
        security: { auth: { selectedType: "gemini-api-key" } },
      }),
    ours: a => ({ t: "mcp_galley_str_replace_editor", a }),
    ownReplace: (file_path, old_string, new_string) => [
      { t: "read_file", a: { file_path } },
      { t: "replace", a: { file_path, instruction: "as scripted", old_string, new_string } },
    ],
    ownShell: command => ({ t: "run_shell_command", a: { command, description: "as scripted" } }),
  },
  opencode: {
    words: [join(modules, "opencode-linux-x64/bin/opencode"), "acp"],
    env: {
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
    },
    prepare: home =>
      write(join(home, ".config/opencode/opencode.json"), {
        autoupdate: false,
        model: "fake/fake-model",
        permission: { edit: "ask", bash: "ask" },
        provider: {
          fake: {
            npm: "@ai-sdk/openai-compatible",
            options: { baseURL: `http://127.0.0.1:${port}/v1`, apiKey: "dummy" },
            models: { "fake-model": { tool_call: true, limit: { context: 100_000, output: 4000 } } },
          },
        },
      }),
    ours: a => ({ t: "galley_str_replace_editor", a }),
    ownReplace: (filePath, oldString, newString) => [
      { t: "read", a: { filePath } },
      { t: "edit", a: { filePath, oldString, newString } },
    ],
    ownShell: command => ({ t: "bash", a: { command, description: "as scripted" } }),
  },
  "codex-acp": {
    words: [process.execPath, join(modules, "@agentclientprotocol/codex-acp/dist/index.js")],
    env: { FAKE_KEY: "dummy" },
    mode: "read-only",
    prepare: home => {
      const file = join(home, ".codex/config.toml")
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(
        file,
        `model = "gpt-5.5"
model_provider = "fake"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.fake]
name = "fake"
base_url = "http://127.0.0.1:${port}/v1"
env_key = "FAKE_KEY"
wire_api = "responses"
`,
      )
    },
    ours: a => ({ t: "str_replace_editor", ns: "mcp__galley", a }),
    ownReplace: (path, from, to) => [
      {
        t: "apply_patch",
        kind: "custom",
        a: { input: `*** Begin Patch\n*** Update File: ${path}\n@@\n-${from}\n+${to}\n*** End Patch\n` },
      },
    ],
    ownShell: command => ({ t: "/^(exec_command|shell|shell_command)$/", a: { cmd: command, command, ...escalated } }),
  },
}
const driver = drivers[agent]
if (driver === undefined) throw new Error(`No ACP agent ${agent}`)

function write(file: string, settings: object): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify(settings))
}

let wrong = 0
function check(what: string, found: unknown, expected: unknown): void {
  const good = JSON.stringify(found) === JSON.stringify(expected)
  if (!good) wrong++
  process.stdout.write(`${good ? "  ok   " : "  WRONG"} acp ${agent}: ${what}\n`)
  if (!good)
    process.stdout.write(`         found    ${JSON.stringify(found)}\n         expected ${JSON.stringify(expected)}\n`)
}

const folder = mkdtempSync(join(tmpdir(), `galley-acp-${agent}-`))
const home = join(folder, "home")
const work = join(folder, "work")
for (const one of [home, work]) mkdirSync(one)
writeFileSync(join(work, "a.txt"), "alpha\nbeta\n")
writeFileSync(join(work, "b.txt"), "one\ntwo\n")
const env = { HOME: home, PATH: "/usr/local/bin:/usr/bin:/bin", LANG: "C.UTF-8", TERM: "xterm", SHELL: "/bin/bash" }
spawnSync("git", ["init", "-q"], { cwd: work, env })
driver.prepare?.(home)
const text = (name: string): string | null =>
  existsSync(join(work, name)) ? readFileSync(join(work, name), "utf8") : null
const galley = (...words: string[]): { code: number | null; out: string } => {
  const end = spawnSync(process.execPath, [program, ...words], { cwd: work, env, encoding: "utf8" })
  return { code: end.status, out: end.stdout }
}

const stop = await startFakeModel(port, join(folder, "model"))
const child = spawn(process.execPath, [program, "acp", "--", ...driver.words], {
  cwd: work,
  env: { ...env, ...driver.env },
  stdio: ["pipe", "pipe", "pipe"],
})
let errors = ""
child.stderr.on("data", (data: Buffer) => (errors += data.toString()))

type Json = Readonly<Record<string, unknown>>
const waiting = new Map<unknown, (message: Json) => void>()
const asked: string[] = []
let last = 0

function send(message: Json): void {
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
}

function request(method: string, params: Json): Promise<Json> {
  return new Promise((resolve, reject) => {
    const id = ++last
    const timer = setTimeout(() => reject(new Error(`${method}: no answer\n${errors}`)), 240_000)
    waiting.set(id, message => {
      clearTimeout(timer)
      if (message["error"] !== undefined) errors += `${method}: ${JSON.stringify(message["error"])}\n`
      resolve(record(message["result"]))
    })
    send({ id, method, params })
  })
}

function record(value: unknown): Json {
  return typeof value === "object" && value !== null ? (value as Json) : {}
}

createInterface({ input: child.stdout }).on("line", line => {
  const message = record(JSON.parse(line))
  const { id } = message
  const params = record(message["params"])
  switch (message["method"]) {
    case undefined:
      waiting.get(id)?.(message)
      break
    case "session/request_permission": {
      asked.push(String(record(params["toolCall"])["title"]))
      const options = (params["options"] as readonly unknown[]).map(record)
      const optionId = options.find(one => one["kind"] === "allow_once")?.["optionId"]
      send({ id, result: { outcome: { outcome: "selected", optionId } } })
      break
    }
    case "fs/read_text_file": {
      const path = String(params["path"])
      if (existsSync(path)) send({ id, result: { content: readFileSync(path, "utf8") } })
      else send({ id, error: { code: -32002, message: "not found" } })
      break
    }
    case "fs/write_text_file":
      asked.push("WRITE REACHED THE EDITOR")
      send({ id, result: {} })
      break
    default:
      if (id !== undefined) send({ id, error: { code: -32601, message: "no" } })
  }
})

try {
  await request("initialize", {
    protocolVersion: 1,
    clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: false },
  })
  const { sessionId } = await request("session/new", { cwd: work, mcpServers: [] })
  check("a session opens", typeof sessionId, "string")
  if (driver.mode !== undefined) await request("session/set_mode", { sessionId, modeId: driver.mode })
  const at = (name: string): string => join(work, name)
  const prompt = (words: string, turns: readonly (readonly Call[])[]): Promise<Json> =>
    request("session/prompt", {
      sessionId,
      prompt: [{ type: "text", text: `${words} @@SCRIPT ${JSON.stringify([...turns, "All done."])} @@END` }],
    })
  await prompt("First: ours.", [
    [driver.ours({ command: "str_replace", path: at("a.txt"), old_str: "alpha", new_str: "ALPHA" })],
  ])
  check("Galley's tool wrote", text("a.txt"), "ALPHA\nbeta\n")
  await prompt("Second: its own.", [
    ...driver.ownReplace(at("b.txt"), "two", "TWO").map(call => [call]),
    [driver.ownShell("printf 'x\\n' > out.txt")],
  ])
  check("its own tools wrote", [text("b.txt"), text("out.txt")], ["one\nTWO\n", "x\n"])
  // opencode gives the editor a copy of what it has written already.
  if (agent !== "opencode") check("no write reached the editor", asked.includes("WRITE REACHED THE EDITOR"), false)
  const { messages } = logSchema.parse(JSON.parse(galley("log", "--json").out))
  check(
    "prompts are messages of the session",
    messages.map(one => [one.title.slice(0, 6), one.conversation]),
    [
      ["First:", sessionId],
      ["Second", sessionId],
    ],
  )
  const { operations } = operationsSchema.parse(JSON.parse(galley("log", "--operations", "--json").out))
  check(
    "each change is the agent's, in its message",
    operations.map(one => [one.paths.join(), one.actor, messages.findIndex(message => message.id === one.message)]),
    [
      ["a.txt", "agent", 0],
      ["b.txt", "agent", 1],
      ["out.txt", "agent", 1],
    ],
  )
  check("reject", [galley("reject", "b.txt").code, text("b.txt")], [0, "one\ntwo\n"])
  check(
    "rewind",
    [galley("rewind", messages[0]?.id ?? "?").code, text("a.txt"), text("out.txt")],
    [0, "alpha\nbeta\n", null],
  )
} finally {
  child.kill()
  stop()
  if (wrong === 0 && process.env["GALLEY_KEEP"] === undefined)
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  else process.stdout.write(`         kept: ${folder}\n${errors.slice(-1500)}\n`)
}
process.exit(wrong === 0 ? 0 : 1)
