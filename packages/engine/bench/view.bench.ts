/**
 * The view rows of DESIGN §11, and the two looks of a direct run. `node packages/engine/bench/view.bench.ts` prints them. FILES sets the
 * size of the repository (100,000).
 */
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type BenchRow, median, printRows } from "../../core/bench/row.ts"
import { commandEnvironment } from "../src/io/environment.ts"
import { runBetweenLooks } from "../src/io/look.ts"
import { runProcess } from "../src/io/processes.ts"
import type { DiskChange } from "../src/io/seen.ts"
import { runInView } from "../src/io/view.ts"

const files = Number(process.env["FILES"] ?? 100_000)
const env = commandEnvironment(process.env)
let count = 0

export async function rows(): Promise<BenchRow[]> {
  // Not /tmp: it may be a tmpfs, which takes no overlay. A disk on which many files were deleted in the last minutes makes ext4 slow
  // to find inodes (`recently_deleted`), for the overlay above all.
  const home = mkdtempSync(join(process.env["BENCH_FOLDER"] ?? "/var/tmp", "galley-bench-view-"))
  try {
    const small = join(home, "small")
    mkdirSync(small)
    const row = await viewOfNothing(small, home)
    const large = join(home, "large")
    makeRepository(large)
    return [row, ...(await thousandChanges(large, home))]
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

async function viewOfNothing(root: string, home: string): Promise<BenchRow> {
  const pairs: { ours: number; theirs: number }[] = []
  for (let round = 0; round < 31; round++) {
    const ours = await timed(async () => {
      await inView(root, home, "true")
    })
    const theirs = await timed(async () => await directly(root, "true"))
    if (round > 0) pairs.push({ ours, theirs })
  }
  const more = median(pairs.map(pair => pair.ours - pair.theirs))
  const row = rowOf("view running `true`", "plain spawn", pairs)
  return { ...row, bar: `< 40 ms more (${more.toFixed(1)} more)`, holds: more < 40 }
}

/** 1,000 files appended to by one shell loop, which takes some 20 ms by itself. */
async function thousandChanges(root: string, home: string): Promise<BenchRow[]> {
  const command = `i=0; while [ $i -lt 1000 ]; do echo more >> d$((i % 500))/f$((i / 500)).txt; i=$((i + 1)); done`
  const reset = (): unknown => git(root, "checkout", "-q", ".")
  const views: { ours: number; theirs: number }[] = []
  const looks: { ours: number; theirs: number }[] = []
  for (let round = 0; round < 5; round++) {
    const ours = await timed(async () => {
      const changes = await inView(root, home, command)
      if (changes !== 1000) throw new Error(`a view told ${changes} changes`)
    })
    const peer = await timed(async () => await stashCapture(root, command))
    reset()
    const direct = await timed(async () => {
      const changes = await betweenLooks(root, home, command)
      if (changes !== 1000) throw new Error(`two looks told ${changes} changes`)
    })
    reset()
    if (round > 0) {
      views.push({ ours, theirs: peer })
      looks.push({ ours: direct, theirs: peer })
    }
  }
  const of = `of ${files.toLocaleString("en")} files, to reviewable`
  const against = "git stash and status before and after"
  const view = rowOf(`view changing 1,000 ${of}`, against, views)
  const look = rowOf(`direct run changing 1,000 ${of}, two looks`, against, looks)
  return [
    { ...view, bar: "≥ 5× faster", holds: view.ratio <= 1 / 5 },
    { ...look, bar: "no slower", holds: look.ratio <= 1 },
  ]
}

/**
 * What git-based checkpoints do around a command: a stash-shaped commit of the worktree before and after, untracked files by status,
 * and the contents of what differs.
 */
async function stashCapture(root: string, command: string): Promise<void> {
  git(root, "stash", "create")
  git(root, "status", "--porcelain", "-z", "-uall")
  await directly(root, command)
  git(root, "status", "--porcelain", "-z", "-uall")
  const after = git(root, "stash", "create")
  git(root, "diff", "--no-renames", "HEAD", after)
}

/**
 * Runs in a view until both contents of each change are at hand; what was changed is
 * removed with the bench's own folder, when nobody waits for it. A run that changed nothing is closed in the time measured.
 */
async function inView(root: string, home: string, command: string): Promise<number> {
  const run = await runInView({
    root,
    pending: [],
    command,
    cwd: root,
    env,
    timeoutMs: null,
    outputLimit: 1_000,
    mask: [],
    git: "dropped",
    passThrough: [],
    caches: [],
    dependencyFolders: [],
    scratch: join(home, "scratch"),
    id: `b${count++}`,
    owners: "own",
  })
  if (run.kind === "noView") throw new Error(run.reason)
  await readAll(run.changes)
  if (run.changes.length === 0) await run.close()
  return run.changes.length
}

async function betweenLooks(root: string, home: string, command: string): Promise<number> {
  const run = await runBetweenLooks({
    root,
    command,
    cwd: root,
    env,
    timeoutMs: null,
    outputLimit: 1_000,
    atRisk: [],
    keep: { total: 1e8, file: 1e7 },
    walkLimit: 50_000,
    dependencyFolders: [],
    scratch: join(home, "scratch"),
    id: `b${count++}`,
  })
  await readAll(run.changes)
  await run.close()
  return run.changes.length
}

/** Reviewable: both contents are at hand. */
async function readAll(changes: readonly DiskChange[]): Promise<void> {
  for (const { before, after } of changes) {
    if (before.kind === "file") await before.read()
    if (after.kind === "file") await after.read()
  }
}

async function directly(root: string, command: string): Promise<void> {
  await runProcess({ command, cwd: root, env, timeoutMs: null, outputLimit: 1_000 })
}

function makeRepository(root: string): void {
  for (let folder = 0; folder < 500; folder++) {
    mkdirSync(join(root, `d${folder}`), { recursive: true })
    for (let file = 0; file < files / 500; file++)
      writeFileSync(join(root, `d${folder}`, `f${file}.txt`), `file ${file} of folder ${folder}\n`.repeat(40))
  }
  git(root, "init", "-q")
  git(root, "add", ".")
  git(root, "commit", "-qm", "start")
}

function git(root: string, ...args: readonly string[]): string {
  const who = ["-c", "user.name=B", "-c", "user.email=b@example.invalid", "-c", "gc.auto=0"]
  return execFileSync("git", [...who, ...args], { cwd: root, encoding: "utf8", maxBuffer: 1e9 }).trim()
}

function rowOf(work: string, against: string, pairs: readonly { ours: number; theirs: number }[]): BenchRow {
  return {
    work,
    against,
    ours: median(pairs.map(pair => pair.ours)),
    theirs: median(pairs.map(pair => pair.theirs)),
    ratio: median(pairs.map(pair => pair.ours / pair.theirs)),
    bar: "",
    holds: false,
  }
}

async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

if (process.argv[1] === import.meta.filename) printRows(await rows())
