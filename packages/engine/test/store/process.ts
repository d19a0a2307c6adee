import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { onTestFinished } from "vitest"

/** A child that runs `child.ts`, and the lines it printed so far. */
export interface Child {
  readonly process: ChildProcess
  readonly lines: readonly string[]
  readonly ended: Promise<{ readonly code: number | null; readonly errors: string }>
  /** Resolves once it has printed `count` lines, or ended. */
  printed(count: number): Promise<void>
}

export function startChild(...args: readonly string[]): Child {
  const script = fileURLToPath(new URL("child.ts", import.meta.url))
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", script, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  })
  const lines: string[] = []
  let rest = ""
  let errors = ""
  let wake = () => {}
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const parts = (rest + text).split("\n")
    rest = parts.pop() ?? ""
    lines.push(...parts)
    wake()
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text))
  const state = { over: false }
  const ended = new Promise<{ code: number | null; errors: string }>(resolve =>
    child.on("close", code => {
      state.over = true
      wake()
      resolve({ code, errors })
    }),
  )
  onTestFinished(() => void child.kill("SIGKILL"))
  const printed = async (count: number) => {
    while (lines.length < count && !state.over) await new Promise<void>(resolve => (wake = resolve))
  }
  return { process: child, lines, ended, printed }
}
