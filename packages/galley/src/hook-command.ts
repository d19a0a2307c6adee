import { appendFileSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { Command, Option } from "commander"
import { galleyHome, knownStore } from "@galley/engine/store/location.ts"
import type { Workspace } from "@galley/engine/workspace.ts"
import { declareGlobals, type Globals, readGlobals, readWhole } from "./cli/args.ts"
import { type CommandModule, examples } from "./cli/command.ts"
import type { Engine, Surroundings } from "./cli/context.ts"
import { exitCodes, UsageError } from "./cli/exit.ts"
import { usualHookWait } from "./hooks/install/target.ts"
import { dialects } from "./hooks/dialects.ts"
import { forkedByCommandLine } from "./hooks/fork.ts"
import type { HookEvent, Said } from "./hooks/event.ts"
import { keepsRules } from "./hooks/permission-rules.ts"
import { recordOf, textOf } from "./hooks/payload.ts"
import { excuse, react, type Situation } from "./hooks/react.ts"
import { type Serving, serveHooks } from "./hooks/resident.ts"
import type { Self } from "./hooks/rewrite.ts"
import { workspaceRoot } from "./workspace-root.ts"

/** Wires `galley hook`: an agent's payload on one side, the workspace's requests on the other. */
export function hookCommand(engine: () => Engine): CommandModule {
  return {
    configure(command) {
      command.argument("[agent]", Object.keys(dialects).join(", "))
      command.addOption(waitOption())
      command.option("--resident", "answer the hooks of all workspaces from one process, until it is idle")
      command.description(
        "Answers an agent's hook: reads its payload on standard input. `galley install AGENT` sets it up; it never stops the\n" +
          "agent unless the setting `strict` asks for it or changes wait for review.",
      )
      examples(command, ["galley hook claude-code < payload.json"])
    },
    async run(context, [agent = ""], options) {
      const { surroundings, globals } = context
      if (options["resident"] === true) {
        await residentProcess(engine(), surroundings)
        return exitCodes.done
      }
      if (dialects[agent] === undefined)
        throw new UsageError(`There is no agent ${agent}.`, `Agents: ${Object.keys(dialects).join(", ")}.`)
      const input = new TextDecoder().decode(await surroundings.stdin.bytes())
      const said = await answerHook(engine(), oneWorkspace(engine()), {
        agent,
        globals,
        input,
        cwd: surroundings.cwd,
        variables: surroundings.variables,
        userHome: surroundings.userHome,
        resident: false,
        waitSeconds: Number(options["waitSeconds"]),
        signal: surroundings.signal,
      })
      surroundings.stdout.write(said.stdout)
      surroundings.stderr.write(said.stderr)
      return said.exitCode
    },
  }
}

interface HookCall {
  readonly agent: string
  readonly globals: Globals
  readonly input: string
  readonly cwd: string
  readonly variables: Surroundings["variables"]
  readonly userHome: string
  readonly resident: boolean
  readonly waitSeconds: number
  readonly signal: AbortSignal
}

/** Lends a workspace for one answer. */
type Lend = <T>(root: string, globals: Globals, use: (workspace: Workspace) => Promise<T>) => Promise<T>

function oneWorkspace(engine: Engine): Lend {
  return async (root, globals, use) => {
    const workspace = await engine.open(root, globals)
    try {
      return await use(workspace)
    } finally {
      await workspace.close()
    }
  }
}

/** Never throws: what fails is told to the agent, the log and, if nothing else is left, a file beside the stores. */
async function answerHook(engine: Engine, lend: Lend, call: HookCall): Promise<Said & { readonly stderr: string }> {
  const dialect = dialects[call.agent]
  if (dialect === undefined) return { stdout: "", stderr: `galley: there is no agent ${call.agent}\n`, exitCode: 1 }
  const payload = payloadOf(call.input)
  const event: HookEvent =
    payload === null
      ? {
          kind: "strange",
          who: { conversation: null, message: null, callId: null, cwd: null },
          problem: "it is not JSON",
        }
      : dialect.read(payload)
  if (event.kind === "ignored") return { stdout: "", stderr: "", exitCode: 0 }
  const fields = payload ?? {}
  if (event.kind === "strange") note(call, new Error(`not understood: ${event.problem}`))
  try {
    const settings = new Map(engine.settings(call.globals).map(row => [row.key, row.value]))
    const folder = projectFolder(call, event)
    const root = workspaceRoot(call.globals.workspace, folder, at => knownStore(at, call) !== null)
    const said = await lend(root, call.globals, async workspace => {
      const situation: Situation = {
        agent: call.agent,
        dialect,
        rewrites: dialect.rewrites(fields) && !keepsRules(call.agent, root, call.variables, call.userHome),
        workspace,
        review: call.globals.review ?? reviewOf(settings.get("review.mode")),
        readOnly: (call.globals.policy ?? settings.get("policy")) === "read-only",
        strict: settings.get("strict") === true,
        self: selfOf(),
        flags: flagsOf(call.globals),
        resident: call.resident,
        waitSeconds: call.waitSeconds,
        signal: call.signal,
        forkOf: event.kind === "prompt" ? forkedByCommandLine(call.variables["CLAUDE_PID"]) : null,
      }
      const reply = await react(situation, event).catch((error: unknown) => {
        note(call, error)
        return excuse(situation, event, error)
      })
      return dialect.say(fields, event, reply)
    })
    return { ...said, stderr: "" }
  } catch (error) {
    // No workspace, no store, broken settings: it cannot be logged where it belongs.
    const problem = note(call, error)
    const text = `Galley could not record this: ${problem} It cannot be undone with Galley.`
    const strict = call.globals.set.some(setting => /^strict=(true|yes|on|1)$/.test(setting))
    const said = dialect.say(fields, event, strict && event.kind === "before" ? { deny: text } : { context: text })
    return { ...said, stderr: `galley: ${problem}\n` }
  }
}

/** The folder that the agent was started for: its shell may have gone elsewhere. */
function projectFolder(call: HookCall, event: HookEvent): string {
  const { variables } = call
  const named = variables["CLAUDE_PROJECT_DIR"] ?? variables["GEMINI_PROJECT_DIR"] ?? variables["QWEN_PROJECT_DIR"]
  return textOf(named) ?? ("who" in event ? event.who.cwd : null) ?? call.cwd
}

function payloadOf(input: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(input)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? recordOf(value) : null
  } catch {
    return null
  }
}

