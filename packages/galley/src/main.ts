import { existsSync, readFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { isatty } from "node:tty"
import { realEnv } from "@galley/engine/io/env.ts"
import {
  type Config,
  configKeys,
  describeConfig,
  fileLayer,
  resolveConfig,
  settingLayer,
} from "@galley/engine/session/config.ts"
import { galleyHome, knownStore } from "@galley/engine/store/location.ts"
import type { Workspace } from "@galley/engine/workspace.ts"
import type { Globals } from "./cli/args.ts"
import type { Finding } from "./cli/commands/doctor.ts"
import type { Engine, Output, Surroundings } from "./cli/context.ts"
import { endingOf } from "./cli/exit.ts"
import { type Program, runProgram } from "./cli/program.ts"
import { commandTable } from "./commands.ts"
import { processTerminal } from "./process-terminal.ts"
import { typedWords } from "./typed-words.ts"
import { version } from "./version.ts"
import { workspaceRoot } from "./workspace-root.ts"

/** The program: the only place that reads the process and wires the parts together. Called by `bin/galley.mjs`; `given` is standard input where that was read already. */
export async function main(given?: string): Promise<void> {
  const surroundings = processSurroundings(given)
  const env = realEnv()
  const program: Program = {
    version,
    entries: commandTable(() => program),
    surroundings,
    engine: engineOf(surroundings),
    newId: () => env.newId(),
  }
  process.exitCode = await runProgram(program, typedWords(process.argv.slice(2)))
  // Everything is closed by now. If something still holds the process after this, it is not worth a hanging shell.
  setTimeout(() => process.exit(), 2_000).unref()
}

function engineOf(surroundings: Surroundings): Engine {
  const { variables, userHome, cwd } = surroundings
  const home = galleyHome({ variables, userHome })
  const rootFor = ({ workspace }: Globals): string =>
    workspaceRoot(workspace, cwd, folder => knownStore(folder, { variables, userHome }) !== null)
  return {
    rootFor,
    open: (root, globals) => open(root, home, configFor(home, globals)),
    examine: async globals => {
      const { examineMachine } = await import("./machine.ts")
      return [
        ...(await examineMachine(home)),
        settingsFinding(home, globals),
        ...retentionFindings(home, globals),
        await workspaceFinding(globals),
        ...(await agents(globals)),
      ]
    },
    settings: globals => {
      const config = configFor(home, globals)
      return describeConfig().map(row => ({ ...row, value: config[row.key as keyof typeof configKeys] }))
    },
  }

  async function agents(globals: Globals): Promise<readonly Finding[]> {
    try {
      const { agentFindings } = await import("./agent-findings.ts")
      const waitSeconds = configFor(home, globals)["ask.waitSeconds"]
      return await agentFindings(
        { home: variables["HOME"] ?? userHome, root: rootFor(globals), variables, waitSeconds },
        home,
      )
    } catch (error) {
      return [{ name: "agents", state: "note", detail: endingOf(error).data.message }]
    }
  }

  async function workspaceFinding(globals: Globals): Promise<Finding> {
    const name = "workspace"
    try {
      const root = rootFor(globals)
      if (knownStore(root, { variables, userHome }) === null)
        return { name, state: "good", detail: `${root}, not used with Galley yet` }
      const workspace = await open(root, home, configFor(home, globals))
      try {
        const status = await workspace.as({ actor: "person" }).status({})
        const notes = [...workspace.notices, ...(status.notices ?? [])]
        const detail = `${root}, review ${status.review}, ${status.files.length} files pending`
        return notes.length === 0
          ? { name, state: "good", detail }
          : { name, state: "note", detail, hint: notes.join(" ") }
      } finally {
        await workspace.close()
      }
    } catch (error) {
      const { data } = endingOf(error)
      return { name, state: "bad", detail: data.message, ...(data.hint === undefined ? {} : { hint: data.hint }) }
    }
  }
}

async function open(root: string, home: string, config: Config): Promise<Workspace> {
  const { openWorkspace } = await import("@galley/engine/open.ts")
  return await openWorkspace({ root, home, config, env: realEnv() })
}

/** Defaults, then `$GALLEY_HOME/config.json`, then what was typed. */
function configFor(home: string, globals: Globals): Config {
  const file = join(home, "config.json")
  const typed = globals.set.length === 0 ? [] : [settingLayer(globals.set)]
  return resolveConfig([...(existsSync(file) ? [fileLayer(file, readFileSync(file, "utf8"))] : []), ...typed])
}

function settingsFinding(home: string, globals: Globals): Finding {
  const name = "settings"
  const file = join(home, "config.json")
  try {
    configFor(home, globals)
    return { name, state: "good", detail: existsSync(file) ? file : `defaults (${file} does not exist)` }
  } catch (error) {
    const { data } = endingOf(error)
    return { name, state: "bad", detail: data.message, ...(data.hint === undefined ? {} : { hint: data.hint }) }
  }
}

function retentionFindings(home: string, globals: Globals): readonly Finding[] {
  try {
    const { "gc.keepDays": days, "gc.maxMegabytes": megabytes } = configFor(home, globals)
    const detail = `once a day what is older than ${days} days, or beyond ${megabytes} MB a workspace, is dropped; never what is pending (galley gc --dry-run)`
    return [{ name: "retention", state: "good", detail }]
  } catch {
    // The settings cannot be read, which their own finding says.
    return []
  }
}

function processSurroundings(given: string | undefined): Surroundings {
  const stop = new AbortController()
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => {
      // The first asks; who sends a second means it.
      if (stop.signal.aborted) process.exit(130)
      stop.abort()
    })
  const listeners = new Set<() => void>()
  process.stdout.on("error", error => {
    // A reader that has seen enough (`| head`) is no failure.
    if (listeners.size === 0) process.exit("code" in error && error.code === "EPIPE" ? 0 : 1)
    for (const listener of listeners) listener()
  })
  process.stderr.on("error", () => {})
  return {
    variables: process.env,
    userHome: homedir(),
    cwd: process.cwd(),
    stdout: {
      ...outputOf(process.stdout),
      onGone: listener => void listeners.add(listener),
    },
    stderr: outputOf(process.stderr),
    stdin: {
      // Not process.stdin.isTTY: to look at it is to open it, and most commands never read.
      isTTY: isatty(0),
      bytes: given === undefined ? standardInput : async () => new TextEncoder().encode(given),
    },
    signal: stop.signal,
    terminal: processTerminal(),
  }
}

function outputOf(stream: NodeJS.WriteStream): Output {
  return { isTTY: stream.isTTY, columns: stream.columns, write: text => void stream.write(text) }
}

async function standardInput(): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk as string))
  return Buffer.concat(chunks)
}
