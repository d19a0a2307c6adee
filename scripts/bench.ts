/**
 * `npm run bench`: every row of DESIGN §11 that exists, each beside its peer in the same run, as a table. `-- NAME…` runs only the files
 * whose name contains one of the words; `--markdown` prints a table for docs/benchmarks.md.
 */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { type BenchRow, printRows } from "../packages/core/bench/row.ts"

const root = join(import.meta.dirname, "..")
const words = process.argv.slice(2).filter(word => !word.startsWith("--"))
const found = ["core", "engine", "galley", "page"].flatMap(name => {
  try {
    return readdirSync(join(root, "packages", name, "bench")).flatMap(file =>
      file.endsWith(".bench.ts") ? [join(root, "packages", name, "bench", file)] : [],
    )
  } catch {
    return []
  }
})

const all: BenchRow[] = []
for (const file of found) {
  if (words.length > 0 && !words.some(word => file.includes(word))) continue
  const loaded: unknown = await import(file)
  const rows = typeof loaded === "object" && loaded !== null ? Reflect.get(loaded, "rows") : undefined
  if (typeof rows !== "function") throw new Error(`${file} exports no rows()`)
  const made = (await rows()) as BenchRow[]
  printRows(made)
  all.push(...made)
}

if (process.argv.includes("--markdown")) {
  console.log("\n| work | against | ours (ms) | theirs (ms) | ratio | bar | holds |\n|---|---|---|---|---|---|---|")
  for (const row of all)
    console.log(
      `| ${row.work} | ${row.against} | ${row.ours.toFixed(1)} | ${row.theirs.toFixed(1)} | ${row.ratio.toPrecision(3)} | ${row.bar} | ${row.holds ? "yes" : "no"} |`,
    )
}
const losing = all.filter(row => !row.holds).length
console.log(`${all.length - losing} of ${all.length} rows hold their bar`)
