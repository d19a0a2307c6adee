import { existsSync } from "node:fs"

/**
 * The environment that commands get: the caller's, but for
 * - secrets of model clients (API keys and tokens of the services that run agents): a command has no business with them, and they
 *   would end in logs;
 * - what would point git at another repository or index (`GIT_DIR`, …); identity and ssh settings (`GIT_AUTHOR_NAME`,
 *   `GIT_SSH_COMMAND`, …) stay;
 * - start-up files of shells (`BASH_ENV`, `ENV`) and hooks of loaders and of Node meant for us (`NODE_OPTIONS`, `NODE_CHANNEL_FD`),
 *   and functions exported by bash;
 * - Galley's own settings and tokens (`GALLEY_*`).
 *
 * Added: `LANG=C.UTF-8` where no locale is set (files are UTF-8 today; in the bare C locale tools take characters apart), `PAGER=cat`, `GIT_PAGER=cat`, `GIT_TERMINAL_PROMPT=0`, `GIT_EDITOR=true` unless set, `TERM=dumb`, `CI` untouched: a command
 * has no terminal and must not wait for a person. A value in `extra` wins over everything.
 */
export function commandEnvironment(
  from: Readonly<Record<string, string | undefined>>,
  extra: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(from)) if (value !== undefined && isPassed(name)) env[name] = value
  const editor = env["GIT_EDITOR"] ?? "true"
  const hasLocale = ["LC_ALL", "LC_CTYPE", "LANG"].some(name => (env[name] ?? "") !== "")
  return {
    ...env,
    ...(hasLocale ? {} : { LANG: "C.UTF-8" }),
    PAGER: "cat",
    GIT_PAGER: "cat",
    GIT_TERMINAL_PROMPT: "0",
    GIT_EDITOR: editor,
    TERM: "dumb",
    ...extra,
  }
}

/** Bash where there is one: models write for it. */
export function shellPath(): string {
  return ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"].find(path => existsSync(path)) ?? "/bin/sh"
}

function isPassed(name: string): boolean {
  return !dropped.some(pattern => pattern.test(name))
}

const dropped: readonly RegExp[] = [
  /^(ANTHROPIC|CLAUDE|OPENAI|CODEX|GEMINI|DASHSCOPE|QWEN|OPENROUTER|MISTRAL|DEEPSEEK|GROQ|XAI|COHERE|CLINE)_.*(KEY|TOKEN|SECRET|CREDENTIALS?|AUTH)/,
  /^(GOOGLE|AZURE_OPENAI)_(GENERATIVE_AI_)?API_KEY$/,
  /^GIT_(DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|NAMESPACE|PREFIX|CEILING_DIRECTORIES)$/,
  /^GIT_(QUARANTINE_PATH|INTERNAL_.*|CONFIG|CONFIG_COUNT|CONFIG_PARAMETERS|CONFIG_KEY_.*|CONFIG_VALUE_.*|EXEC_PATH)$/,
  /^(BASH_ENV|ENV|NODE_OPTIONS|NODE_CHANNEL_.*|NODE_UNIQUE_ID|VITEST.*|npm_config_.*|npm_lifecycle_.*|npm_package_.*)$/,
  /^(LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES)$/,
  /^BASH_FUNC_/,
  /^GALLEY_/,
]
