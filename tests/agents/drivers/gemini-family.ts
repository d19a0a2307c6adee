import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Driver } from "../driver.ts"

export const qwenCode: Driver = {
  name: "qwen-code",
  prepare: ({ home }) =>
    settings(join(home, ".qwen/settings.json"), {
      general: { enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      security: { auth: { selectedType: "openai" } },
    }),
  command: ({ modules, port, node }, prompt, n) => ({
    words: [
      node,
      join(modules, "@qwen-code/qwen-code/cli.js"),
      "--auth-type",
      "openai",
      "-y",
      "-o",
      "stream-json",
      ...(n === 0 ? [] : ["--continue"]),
      "-p",
      prompt,
    ],
    env: {
      OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
      OPENAI_API_KEY: "dummy",
      OPENAI_MODEL: "fake-model",
    },
  }),
  calls: {
    edit: a => ({ t: "mcp__galley__str_replace_editor", a }),
    bash: command => ({ t: "mcp__galley__bash", a: { command } }),
    ownReplace: (path, from, to) => [
      { t: "read_file", a: { file_path: path } },
      { t: "edit", a: { file_path: path, old_string: from, new_string: to } },
    ],
    ownWrite: (path, text) => [{ t: "write_file", a: { file_path: path, content: text } }],
    ownShell: command => ({
      t: "run_shell_command",
      a: { command, description: "as scripted", is_background: false },
    }),
    readBefore: path => ({ t: "read_file", a: { file_path: path } }),
  },
  ownSed: "recorded",
  tellsPrompts: true,
}

export const geminiCli: Driver = {
  name: "gemini-cli",
  prepare: ({ home }) =>
    settings(join(home, ".gemini/settings.json"), {
      general: { enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
      security: { auth: { selectedType: "gemini-api-key" } },
    }),
  command: ({ modules, port, node }, prompt, n) => ({
    words: [
      node,
      join(modules, "@google/gemini-cli/bundle/gemini.js"),
      "--skip-trust",
      "-y",
      "-m",
      "gemini-2.5-flash",
      "-o",
      "stream-json",
      ...(n === 0 ? [] : ["--resume", "latest"]),
      "-p",
      prompt,
    ],
    env: { GOOGLE_GEMINI_BASE_URL: `http://127.0.0.1:${port}`, GEMINI_API_KEY: "dummy" },
  }),
  calls: {
    edit: a => ({ t: "mcp_galley_str_replace_editor", a }),
    bash: command => ({ t: "mcp_galley_bash", a: { command } }),
    ownReplace: (path, from, to) => [
      { t: "read_file", a: { file_path: path } },
      { t: "replace", a: { file_path: path, instruction: "as scripted", old_string: from, new_string: to } },
    ],
    ownWrite: (path, text) => [{ t: "write_file", a: { file_path: path, content: text } }],
    ownShell: command => ({ t: "run_shell_command", a: { command, description: "as scripted" } }),
  },
  ownSed: "simulated",
  tellsPrompts: true,
}

function settings(file: string, values: Readonly<Record<string, unknown>>): void {
  mkdirSync(dirname(file), { recursive: true })
  const there = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>) : {}
  writeFileSync(file, `${JSON.stringify({ ...there, ...values }, null, 2)}\n`)
}
