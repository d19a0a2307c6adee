import { resolve } from "node:path"
import { locateStore } from "@galley/engine/store/location.ts"
import { readWhole } from "./cli/args.ts"
import { type CommandModule, examples } from "./cli/command.ts"
import { type Context, print, printJson } from "./cli/context.ts"
import { exitCodes } from "./cli/exit.ts"
import { inertLine } from "./cli/inert.ts"
import { openInBrowser } from "./open-browser.ts"
import { findRunning, forgetRunning, keepKey, keyFor, writeRunning } from "./serve-file.ts"
import type { WebServer } from "./web/server.ts"

/** Wires `galley serve`: the review page, its API and MCP over HTTP, for one workspace, until it is told to stop. */
export function serveCommand(version: string, newId: () => string): CommandModule {
  return {
    configure(command) {
      command.argument("[dir]", "the folder to work on; same as --workspace")
      command.option("--port <number>", "the port to listen on; else the last one, or any free one", readWhole)
      command.option("--no-open", "do not open a browser")
      command.option("--new-token", "forget the token of earlier servers: pages open elsewhere are shut out")
      command.description(
        "Serves the review page on this machine only. Prints its address, which holds a secret token; keep it to yourself.\n" +
          "Agents reach the same server over MCP at /mcp with the token as bearer. Stop it with Ctrl-C.",
      )
      examples(command, ["galley serve", "galley serve ~/src/shop --port 4100 --no-open"])
    },
    async run(context, [dir], options) {
      const { surroundings, engine } = context
      const globals =
        dir === undefined ? context.globals : { ...context.globals, workspace: resolve(surroundings.cwd, dir) }
      const root = engine.rootFor(globals)
      const { folder } = locateStore(root, surroundings)
      const opens = options["open"] !== false
      const running = await findRunning(folder)
      if (running !== null && options["newToken"] !== true) {
        tell(context, addressOf(running.url, running.token), "Already running", opens, folder)
        return exitCodes.done
      }

      const workspace = await engine.open(root, globals)
      const log = (text: string): void => surroundings.stderr.write(`galley serve: ${inertLine(text)}\n`)
      for (const notice of workspace.notices) log(notice)
      const key = keyFor(folder, options["newToken"] === true)
      const identity = { fallback: `http-${newId()}`, variables: {} }
      const start = (port: number): Promise<WebServer> =>
        startServer({
          version,
          workspace,
          token: key.token,
          port,
          log,
          connection: {
            version,
            identity:
              globals.conversation === undefined ? identity : { ...identity, conversation: globals.conversation },
            settings: {
              ...(globals.review === undefined ? {} : { review: globals.review }),
              ...(globals.policy === undefined ? {} : { policy: globals.policy }),
            },
            asksRoots: false,
            workspace: () => Promise.resolve(workspace),
            progressEveryMs: 5_000,
            log,
          },
        })
      let server: WebServer | null = null
      try {
        const asked = options["port"]
        server = typeof asked === "number" ? await start(asked) : await start(key.port).catch(() => start(0))
        keepKey(folder, { token: key.token, port: server.port })
        writeRunning(folder, { url: server.url, token: key.token, pid: process.pid })
        tell(context, addressOf(server.url, key.token), "Review page", opens, folder)
        await stopped(surroundings.signal)
        return exitCodes.done
      } finally {
        forgetRunning(folder, process.pid)
        await server?.close()
        await workspace.close()
      }
    },
  }
}

/** Loaded late: the server brings hono and MCP with it. */
async function startServer(
  options: Parameters<typeof import("./web/server.ts").startWebServer>[0],
): Promise<WebServer> {
  const [{ startWebServer }, { askedCalls }] = await Promise.all([
    import("./web/server.ts"),
    import("./mcp/question.ts"),
  ])
  return startWebServer({ ...options, connection: { ...options.connection, asked: askedCalls() } })
}

/** The token is behind `#`: a browser sends that part to nobody, and the page takes it out of the address at once. */
function addressOf(url: string, token: string): string {
  return `${url}#token=${token}`
}

function tell(context: Context, address: string, what: string, opens: boolean, folder: string): void {
  if (context.globals.json) printJson(context, { version: 1, url: address, pid: process.pid })
  else print(context, `${what}: ${address}`)
  if (opens && context.surroundings.stdout.isTTY === true)
    openInBrowser(address, folder, context.surroundings.variables)
}

function stopped(signal: AbortSignal): Promise<void> {
  return new Promise(done => {
    if (signal.aborted) done()
    // The pending timer is what keeps the process alive besides the listening socket.
    else signal.addEventListener("abort", () => done())
  })
}
