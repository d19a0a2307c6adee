/**
 * What an agent waits for each hook (issue 6: under 100 ms at the median on a warm machine), beside the start of a Node that does nothing:
 * `node packages/galley/bench/hook.bench.ts` prints it. ROUNDS sets how often (25).
 */
import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { type BenchRow, median, printRows } from "../../core/bench/row.ts"
import { builtProgram, newPlace } from "../test/program.ts"

const rounds = Number(process.env["ROUNDS"] ?? 25)
/** Milliseconds. */
const bar = 100

export async function rows(): Promise<BenchRow[]> {
  const program = await builtProgram()
  const place = newPlace(program)
  try {
    const file = join(place.work, "src/money.js")
    const hook = (event: string, more: object): number =>
      timed(() => {
        const payload = { session_id: "s", prompt_id: "m", cwd: place.work, hook_event_name: event, ...more }
        const words = [program.file, "hook", "claude-code"]
        const end = spawnSync(process.execPath, words, {
          cwd: place.work,
          env: place.env,
          input: JSON.stringify(payload),
          encoding: "utf8",
        })
        if (end.status !== 0) throw new Error(end.stderr)
      })
    const node = (): number => timed(() => spawnSync(process.execPath, ["-e", "0"], { env: place.env }))
    // The first starts the process that answers from then on.
    hook("UserPromptSubmit", { prompt: "Warm up" })
    const measured = new Map<string, { readonly ours: number[]; readonly theirs: number[] }>()
    const add = (work: string, ours: number): void => {
      const row = measured.get(work) ?? { ours: [], theirs: [] }
      row.ours.push(ours)
      row.theirs.push(node())
      measured.set(work, row)
    }
    for (let round = 0; round < rounds; round++) {
      const edit = {
        tool_name: "Edit",
        tool_use_id: `e${round}`,
        tool_input: { file_path: file, old_string: "a", new_string: "b" },
      }
      add("hook of a prompt", hook("UserPromptSubmit", { prompt: `Round ${round}`, prompt_id: `m${round}` }))
      add("hook before an edit", hook("PreToolUse", edit))
      writeFileSync(file, `// ${round}\n`)
      add("hook after an edit", hook("PostToolUse", edit))
      const shell = { tool_name: "Bash", tool_use_id: `b${round}`, tool_input: { command: "sed -i s/a/b/ README.md" } }
      add("hook that replaces a command", hook("PreToolUse", shell))
    }
    return [...measured].map(([work, { ours, theirs }]) => rowOf(work, ours, theirs))
  } finally {
    // The process that answers hooks sees that its socket is gone, and ends.
    place.remove()
    program.remove()
  }
}

function rowOf(work: string, ours: readonly number[], theirs: readonly number[]): BenchRow {
  const own = median(ours)
  return {
    work,
    against: "node -e 0",
    ours: own,
    theirs: median(theirs),
    ratio: median(ours.map((one, at) => one / (theirs[at] ?? one))),
    bar: `< ${bar} ms`,
    holds: own < bar,
  }
}

function timed(work: () => unknown): number {
  const started = performance.now()
  work()
  return performance.now() - started
}

if (import.meta.main) printRows(await rows())
