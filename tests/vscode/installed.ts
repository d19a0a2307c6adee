import { spawnSync } from "node:child_process"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import type { Browser } from "playwright-core"
import { agentIn, writeFiles } from "./galley.ts"
import { startCode } from "./server.ts"
import { openWindow } from "./window.ts"

/** Installs the packed extension as a person does, in a VS Code of its own, and accepts a block with it. Throws what went wrong. */
export async function installedStory(options: {
  readonly browser: Browser
  readonly harness: string
  readonly vsix: string
  readonly folder: string
  readonly home: string
  readonly program: string
  readonly foreign: (url: string) => void
}): Promise<void> {
  const { browser, harness, vsix, program, home, foreign } = options
  const folder = join(options.folder, "installed")
  const root = join(options.folder, "bought")
  mkdirSync(root)
  writeFiles(root, { "x.txt": "one\ntwo\nthree\n" })
  await agentIn(root, program, home).replace("x.txt", "two", "TWO")
  const main = join(harness, "node_modules/code-server/lib/vscode/out/server-main.js")
  const places = ["--server-data-dir", join(folder, "server"), "--extensions-dir", join(folder, "extensions")]
  mkdirSync(join(folder, "extensions"), { recursive: true })
  const words = [main, "--accept-server-license-terms", ...places, "--install-extension", vsix]
  const env = { ...process.env, EXTENSIONS_GALLERY: "{}" }
  const install = spawnSync(process.execPath, words, { encoding: "utf8", env })
  if (install.status !== 0) throw new Error(`The .vsix could not be installed: ${install.stdout}${install.stderr}`)
  const server = await startCode({ harness, node: process.execPath, folder, env: { GALLEY_HOME: home } })
  try {
    server.settings({ "galley.program": program })
    const page = await openWindow({ browser, server, extension: null, folder: root, foreign })
    page.setDefaultTimeout(120_000)
    const status = page.locator(".statusbar-item[id*='galley.status']")
    await status.filter({ hasText: "1 in 1 file" }).waitFor()
    await page.locator(".explorer-folders-view .monaco-list-row", { hasText: "x.txt" }).first().dblclick()
    await page.locator(".codelens-decoration a", { hasText: "Accept" }).first().click()
    await status.filter({ hasText: "1 in 1 file" }).waitFor({ state: "detached" })
    await page.context().close()
  } finally {
    server.stop()
  }
}
