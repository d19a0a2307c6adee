import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync, openSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"

/** A VS Code server in a process group of its own, with a fresh profile. */
export interface CodeServer {
  readonly origin: string
  /** Prefix of a file's address as the window sees it. */
  readonly remote: string
  /** The user's settings; written while it runs they take effect at once. */
  settings(more: Readonly<Record<string, unknown>>): void
  stop(): void
}

const quiet = {
  "workbench.startupEditor": "none",
  "security.workspace.trust.enabled": false,
  "telemetry.telemetryLevel": "off",
  "extensions.autoUpdate": false,
  "extensions.autoCheckUpdates": false,
  "js/ts.tsserver.automaticTypeAcquisition.enabled": false,
  "typescript.disableAutomaticTypeAcquisition": true,
  "chat.disableAIFeatures": true,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.colorTheme": "Dark Modern",
  "editor.minimap.enabled": false,
  "editor.fontSize": 13,
  // On in the browser, off on the desktop, which is what people have.
  "files.autoSave": "off",
  "git.openRepositoryInParentFolders": "never",
} as const

/** Starts it from the harness's packages. Output goes to `folder`, with the profile. */
export async function startCode(options: {
  readonly harness: string
  readonly node: string
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
}): Promise<CodeServer> {
  const { harness, node, folder, env } = options
  const user = join(folder, "server/data/User")
  const extensions = join(folder, "extensions")
  mkdirSync(user, { recursive: true })
  mkdirSync(extensions, { recursive: true })
  const settings = (more: Readonly<Record<string, unknown>>): void =>
    writeFileSync(join(user, "settings.json"), JSON.stringify({ ...quiet, ...more }, null, 2))
  settings({})
  const port = await freePort()
  const main = join(harness, "node_modules/code-server/lib/vscode/out/server-main.js")
  const words = ["--host", "127.0.0.1", "--port", String(port), "--without-connection-token"]
  const more = ["--accept-server-license-terms", "--telemetry-level", "off", "--enable-smoke-test-driver"]
  const places = ["--server-data-dir", join(folder, "server"), "--extensions-dir", extensions]
  const child = spawn(node, [main, ...words, ...more, ...places], {
    // A group of its own: ending it ends the extension host and what that started.
    detached: true,
    // Without a gallery nothing is asked of the network.
    env: { ...process.env, ...env, EXTENSIONS_GALLERY: "{}" },
    stdio: ["ignore", openSync(join(folder, "server.log"), "w"), openSync(join(folder, "server.err"), "w")],
  })
  const origin = `http://127.0.0.1:${port}`
  await answering(origin, child)
  return { origin, remote: `vscode-remote://127.0.0.1:${port}`, settings, stop: () => endGroup(child) }
}

async function answering(origin: string, child: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 150; attempt++) {
    if (child.exitCode !== null) throw new Error(`The server ended with code ${child.exitCode}.`)
    try {
      await fetch(origin)
      return
    } catch {
      await new Promise(done => setTimeout(done, 200))
    }
  }
  throw new Error("The server did not answer within 30 s.")
}

function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, "SIGTERM")
  } catch {
    // It had ended.
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const address = probe.address()
      probe.close(() =>
        typeof address === "object" && address !== null ? resolve(address.port) : reject(new Error("no port")),
      )
    })
  })
}
