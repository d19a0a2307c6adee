import { spawn } from "node:child_process"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { Readable } from "node:stream"
import { galleyHome, knownStore } from "@galley/engine/store/location.ts"
import type { Workspace } from "@galley/engine/workspace.ts"
import { openProxy } from "./acp/proxy.ts"
import { parseWire, type Wire } from "./acp/wire.ts"
import { type CommandModule, examples } from "./cli/command.ts"
import { exitCodes, UsageError } from "./cli/exit.ts"
import { workspaceRoot } from "./workspace-root.ts"

/** Wires `galley acp`: an editor on standard input and output, the agent as a child process, the proxy between them. */
export function acpCommand(newId: () => string): CommandModule {
  return {
    configure(command) {
      command.argument("<agent...>", "the ACP agent's command line, behind --")
      command.description(
        "Stands between an ACP editor and an ACP agent: prompts become messages, edits go through review, Galley's tools are\noffered. Put it in front of the agent's command in the editor's settings.",
      )
      examples(command, ["galley acp -- qwen --acp", "galley acp --review hold -- claude-agent-acp"])
    },
    async run(context, words) {
      const [program, ...args] = words
      if (program === undefined) throw new UsageError("Say which agent to start.", "galley acp -- AGENT [ARG...]")
      const { surroundings, globals, engine } = context
      const settings = new Map(engine.settings(globals).map(row => [row.key, row.value]))
      const configured = settings.get("review.mode")
      const review = globals.review ?? (configured === "hold" || configured === "ask" ? configured : "apply")
      const names = join(galleyHome(surroundings), "run", `acp-${newId()}`)
      mkdirSync(names, { recursive: true, mode: 0o700 })
      const open = new Map<string, Promise<Workspace>>()
      const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] })
      const files = new Map<string, string>()
      const proxy = openProxy({
        review,
        toAgent: line => void child.stdin.write(`${line}\n`),
        toEditor: line => surroundings.stdout.write(`${line}\n`),
        log: text => surroundings.stderr.write(`galley acp: ${text}\n`),
        workspace: folder => {
          const root = rootOf(folder)
          const workspace = open.get(root) ?? engine.open(root, globals)
          open.set(root, workspace)
          return workspace
        },
        server: folder => {
          const file = join(names, newId())
          files.set(folder, file)
          const mode = globals.review === undefined ? [] : ["--review", globals.review]
          return {
            name: "galley",
            command: process.execPath,
            args: [process.argv[1] ?? "galley", "mcp", "--workspace", rootOf(folder), ...mode],
            env: [{ name: "GALLEY_CONVERSATION_FILE", value: file }],
          }
        },
        named: (folder, session) => {
          const file = files.get(folder)
          if (file !== undefined) writeFileSync(file, session, { mode: 0o600 })
        },
      })
      const stop = (): void => void child.kill()
      surroundings.signal.addEventListener("abort", stop)
      try {
        const ended = new Promise<number>((resolve, reject) => {
          child.on("error", reject)
          child.on("exit", code => resolve(code ?? exitCodes.failed))
        })
        void inOrder(process.stdin, wire => proxy.fromEditor(wire)).then(() => child.stdin.end())
        await Promise.all([inOrder(child.stdout, wire => proxy.fromAgent(wire)), ended])
        return await ended
      } finally {
        for (const workspace of open.values()) await (await workspace.catch(() => null))?.close()
        rmSync(names, { recursive: true, force: true })
      }

      function rootOf(folder: string | null): string {
        if (globals.workspace !== undefined || folder === null || folder === "") return engine.rootFor(globals)
        return workspaceRoot(undefined, folder, at => knownStore(at, surroundings) !== null)
      }
    },
  }
}

/**
 * Gives each line on in turn: what was sent first arrives first. A request that waits for the person lets others pass, or a cancellation
 * could not reach it.
 */
async function inOrder(stream: Readable, handle: (wire: Wire) => Promise<void>): Promise<void> {
  let last: Promise<void> = Promise.resolve()
  for await (const line of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === "") continue
    const wire = parseWire(line)
    const before = last
    const now = before.then(() => handle(wire))
    last = wire.message?.method === "fs/write_text_file" ? before : now.catch(() => {})
  }
  await last
}
