/** The merge row of DESIGN §11. `node packages/core/bench/merge.bench.ts` prints it; node-diff3 takes a minute or more. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { diff3Merge } from "node-diff3"
import { merge3 } from "../src/change/merge3.ts"
import { type Line, splitLines } from "../src/text/lines.ts"
import { type BenchRow, contest, printRows } from "./row.ts"
import { sourceLines, withEdits } from "./texts.ts"

export async function rows(): Promise<BenchRow[]> {
  const origin = sourceLines(20_000)
  const sides = [origin, withEdits(origin, 40, 1), withEdits(origin, 40, 2)] as const
  return [againstGit(sides), againstNodeDiff3(sides)]
}

type Sides = readonly [origin: readonly Line[], ours: readonly Line[], theirs: readonly Line[]]

function againstGit(sides: Sides): BenchRow {
  const folder = mkdtempSync(join(tmpdir(), "galley-bench-merge-"))
  try {
    const paths = ["origin", "ours", "theirs"].map(name => join(folder, name))
    paths.forEach((path, at) => writeFileSync(path, (sides[at] ?? []).join("")))
    const [origin = "", ours = "", theirs = ""] = paths
    const read = (path: string): Line[] => splitLines(readFileSync(path, "utf8"))
    return contest({
      work: "merge3, 20,000 lines, 80 edits",
      against: "whole git merge-file",
      pairs: 15,
      ours: () => merge3(read(origin), read(ours), read(theirs)),
      theirs: () => {
        const run = spawnSync("git", ["merge-file", "-p", "-q", ours, origin, theirs], { maxBuffer: 1 << 26 })
        if (run.status === null || run.status > 127) throw new Error(`git merge-file: ${run.stderr.toString()}`)
      },
      bar: "≤ 3× git",
      holds: ratio => ratio <= 3,
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** One pair: the peer takes minutes, so its warm-up is a smaller merge. */
function againstNodeDiff3([origin, ours, theirs]: Sides): BenchRow {
  let warm = false
  return contest({
    work: "merge3, 20,000 lines, 80 edits",
    against: "node-diff3 diff3Merge (one run)",
    pairs: 1,
    ours: () => merge3(origin, ours, theirs),
    theirs: () => {
      const some = warm ? origin.length : 500
      warm = true
      return diff3Merge(ours.slice(0, some + 100), origin.slice(0, some), theirs.slice(0, some + 100))
    },
    bar: "≥ 100× faster",
    holds: ratio => ratio <= 0.01,
  })
}

if (import.meta.main) printRows(await rows())
