import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { performance } from "node:perf_hooks"
import { applySedToBytes } from "../src/sed/bytes.ts"
import { parseSedCommand } from "../src/sed/command.ts"
import type { BenchRow } from "./row.ts"

const commands = [
  "sed -i 's/oldName/newName/g' f",
  "sed -i 's/oldName/newName/' f",
  "sed -i 's/[ \\t]*$//' f",
  "sed -i 's/\\s\\+$//' f",
  "sed -i 's/[0-9]\\+/N/g' f",
  "sed -i -E 's/([a-z]+)=([a-z]+)/\\2=\\1/g' f",
  "sed -i -E 's/int|integer|int32/T/g' f",
  "sed -i 's/^/# /' f",
  "sed -i 's/$/;/' f",
  "sed -i 's/\\bcount\\b/total/g' f",
  "sed -i 's|path/to|other/place|g' f",
  "sed -i 's/foo\\.bar(\\(.*\\))/baz(\\1)/' f",
  "sed -i 's/^version = .*/version = \"2.0\"/' f",
  'sed -i \'s/"[^"]*"/""/g\' f',
  "sed -i 's/[[:space:]]\\{2,\\}/ /g' f",
  "sed -i 's/.*TODO.*/DONE/' f",
  "sed -i 's/\\(\\w\\+\\)$/<\\1>/' f",
]

const warmUps = 3
const pairs = 15

/** DESIGN §11: a whole edit of a file, from command to renamed file, against the shell that runs sed. */
export async function rows(): Promise<readonly BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), "galley-bench-"))
  try {
    const file = join(folder, "f")
    const found = [
      ...commands.map(command => measure(command, file, source(""), "ASCII")),
      measure(commands[0] ?? "", file, source("é日本😀"), "not ASCII"),
      measure(commands[4] ?? "", file, source("é日本😀"), "not ASCII"),
    ]
    const ratios = found.map(row => row.ratio ?? 0).slice(0, commands.length)
    const middle = median(ratios)
    return [
      ...found,
      {
        work: `applySed, 1 MB, ${commands.length} everyday commands, the median`,
        against: "sh -c sed -i",
        ours: "–",
        theirs: "–",
        ratio: middle,
        bar: "≥ 1.5×",
        holds: middle >= 1.5,
      },
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function measure(command: string, file: string, content: string, kind: string): BenchRow {
  const samples: { ours: number; theirs: number }[] = []
  for (let round = 0; round < warmUps + pairs; round++) {
    writeFileSync(file, content)
    const ours = timed(() => applyHere(command, file))
    const left = readFileSync(file)
    writeFileSync(file, content)
    const theirs = timed(() =>
      spawnSync("sh", ["-c", `cd "$1" && ${command}`, "sh", join(file, "..")], {
        env: { ...process.env, LC_ALL: "C.UTF-8" },
      }),
    )
    if (!left.equals(readFileSync(file))) throw new Error(`BUG: ${command} differs from sed`)
    if (round >= warmUps) samples.push({ ours, theirs })
  }
  const ratio = median(samples.map(sample => sample.theirs / sample.ours))
  return {
    work: `applySed, 1 MB, ${kind}: ${command}`,
    against: "sh -c sed -i",
    ours: `${median(samples.map(sample => sample.ours)).toFixed(1)} ms`,
    theirs: `${median(samples.map(sample => sample.theirs)).toFixed(1)} ms`,
    ratio,
    bar: "≥ 1×",
    holds: ratio >= 1,
  }
}

function applyHere(command: string, file: string): void {
  const edit = parseSedCommand(command)
  if (edit.kind === "notSimulated") throw new Error(`BUG: ${command}: ${edit.reason}`)
  const applied = applySedToBytes(edit, readFileSync(file))
  if (applied.kind === "notSimulated") throw new Error(`BUG: ${command}: ${applied.reason}`)
  writeFileSync(`${file}.new`, applied.bytes)
  renameSync(`${file}.new`, file)
}

/** 20,000 lines of about 50 characters that look like code. */
function source(extra: string): string {
  const lines = [
    '  const oldName = compute("alpha", 42);   ',
    "if (count > 10) return int32(value) + integer\t",
    "key=value other=thing path/to/file.ts # note " + extra,
    'foo.bar(argument, "text in quotes") // TODO later',
    "version = 1.2.3",
    "    indented    with   runs  of blanks 2026-11-30",
    "plain words without anything that would ever match x",
    "a somewhat longer line of text, to make up the mean of fifty characters, and more of it",
  ]
  return Array.from({ length: 20_000 }, (_, at) => `${lines[at % lines.length] ?? ""}\n`).join("")
}

function timed(work: () => void): number {
  const start = performance.now()
  work()
  return performance.now() - start
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
