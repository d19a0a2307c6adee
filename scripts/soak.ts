/**
 * What takes longer than a test may: `npm run soak -- [--crash] [--model] [--load] [--fuzz] [--growth] [--minutes N]`. Without a name: all
 * but growth, which only measures. `--minutes` (1) is for each. Ends with 1 if anything was found; what was found is printed with the seed
 * or the point that shows it again.
 */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { parseArgs } from "node:util"

const { values } = parseArgs({
  options: {
    crash: { type: "boolean" },
    model: { type: "boolean" },
    load: { type: "boolean" },
    fuzz: { type: "boolean" },
    growth: { type: "boolean" },
    minutes: { type: "string" },
  },
})
const root = join(import.meta.dirname, "..")
const minutes = Number(values.minutes ?? 1)
if (!(minutes > 0)) throw new Error("--minutes takes a number above 0")
const all = !["crash", "model", "load", "fuzz", "growth"].some(name => Reflect.get(values, name) === true)
const node = (words: readonly string[]) => [process.execPath, words] as const
const vitest = (words: readonly string[]) => node([join(root, "node_modules/vitest/vitest.mjs"), "run", ...words])

const failed: string[] = []
// Every point takes some hours on one processor: asked for by name it goes through all unless a time is given.
if (values.crash === true && values.minutes === undefined) run("crash", node(["scripts/crash.ts"]))
else if (all || values.crash === true)
  run("crash", node(["scripts/crash.ts", "--minutes", String(minutes), "--shuffle"]))
if (all || values.model === true) repeat("model", vitest(["packages/engine/test/model"]), { GALLEY_MODEL_RUNS: "400" })
if (all || values.load === true)
  run("load", node(["packages/engine/test/load/many.ts", String(Math.round(minutes * 60))]))
if (all || values.fuzz === true)
  repeat("fuzz", vitest(["packages/engine/test/fuzz", "packages/galley/test/security"]), {
    FUZZ_RUNS: "500",
    RACE_ROUNDS: "300",
  })
if (values.growth === true)
  for (const [axis, ...sizes] of [
    ["messages", "1000", "3000", "10000"],
    ["operations in the log", "10000", "30000", "100000"],
    ["operations on one file", "300", "1000", "3000"],
    ["pending files", "100", "300", "1000"],
    ["files in the workspace", "1000", "10000", "100000"],
    ["megabytes of one file", "4", "16", "63"],
  ] as const)
    run(`growth: ${axis}`, node(["packages/engine/test/load/growth.ts", axis, ...sizes]))

console.log(failed.length === 0 ? "Nothing was found." : `Found something: ${failed.join(", ")}`)
process.exit(failed.length === 0 ? 0 : 1)

function run(
  name: string,
  [program, words]: readonly [string, readonly string[]],
  env: Readonly<Record<string, string>> = {},
): void {
  console.log(`\n# ${name}`)
  const { status } = spawnSync(program, words, { cwd: root, stdio: "inherit", env: { ...process.env, ...env } })
  if (status !== 0) failed.push(name)
}

/** Again and again, with new seeds each time, until the time is over or something is found. */
function repeat(
  name: string,
  command: readonly [string, readonly string[]],
  env: Readonly<Record<string, string>>,
): void {
  const until = Date.now() + minutes * 60_000
  do run(name, command, env)
  while (Date.now() < until && !failed.includes(name))
}
