/**
 * One real agent's conversation, from `galley install` to rewind. Runs inside a network namespace that has loopback only:
 * `node story.ts AGENT PROGRAM`, PROGRAM being a built bin/galley.mjs. Prints what was checked; ends with 1 if something was wrong.
 */
import { spawn, spawnSync } from "node:child_process"
import { randomUUID } from "node:crypto"
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { AgentPlace, Call, Driver } from "./driver.ts"
import { claudeCode } from "./drivers/claude-code.ts"
import { codex } from "./drivers/codex.ts"
import { geminiCli, qwenCode } from "./drivers/gemini-family.ts"
import { opencode } from "./drivers/opencode.ts"
import { startFakeModel } from "./fake-model.mjs"

const drivers: readonly Driver[] = [claudeCode, codex, opencode, qwenCode, geminiCli]
const [agent = "", program = ""] = process.argv.slice(2)
const driver = drivers.find(one => one.name === agent)
if (driver === undefined) throw new Error(`No agent ${agent}: ${drivers.map(one => one.name).join(", ")}`)

/** One prompt may take this long, in milliseconds: the agents start slowly on a busy machine. */
const patience = 240_000

let wrong = 0
function check(what: string, found: unknown, expected: unknown): void {
  const good = JSON.stringify(found) === JSON.stringify(expected)
  if (!good) wrong++
  process.stdout.write(`${good ? "  ok   " : "  WRONG"} ${agent}: ${what}\n`)
  if (!good) process.stdout.write(`         found    ${JSON.stringify(found)}\n         expected ${JSON.stringify(expected)}\n`)
}

const folder = mkdtempSync(join(tmpdir(), `galley-agent-${agent}-`))
const place: AgentPlace = {
  home: join(folder, "home"),
  work: join(folder, "work"),
  modules: join(import.meta.dirname, "node_modules"),
  port: 18080,
  node: process.execPath,
  session: randomUUID(),
}
const trap = join(folder, "trap")
for (const one of [place.home, place.work, trap]) mkdirSync(one)
// Whoever asks the PATH for node gets one that is too old to run Galley.
writeFileSync(join(trap, "node"), "#!/bin/sh\necho 'an old node was run' >&2\nexit 9\n")
chmodSync(join(trap, "node"), 0o755)
const environment = {
  HOME: place.home,
  PATH: `${trap}:/usr/local/bin:/usr/bin:/bin`,
  TERM: "xterm-256color",
  LANG: "C.UTF-8",
  SHELL: "/bin/bash",
  GALLEY_HOOK_IDLE_MS: "4000",
}
const start = {
  "a.txt": "alpha\nbeta\ngamma\n",
  "b.txt": "one\ntwo\nthree\n",
  "c.txt": "red\ngreen\nblue\n",
  "old name.txt": "to be moved\n",
}
for (const [name, text] of Object.entries(start)) writeFileSync(join(place.work, name), text)
for (const words of [["init", "-q"], ["add", "."], ["-c", "user.name=P", "-c", "user.email=p@example.com", "commit", "-qm", "start"]])
  spawnSync("git", words, { cwd: place.work, env: environment })
process.chdir(place.work)

function galley(...words: string[]): { code: number | null; out: string; err: string; json: () => any } {
  const end = spawnSync(process.execPath, [program, ...words], { cwd: place.work, env: environment, encoding: "utf8" })
  return { code: end.status, out: end.stdout, err: end.stderr, json: () => JSON.parse(end.stdout) }
}

function text(name: string): string | null {
  const path = join(place.work, name)
  return existsSync(path) ? readFileSync(path, "utf8") : null
}

