import { claudeCode, cline, codex, geminiCli, opencode, qwenCode } from "./agents.ts"
import { cursor, vscode, zed } from "./editors.ts"
import type { Target } from "./target.ts"

/** Everything that `galley install` knows how to set up, in the order it is listed. */
export const targets: readonly Target[] = [claudeCode, codex, qwenCode, geminiCli, opencode, cline, cursor, vscode, zed]