function reviewOf(value: unknown): Situation["review"] {
  return value === "hold" || value === "ask" ? value : "apply"
}

function selfOf(): Self {
  return { node: process.execPath, program: process.argv[1] ?? "galley" }
}

function flagsOf(globals: Globals): string[] {
  return [
    ...(globals.policy === undefined ? [] : ["--policy", globals.policy]),
    ...globals.set.flatMap(setting => ["--set", setting]),
  ]
}

/** Keeps a line of what went wrong where `galley doctor` finds it, and gives the words. */
function note(call: HookCall, error: unknown): string {
  const problem = error instanceof Error ? error.message : String(error)
  try {
    const home = galleyHome(call)
    mkdirSync(home, { recursive: true, mode: 0o700 })
    const line = `${new Date().toISOString()} ${call.agent}: ${problem.replaceAll(/\s+/g, " ").slice(0, 500)}\n`
    appendFileSync(join(home, "hooks.log"), line, { mode: 0o600 })
  } catch {
    // The home itself is the trouble; the agent is told, that is all there is.
  }
  return problem
}

/** Answers hooks for as long as there are any. Workspaces stay open between them. */
async function residentProcess(engine: Engine, surroundings: Surroundings): Promise<void> {
  const open = new Map<string, Promise<Workspace>>()
  const lend: Lend = async (root, globals, use) => {
    const key = JSON.stringify([root, globals.set, engine.settings(globals).map(row => row.value)])
    const workspace = open.get(key) ?? engine.open(root, globals)
    open.set(key, workspace)
    try {
      return await use(await workspace)
    } catch (error) {
      open.delete(key)
      await (await workspace.catch(() => null))?.close().catch(() => {})
      throw error
    }
  }
  const serving: Serving = {
    folder: join(galleyHome(surroundings), "run"),
    program: process.argv[1] ?? "galley",
    idleMs: Number(surroundings.variables["GALLEY_HOOK_IDLE_MS"] ?? 600_000),
    signal: surroundings.signal,
    answer: async ({ words, input, cwd, variables }, signal) => {
      const typed = declared().parse([...words], { from: "user" })
      const [agent = ""] = typed.args
      return answerHook(engine, lend, {
        agent,
        globals: readGlobals(typed.opts()),
        input,
        cwd,
        variables,
        userHome: surroundings.userHome,
        resident: true,
        waitSeconds: Number(typed.opts()["waitSeconds"]),
        signal,
      })
    },
  }
  await serveHooks(serving)
  for (const workspace of open.values()) await (await workspace.catch(() => null))?.close().catch(() => {})
}

/** `install` writes it where the person may take longer, and with it a longer time limit of the agent for its hook. */
function waitOption(): Option {
  return new Option("--wait-seconds <number>", "how long an edit may wait for the person (--review ask)")
    .default(usualHookWait)
    .argParser(readWhole)
}

function declared(): Command {
  const command = new Command("hook")
    .exitOverride()
    .allowExcessArguments()
    .configureOutput({ writeErr: () => {} })
  declareGlobals(command)
  command.addOption(waitOption())
  return command
}