async function prompt(n: number, words: string, turns: readonly (readonly Call[])[]): Promise<string> {
  const script = JSON.stringify([...turns, "All done."])
  const { words: command, stdin, env } = driver!.command(place, `${words} @@SCRIPT ${script} @@END`, n)
  return new Promise(resolve => {
    const child = spawn(command[0]!, command.slice(1), {
      cwd: place.work,
      env: { ...environment, ...env },
      stdio: [stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    })
    child.stdin?.end(stdin)
    let out = ""
    child.stdout!.on("data", data => (out += data))
    child.stderr!.on("data", data => (out += data))
    const timer = setTimeout(() => child.kill("SIGKILL"), patience)
    child.on("close", code => {
      clearTimeout(timer)
      writeFileSync(join(folder, `agent-${n}.log`), out)
      check(`prompt ${n + 1} runs to its end`, code, 0)
      resolve(out)
    })
  })
}

const stop = await startFakeModel(place.port, join(folder, "model"))
try {
  const { calls } = driver
  const at = (name: string): string => join(place.work, name)
  driver.prepare(place)
  check("galley install", galley("install", driver.name).code, 0)
  check("installing again changes nothing", galley("install", driver.name, "--json").json().files, [])

  await prompt(0, "First: our tools.", [
    [calls.edit({ command: "str_replace", path: at("a.txt"), old_str: "alpha", new_str: "ALPHA" })],
    [calls.bash("sed -i s/beta/BETA/ a.txt")],
  ])
  check("Galley's tools wrote", text("a.txt"), "ALPHA\nBETA\ngamma\n")

  await prompt(1, "Second: the agent's own tools.", [
    ...calls.ownReplace(at("b.txt"), "two", "TWO").map(call => [call]),
    ...calls.ownWrite(at("new.txt"), "made\n").map(call => [call]),
  ])
  check("its own tools wrote", [text("b.txt"), text("new.txt")], ["one\nTWO\nthree\n", "made\n"])
  check("reject", galley("reject", "b.txt").code, 0)
  check("reject put the old text back", text("b.txt"), start["b.txt"])

  await prompt(2, "Third: its shell.", [
    ...(calls.readBefore === undefined ? [] : [[calls.readBefore(at("c.txt"))]]),
    [calls.ownShell("sed -i s/green/GREEN/ c.txt")],
    [calls.ownShell("printf 'out\\n' > out.txt && mv 'old name.txt' moved.txt")],
  ])
  check("its shell wrote", [text("c.txt"), text("out.txt"), text("old name.txt"), text("moved.txt")], [
    "red\nGREEN\nblue\n",
    "out\n",
    null,
    "to be moved\n",
  ])
  const requests = readdirSync(join(folder, "model")).map(name => readFileSync(join(folder, "model", name), "utf8"))
  check("the model was told of the rejection", requests.some(request => request.includes("Rejected in b.txt")), true)

  const { messages } = galley("log", "--json").json()
  check(
    "log shows the prompts as a line of messages",
    messages.map((message: any) => [message.title.slice(0, 6), messages.findIndex((one: any) => one.id === message.parent)]).toSorted(),
    [
      ["First:", -1],
      ["Second", 0],
      ["Third:", 1],
    ],
  )
  check("in one conversation", new Set(messages.map((message: any) => message.conversation)).size, 1)
  const { operations } = galley("log", "--operations", "--json").json()
  const captureOf = (path: string): string[] =>
    operations.filter((one: any) => one.actor === "agent" && one.paths.includes(path)).map((one: any) => one.capture)
  check("captures of Galley's tools", captureOf("a.txt").toSorted(), ["recorded", "simulated"])
  check("capture of its own edit", captureOf("b.txt"), ["recorded"])
  check("capture of its own sed -i", captureOf("c.txt"), [driver.ownSed])
  check("capture of its own shell", captureOf("moved.txt"), [driver.ownSed === "simulated" ? "previewed" : "recorded"])
  check("nothing was done by nobody", operations.filter((one: any) => one.actor === "external").length, 0)

  check("accept", galley("accept", "a.txt").code, 0)
  const second = messages.find((message: any) => message.title.startsWith("Second"))
  check("rewind to the second message", galley("rewind", second?.id ?? "?").code, 0)
  check("files as before it", ["a.txt", "b.txt", "c.txt", "old name.txt", "new.txt", "out.txt", "moved.txt"].map(text), [
    "ALPHA\nBETA\ngamma\n",
    start["b.txt"],
    start["c.txt"],
    start["old name.txt"],
    null,
    null,
    null,
  ])
  check("nothing is pending", galley("status", "--json").json().files, [])
  check("undo brings it back", [galley("undo").code, text("c.txt"), text("moved.txt")], [0, "red\nGREEN\nblue\n", "to be moved\n"])
  check("uninstall", galley("uninstall", driver.name).code, 0)
} finally {
  stop()
  if (wrong === 0 && process.env["GALLEY_KEEP"] === undefined) {
    // The resident hook process notices that its socket is gone.
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  } else process.stdout.write(`         kept: ${folder}\n`)
}
process.exit(wrong === 0 ? 0 : 1)
