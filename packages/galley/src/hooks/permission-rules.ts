import { readFileSync } from "node:fs"
import { join } from "node:path"

/**
 * Whether the person has rules for single shell commands ("Bash(npm test:*)"). Agents hold a command against them as a hook left it, so
 * a replaced command would miss what is allowed and, worse, slip past what is denied. Where there are any, commands are left as they
 * are and what they change is seen by looking before and after.
 */
export function keepsRules(
  agent: string,
  root: string,
  variables: Readonly<Record<string, string | undefined>>,
  userHome: string,
): boolean {
  const rules = ruleFiles[agent]
  if (rules === undefined) return false
  const places = rules.files(variables["HOME"] ?? userHome, root)
  const process = rules.processVariable === undefined ? undefined : variables[rules.processVariable]
  const line = process !== undefined && /^\d+$/.test(process) ? [`/proc/${process}/cmdline`] : []
  return [...places, ...line].some(place => rules.pattern.test(textAt(place)))
}

interface Rules {
  readonly files: (home: string, root: string) => readonly string[]
  readonly pattern: RegExp
  /** Names the agent's process, whose command line may hold rules too (Linux). */
  readonly processVariable?: string
}

const ruleFiles: Readonly<Record<string, Rules>> = {
  "claude-code": {
    files: (home, root) => [
      join(home, ".claude/settings.json"),
      join(root, ".claude/settings.json"),
      join(root, ".claude/settings.local.json"),
      "/etc/claude-code/managed-settings.json",
    ],
    pattern: /\bBash\([^)]/,
    processVariable: "CLAUDE_PID",
  },
  "gemini-cli": {
    files: (home, root) => [join(home, ".gemini/settings.json"), join(root, ".gemini/settings.json")],
    pattern: /\b(run_shell_command|ShellTool)\([^)]/,
  },
  opencode: {
    files: (home, root) => [
      join(home, ".config/opencode/opencode.json"),
      join(home, ".config/opencode/opencode.jsonc"),
      join(root, "opencode.json"),
      join(root, "opencode.jsonc"),
    ],
    pattern: /"bash"\s*:\s*\{/,
  },
}

function textAt(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}
