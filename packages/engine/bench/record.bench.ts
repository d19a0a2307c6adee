/**
 * Two rows of DESIGN §11: capturing one edit in a large repository, and rewinding many files durably.
 * `node packages/engine/bench/record.bench.ts` prints them. FILES sets the size of the repository (100,000).
 */
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type BenchRow, median, printRows } from "../../core/bench/row.ts"
import { realEnv } from "../src/io/env.ts"
import { openWorkspace } from "../src/open.ts"
import { resolveConfig } from "../src/session/config.ts"
import type { Workspace } from "../src/workspace.ts"

const files = Number(process.env["FILES"] ?? 100_000)

export async function rows(): Promise<BenchRow[]> {
  return [await captureOneEdit(), await rewindThousand()]
}

async function captureOneEdit(): Promise<BenchRow> {
  return inRepository(files, async (root, workspace, git) => {
    // The peer: a shadow repository seeded with everything, as shadow-git checkpoints keep one. Not the person's own: its commits would be
    // for Galley to notice.
    const shadow = ["--git-dir", join(root, "../shadow"), "--work-tree", root]
    git(...shadow, "init", "-q")
    git(...shadow, "add", "-A")
    git(...shadow, "commit", "-q", "-m", "seed")
    const agent = workspace.as({ actor: "agent", conversation: "bench" })
    const ours: number[] = []
    const theirs: number[] = []
    for (let round = 0; round < 12; round++) {
      ours.push(
        await timed(() =>
          agent.call({
            tool: "str_replace_editor",
            input: {
              command: "str_replace",
              path: "d0/f0.txt",
              old_str: `round ${round}\n`,
              new_str: `round ${round + 1}\n`,
            },
          }),
        ),
      )
      writeFileSync(join(root, "d1/f1.txt"), `their round ${round}\n`)
      theirs.push(
        await timed(() => {
          git(...shadow, "add", "-A")
          git(...shadow, "commit", "-q", "-m", `round ${round}`)
        }),
      )
    }
    return row(
      `capture and commit one edit, ${files} files`,
      "git add -A && git commit in a seeded repository",
      ours,
      theirs,
      "≥ 50× faster",
      ratio => ratio <= 1 / 50,
    )
  })
}

async function rewindThousand(): Promise<BenchRow> {
  return inRepository(1000, async (_root, workspace, git) => {
    const agent = workspace.as({ actor: "agent", conversation: "bench" })
    const person = workspace.as({ actor: "person" })
    const message = (await agent.message({ text: "change all" })).message ?? ""
    await agent.run({ command: "for f in d*/f*.txt; do echo changed >> $f; done" })
    git("add", "-A")
    git("commit", "-q", "-m", "changed")
    const ours: number[] = []
    const theirs: number[] = []
    for (let round = 0; round < 3; round++) {
      ours.push(await timed(() => person.rewind({ message })))
      await person.undo({})
      // Durable, as ours is: the checkout is followed by a flush of what it wrote.
      theirs.push(
        await timed(() => {
          git("-c", "core.fsync=all", "checkout", "-q", "HEAD~1", "--", ".")
          execFileSync("sync")
        }),
      )
      git("checkout", "-q", "HEAD", "--", ".")
    }
    return row(
      "rewind of 1,000 files, durable",
      "git checkout of the same tree",
      ours,
      theirs,
      "≤ 2×",
      ratio => ratio <= 2,
    )
  })
}

async function inRepository(
  count: number,
  work: (root: string, workspace: Workspace, git: (...words: string[]) => void) => Promise<BenchRow>,
): Promise<BenchRow> {
  const folder = mkdtempSync(join(tmpdir(), "galley-bench-"))
  const root = join(folder, "work")
  const env = {
    PATH: process.env["PATH"],
    HOME: folder,
    GIT_AUTHOR_NAME: "b",
    GIT_AUTHOR_EMAIL: "b@example.invalid",
    GIT_COMMITTER_NAME: "b",
    GIT_COMMITTER_EMAIL: "b@example.invalid",
  }
  const git = (...words: string[]): void => void execFileSync("git", words, { cwd: root, env, stdio: "ignore" })
  mkdirSync(root)
  try {
    for (let at = 0; at < count; at++) {
      if (at % 100 === 0) mkdirSync(join(root, `d${at / 100}`))
      writeFileSync(
        join(root, `d${Math.floor(at / 100)}`, `f${at}.txt`),
        at === 0 ? "round 0\n" : `file ${at}\nsecond line\n`,
      )
    }
    git("init", "-q")
    git("add", "-A")
    git("commit", "-q", "-m", "start")
    const workspace = await openWorkspace({
      root,
      home: join(folder, "home"),
      config: resolveConfig([]),
      env: realEnv(),
    })
    try {
      return await work(root, workspace, git)
    } finally {
      await workspace.close()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What the other side left to be written is flushed first: a flush of ours would wait for it. */
async function timed(work: () => unknown): Promise<number> {
  execFileSync("sync")
  const start = performance.now()
  await work()
  return performance.now() - start
}

function row(
  work: string,
  against: string,
  ours: readonly number[],
  theirs: readonly number[],
  bar: string,
  holds: (ratio: number) => boolean,
): BenchRow {
  const ratio = median(ours.map((value, at) => value / (theirs[at] ?? Number.NaN)))
  return { work, against, ours: median(ours), theirs: median(theirs), ratio, bar, holds: holds(ratio) }
}

if (import.meta.main) printRows(await rows())
