import { join } from "node:path"
import { pluginText } from "./opencode-plugin.ts"
import type { JsonEntry } from "./edits.ts"
import {
  callSeconds,
  hookedServerWords,
  hookLine,
  hookSeconds,
  isOurHook,
  serverWords,
  type Target,
  type Wanted,
} from "./target.ts"

interface HookRow {
  readonly event: string
  readonly matcher?: string
}

function hookEntries(
  wanted: Wanted,
  agent: string,
  rows: readonly HookRow[],
  shape: (line: string) => Readonly<Record<string, unknown>>,
): JsonEntry[] {
  return rows.map(({ event, matcher }) => ({
    kind: "element",
    path: ["hooks", event],
    value: { ...(matcher === undefined ? {} : { matcher }), hooks: [shape(hookLine(wanted, agent))] },
    isOurs: isOurHook(agent),
  }))
}

const denied = (names: readonly string[], path: readonly string[]): JsonEntry[] =>
  names.map(name => ({ kind: "element", path, value: name, isOurs: value => value === name }))

/** Claude Code 2.1: code.claude.com documents `mcpServers` in ~/.claude.json and .mcp.json, hooks in settings files. */
export const claudeCode: Target = {
  name: "claude-code",
  title: "Claude Code",
  known: { program: "claude", tested: "2.1.332" },
  parts(wanted) {
    const config = wanted.variables["CLAUDE_CONFIG_DIR"]
    const folder = config ?? join(wanted.home, ".claude")
    const [command, ...args] = hookedServerWords(wanted)
    const server = { type: "stdio", command, args, env: {}, alwaysLoad: true }
    const user = wanted.scope === "user"
    const own = "Edit|MultiEdit|Write|NotebookEdit|Bash"
    const hooks = hookEntries(
      wanted,
      "claude-code",
      [
        { event: "UserPromptSubmit" },
        { event: "PreToolUse", matcher: `${own}|mcp__galley__.*` },
        { event: "PostToolUse", matcher: own },
        { event: "PostToolUseFailure", matcher: own },
        { event: "Stop" },
        { event: "SessionEnd" },
      ],
      line => ({ type: "command", command: line, timeout: hookSeconds(wanted) }),
    )
    const off = wanted.toolsOnly
      ? denied(["Edit", "MultiEdit", "Write", "NotebookEdit", "Bash"], ["permissions", "deny"])
      : []
    const approved: JsonEntry[] = user
      ? []
      : [{ kind: "element", path: ["enabledMcpjsonServers"], value: "galley", isOurs: value => value === "galley" }]
    return [
      {
        kind: "json",
        file: user
          ? config === undefined
            ? join(wanted.home, ".claude.json")
            : join(config, ".claude.json")
          : join(wanted.root, ".mcp.json"),
        entries: [{ kind: "value", path: ["mcpServers", "galley"], value: server }],
      },
      {
        kind: "json",
        // Absolute paths are this machine's: the project's personal settings, not those that are shared.
        file: user ? join(folder, "settings.json") : join(wanted.root, ".claude/settings.local.json"),
        entries: [...hooks, ...off, ...approved],
      },
    ]
  },
  notes: wanted => [
    ...(wanted.scope === "project"
      ? ["`.mcp.json` is usually committed; its paths are this machine's. --user keeps it out of the repository."]
      : []),
    "Claude Code holds shell permission rules against the command as Galley rewrote it. Where you have rules like Bash(npm test:*), commands are left as they are and what they change is seen by looking before and after.",
  ],
}

/** codex 0.171: config.toml and hooks.json beside it. */
export const codex: Target = {
  name: "codex",
  title: "Codex",
  known: { program: "codex", tested: "0.171.0" },
  parts(wanted) {
    const folder =
      wanted.scope === "user"
        ? (wanted.variables["CODEX_HOME"] ?? join(wanted.home, ".codex"))
        : join(wanted.root, ".codex")
    const [command, ...args] = hookedServerWords(wanted)
    const block = [
      "[mcp_servers.galley]",
      `command = ${JSON.stringify(command)}`,
      `args = ${JSON.stringify(args)}`,
      // Without it the first request may go out before the server is up, and the tools are missing.
      "required = true",
      `tool_timeout_sec = ${callSeconds(wanted)}`,
      ...(wanted.variables["GALLEY_HOME"] === undefined ? [] : [`env_vars = ["GALLEY_HOME"]`]),
    ].join("\n")
    const rows = [{ event: "UserPromptSubmit" }, { event: "PreToolUse" }, { event: "PostToolUse" }, { event: "Stop" }]
    return [
      { kind: "toml", file: join(folder, "config.toml"), block, tables: ["mcp_servers.galley"] },
      {
        kind: "json",
        file: join(folder, "hooks.json"),
        entries: hookEntries(wanted, "codex", rows, line => ({
          type: "command",
          command: line,
          timeout: hookSeconds(wanted),
        })),
      },
    ]
  },
  notes: wanted => [
    "Codex runs new hooks only once you have trusted them: start it and type /hooks.",
    ...(wanted.toolsOnly
      ? ["Codex's shell and apply_patch cannot be turned off in its configuration for good: the hook refuses them."]
      : []),
  ],
}

