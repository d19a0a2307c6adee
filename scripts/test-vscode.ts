/**
 * Tests the extension in a real VS Code: first in its extension host, then as a person through Chromium. Sets everything up from the
 * package registry alone (tests/vscode/setup.sh). Prints `N passed, N failed`; pictures of the main states go to docs/pictures with
 * `--pictures`, else to tests/vscode/dist/pictures. `--only=` person, host, installed, or files of tests/vscode/host (`typing,hold`).
 */
import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import { type Browser, chromium } from "playwright-core"
import { installedStory } from "../tests/vscode/installed.ts"
import { personStories } from "../tests/vscode/person.ts"
import { type CodeServer, startCode } from "../tests/vscode/server.ts"
import { runInHost } from "../tests/vscode/window.ts"
import { buildAll } from "./build.ts"
import { buildExtension, packExtension } from "./build-vscode.ts"

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..")
const harness = join(root, "tests/vscode")
const extension = join(root, "packages/vscode")

interface Tally {
  passed: number
  failed: number
}

async function main(words: readonly string[]): Promise<number> {
  const setup = spawnSync(join(harness, "setup.sh"), { stdio: "inherit" })
  if (setup.status !== 0) throw new Error("VS Code could not be set up.")
  if (!existsSync(join(root, "packages/galley/dist/main.js"))) await buildAll(join(root, "packages/galley/dist"))
  await buildExtension()
  const tests = await buildHostTests()
  const folder = mkdtempSync(join(tmpdir(), "galley-vscode-"))
  const pictures = words.includes("--pictures") ? join(root, "docs/pictures") : join(harness, "dist/pictures")
  mkdirSync(pictures, { recursive: true })
  const tally: Tally = { passed: 0, failed: 0 }
  const count = (good: boolean, line: string): void => {
    if (good) tally.passed++
    else tally.failed++
    process.stdout.write(`${good ? "✓" : "✗"} ${line}\n`)
  }
  const only = words.find(word => word.startsWith("--only="))?.slice(7)
  const files =
    only === undefined || only === "host" || only === "person" || only === "installed"
      ? {}
      : { GALLEY_TEST_FILES: only }
  let server: CodeServer | null = null
  let browser: Browser | null = null
  try {
    const home = join(folder, "home")
    const program = join(root, "packages/galley/bin/galley.mjs")
    server = await startCode({
      harness,
      node: process.execPath,
      folder: join(folder, "code"),
      env: { GALLEY_HOME: home, GALLEY_TEST_PROGRAM: program, ...files },
    })
    browser = await openBrowser()
    // Ended from outside (a time limit): nothing is left running.
    const started = server
    for (const signal of ["SIGTERM", "SIGINT"] as const)
      process.once(signal, () => {
        started.stop()
        rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
        process.exit(1)
      })
    const foreign = new Set<string>()
    const shared = { browser, server, extension, foreign: (url: string) => void foreign.add(url) }
    if (only !== "person" && only !== "installed")
      await hostTests({ ...shared, folder: emptyRepository(folder), entry: join(tests, "index.cjs"), count })
    if (only === undefined || only === "person")
      await personStories({ ...shared, folder, home, program, pictures, count })
    count(
      foreign.size === 0,
      `no request leaves the machine${foreign.size === 0 ? "" : `: ${[...foreign].join(", ")}`}`,
    )
    if (only === undefined || only === "installed") {
      const vsix = packed()
      count(vsix !== null, "packs to a .vsix under 1 MB")
      if (vsix !== null) {
        const shop = { browser, harness, vsix, folder, home, program, foreign: shared.foreign }
        const trouble = await installedStory(shop).then(
          () => "",
          (error: unknown) => `\n${String(error)}`,
        )
        count(trouble === "", `the packed .vsix, installed, shows a block and accepts it${trouble}`)
      }
    }
  } finally {
    await browser?.close()
    server?.stop()
    // The extension host and the program end with the group; what they write last must be written.
    await new Promise(done => setTimeout(done, 1500))
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
  process.stdout.write(`${tally.passed} passed, ${tally.failed} failed\n`)
  return tally.failed === 0 && tally.passed > 0 ? 0 : 1
}

/** One file each, so that a failing one is named; `vscode` and mocha are there when they run. */
async function buildHostTests(): Promise<string> {
  const outdir = join(harness, "dist/host")
  await build({
    absWorkingDir: harness,
    entryPoints: ["index", "review.test", "typing.test", "hold.test"].map(name => `host/${name}.ts`),
    outdir,
    outExtension: { ".js": ".cjs" },
    bundle: true,
    platform: "node",
    target: "node22",
    format: "cjs",
    external: ["vscode", "mocha"],
    logLevel: "warning",
  })
  return outdir
}

async function hostTests(
  options: Omit<Parameters<typeof runInHost>[0], "line"> & { readonly count: (good: boolean, line: string) => void },
): Promise<void> {
  let open = ""
  const line = (text: string): void => {
    if (text.startsWith("✓ ")) options.count(true, text.slice(2))
    else if (text.startsWith("✗ ")) options.count(false, text.slice(2))
    else if (text.startsWith("- ")) process.stdout.write(`${text}\n`)
    else open = text
  }
  const code = await runInHost({ ...options, line })
  if (code === 99) options.count(false, `the tests in the extension host ended in time (last line: ${open})`)
}

function emptyRepository(folder: string): string {
  const workspace = join(folder, "workspace")
  mkdirSync(workspace)
  execFileSync("git", ["init", "-q", "-b", "main", workspace])
  return workspace
}

function openBrowser(): Promise<Browser> {
  const executablePath = ["/usr/bin/chromium", "/usr/bin/google-chrome"].find(file => existsSync(file))
  if (executablePath === undefined) throw new Error("There is no Chromium.")
  const quiet = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
  ]
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-sync", ...quiet] })
}

/** Where the packed extension is; null, with the reason printed, where it cannot be packed or is too large. */
function packed(): string | null {
  try {
    return packExtension(false)
  } catch (error) {
    process.stderr.write(`${String(error)}\n`)
    return null
  }
}

process.exitCode = await main(process.argv.slice(2))
