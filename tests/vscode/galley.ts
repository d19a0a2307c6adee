import { execFile } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { promisify } from "node:util"

const runFile = promisify(execFile)

/** A coding agent, as far as Galley can tell: it calls Galley's tools from the command line. */
export interface Agent {
  readonly root: string
  message(text: string): Promise<string>
  replace(path: string, from: string, to: string): Promise<void>
  create(path: string, text: string): Promise<void>
  run(command: string): Promise<void>
  /** Any command of the program; its `--json` document. */
  galley(...args: string[]): Promise<unknown>
}

/** `program` is galley.mjs; `home` is where it keeps things. */
export function agentIn(root: string, program: string, home: string, settings: readonly string[] = []): Agent {
  let message: string | null = null
  const galley = async (...args: string[]): Promise<unknown> => {
    const words = [program, ...args, "--json", "--workspace", root, "--conversation", "demo", ...settings]
    const env = { ...process.env, GALLEY_HOME: home, ELECTRON_RUN_AS_NODE: "1" }
    // A refused call ends with 1 and says why on stdout too.
    const { stdout } = await runFile(process.execPath, words, { env, cwd: root, maxBuffer: 1 << 26 }).catch(
      (error: unknown) => ({ stdout: String(Reflect.get(Object(error), "stdout")) }),
    )
    return JSON.parse(stdout)
  }
  const call = async (tool: string, input: object): Promise<void> => {
    const done = (await galley(
      "call",
      tool,
      JSON.stringify(input),
      ...(message === null ? [] : ["--message", message]),
    )) as { ok: boolean; text: string }
    if (!done.ok) throw new Error(`The agent's call failed: ${done.text}`)
  }
  return {
    root,
    galley,
    async message(text) {
      message = ((await galley("message", text)) as { message: string }).message
      return message
    },
    replace: (path, from, to) =>
      call("str_replace_editor", { command: "str_replace", path: join(root, path), old_str: from, new_str: to }),
    create: (path, text) => call("str_replace_editor", { command: "create", path: join(root, path), file_text: text }),
    run: command => call("bash", { command }),
  }
}

/** Writes files as a person would have had them before. */
export function writeFiles(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
}
