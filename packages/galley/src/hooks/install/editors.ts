import { join } from "node:path"
import { callSeconds, serverWords, type Target, type Wanted } from "./target.ts"

const ownTools =
  "This editor has no hooks: Galley's tools are offered to its agent, and what its own tools write is seen as a change from outside, not as the agent's."

/** Cursor: ~/.cursor/mcp.json or .cursor/mcp.json. */
export const cursor: Target = {
  name: "cursor",
  title: "Cursor",
  parts(wanted) {
    const [command, ...args] = serverWords(wanted)
    return [
      {
        kind: "json",
        file: join(wanted.scope === "user" ? wanted.home : wanted.root, ".cursor/mcp.json"),
        entries: [{ kind: "value", path: ["mcpServers", "galley"], value: { type: "stdio", command, args } }],
      },
    ]
  },
  notes: () => [ownTools],
}

/** VS Code: `servers` in the user's mcp.json or .vscode/mcp.json. */
export const vscode: Target = {
  name: "vscode",
  title: "VS Code",
  parts(wanted) {
    const [command, ...args] = serverWords(wanted)
    const file =
      wanted.scope === "user" ? join(codeFolder(wanted), "User/mcp.json") : join(wanted.root, ".vscode/mcp.json")
    return [
      {
        kind: "json",
        file,
        entries: [{ kind: "value", path: ["servers", "galley"], value: { type: "stdio", command, args } }],
      },
    ]
  },
  notes: () => [ownTools],
}

/** Zed: `context_servers` in settings.json. */
export const zed: Target = {
  name: "zed",
  title: "Zed",
  parts(wanted) {
    const [command, ...args] = serverWords(wanted)
    const config = wanted.variables["XDG_CONFIG_HOME"] ?? join(wanted.home, ".config")
    const file = wanted.scope === "user" ? join(config, "zed/settings.json") : join(wanted.root, ".zed/settings.json")
    const value = { source: "custom", command, args, env: {}, timeout: callSeconds(wanted) }
    return [{ kind: "json", file, entries: [{ kind: "value", path: ["context_servers", "galley"], value }] }]
  },
  notes: () => [ownTools, "For an ACP agent in Zed, put `galley acp -- AGENT…` in front of its command."],
}

function codeFolder(wanted: Wanted): string {
  return process.platform === "darwin"
    ? join(wanted.home, "Library/Application Support/Code")
    : join(wanted.variables["XDG_CONFIG_HOME"] ?? join(wanted.home, ".config"), "Code")
}
