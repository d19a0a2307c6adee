/** The merge row of DESIGN §11. `node packages/core/bench/merge.bench.ts` prints it; takes up to half a minute for node-diff3. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { merge3 } from "../src/change/merge3.ts"
import { type Line, splitLines } from "../src/text/lines.ts"
import { type BenchRow, contest, printRows } from "./row.ts"
import { sourceLines, withEdits } from "./texts.ts"

/** Milliseconds after which node-diff3 is stopped; on a quiet machine it takes some 90,000. */
const patience = 30_000

export async function rows(): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), "galley-bench-merge-"))
  try {
    const origin = sourceLines(20_000)
    const write = (name: string, lines: readonly Line[]): string => {
      writeFileSync(join(folder, name), lines.join(""))
      return join(folder, name)
    }
    const sides: Sides = {
      origin: write("origin", origin),
      ours: write("ours", withEdits(origin, 40, 1)),
      theirs: write("theirs", withEdits(origin, 40, 2)),
    }
    return [againstGit(sides), againstNodeDiff3(sides)]
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const work = "merge3, 20,000 lines, 80 edits"

/** Paths of the three files. */
interface Sides {
  readonly origin: string
  readonly ours: string
  readonly theirs: string
}

/** From files, as the peers: reading, decoding and splitting are in it. */
function ourMerge(sides: Sides): void {
  const read = (path: string): Line[] => splitLines(readFileSync(path, "utf8"))
  merge3(read(sides.origin), read(sides.ours), read(sides.theirs))
}

function againstGit(sides: Sides): BenchRow {
  return contest({
    work,
    against: "whole git merge-file",
    pairs: 15,
    ours: () => ourMerge(sides),
    theirs: () => {
      const run = spawnSync("git", ["merge-file", "-p", "-q", sides.ours, sides.origin, sides.theirs], {
        maxBuffer: 1 << 26,
      })
      if (run.status === null || run.status > 127) throw new Error(`git merge-file: ${run.stderr.toString()}`)
    },
    bar: "≤ 3× git",
    holds: ratio => ratio <= 3,
  })
}

/** One run of the peer and no warm-up; stopped when it takes too long, so the ratio is then an upper bound. */
function againstNodeDiff3(sides: Sides): BenchRow {
  const script = fileURLToPath(new URL("node-diff3-merge.ts", import.meta.url))
  const start = performance.now()
  const run = spawnSync(process.execPath, [script, sides.origin, sides.ours, sides.theirs], { timeout: patience })
  const theirs = performance.now() - start
  const stopped = run.error !== undefined
  if (!stopped && run.status !== 0) throw new Error(`node-diff3: ${run.stderr.toString()}`)
  return contest({
    work,
    against: stopped ? `node-diff3, stopped after ${patience / 1000} s` : "node-diff3",
    pairs: 15,
    ours: () => ourMerge(sides),
    theirs,
    bar: "≥ 100× faster",
    holds: ratio => ratio <= 0.01,
  })
}

if (import.meta.main) printRows(await rows())
