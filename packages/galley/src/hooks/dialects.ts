import { claudeCode } from "./claude-code.ts"
import { cline } from "./cline.ts"
import { codex } from "./codex.ts"
import type { Dialect } from "./event.ts"
import { geminiCli } from "./gemini-cli.ts"
import { opencode } from "./opencode.ts"
import { qwenCode } from "./qwen-code.ts"

/** Every agent whose hooks Galley understands, by the name that `install` and `hook` take. */
export const dialects: Readonly<Record<string, Dialect>> = {
  "claude-code": claudeCode,
  codex,
  "qwen-code": qwenCode,
  "gemini-cli": geminiCli,
  opencode,
  cline,
}
