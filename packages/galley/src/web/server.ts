import { createAdaptorServer } from "@hono/node-server"
import type { Workspace } from "@galley/engine/workspace.ts"
import type { Connection } from "../mcp/server.ts"
import { webApp } from "./app.ts"
import { watchPending } from "./disk-watch.ts"
import { openAudience } from "./events.ts"
import { readPageFiles } from "./page-files.ts"

export interface WebServer {
  readonly port: number
  /** Without the token. */
  readonly url: string
  close(): Promise<void>
}

/** Starts the server of one workspace on loopback. `port` 0 takes any free one. */
export async function startWebServer(options: {
  readonly version: string
  readonly workspace: Workspace
  readonly token: string
  readonly port: number
  readonly connection: Connection
  readonly log: (text: string) => void
}): Promise<WebServer> {
  const { workspace, token, log } = options
  const person = workspace.as({ actor: "person" })
  let following: Promise<void> | null = null
  let again = false
  const disk = watchPending(workspace.root, follow)
  const audience = openAudience(listening => (listening ? follow() : disk.close()))
  const stopListening = workspace.onChange(({ revision }) => {
    audience.tell("change", { revision })
    if (audience.size() > 0) follow()
  })
  const access = { port: 0, token }
  const page = readPageFiles()
  if (page.size === 0) log("The review page is not built (npm run build); only the API and MCP answer.")
  const app = webApp({ ...options, access, page, audience })
  const server = createAdaptorServer({ fetch: app.fetch })
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(options.port, "127.0.0.1", resolve)
  })
  const address = server.address()
  access.port = typeof address === "object" && address !== null ? address.port : options.port
  return {
    port: access.port,
    url: `http://127.0.0.1:${access.port}/`,
    async close() {
      stopListening()
      disk.close()
      audience.close()
      await following?.catch(() => {})
      await new Promise<void>(resolve => {
        server.close(() => resolve())
        if ("closeAllConnections" in server) setTimeout(() => server.closeAllConnections(), 300).unref()
      })
    },
  }

  /** Asks for what is pending, which folds in what happened on disk, and watches where that is. One at a time. */
  function follow(): void {
    if (following !== null) {
      again = true
      return
    }
    following = person
      .status({})
      .then(({ files }) => {
        if (audience.size() > 0)
          disk.follow(files.flatMap(file => [file.path, ...(file.from === undefined ? [] : [file.from])]))
      })
      .catch((error: unknown) => log(error instanceof Error ? error.message : String(error)))
      .finally(() => {
        following = null
        if (again) {
          again = false
          follow()
        }
      })
  }
}
