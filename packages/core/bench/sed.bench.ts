import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { applySedToBytes } from "../src/sed/bytes.ts"
import { parseSedCommand } from "../src/sed/command.ts"
import { type BenchRow, contest, median } from "./row.ts"

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

const pairs = 15

/** DESIGN §11: a whole edit of a file, from command to renamed file, against the shell that runs sed. */
export async function rows(): Promise<readonly BenchRow[]> {
  const ascii = commands.map(command => measure(command, source(""), "ASCII"))
  const others = [commands[0] ?? "", commands[4] ?? ""].map(command => measure(command, source("é日本😀"), "not ASCII"))
  const ratio = median(ascii.map(row => row.ratio))
  const middle: BenchRow = {
    work: `applySed, 1 MB, ${commands.length} everyday commands, the median`,
    against: "sh -c sed -i",
    ours: median(ascii.map(row => row.ours)),
    theirs: median(ascii.map(row => row.theirs)),
    ratio,
    bar: "≥ 1.5× faster",
    holds: ratio <= 1 / 1.5,
  }
  return [...ascii, ...others, middle]
}

function measure(command: string, content: string, kind: string): BenchRow {
  const folder = mkdtempSync(join(tmpdir(), "galley-bench-"))
  try {
    const ours = freshFiles(join(folder, "ours"), content)
    const theirs = freshFiles(join(folder, "theirs"), content)
    const row = contest({
      work: `applySed, 1 MB, ${kind}: ${command}`,
      against: "sh -c sed -i",
      pairs,
      ours: () => applyHere(command, ours()),
      theirs: () => applyInShell(command, theirs()),
      bar: "none slower",
      holds: ratio => ratio <= 1,
    })
    const [left, right] = ["ours", "theirs"].map(side => readFileSync(join(folder, side, "1", "f")))
    if (left === undefined || right === undefined || !left.equals(right))
      throw new Error(`BUG: ${command} differs from sed`)
    return row
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A file for each run, written before the clock starts, each named `f` in a folder of its own. */
function freshFiles(folder: string, content: string): () => string {
  const folders = Array.from({ length: pairs + 1 }, (_, at) => join(folder, String(at)))
  for (const each of folders) {
    mkdirSync(each, { recursive: true })
    writeFileSync(join(each, "f"), content)
  }
  return () => {
    const next = folders.shift()
    if (next === undefined) throw new Error("BUG: more runs than files")
    return next
  }
}

function applyInShell(command: string, folder: string): void {
  spawnSync("sh", ["-c", command], { cwd: folder, env: { ...process.env, LC_ALL: "C.UTF-8" } })
}

function applyHere(command: string, folder: string): void {
  const file = join(folder, "f")
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
