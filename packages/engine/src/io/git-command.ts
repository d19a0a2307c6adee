import { spawn } from "node:child_process"

export interface GitRun {
  /** Null where git could not be started at all. */
  readonly exitCode: number | null
  readonly stdout: Buffer
  readonly stderr: string
}

/**
 * Runs git for our own questions: it takes no optional lock (so the index is never written), asks nobody, fetches nothing,
 * runs no fsmonitor hook, and heeds none of the caller's GIT_ variables.
 *
 * ctime stays in its stat key whatever the repository's `core.trustctime` and `core.checkStat` say: with them off a same-size
 * edit with a restored mtime is missed (tried, git 2.39).
 */
export async function runGit(
  cwd: string,
  args: readonly string[],
  io: { readonly stdin?: Uint8Array; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<GitRun> {
  return await new Promise(resolve => {
    const child = spawn("git", [...gitSettings, ...args], { cwd, env: gitEnvironment(io.env), stdio: "pipe" })
    const stdout: Buffer[] = []
    const stderr: Buffer[] = []
    child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk))
    child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk))
    child.on("error", error => resolve({ exitCode: null, stdout: Buffer.alloc(0), stderr: error.message }))
    child.on("close", code =>
      resolve({ exitCode: code ?? 128, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString("utf8") }),
    )
    child.stdin.on("error", () => {
      // git may end before it read all; its exit code says so.
    })
    child.stdin.end(io.stdin)
  })
}

/** Settings in front of every command of ours. */
export const gitSettings: readonly string[] = [
  "--no-optional-locks",
  "-c",
  "core.trustctime=true",
  "-c",
  "core.checkStat=default",
  "-c",
  "core.fsmonitor=false",
  "-c",
  "core.quotePath=false",
]

/** What git is started with: the caller's environment without what would point it elsewhere or make it ask or fetch. */
export function gitEnvironment(extra: Readonly<Record<string, string>> = {}): Record<string, string> {
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(process.env))
    if (value !== undefined && !name.startsWith("GIT_")) env[name] = value
  return {
    ...env,
    GIT_TERMINAL_PROMPT: "0",
    GIT_NO_LAZY_FETCH: "1",
    GIT_OPTIONAL_LOCKS: "0",
    LC_ALL: "C.UTF-8",
    ...extra,
  }
}
