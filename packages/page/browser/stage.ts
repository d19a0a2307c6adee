import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import type { StatusResult } from "@galley/core/protocol/results.ts"
import { openWorkspace } from "@galley/engine/open.ts"
import { realEnv } from "@galley/engine/io/env.ts"
import { resolveConfig, settingLayer } from "@galley/engine/session/config.ts"
import { type Browser, chromium, type Page } from "playwright-core"

const program = fileURLToPath(new URL("../../galley/bin/galley.mjs", import.meta.url))

/** A project of its own with its own store, on a real disk, with the real program. */
export interface Stage {
  readonly root: string
  readonly home: string
  galley(...words: string[]): { readonly code: number; readonly out: string; readonly err: string }
  /** A command that goes on while the test does. */
  background(...words: string[]): Promise<{ readonly code: number | null; readonly out: string }>
  json(...words: string[]): unknown
  write(path: string, content: string | Uint8Array): void
  read(path: string): string
  /** As chmod writes it. */
  mode(path: string): string
  git(...words: string[]): string
  /** An agent of the conversation `shop`, in a process that is not the server's. */
  agent<T>(work: (agent: Agent) => Promise<T>): Promise<T>
  /** An agent's edit, in such a process. */
  call(input: Readonly<Record<string, unknown>>): Promise<void>
  status(): StatusResult
  end(): void
}

export interface Agent {
  /** Begins a message; answers its id. */
  message(text: string): Promise<string>
  edit(input: Readonly<Record<string, unknown>>): Promise<void>
}

export function makeStage(files: Readonly<Record<string, string | Uint8Array>>, settings?: readonly string[]): Stage {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "galley-page-")))
  const root = join(top, "shop")
  const home = join(top, "home")
  mkdirSync(root)
  const run = (words: readonly string[]) =>
    spawnSync(process.execPath, [program, ...words], {
      cwd: root,
      encoding: "utf8",
      env: environment(home),
      maxBuffer: 1 << 28,
    })
  const stage: Stage = {
    root,
    home,
    galley(...words) {
      const { status, stdout, stderr } = run(words)
      return { code: status ?? -1, out: stdout, err: stderr }
    },
    background(...words) {
      const child = spawn(process.execPath, [program, ...words], {
        cwd: root,
        env: environment(home),
        stdio: ["ignore", "pipe", "pipe"],
      })
      let out = ""
      for (const stream of [child.stdout, child.stderr]) stream.on("data", part => (out += String(part)))
      return new Promise(resolve => child.once("exit", code => resolve({ code, out })))
    },
    json(...words: string[]): unknown {
      const { status, stdout, stderr } = run([...words, "--json"])
      if (status !== 0) throw new Error(`galley ${words.join(" ")} ended with ${status}: ${stdout}${stderr}`)
      return JSON.parse(stdout) as unknown
    },
    write(path, content) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), content)
    },
    read: path => readFileSync(join(root, path), "utf8"),
    mode: path => (statSync(join(root, path)).mode & 0o777).toString(8),
    git(...words) {
      const who = ["-c", "user.name=Shop", "-c", "user.email=shop@example.org", "-c", "commit.gpgsign=false"]
      const { status, stdout, stderr } = spawnSync("git", [...who, ...words], { cwd: root, encoding: "utf8" })
      if (status !== 0) throw new Error(`git ${words.join(" ")}: ${stderr}`)
      return stdout
    },
    async agent(work) {
      const workspace = await openWorkspace({
        root,
        home,
        config: resolveConfig(settings === undefined ? [] : [settingLayer(settings)]),
        env: realEnv(),
      })
      const requests = workspace.as({ actor: "agent", conversation: "shop" })
      try {
        return await work({
          message: async text => (await requests.message({ text, conversation: "shop" })).message ?? "",
          async edit(input) {
            const { ok, text } = await requests.call({ tool: "str_replace_editor", input })
            if (!ok) throw new Error(text)
          },
        })
      } finally {
        await workspace.close()
      }
    },
    call: input => stage.agent(agent => agent.edit(input)),
    status: () => stage.json("status") as StatusResult,
    end: () => rmSync(top, { recursive: true, force: true, maxRetries: 3 }),
  }
  for (const [path, content] of Object.entries(files)) stage.write(path, content)
  stage.git("init", "-q", "-b", "main")
  stage.git("add", "-A")
  stage.git("commit", "-q", "--allow-empty", "-m", "The shop as it was")
  return stage
}

export interface Served {
  readonly url: string
  /** With the token. */
  readonly address: string
  readonly token: string
  readonly process: ChildProcess
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** Starts `galley serve` and waits for its address. */
export async function serve(stage: Stage, ...words: string[]): Promise<Served> {
  const child = spawn(process.execPath, [program, "serve", "--no-open", "--json", ...words], {
    cwd: stage.root,
    env: environment(stage.home),
    stdio: ["ignore", "pipe", "pipe"],
  })
  const ended = new Promise<number | null>(resolve => child.once("exit", code => resolve(code)))
  let err = ""
  child.stderr.on("data", part => (err += String(part)))
  const address = await new Promise<string>((resolve, reject) => {
    let out = ""
    child.stdout.on("data", part => {
      out += String(part)
      if (out.includes("\n")) resolve((JSON.parse(out) as { url: string }).url)
    })
    void ended.then(code => reject(new Error(`serve ended with ${code}: ${err}`)))
  })
  const [url = "", token = ""] = address.split("#token=")
  return {
    url,
    address,
    token,
    process: child,
    stop(signal = "SIGTERM") {
      child.kill(signal)
      return ended
    },
  }
}

/** A headless Chromium that asks nobody outside of this machine for anything. */
export function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env["GALLEY_CHROMIUM"] ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--font-render-hinting=none",
    ],
  })
}

export async function openPage(browser: Browser, address: string, size = { width: 1280, height: 800 }): Promise<Page> {
  const context = await browser.newContext({ viewport: size })
  const page = await context.newPage()
  page.setDefaultTimeout(15_000)
  await page.goto(address)
  return page
}

function environment(home: string): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name]) => !/^(GALLEY|CLAUDE|QWEN|CODEX|GIT_)/.test(name))
  return { ...Object.fromEntries(kept.map(([name, value]) => [name, value ?? ""])), GALLEY_HOME: home, CI: "true" }
}
