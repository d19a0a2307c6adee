/**
 * Runs real agents end to end (`npm run test:agents`): each installed by `galley install`, in a network namespace that has loopback
 * only, against a scripted model. `node scripts/test-agents.ts [AGENT…]`; without names all five.
 *
 * The agents are installed into tests/agents at pinned versions first (gigabytes), from the registry. An agent that cannot be had is
 * skipped with its reason.
 */
import { spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { buildAll } from "./build.ts"

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..")
const folder = join(root, "tests/agents")

/** What must be there for an agent to run. */
const agents: Readonly<Record<string, string>> = {
  "claude-code": "@anthropic-ai/claude-code/package.json",
  codex: "@openai/codex/package.json",
  opencode: "opencode-ai/package.json",
  "qwen-code": "@qwen-code/qwen-code/package.json",
  "gemini-cli": "@google/gemini-cli/package.json",
}

const wanted = process.argv.slice(2)
for (const name of wanted)
  if (agents[name] === undefined) {
    process.stderr.write(`There is no agent ${name}: ${Object.keys(agents).join(", ")}\n`)
    process.exit(2)
  }
process.exitCode = await run(wanted.length === 0 ? Object.keys(agents) : wanted)

async function run(names: readonly string[]): Promise<number> {
  const have = (name: string): boolean => existsSync(join(folder, "node_modules", agents[name] ?? ""))
  if (!names.every(have)) {
    process.stdout.write("Installing the agents into tests/agents (a few minutes, gigabytes)…\n")
    spawnSync("npm", ["install", "--no-fund", "--no-audit"], { cwd: folder, stdio: "inherit" })
  }
  const program = mkdtempSync(join(tmpdir(), "galley-program-"))
  const results = { passed: 0, failed: 0, skipped: 0 }
  try {
    cpSync(join(root, "packages/galley/bin"), join(program, "bin"), { recursive: true })
    await buildAll(join(program, "dist"))
    for (const name of names) {
      if (!have(name)) {
        process.stdout.write(`${name}: skipped, it could not be installed\n`)
        results.skipped++
        continue
      }
      process.stdout.write(`${name}\n`)
      const outcome = story(name, join(program, "bin/galley.mjs"))
      if (outcome) results.passed++
      else results.failed++
    }
  } finally {
    rmSync(program, { recursive: true, force: true })
  }
  const skipped = results.skipped === 0 ? "" : `, ${results.skipped} skipped`
  process.stdout.write(`${results.passed} passed, ${results.failed} failed${skipped}\n`)
  return results.failed === 0 && results.passed > 0 ? 0 : 1
}

/** One agent's story in a namespace of its own: nothing it does can reach the network. */
function story(name: string, program: string): boolean {
  const flags = process.getuid?.() === 0 ? ["-n"] : ["-rn"]
  const inside = 'ip link set lo up && exec "$0" "$@"'
  const words = [process.execPath, join(folder, "story.ts"), name, program]
  const end = spawnSync("unshare", [...flags, "sh", "-c", inside, ...words], { stdio: "inherit", cwd: folder })
  if (end.error !== undefined) process.stdout.write(`${name}: cannot be run without a network: ${end.error.message}\n`)
  return end.status === 0
}
