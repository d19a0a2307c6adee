import { join } from "node:path"
import type { Driver } from "../driver.ts"

export const claudeCode: Driver = {
  name: "claude-code",
  prepare: () => {},
  command: ({ modules, port, session }, prompt, n, how) => ({
    words: [
      join(modules, ".bin/claude"),
      "-p",
      prompt,
      "--model",
      "claude-sonnet-4-5",
      "--output-format",
      "stream-json",
      "--verbose",
      ...(n === 0 ? ["--session-id", session] : ["--resume", session]),
      "--permission-mode",
      "acceptEdits",
      "--allowedTools",
      "mcp__galley__*",
      "Bash",
      ...how,
    ],
    env: {
      ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`,
      ANTHROPIC_API_KEY: "dummy",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_ERROR_REPORTING: "1",
    },
  }),
  calls: {
    edit: a => ({ t: "mcp__galley__str_replace_editor", a }),
    bash: command => ({ t: "mcp__galley__bash", a: { command } }),
    ownReplace: (path, from, to) => [
      { t: "Read", a: { file_path: path } },
      { t: "Edit", a: { file_path: path, old_string: from, new_string: to, replace_all: false } },
    ],
    ownWrite: (path, text) => [{ t: "Write", a: { file_path: path, content: text } }],
    ownShell: command => ({ t: "Bash", a: { command, description: "as scripted" } }),
  },
  ownSed: "simulated",
  tellsPrompts: true,
}
