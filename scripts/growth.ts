/**
 * How costs grow: `node scripts/growth.ts [--part WORD]`. Runs `packages/engine/test/load/growth.ts` for each thing that grows, starts the
 * program over a workspace of 100,000 files, and writes docs/benchmarks-growth.md with its pictures in docs/benchmarks/. With `--part`
 * only the axes whose name contains the word are measured; the others keep the numbers of docs/benchmarks/growth.json.
 */
import { spawn, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { cpus, tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { growthPicture } from "./growth-picture.ts"

export interface Measured {
  readonly what: string
  readonly size: number
  readonly request: string
  /** Milliseconds of processor time. */
  readonly ms: number
  readonly megabytes: number
}

const root = join(import.meta.dirname, "..")
const folder = join(root, "docs/benchmarks")
const kept = join(folder, "growth.json")

const axes: readonly (readonly [string, ...number[]])[] = [
  ["messages", 1000, 3000, 10_000],
  ["operations in the log", 1000, 10_000, 100_000],
  ["operations on one file", 100, 1000],
  ["pending files", 10, 100, 1000],
  ["files in the workspace", 1000, 10_000, 100_000],
  ["megabytes of one file", 1, 8, 63],
]
const server = "program over 100,000 files"

const { values } = parseArgs({ options: { part: { type: "string" } } })
const wanted = (name: string): boolean => values.part === undefined || name.includes(values.part)
const rows = readKept().filter(row => !wanted(row.what))
for (const [axis, ...sizes] of axes) if (wanted(axis)) for (const size of sizes) rows.push(...measure(axis, size))
if (wanted(server)) rows.push(...(await measureServers(100_000)))
mkdirSync(folder, { recursive: true })
writeFileSync(kept, `${JSON.stringify(rows, null, 1)}\n`)
for (const [axis] of axes) writeFileSync(join(folder, pictureOf(axis)), growthPicture(axis, ofAxis(axis)))
writeFileSync(join(root, "docs/benchmarks-growth.md"), page())

function readKept(): Measured[] {
  return existsSync(kept) ? (JSON.parse(readFileSync(kept, "utf8")) as Measured[]) : []
}

function ofAxis(axis: string): readonly Measured[] {
  return rows.filter(row => row.what === axis && row.request !== "(filling)")
}

/** One size in a process of its own, so that what a smaller one left in memory is not counted. */
function measure(axis: string, size: number): Measured[] {
  const words = ["packages/engine/test/load/growth.ts", axis, String(size)]
  const { stdout } = spawnSync(process.execPath, words, { cwd: root, encoding: "utf8", timeout: 600_000 })
  process.stdout.write(stdout)
  return stdout.split("\n").flatMap(line => {
    const [what, , request, ms, megabytes] = line.split("\t")
    if (what !== axis || request === undefined || ms === undefined || megabytes === undefined) return []
    return [{ what, size, request, ms: Number.parseFloat(ms), megabytes: Number.parseFloat(megabytes) }]
  })
}

/** Memory of the program as built, once it answered over a workspace of so many files. */
async function measureServers(files: number): Promise<Measured[]> {
  const place = mkdtempSync(join(tmpdir(), "galley-growth-"))
  const work = join(place, "work")
  try {
    for (let at = 0; at < files; at++) {
      if (at % 200 === 0) mkdirSync(join(work, `tree/${at / 200}`), { recursive: true })
      writeFileSync(join(work, `tree/${Math.floor(at / 200)}/${at}.txt`), `file ${at}\n`)
    }
    const env = { ...process.env, GALLEY_HOME: join(place, "home") }
    const call = (id: number, method: string, params: unknown): string =>
      `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`
    const edit = { command: "create", path: join(work, "new.txt"), file_text: "new\n" }
    const talk =
      call(1, "initialize", {
        protocolVersion: "2025-06-18",
        capabilities: {},
        clientInfo: { name: "growth", version: "1" },
      }) + call(2, "tools/call", { name: "str_replace_editor", arguments: edit })
    return [
      { ...(await resident(["mcp"], { cwd: work, env }, talk, '"id":2')), size: files },
      { ...(await resident(["serve", "--no-open"], { cwd: work, env }, "", "http://")), size: files },
    ]
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}

async function resident(
  words: readonly string[],
  where: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
  input: string,
  answer: string,
): Promise<Omit<Measured, "size">> {
  const child = spawn(process.execPath, [join(root, "packages/galley/bin/galley.mjs"), ...words], {
    ...where,
    stdio: ["pipe", "pipe", "inherit"],
  })
  const started = performance.now()
  let said = ""
  child.stdin.write(input)
  for await (const chunk of child.stdout) if ((said += String(chunk)).includes(answer)) break
  const ms = performance.now() - started
  const address = /http:\/\/\S+/.exec(said)?.[0]
  if (address !== undefined) await (await fetch(address)).text()
  const resident = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]
  child.kill("SIGTERM")
  return { what: server, request: `galley ${words[0]}, answered`, ms, megabytes: Math.round(Number(resident) / 1000) }
}

function pictureOf(axis: string): string {
  return `growth-${axis.replaceAll(" ", "-")}.svg`
}

function page(): string {
  const parts = axes.flatMap(([axis]) => [
    `## ${axis.charAt(0).toUpperCase()}${axis.slice(1)}`,
    `![Processor time by size](benchmarks/${pictureOf(axis)})`,
    table(ofAxis(axis)),
  ])
  const servers = rows.filter(row => row.what === server)
  const memory = servers.map(row => `| ${row.request} | ${row.megabytes} MB |`).join("\n")
  return `${[
    "# How costs grow",
    `Written by \`node scripts/growth.ts\`, never by hand. Milliseconds of **processor time** of one process, the median of up to five runs: the machine is shared (${cpus().length} cores), and the clock would tell of the others. A disk in memory, no views. Node ${process.versions.node}. Memory is the whole process, its filling included. A missing number was not measured.`,
    ...parts,
    "## Memory over 100,000 files",
    `Resident memory of the built program. Bar: 150 MB.\n\n| program | memory |\n|---|---|\n${memory}`,
  ].join("\n\n")}\n`
}

function table(measured: readonly Measured[]): string {
  const sizes = [...new Set(measured.map(row => row.size))]
  const requests = [...new Set(measured.map(row => row.request))]
  const cell = (request: string, size: number): string => {
    const ms = measured.find(row => row.request === request && row.size === size)?.ms
    return ms === undefined ? "" : ms.toLocaleString("en", { maximumFractionDigits: ms < 10 ? 1 : 0 })
  }
  const memory = sizes.map(size =>
    String(Math.max(...measured.filter(row => row.size === size).map(row => row.megabytes))),
  )
  return [
    `| request | ${sizes.map(size => size.toLocaleString("en")).join(" | ")} |`,
    `|---|${sizes.map(() => "---|").join("")}`,
    ...requests.map(request => `| ${request} | ${sizes.map(size => cell(request, size)).join(" | ")} |`),
    `| memory, MB | ${memory.join(" | ")} |`,
  ].join("\n")
}
