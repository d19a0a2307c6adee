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
import { startFakeModel } from "./fake-model.mjs"

const [agent = "", program = ""] = process.argv.slice(2)
const modules = join(import.meta.dirname, "node_modules")
const port = 18081

interface AcpDriver {
  readonly words: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly prepare?: (home: string) => void
  readonly mode?: string
  readonly tools: { readonly ours: string; readonly read: string; readonly edit: string; readonly shell: string; readonly shellToo: object }
}

const drivers: Readonly<Record<string, AcpDriver>> = {
  "qwen-code": {
    words: [process.execPath, join(modules, "@qwen-code/qwen-code/cli.js"), "--acp", "--auth-type", "openai"],
    env: { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`, OPENAI_API_KEY: "dummy", OPENAI_MODEL: "fake-model" },
    mode: "default",
    prepare: home => {
      const file = join(home, ".qwen/settings.json")
      mkdirSync(dirname(file), { recursive: true })
      const settings = {
        general: { enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        security: { auth: { selectedType: "openai" } },
      }
      writeFileSync(file, JSON.stringify(settings))
    },
    tools: { ours: "mcp__galley__str_replace_editor", read: "read_file", edit: "edit", shell: "run_shell_command", shellToo: { is_background: false } },
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
    tools: { ours: "mcp__galley__str_replace_editor", read: "Read", edit: "Edit", shell: "Bash", shellToo: {} },
  },
}
const driver = drivers[agent]
if (driver === undefined) throw new Error(`No ACP agent ${agent}`)

let wrong = 0
function check(what: string, found: unknown, expected: unknown): void {
  const good = JSON.stringify(found) === JSON.stringify(expected)
  if (!good) wrong++
  process.stdout.write(`${good ? "  ok   " : "  WRONG"} acp ${agent}: ${what}\n`)
  if (!good) process.stdout.write(`         found    ${JSON.stringify(found)}\n         expected ${JSON.stringify(expected)}\n`)
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
child.stderr.on("data", data => (errors += data))
const waiting = new Map<number, (message: any) => void>()
const asked: string[] = []
let last = 0
const send = (message: unknown): void => void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...(message as object) })}\n`)
const request = (method: string, params: unknown): Promise<any> =>
  new Promise((resolve, reject) => {
    const id = ++last
    const timer = setTimeout(() => reject(new Error(`${method}: no answer\n${errors}`)), 240_000)
    waiting.set(id, message => {
      clearTimeout(timer)
      resolve(message)
    })
    send({ id, method, params })
  })
createInterface({ input: child.stdout }).on("line", line => {
  const message = JSON.parse(line)
  if (message.method === undefined) waiting.get(message.id)?.(message)
  else if (message.method === "session/request_permission") {
    asked.push(message.params.toolCall.title ?? "?")
    const allow = message.params.options.find((one: any) => one.kind === "allow_once")
    send({ id: message.id, result: { outcome: { outcome: "selected", optionId: allow.optionId } } })
  } else if (message.method === "fs/read_text_file") {
    const path = message.params.path
    if (existsSync(path)) send({ id: message.id, result: { content: readFileSync(path, "utf8") } })
    else send({ id: message.id, error: { code: -32002, message: "not found" } })
  } else if (message.method === "fs/write_text_file") {
    asked.push("WRITE REACHED THE EDITOR")
    send({ id: message.id, result: {} })
  } else if (message.id !== undefined) send({ id: message.id, error: { code: -32601, message: "no" } })
})

try {
  await request("initialize", {
    protocolVersion: 1,
    clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: false },
  })
  const opened = await request("session/new", { cwd: work, mcpServers: [] })
  const sessionId = opened.result?.sessionId
  check("a session opens", typeof sessionId, "string")
  if (driver.mode !== undefined) await request("session/set_mode", { sessionId, modeId: driver.mode })
  const { tools } = driver
  const at = (name: string): string => join(work, name)
  const prompt = (words: string, turns: unknown[]): Promise<any> =>
    request("session/prompt", {
      sessionId,
      prompt: [{ type: "text", text: `${words} @@SCRIPT ${JSON.stringify([...turns, "All done."])} @@END` }],
    })
  await prompt("First: ours.", [[{ t: tools.ours, a: { command: "str_replace", path: at("a.txt"), old_str: "alpha", new_str: "ALPHA" } }]])
  check("Galley's tool wrote", text("a.txt"), "ALPHA\nbeta\n")
  await prompt("Second: its own.", [
    [{ t: tools.read, a: { file_path: at("b.txt") } }],
    [{ t: tools.edit, a: { file_path: at("b.txt"), old_string: "two", new_string: "TWO" } }],
    [{ t: tools.shell, a: { command: "printf 'x\\n' > out.txt", description: "as scripted", ...tools.shellToo } }],
  ])
  check("its own tools wrote", [text("b.txt"), text("out.txt")], ["one\nTWO\n", "x\n"])
  check("no write reached the editor", asked.includes("WRITE REACHED THE EDITOR"), false)
  const { messages } = JSON.parse(galley("log", "--json").out)
  check("prompts are messages of the session", messages.map((one: any) => [one.title.slice(0, 6), one.conversation]), [
    ["First:", sessionId],
    ["Second", sessionId],
  ])
  const { operations } = JSON.parse(galley("log", "--operations", "--json").out)
  check(
    "each change is the agent's, in its message",
    operations.map((one: any) => [one.paths.join(), one.actor, messages.findIndex((message: any) => message.id === one.message)]),
    [["a.txt", "agent", 0], ["b.txt", "agent", 1], ["out.txt", "agent", 1]],
  )
  check("reject", [galley("reject", "b.txt").code, text("b.txt")], [0, "one\ntwo\n"])
  check("rewind", [galley("rewind", messages[0].id).code, text("a.txt"), text("out.txt")], [0, "alpha\nbeta\n", null])
} finally {
  child.kill()
  stop()
  if (wrong === 0 && process.env["GALLEY_KEEP"] === undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  else process.stdout.write(`         kept: ${folder}\n${errors.slice(-1500)}\n`)
}
process.exit(wrong === 0 ? 0 : 1)