/** qwen-code 0.24: ~/.qwen/settings.json. */
export const qwenCode: Target = {
  name: "qwen-code",
  title: "Qwen Code",
  known: { program: "qwen", tested: "0.24.4" },
  parts(wanted) {
    const file = join(wanted.scope === "user" ? wanted.home : wanted.root, ".qwen/settings.json")
    const [command, ...args] = hookedServerWords(wanted)
    const server = { command, args, timeout: callSeconds(wanted) * 1000, alwaysLoadTools: true }
    const own = "edit|write_file|notebook_edit|run_shell_command"
    const hooks = hookEntries(
      wanted,
      "qwen-code",
      [
        { event: "UserPromptSubmit" },
        { event: "PreToolUse", matcher: `${own}|mcp__galley__.*` },
        { event: "PostToolUse", matcher: own },
        { event: "PostToolUseFailure", matcher: own },
        { event: "Stop" },
      ],
      // Milliseconds, as its documentation says; 0.24.4 takes seconds too.
      line => ({ type: "command", command: line, name: "galley", timeout: hookSeconds(wanted) * 1000 }),
    )
    const off = wanted.toolsOnly
      ? denied(["edit", "write_file", "notebook_edit", "run_shell_command"], ["tools", "exclude"])
      : []
    return [
      {
        kind: "json",
        file,
        entries: [{ kind: "value", path: ["mcpServers", "galley"], value: server }, ...hooks, ...off],
      },
    ]
  },
  notes: () => [
    "Qwen Code lets no hook change a tool's input: its own shell runs as it is, and what it changes is seen by looking before and after.",
  ],
}

/** gemini-cli 0.61: ~/.gemini/settings.json. */
export const geminiCli: Target = {
  name: "gemini-cli",
  title: "Gemini CLI",
  known: { program: "gemini", tested: "0.61.0" },
  parts(wanted) {
    const file = join(wanted.scope === "user" ? wanted.home : wanted.root, ".gemini/settings.json")
    const [command, ...args] = serverWords(wanted)
    const server = { command, args, timeout: callSeconds(wanted) * 1000 }
    const own = "replace|write_file|edit|run_shell_command"
    const hooks = hookEntries(
      wanted,
      "gemini-cli",
      [
        { event: "BeforeAgent" },
        { event: "BeforeTool", matcher: `${own}|mcp_galley_.*` },
        { event: "AfterTool", matcher: own },
        { event: "AfterAgent" },
        { event: "SessionEnd" },
      ],
      line => ({ name: "galley", type: "command", command: line, timeout: hookSeconds(wanted) * 1000 }),
    )
    const off = wanted.toolsOnly ? denied(["replace", "write_file", "run_shell_command"], ["tools", "exclude"]) : []
    return [
      {
        kind: "json",
        file,
        entries: [{ kind: "value", path: ["mcpServers", "galley"], value: server }, ...hooks, ...off],
      },
    ]
  },
  notes: () => ["Gemini CLI asks about new project hooks once."],
}

/** opencode 1.18: opencode.json, and a plugin that hands its events on. */
export const opencode: Target = {
  name: "opencode",
  title: "opencode",
  known: { program: "opencode", tested: "1.18.33" },
  parts(wanted) {
    const user = wanted.scope === "user"
    const config = wanted.variables["XDG_CONFIG_HOME"] ?? join(wanted.home, ".config")
    const folder = user ? join(config, "opencode") : wanted.root
    const file = ["opencode.jsonc", "opencode.json"].map(name => join(folder, name)).find(wanted.exists)
    // Not in the folder `plugin`: opencode then installs a package first, and waits for it.
    const plugin = user ? join(folder, "galley-plugin.js") : join(wanted.root, ".opencode/galley-plugin.js")
    const server = {
      type: "local",
      command: [...serverWords(wanted)],
      enabled: true,
      timeout: callSeconds(wanted) * 1000,
    }
    const off: JsonEntry[] = wanted.toolsOnly
      ? [
          { kind: "value", path: ["permission", "edit"], value: "deny" },
          { kind: "value", path: ["permission", "bash"], value: "deny" },
        ]
      : []
    return [
      { kind: "file", file: plugin, text: pluginText(wanted), mode: 0o644 },
      {
        kind: "json",
        file: file ?? join(folder, "opencode.json"),
        entries: [
          { kind: "value", path: ["mcp", "galley"], value: server },
          {
            kind: "element",
            path: ["plugin"],
            value: `file://${encodeURI(plugin)}`,
            isOurs: value => typeof value === "string" && value.endsWith("/galley-plugin.js"),
          },
          ...off,
        ],
      },
    ]
  },
  notes: () => [],
}

/** cline 3.0: its MCP settings file, and an executable file for each event. */
export const cline: Target = {
  name: "cline",
  title: "Cline",
  known: { program: "cline", tested: "3.0.65" },
  parts(wanted) {
    const [command, ...args] = serverWords(wanted)
    const file =
      wanted.variables["CLINE_MCP_SETTINGS_PATH"] ?? join(wanted.home, ".cline/data/settings/cline_mcp_settings.json")
    const hooks = wanted.scope === "user" ? join(wanted.home, ".cline/hooks") : join(wanted.root, ".clinerules/hooks")
    const script = `#!/bin/sh\n# Written by galley install; taken out by galley uninstall.\nexec ${hookLine(wanted, "cline")}\n`
    return [
      {
        kind: "json",
        file,
        entries: [
          {
            kind: "value",
            path: ["mcpServers", "galley"],
            value: { transport: { type: "stdio", command, args }, timeout: callSeconds(wanted) },
          },
        ],
      },
      ...["UserPromptSubmit", "PreToolUse", "PostToolUse", "TaskComplete"].map(event => ({
        kind: "file" as const,
        file: join(hooks, event),
        text: script,
        mode: 0o755,
      })),
    ]
  },
  notes: () => [
    "A hook's refusal ends Cline's whole run: Galley refuses only with `strict`, or its own edit and shell tools while changes wait for review.",
  ],
}
