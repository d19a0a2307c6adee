/**
 * Runs real agents end to end (`npm run test:agents`): each installed by `galley install`, in a network namespace that has loopback
 * only, against a scripted model. `node scripts/test-agents.ts [AGENT…]`; without names all of them.
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

interface Row {
  /** Must be installed for it to run. */
  readonly package: string
  readonly story: "story.ts" | "review-story.ts" | "tree-story.ts" | "form-story.ts" | "sdk-story.ts" | "acp-story.ts"
  readonly agent: string
}

const agents: Readonly<Record<string, Row>> = {
  "claude-code": { package: "@anthropic-ai/claude-code", story: "story.ts", agent: "claude-code" },
  codex: { package: "@openai/codex", story: "story.ts", agent: "codex" },
  opencode: { package: "opencode-ai", story: "story.ts", agent: "opencode" },
  "qwen-code": { package: "@qwen-code/qwen-code", story: "story.ts", agent: "qwen-code" },
  "gemini-cli": { package: "@google/gemini-cli", story: "story.ts", agent: "gemini-cli" },
  cline: { package: "cline", story: "story.ts", agent: "cline" },
  "review-claude-code": { package: "@anthropic-ai/claude-code", story: "review-story.ts", agent: "claude-code" },
  "review-codex": { package: "@openai/codex", story: "review-story.ts", agent: "codex" },
  "tree-claude-code": { package: "@anthropic-ai/claude-code", story: "tree-story.ts", agent: "claude-code" },
  "form-claude-code": { package: "@anthropic-ai/claude-code", story: "form-story.ts", agent: "claude-code" },
  sdk: { package: "ai", story: "sdk-story.ts", agent: "sdk" },
  "acp-qwen-code": { package: "@qwen-code/qwen-code", story: "acp-story.ts", agent: "qwen-code" },
  "acp-gemini-cli": { package: "@google/gemini-cli", story: "acp-story.ts", agent: "gemini-cli" },
  "acp-opencode": { package: "opencode-ai", story: "acp-story.ts", agent: "opencode" },
  "acp-codex": { package: "@agentclientprotocol/codex-acp", story: "acp-story.ts", agent: "codex-acp" },
  "acp-claude": {
    package: "@agentclientprotocol/claude-agent-acp",
    story: "acp-story.ts",
    agent: "claude-agent-acp",
  },
}

const wanted = process.argv.slice(2)
for (const name of wanted)
  if (agents[name] === undefined) {
    process.stderr.write(`There is no agent ${name}: ${Object.keys(agents).join(", ")}\n`)
    process.exit(2)
  }
process.exitCode = await run(wanted.length === 0 ? Object.keys(agents) : wanted)

async function run(names: readonly string[]): Promise<number> {
  const have = (name: string): boolean =>
    existsSync(join(folder, "node_modules", agents[name]?.package ?? "", "package.json"))
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
      const outcome = story(rowOf(name), join(program, "bin/galley.mjs"))
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

function rowOf(name: string): Row {
  const row = agents[name]
  if (row === undefined) throw new Error(`BUG: no row for ${name}`)
  return row
}

/** One agent's story in a namespace of its own: nothing it does can reach the network. */
function story({ story: script, agent }: Row, program: string): boolean {
  const flags = process.getuid?.() === 0 ? ["-n"] : ["-rn"]
  const inside = 'ip link set lo up && exec "$0" "$@"'
  const words = [process.execPath, join(folder, script), agent, program]
  const end = spawnSync("unshare", [...flags, "sh", "-c", inside, ...words], { stdio: "inherit", cwd: folder })
  if (end.error !== undefined)
    process.stdout.write(`${agent}: no namespace without a network can be had: ${end.error.message}\n`)
  return end.status === 0
}
