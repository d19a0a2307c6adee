/** The two diff rows of DESIGN §11. `node packages/core/bench/diff.bench.ts` prints them. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { diffLines as jsdiffLines } from "diff"
import { diffLines } from "../src/diff/line-diff.ts"
import { splitLines } from "../src/text/lines.ts"
import { type BenchRow, contest, printRows } from "./row.ts"
import { dice, sourceLines, withEdits } from "./texts.ts"

export async function rows(): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), "galley-bench-diff-"))
  try {
    return [...scattered(folder), ...shuffled(folder)]
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function scattered(folder: string): BenchRow[] {
  const work = "diff, 100,000 lines, 200 scattered edits"
  const base = sourceLines(100_000)
  const texts = { base: base.join(""), current: withEdits(base, 200, 1).join("") }
  const [a, b] = written(folder, "scattered", texts)
  // From files, as git: reading, decoding and splitting are in it.
  const ours = (): unknown => diffLines(splitLines(readFileSync(a, "utf8")), splitLines(readFileSync(b, "utf8")))
  const git = contest({
    work,
    against: "whole git diff --no-index",
    pairs: 15,
    ours,
    theirs: () => gitDiff(a, b),
    bar: "≤ 2× git",
    holds: ratio => ratio <= 2,
  })
  const jsdiff = contest({
    work,
    against: "jsdiff diffLines",
    pairs: 15,
    ours: () => diffLines(splitLines(texts.base), splitLines(texts.current)),
    theirs: () => jsdiffLines(texts.base, texts.current),
    bar: "faster",
    holds: ratio => ratio < 1,
  })
  return [git, jsdiff]
}

function shuffled(folder: string): BenchRow[] {
  const roll = dice(2)
  const some = (count: number): string => Array.from({ length: count }, () => `symbol ${roll(50)}\n`).join("")
  const row = (count: number, bar: string, limit: number): BenchRow => {
    const texts = { base: some(count), current: some(count) }
    const [a, b] = written(folder, `shuffled-${count}`, texts)
    let coarse = true
    return contest({
      work: `diff, ${count.toLocaleString("en")} lines a side over 50 symbols, shuffled`,
      against: "whole git diff --no-index",
      pairs: 5,
      ours: () => {
        coarse &&= diffLines(splitLines(texts.base), splitLines(texts.current)).coarse
      },
      theirs: () => gitDiff(a, b),
      bar,
      holds: (_, ours) => coarse && ours < limit,
    })
  }
  return [row(10_000, "< 1 s, flagged coarse", 1000), row(100_000, "bounded (< 10 s), flagged coarse", 10_000)]
}

function written(
  folder: string,
  name: string,
  texts: { readonly base: string; readonly current: string },
): [string, string] {
  const paths: [string, string] = [join(folder, `${name}.base`), join(folder, `${name}.current`)]
  writeFileSync(paths[0], texts.base)
  writeFileSync(paths[1], texts.current)
  return paths
}

function gitDiff(a: string, b: string): void {
  const run = spawnSync("git", ["diff", "--no-index", "--no-ext-diff", a, b], { maxBuffer: 1 << 28 })
  if (run.status !== 1) throw new Error(`git diff: ${run.stderr.toString()}`)
}

if (import.meta.main) {
  printRows(await rows())
  console.log("Not measured: VS Code's diff (no package of it is installed); jsdiff on shuffled lines takes minutes.")
}
