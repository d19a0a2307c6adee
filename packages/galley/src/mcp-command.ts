import { existsSync, readFileSync, statSync } from "node:fs"
import { Failure } from "@galley/core/failure.ts"
import { knownStore } from "@galley/engine/store/location.ts"
import type { Workspace } from "@galley/engine/workspace.ts"
import { type CommandModule, examples } from "./cli/command.ts"
import { exitCodes } from "./cli/exit.ts"
import type { ConnectionIdentity } from "./mcp/identity.ts"
import { serveOnStreams } from "./mcp/stdio.ts"
import { workspaceRoot } from "./workspace-root.ts"

/** Wires `galley mcp`: the command line's context on one side, the MCP server on the other. */
export function mcpCommand(version: string, newId: () => string): CommandModule {
  return {
    configure(command) {
      command.option("--hooked", "the agent has Galley's hooks too (set by install): say so if they did not run")
      command.description(
        "Serves one agent over MCP on standard input and output. The workspace is --workspace, else the client's root, else " +
          "the folder it started in. An agent starts this itself; to try it by hand use galley call.",
      )
      examples(command, ["galley mcp --workspace /path/to/project", "galley mcp --review hold"])
    },
    async run(context, _operands, options) {
      const { globals, engine, surroundings } = context
      let opened: { readonly root: string; readonly workspace: Promise<Workspace> } | null = null
      const done = serveOnStreams(
        {
          version,
          identity: identityOf({
            fallback: `mcp-${newId()}`,
            variables: surroundings.variables,
            ...(globals.conversation === undefined ? {} : { conversation: globals.conversation }),
            ...(globals.message === undefined ? {} : { message: globals.message }),
          }),
          settings: {
            ...(globals.review === undefined ? {} : { review: globals.review }),
            ...(globals.policy === undefined ? {} : { policy: globals.policy }),
          },
          hooked: options["hooked"] === true,
          asksRoots: globals.workspace === undefined,
          workspace,
          progressEveryMs: Number(surroundings.variables["GALLEY_PROGRESS_MS"] ?? 5_000),
          log: text => surroundings.stderr.write(`galley mcp: ${text}\n`),
        },
        { input: process.stdin, output: process.stdout },
        surroundings.signal,
      )
      await done
      await close()
      return exitCodes.done

      /** A failed opening is tried again by the next call: the person may have put right what was wrong. */
      async function workspace(roots: readonly string[]): Promise<Workspace> {
        const started = roots.find(isFolder) ?? surroundings.variables["CLAUDE_PROJECT_DIR"]
        // As a hook and a person's command line find it from there: the repository that the folder is in.
        const root =
          globals.workspace === undefined && started !== undefined && isFolder(started)
            ? workspaceRoot(undefined, started, at => knownStore(at, surroundings) !== null)
            : engine.rootFor(globals)
        if (opened !== null && opened.root !== root) await close()
        opened ??= { root, workspace: engine.open(root, globals) }
        try {
          const open = await opened.workspace
          if (surroundings.signal.aborted) throw new Failure("TIMEOUT", "The server is closing.")
          return open
        } catch (error) {
          opened = null
          throw error
        }
      }

      async function close(): Promise<void> {
        const last = opened
        opened = null
        if (last !== null) await (await last.workspace.catch(() => null))?.close()
      }
    },
  }
}

/** The ACP proxy learns a session's id only after this server had to be started for it, and writes it into a file. */
function identityOf(identity: ConnectionIdentity): ConnectionIdentity {
  const file = identity.variables["GALLEY_CONVERSATION_FILE"]
  if (file === undefined || identity.conversation !== undefined) return identity
  return {
    ...identity,
    toldElsewhere: true,
    get conversation() {
      return existsSync(file) ? readFileSync(file, "utf8") : identity.fallback
    },
  }
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory()
}
