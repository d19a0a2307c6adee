import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Declined } from "../../src/sed/outcome.ts"
import { shellWords } from "../../src/sed/words.ts"
import { quote } from "./differential.ts"
import { randomCommand } from "./random-commands.ts"

/** Compares the words we read in random commands with those that bash passes to the program. */
export interface ShellReport {
  readonly accepted: number
  readonly differences: readonly ShellDifference[]
}

export interface ShellDifference {
  readonly seed: number
  readonly command: string
  readonly ours: readonly string[]
  /** Every call of sed that bash made. */
  readonly theirs: readonly (readonly string[])[]
}

export function whyNoBash(): string | undefined {
  const { stdout, error } = spawnSync("bash", ["--version"], { encoding: "utf8" })
  return error !== undefined || !stdout.startsWith("GNU bash") ? "this machine has no bash" : undefined
}

export function compareCommands(seeds: readonly number[]): ShellReport {
  const accepted = seeds.flatMap(seed => {
    const command = randomCommand(seed)
    const ours = wordsOf(command)
    // A name that is not plainly `sed` is refused by the caller.
    return ours?.[0]?.written === "sed" ? [{ seed, command, ours: ours.slice(1).map(word => word.value) }] : []
  })
  const calls = callsOf(accepted.map(entry => entry.command))
  const differences = accepted.flatMap((entry, at) => {
    const theirs = calls[at] ?? []
    const same = theirs.length === 1 && JSON.stringify(theirs[0]) === JSON.stringify(entry.ours)
    return same ? [] : [{ ...entry, theirs }]
  })
  return { accepted: accepted.length, differences }
}

function wordsOf(command: string): ReturnType<typeof shellWords> | undefined {
  try {
    return shellWords(command)
  } catch (error) {
    if (error instanceof Declined) return undefined
    throw error
  }
}

/** For each command, the argument lists with which bash called `sed`, in a folder with files that globs can find. */
function callsOf(commands: readonly string[]): string[][][] {
  const folder = mkdtempSync(join(tmpdir(), "galley-bash-"))
  try {
    for (const name of ["f", "a", "s", "b", "-i", "x=", "]"]) writeFileSync(join(folder, name), "")
    // Each argument ends in a NUL, each call in the argument "\x01end".
    const lines = commands.map(
      (command, at) => `(RECORD=../$1.${at}; eval ${quote(command)}) </dev/null >/dev/null 2>&1`,
    )
    const script = `sed() { printf '%s\\0' "$@" $'\\x01end' >>"$RECORD"; }\n${lines.join("\n")}\nwait\n`
    const path = `${folder}.sh`
    writeFileSync(path, script)
    try {
      execFileSync("bash", [path, folder.split("/").at(-1) ?? ""], {
        cwd: folder,
        stdio: "ignore",
        env: { ...process.env, LC_ALL: "C.UTF-8", HOME: "/home/person" },
      })
    } catch {
      // The exit code is that of the last command; what was called is in the records.
    }
    rmSync(path)
    return commands.map((_, at) => {
      const record = `${folder}.${at}`
      if (!existsSync(record)) return []
      const text = readFileSync(record, "utf8")
      rmSync(record)
      return text
        .split("\x01end\0")
        .slice(0, -1)
        .map(call => call.split("\0").slice(0, -1))
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
}
