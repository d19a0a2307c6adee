import { execFileSync, spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { applySedToBytes } from "../../src/sed/bytes.ts"
import { parseSedCommand } from "../../src/sed/command.ts"
import type { SedLocale } from "../../src/sed/substitute.ts"
import { type RandomEdit, randomEdit } from "./random-edits.ts"

/** Runs random edits through the machine's own sed and through ours. */
export interface Report {
  readonly compared: number
  /** Ours declined; by reason. */
  readonly declined: Readonly<Record<string, number>>
  /** sed was ended after one second of processor time. */
  readonly unfinished: number
  /** sed refused the command. */
  readonly refused: number
  readonly differences: readonly Difference[]
}

export interface Difference {
  readonly seed: number
  readonly command: string
  readonly content: string
  /** Undefined where sed refuses the command. */
  readonly theirs: string | undefined
  readonly ours: string
}

/** Why comparing is not possible here, or undefined. */
export function whyNoGnuSed(): string | undefined {
  const { stdout, error } = spawnSync("sed", ["--version"], { encoding: "utf8" })
  if (error !== undefined || !stdout.startsWith("sed (GNU sed)")) return "the sed of this machine is not GNU's"
  return undefined
}

export function compareSeeds(seeds: readonly number[], locale: SedLocale = "utf-8"): Report {
  const edits = seeds.map(randomEdit)
  const theirs = runSed(edits, locale)
  const declined: Record<string, number> = {}
  const differences: Difference[] = []
  let compared = 0
  let unfinished = 0
  let refused = 0
  edits.forEach((edit, at) => {
    const answer = theirs[at]
    if (answer === undefined || answer.kind === "unfinished") {
      unfinished++
      return
    }
    if (answer.kind === "refused") refused++
    const ours = applied(edit, locale)
    if (typeof ours === "string") {
      if (answer.kind === "done") declined[ours] = (declined[ours] ?? 0) + 1
      return
    }
    compared++
    if (answer.kind === "done" && Buffer.compare(ours, answer.output) === 0) return
    differences.push(smallest(edit, ours, answer.kind === "done" ? answer.output : undefined, locale))
  })
  return { compared, declined, unfinished, refused, differences }
}

export function commandOf(edit: RandomEdit): string {
  return `sed -i ${edit.extended ? "-E " : ""}${quote(edit.script)} f`
}

export function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}

/** Our result, or the reason why there is none. */
function applied(edit: RandomEdit, locale: SedLocale): Uint8Array | string {
  const parsed = parseSedCommand(commandOf(edit))
  if (parsed.kind === "notSimulated") return parsed.reason
  const result = applySedToBytes(parsed, edit.content, locale)
  return result.kind === "notSimulated" ? result.reason : result.bytes
}

/** `en_US.UTF-8` is rarely there in a container; `LOCPATH` can name a folder with one made by localedef. */
const localeNames: Readonly<Record<SedLocale, string>> = {
  "utf-8": "C.UTF-8",
  "utf-8-language": "en_US.UTF-8",
  c: "C",
}

type Answer =
  | { readonly kind: "done"; readonly output: Uint8Array }
  | { readonly kind: "refused" }
  | { readonly kind: "unfinished" }

/** All edits in one shell, each sed with one second of processor time. */
function runSed(edits: readonly RandomEdit[], locale: SedLocale): Answer[] {
  const folder = mkdtempSync(join(tmpdir(), "galley-sed-"))
  try {
    const lines = edits.map((edit, at) => {
      writeFileSync(join(folder, `${at}.in`), edit.content)
      return `sed ${edit.extended ? "-E " : ""}-e ${quote(edit.script)} <${at}.in >${at}.out 2>/dev/null; echo $?`
    })
    writeFileSync(join(folder, "run.sh"), `ulimit -t 1\n${lines.join("\n")}\n`)
    const codes = execFileSync("sh", ["run.sh"], {
      cwd: folder,
      encoding: "utf8",
      env: { ...process.env, LC_ALL: localeNames[locale] },
      stdio: ["ignore", "pipe", "ignore"],
    })
    return codes
      .trimEnd()
      .split("\n")
      .map((code, at) => {
        if (Number(code) > 128) return { kind: "unfinished" }
        if (code !== "0") return { kind: "refused" }
        return { kind: "done", output: readFileSync(join(folder, `${at}.out`)) }
      })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The same difference on the fewest characters of one line that still show it. */
function smallest(edit: RandomEdit, ours: Uint8Array, theirs: Uint8Array | undefined, locale: SedLocale): Difference {
  const text = Buffer.from(edit.content).toString("latin1")
  let shown: Difference = {
    seed: edit.seed,
    command: commandOf(edit),
    content: text,
    theirs: latin1(theirs),
    ours: latin1(ours) ?? "",
  }
  if (theirs === undefined) return shown
  const differs = (candidate: string): boolean => {
    const smaller = { ...edit, content: Buffer.from(candidate, "latin1") }
    const [answer] = runSed([smaller], locale)
    const result = applied(smaller, locale)
    if (answer?.kind !== "done" || typeof result === "string" || Buffer.compare(result, answer.output) === 0)
      return false
    shown = { ...shown, content: candidate, theirs: latin1(answer.output), ours: latin1(result) ?? "" }
    return true
  }
  const line = text.split("\n").find(differs)
  if (line === undefined) return shown
  let current = line
  for (let size = Math.ceil(line.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < current.length; ) {
      const candidate = current.slice(0, at) + current.slice(at + size)
      if (differs(candidate)) current = candidate
      else at += size
    }
  }
  return { ...shown, content: decode(shown.content), theirs: decode(shown.theirs ?? ""), ours: decode(shown.ours) }
}

function latin1(bytes: Uint8Array | undefined): string | undefined {
  return bytes === undefined ? undefined : Buffer.from(bytes).toString("latin1")
}

/** For showing only: bytes that are not UTF-8 stay as they are. */
function decode(text: string): string {
  const decoded = Buffer.from(text, "latin1").toString("utf8")
  return decoded.includes("\ufffd") ? text : decoded
}
