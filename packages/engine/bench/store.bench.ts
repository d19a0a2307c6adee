import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { performance } from "node:perf_hooks"
import { absent } from "@galley/core/state.ts"
import { type BenchRow, median } from "../../core/bench/row.ts"
import { realEnv } from "../src/io/env.ts"
import { openSqliteStore } from "../src/store/sqlite.ts"

const edits = 1000
const fileSize = 200_000

/** The store's row of DESIGN §11, and beside it (without a bar) what one durable edit costs and how a big log answers. */
export async function rows(): Promise<readonly BenchRow[]> {
  return [...(await inFolder(growth)), ...(await inFolder(bigLog))]
}

async function growth(folder: string): Promise<readonly BenchRow[]> {
  const store = await openSqliteStore({ folder, env: realEnv() })
  let text = source(fileSize)
  let near: string | undefined
  let copies = 0
  const times: number[] = []
  for (let at = 0; at < edits; at++) {
    text = edited(text, at)
    const bytes = new TextEncoder().encode(text)
    copies += bytes.length
    const start = performance.now()
    const [id = ""] = await store.putBlobs([{ bytes, ...(near === undefined ? {} : { near }) }])
    const state = { kind: "file", blob: id, size: bytes.length, mode: 0o644 } as const
    const after = { base: absent, current: state }
    await store.commit({
      operations: [
        {
          id: `o${at}`,
          kind: "edit",
          actor: "agent",
          conversation: "c",
          message: "m",
          at,
          title: `Edit ${at}`,
          capture: "recorded",
          head: null,
          changes: [{ path: "src/cart.ts", before: after, after }],
        },
      ],
      items: [
        { path: "src/cart.ts", base: absent, current: state, disk: "current", revision: at, conversations: ["c"] },
      ],
    })
    times.push(performance.now() - start)
    near = id
  }
  const start = performance.now()
  if (near !== undefined) await store.blob(near)
  const read = performance.now() - start
  await store.close()
  const stored = bytesUnder(folder)
  const ratio = stored / copies
  return [
    {
      work: `store, ${edits} edits of a ${fileSize / 1000} KB file, MB on disk`,
      against: "full copies",
      ours: stored / 1e6,
      theirs: copies / 1e6,
      ratio,
      bar: "≤ 5 %",
      holds: ratio <= 0.05,
    },
    informative("store, one edit of a 200 KB file: contents and commit, durable", median(times)),
    informative("store, read of the newest of those versions", read),
  ]
}

/** 100,000 operations over 1,000 paths: what the interface asks must not grow with the log. */
async function bigLog(folder: string): Promise<readonly BenchRow[]> {
  const store = await openSqliteStore({ folder, env: realEnv() })
  const sides = { base: absent, current: absent }
  for (let group = 0; group < 100; group++)
    await store.commit({
      messages: Array.from({ length: 100 }, (_, at) => {
        const id = `m${group * 100 + at}`
        return { id, conversation: `c${group}`, parent: null, title: id, createdAt: group }
      }),
      operations: Array.from({ length: 1000 }, (_, at) => ({
        id: `o${group * 1000 + at}`,
        kind: "edit" as const,
        actor: "agent" as const,
        conversation: `c${group}`,
        message: `m${group * 100 + (at % 100)}`,
        at,
        title: "Edit",
        capture: "recorded" as const,
        head: null,
        changes: [{ path: `src/${at}.ts`, before: sides, after: sides }],
      })),
    })
  const timed = async (work: () => Promise<unknown>) => {
    const times: number[] = []
    for (let at = 0; at < 21; at++) {
      const start = performance.now()
      await work()
      times.push(performance.now() - start)
    }
    return median(times)
  }
  const log = "store, 100,000 operations, 10,000 messages"
  const found = [
    informative(
      `${log}: history of a path (100 operations)`,
      await timed(() => store.operations({ path: "src/7.ts" })),
    ),
    informative(`${log}: newest 50`, await timed(() => store.operations({ limit: 50 }))),
    informative(`${log}: of a message`, await timed(() => store.operations({ message: "m500" }))),
    informative(`${log}: messages of a conversation`, await timed(() => store.messages("c50"))),
    informative(`${log}: revision`, await timed(() => store.revision())),
  ]
  await store.close()
  const open = await timed(async () => (await openSqliteStore({ folder, env: realEnv() })).close())
  return [...found, informative(`${log}: open and close`, open)]
}

/** A row without a peer: milliseconds to look at. */
function informative(work: string, ms: number): BenchRow {
  return { work, against: "nothing", ours: ms, theirs: Number.NaN, ratio: Number.NaN, bar: "none", holds: true }
}

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "galley-bench-"))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Blocks, not lengths: what the disk gives for it. */
function bytesUnder(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).blocks * 512, 0)
}

/** Looks like code: few words, many numbers and names that do not repeat. */
function source(length: number): string {
  let state = 7
  const next = (bound: number) => (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) % bound
  let text = ""
  while (text.length < length)
    text += `  const value${next(1e6).toString(36)} = read${next(50)}(cart.items[${next(1000)}], "${next(1e9).toString(36)}")\n`
  return text
}

/** One edit as an agent makes it: a few lines somewhere are replaced. */
function edited(text: string, seed: number): string {
  const lines = text.split("\n")
  lines.splice(
    (seed * 7919) % (lines.length - 3),
    2,
    `  if (total > ${seed}) return null`,
    `  log("step ${seed * 31}")`,
  )
  return lines.join("\n")
}
