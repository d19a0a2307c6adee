/**
 * Entry of `galley hook AGENT` alone, loaded by `bin/galley.mjs` instead of the whole program: an agent waits for every hook, so this
 * reads its payload, hands it to a resident process that has the program and the workspace open, and prints the answer.
 *
 * Whatever goes wrong on that way, the whole program answers instead, in this process.
 */
import { mkdirSync } from "node:fs"
import { connect } from "node:net"
import { homedir } from "node:os"
import { join } from "node:path"
import { galleyHome } from "@galley/engine/store/home.ts"
import { socketName } from "./hooks/resident-place.ts"

export async function main(): Promise<void> {
  const words = process.argv.slice(3)
  const started = Date.now()
  const plain = words.some(
    word => word.startsWith("--help") || word === "-h" || word === "--resident" || word === "--json",
  )
  if (plain || process.stdin.isTTY || process.env["GALLEY_HOOK_RESIDENT"] === "0") return whole()
  const input = await readInput()
  const request = `${JSON.stringify({ words, input, cwd: process.cwd(), variables: shared(process.env) })}\n`
  const answer = await viaResident(request, started)
  if (answer === null) return whole(input)
  process.stdout.write(answer.stdout)
  process.stderr.write(answer.stderr)
  process.exitCode = answer.exitCode
}

interface Answer {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number
}

async function viaResident(request: string, started: number): Promise<Answer | null> {
  const program = process.argv[1]
  if (program === undefined) return null
  try {
    const folder = join(galleyHome({ variables: process.env, userHome: homedir() }), "run")
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const name = socketName(program, process.execPath)
    // A socket's path may have 107 bytes; from within its folder it is short.
    process.chdir(folder)
    const first = await ask(name, request)
    if (first !== null) return first
    await start(program)
    while (Date.now() - started < startPatience) {
      await new Promise(resolve => setTimeout(resolve, 15))
      const later = await ask(name, request)
      if (later !== null) return later
    }
    return null
  } catch {
    return null
  }
}

/** A resident process that is not up by then is not waited for. Milliseconds. */
const startPatience = 8_000

async function start(program: string): Promise<void> {
  const { spawn } = await import("node:child_process")
  const words = [program, "hook", "--resident"]
  const child = spawn(process.execPath, words, { detached: true, stdio: "ignore", env: process.env })
  child.on("error", () => {})
  child.unref()
}

/** Null if nobody listens there. Once the request is on its way, its answer is waited for: asking twice would record twice. */
function ask(name: string, request: string): Promise<Answer | null> {
  return new Promise((resolve, reject) => {
    const socket = connect(name)
    const chunks: Buffer[] = []
    let up = false
    socket.on("connect", () => {
      up = true
      socket.write(request)
    })
    socket.on("data", (chunk: Buffer) => chunks.push(chunk))
    socket.on("error", error => (up ? reject(error) : resolve(null)))
    socket.on("close", () => {
      const text = Buffer.concat(chunks).toString("utf8")
      if (!up) resolve(null)
      else if (text.endsWith("\n")) resolve(JSON.parse(text) as Answer)
      else reject(new Error("the resident process went away"))
    })
  })
}

/** Runs the command with the whole program. Input that was read already is given on. */
async function whole(input?: string): Promise<void> {
  const program = await import("./main.ts")
  await program.main(input)
}

async function readInput(): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk as string))
  return Buffer.concat(chunks).toString("utf8")
}

/** What hooks look at; keys and tokens of the agent stay where they are. */
function shared(variables: NodeJS.ProcessEnv): Record<string, string> {
  const wanted = Object.entries(variables).filter(
    ([name]) =>
      /^(CLAUDE|GALLEY|GEMINI|QWEN|CODEX|OPENCODE|CLINE|XDG|HOME$)/.test(name) && !/KEY|TOKEN|SECRET|AUTH/.test(name),
  )
  return Object.fromEntries(wanted.map(([name, value]) => [name, value ?? ""]))
}
