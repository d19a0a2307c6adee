/** Where one real agent's story is played: a workspace and a home of its own, the scripted model, the program under test. */
import { spawn, spawnSync } from "node:child_process"
import { randomUUID } from "node:crypto"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { logSchema, operationsSchema, statusSchema } from "@galley/core/protocol/results.ts"
import type { AgentPlace, Call, Driver } from "./driver.ts"
import { claudeCode } from "./drivers/claude-code.ts"
import { cline } from "./drivers/cline.ts"
import { codex } from "./drivers/codex.ts"
import { geminiCli, qwenCode } from "./drivers/gemini-family.ts"
import { opencode } from "./drivers/opencode.ts"
import { startFakeModel } from "./fake-model.mjs"

const drivers: readonly Driver[] = [claudeCode, codex, opencode, qwenCode, geminiCli, cline]

/** One prompt may take this long, in milliseconds: the agents start slowly on a busy machine. */
const patience = 240_000

/** What stands in the workspace at the start. */
export const start = {
  "a.txt": "alpha\nbeta\ngamma\n",
  "b.txt": "one\ntwo\nthree\n",
  "c.txt": "red\ngreen\nblue\n",
  "old name.txt": "to be moved\n",
} as const

/** The end of a command line of Galley's. */
export interface End {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

export type Stage = Awaited<ReturnType<typeof openStage>>

export async function openStage(agent: string, program: string, story: string) {
  const driver = drivers.find(one => one.name === agent)
  if (driver === undefined) throw new Error(`No agent ${agent}: ${drivers.map(one => one.name).join(", ")}`)
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
  for (const [name, text] of Object.entries(start)) writeFileSync(join(place.work, name), text)
  const committing = ["-c", "user.name=P", "-c", "user.email=p@example.com", "commit", "-qm", "start"]
  for (const words of [["init", "-q"], ["add", "."], committing])
    spawnSync("git", words, { cwd: place.work, env: environment })
  process.chdir(place.work)
  const stopModel = await startFakeModel(place.port, join(folder, "model"))
  let wrong = 0

  function check(what: string, found: unknown, expected: unknown): void {
    const good = JSON.stringify(found) === JSON.stringify(expected)
    if (!good) wrong++
    process.stdout.write(`${good ? "  ok   " : "  WRONG"} ${story}: ${what}\n`)
    if (!good)
      process.stdout.write(
        `         found    ${JSON.stringify(found)}\n         expected ${JSON.stringify(expected)}\n`,
      )
  }

  function galley(...words: readonly string[]): End {
    const end = spawnSync(process.execPath, [program, ...words], {
      cwd: place.work,
      env: environment,
      encoding: "utf8",
    })
    return { code: end.status, out: end.stdout, err: end.stderr }
  }

  return {
    driver,
    place,
    check,
    galley,
    at: (name: string): string => join(place.work, name),
    /** A file's text; null for none. */
    text: (name: string): string | null => {
      const path = join(place.work, name)
      return existsSync(path) ? readFileSync(path, "utf8") : null
    },
    status: () => statusSchema.parse(JSON.parse(galley("status", "--json").out)),
    log: () => logSchema.parse(JSON.parse(galley("log", "--json").out)).messages,
    operations: () => operationsSchema.parse(JSON.parse(galley("log", "--operations", "--json").out)).operations,
    /** The person's own settings. */
    configure: (settings: Readonly<Record<string, unknown>>): void => {
      const home = join(place.home, ".local/share/galley")
      mkdirSync(home, { recursive: true })
      writeFileSync(join(home, "config.json"), JSON.stringify(settings))
    },
    /** Allows with another text. */
    answer: (id: string, content: string): End => {
      const file = join(folder, "content")
      writeFileSync(file, content)
      return galley("answer", id, "allow", "--content", file)
    },
    /** Whether any request that the model got holds the text. */
    modelSaw: (text: string): boolean =>
      readdirSync(join(folder, "model")).some(name => readFileSync(join(folder, "model", name), "utf8").includes(text)),
    /** Runs one prompt of the conversation to its end; the model makes the calls of `turns`, one list a turn. */
    prompt: (n: number, words: string, turns: readonly (readonly Call[])[], how: readonly string[] = []) => {
      const script = JSON.stringify([...turns, "All done."])
      const command = driver.command(place, `${words} @@SCRIPT ${script} @@END`, n, how)
      const [file = "", ...rest] = command.words
      return new Promise<string>(resolve => {
        const child = spawn(file, rest, {
          cwd: place.work,
          env: { ...environment, ...command.env },
          stdio: ["pipe", "pipe", "pipe"],
        })
        child.stdin.end(command.stdin ?? "")
        let out = ""
        for (const stream of [child.stdout, child.stderr]) stream.on("data", (data: Buffer) => (out += data.toString()))
        const timer = setTimeout(() => child.kill("SIGKILL"), patience)
        child.on("close", code => {
          clearTimeout(timer)
          writeFileSync(join(folder, `agent-${n}.log`), out)
          check(`prompt ${n + 1} runs to its end`, code, 0)
          resolve(out)
        })
      })
    },
    /** Ends the story: what it leaves is kept if something was wrong. Gives the exit code. */
    end: (): number => {
      stopModel()
      driver.end?.(place)
      if (wrong === 0 && process.env["GALLEY_KEEP"] === undefined)
        // The resident hook process notices that its socket is gone.
        rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
      else process.stdout.write(`         kept: ${folder}\n`)
      return wrong === 0 ? 0 : 1
    },
  }
}
