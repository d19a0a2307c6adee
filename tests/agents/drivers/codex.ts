import { appendFileSync, mkdirSync } from "node:fs"
import { join, relative } from "node:path"
import type { Driver } from "../driver.ts"

export const codex: Driver = {
  name: "codex",
  prepare({ home, port }) {
    mkdirSync(join(home, ".codex"), { recursive: true })
    appendFileSync(
      join(home, ".codex/config.toml"),
      `# A person's own configuration.
model = "gpt-5.5"
model_provider = "fake"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[analytics]
enabled = false

[feedback]
enabled = false

[otel]
exporter = "none"

[model_providers.fake]
name = "fake"
base_url = "http://127.0.0.1:${port}/v1"
env_key = "FAKE_KEY"
wire_api = "responses"
`,
    )
  },
  command: ({ modules, node }, prompt, n) => ({
    words: [
      node,
      join(modules, "@openai/codex/bin/codex.js"),
      "exec",
      "--json",
      "--skip-git-repo-check",
      "--dangerously-bypass-hook-trust",
      ...(n === 0 ? [] : ["resume", "--last"]),
      prompt,
    ],
    env: { FAKE_KEY: "dummy" },
  }),
  calls: {
    edit: a => ({ t: "str_replace_editor", ns: "mcp__galley", a }),
    bash: command => ({ t: "bash", ns: "mcp__galley", a: { command } }),
    ownReplace: (path, from, to) => [
      patch(`*** Update File: ${relative(process.cwd(), path)}\n@@\n-${from}\n+${to}\n`),
    ],
    ownWrite: (path, text) => [
      patch(`*** Add File: ${relative(process.cwd(), path)}\n${text.replaceAll(/^(?=.)/gm, "+")}`),
    ],
    ownShell: command => ({ t: "/^(exec_command|shell|shell_command)$/", a: { cmd: command, command } }),
  },
  ownSed: "simulated",
  tellsPrompts: true,
}

function patch(body: string): { t: string; kind: string; a: { input: string } } {
  return { t: "apply_patch", kind: "custom", a: { input: `*** Begin Patch\n${body}*** End Patch\n` } }
}
