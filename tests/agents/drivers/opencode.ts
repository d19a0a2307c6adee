import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Driver } from "../driver.ts"

export const opencode: Driver = {
  name: "opencode",
  prepare({ home, port }) {
    const folder = join(home, ".config/opencode")
    mkdirSync(folder, { recursive: true })
    writeFileSync(
      join(folder, "opencode.json"),
      `{
  // A person's own configuration.
  "$schema": "https://opencode.ai/config.json",
  "autoupdate": false,
  "model": "fake/fake-model",
  "provider": {
    "fake": {
      "npm": "@ai-sdk/openai-compatible",
      "options": { "baseURL": "http://127.0.0.1:${port}/v1", "apiKey": "dummy" },
      "models": { "fake-model": { "tool_call": true, "limit": { "context": 100000, "output": 4000 } } },
    },
  },
}
`,
    )
  },
  command: ({ modules }, prompt, n) => ({
    words: [
      join(modules, "opencode-linux-x64/bin/opencode"),
      "run",
      "--format",
      "json",
      ...(n === 0 ? [] : ["--continue"]),
    ],
    // As an argument it would be quoted anew, which breaks the JSON in it.
    stdin: prompt,
    env: {
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
    },
  }),
  calls: {
    edit: a => ({ t: "galley_str_replace_editor", a }),
    bash: command => ({ t: "galley_bash", a: { command } }),
    ownReplace: (path, from, to) => [
      { t: "read", a: { filePath: path } },
      { t: "edit", a: { filePath: path, oldString: from, newString: to } },
    ],
    ownWrite: (path, text) => [{ t: "write", a: { filePath: path, content: text } }],
    ownShell: command => ({ t: "bash", a: { command, description: "as scripted" } }),
  },
  ownSed: "simulated",
  tellsPrompts: true,
}
