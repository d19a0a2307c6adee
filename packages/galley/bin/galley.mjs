#!/usr/bin/env node
// Plain JavaScript that any Node can read: checks the version before anything that needs a newer one is loaded.
//
// Node 22.23 is the first that uses a zstd dictionary and ships the SQLite that the store is written for (DESIGN §7). Where
// this Node is older, the one that `npm ci` put beside us (development dependency `node`) takes over, if it is there.
import { existsSync, mkdirSync } from "node:fs"
import * as modules from "node:module"
import { homedir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const here = name => fileURLToPath(new URL(name, import.meta.url))
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)

if (major > 22 || (major === 22 && minor >= 23)) {
  hush()
  keepCompiled()
  // An agent waits for every hook: those have an entry of their own that loads next to nothing.
  const entry = process.argv[2] === "hook" ? "hook" : "main"
  const built = here(`../dist/${entry}.js`)
  const { main } = await import(existsSync(built) ? built : here(`../src/${entry}.ts`))
  await main()
} else await takeOver()

// The store's driver is announced as experimental on every start of Node 22; a person can do nothing about it.
function hush() {
  const emit = process.emitWarning
  process.emitWarning = (warning, ...rest) => {
    const kind = typeof rest[0] === "object" && rest[0] !== null ? rest[0].type : rest[0]
    if (kind !== "ExperimentalWarning") emit.call(process, warning, ...rest)
  }
}

// Compiled code is kept from start to start: half of the time of a short command is V8 reading the program anew. In a folder of
// the user's own, because who can write there decides what runs.
function keepCompiled() {
  const { GALLEY_HOME, XDG_CACHE_HOME } = process.env
  const folder = GALLEY_HOME ? join(GALLEY_HOME, "cache") : join(XDG_CACHE_HOME || join(homedir(), ".cache"), "galley")
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    modules.enableCompileCache?.(folder)
  } catch {
    // No folder, no cache: only slower.
  }
}

async function takeOver() {
  const newer = ["../../node/bin/node", "../../../node_modules/node/bin/node"].map(here).find(path => existsSync(path))
  if (newer === undefined || process.env.GALLEY_TOOK_OVER !== undefined) {
    process.stderr.write(`galley: needs Node 22.23 or newer; this is ${process.versions.node} (${process.execPath}).\n`)
    process.exitCode = 1
    return
  }
  const { spawn } = await import("node:child_process")
  const words = [fileURLToPath(import.meta.url), ...process.argv.slice(2)]
  const child = spawn(newer, words, { stdio: "inherit", env: { ...process.env, GALLEY_TOOK_OVER: "1" } })
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"]
  for (const signal of signals) process.on(signal, () => child.kill(signal))
  child.on("error", error => {
    process.stderr.write(`galley: ${error.message}\n`)
    process.exitCode = 1
  })
  child.on("exit", (code, signal) => {
    for (const name of signals) process.removeAllListeners(name)
    if (signal !== null) process.kill(process.pid, signal)
    else process.exitCode = code ?? 1
  })
}
