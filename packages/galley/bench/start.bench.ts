/**
 * How long one short command takes from its start to its end, beside a Node that does nothing: what a person waits at the prompt, and
 * an agent for each hook. Runs the program as built (`npm run build`); a small workspace, everything in the disk's cache.
 */
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type BenchRow, median, printRows } from "../../core/bench/row.ts"

const program = join(import.meta.dirname, "../bin/galley.mjs")
const rounds = 15

export function rows(): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), "galley-bench-"))
  const work = join(folder, "work")
  try {
    mkdirSync(work)
    writeFileSync(join(work, "a.txt"), "one\n")
    const env = { ...process.env, GALLEY_HOME: join(folder, "home"), HOME: folder }
    const payload = JSON.stringify({
      hook_event_name: "PreToolUse",
      session_id: "bench",
      cwd: work,
      tool_name: "Read",
      tool_input: { file_path: join(work, "a.txt") },
    })
    const run = (words: readonly string[], input = ""): number => {
      const start = performance.now()
      const { status } = spawnSync(process.execPath, words, {
        cwd: work,
        env,
        input,
        stdio: ["pipe", "ignore", "ignore"],
      })
      if (status !== 0) throw new Error(`${words.join(" ")} ended with ${status}`)
      return performance.now() - start
    }
    const row = (words: readonly string[], limit: number, input?: string): BenchRow => {
      // The first makes store and cache of compiled code, or starts the resident process.
      for (let warm = 0; warm < 3; warm++) run([program, ...words], input)
      const ours: number[] = []
      const theirs: number[] = []
      for (let round = 0; round < rounds; round++) {
        ours.push(run([program, ...words], input))
        theirs.push(run(["-e", "0"]))
      }
      const ratio = median(ours.map((value, at) => value / (theirs[at] ?? Number.NaN)))
      return {
        work: `start-up, galley ${words.join(" ")}`,
        against: "node -e 0",
        ours: median(ours),
        theirs: median(theirs),
        ratio,
        bar: `< ${limit} ms`,
        holds: median(ours) < limit,
      }
    }
    return Promise.resolve([
      row(["--version"], 150),
      row(["status"], 150),
      row(["log"], 150),
      row(["hook", "claude-code"], 100, payload),
    ])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

if (import.meta.main) printRows(await rows())
