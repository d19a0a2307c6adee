import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Hunk } from "../../src/diff/hunk.ts"

export type TextPair = readonly [base: string, current: string]

/** What one run of `git diff --no-index` over two folders says of many pairs of texts. */
export function gitHunks(pairs: readonly TextPair[]): Hunk[][] {
  const folder = mkdtempSync(join(tmpdir(), "galley-git-diff-"))
  try {
    mkdirSync(join(folder, "base"))
    mkdirSync(join(folder, "current"))
    pairs.forEach(([base, current], at) => {
      writeFileSync(join(folder, "base", `${at}`), base)
      writeFileSync(join(folder, "current", `${at}`), current)
    })
    const settings = ["-c", "core.autocrlf=false", "-c", "diff.algorithm=myers", "-c", "diff.indentHeuristic=true"]
    const flags = ["diff", "--no-index", "--no-color", "--no-ext-diff", "--no-renames", "--text", "base", "current"]
    const run = spawnSync("git", [...settings, ...flags], { cwd: folder, maxBuffer: 1 << 30, encoding: "latin1" })
    if (run.status !== 0 && run.status !== 1) throw new Error(`git diff failed: ${run.stderr}`)
    return readPatches(run.stdout, pairs.length)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function readPatches(output: string, count: number): Hunk[][] {
  const files: Hunk[][] = Array.from({ length: count }, () => [])
  let hunks: Hunk[] = []
  let open: { fromBase: number; toBase: number; fromCurrent: number; toCurrent: number } | null = null
  let base = 0
  let current = 0
  let baseLeft = 0
  let currentLeft = 0
  for (const line of output.split("\n")) {
    if (baseLeft === 0 && currentLeft === 0) {
      open = null
      const file = /^diff --git a\/base\/(\d+) /.exec(line)
      if (file !== null) hunks = files[Number(file[1])] ?? []
      const range = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line)
      if (range === null) continue
      baseLeft = Number(range[2] ?? 1)
      currentLeft = Number(range[4] ?? 1)
      base = Number(range[1]) - (baseLeft === 0 ? 0 : 1)
      current = Number(range[3]) - (currentLeft === 0 ? 0 : 1)
    } else if (line.startsWith("\\")) {
      continue
    } else if (line.startsWith(" ")) {
      open = null
      base++
      current++
      baseLeft--
      currentLeft--
    } else {
      if (open === null) {
        open = { fromBase: base, toBase: base, fromCurrent: current, toCurrent: current }
        hunks.push(open)
      }
      if (line.startsWith("-")) {
        open.toBase = ++base
        baseLeft--
      } else {
        open.toCurrent = ++current
        currentLeft--
      }
    }
  }
  return files
}
