import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import type { Message } from "@galley/core/history/operation.ts"
import { absent, type State } from "@galley/core/state.ts"
import { realEnv } from "../../src/io/env.ts"
import { openWorkspace } from "../../src/open.ts"
import { resolveConfig } from "../../src/session/config.ts"
import { openSqliteStore } from "../../src/store/sqlite.ts"
import type { NewOperation, Store } from "../../src/store/store.ts"
import type { Requests } from "../../src/workspace.ts"

/** One measured thing at one size. */
export interface Cost {
  readonly what: string
  readonly size: number
  readonly request: string
  /** Median of a few runs, in milliseconds of processor time: on a busy machine the clock tells of the others. */
  readonly ms: number
  readonly megabytes: number
}

interface Place {
  readonly root: string
  readonly store: Store
  readonly person: Requests
  readonly agent: Requests
}

type Fill = (place: Place, size: number) => Promise<void>

const edit = (place: Place, input: Readonly<Record<string, unknown>>) =>
  place.agent.call({ tool: "str_replace_editor", input })

/**
 * What grows, and how it is made. Long logs are written to the store in batches, as the requests would have left them: ten thousand
 * durable requests take longer to make than to measure.
 */
const axes: Readonly<Record<string, Fill>> = {
  messages: async (place, size) => fillLog(place, size, at => ({ message: at, path: `made/${at % 100}/${at}.txt` })),
  "operations in the log": async (place, size) =>
    fillLog(place, size, at => ({ message: Math.floor(at / 1000), path: `made/${at % 100}/${at % 5000}.txt` })),
  "operations on one file": async (place, size) => fillLog(place, size, () => ({ message: 0, path: "one.txt" })),
  "pending files": async (place, size) => {
    await place.agent.message({ text: "many files" })
    await place.person.run({
      command: [
        "sh",
        "-c",
        `i=0; mkdir -p many; while [ $i -lt ${size} ]; do echo line $i > many/$i.txt; i=$((i+1)); done`,
      ],
    })
  },
  "files in the workspace": async (place, size) => {
    for (let at = 0; at < size; at++) {
      if (at % 200 === 0) mkdirSync(join(place.root, `tree/${at / 200}`), { recursive: true })
      writeFileSync(join(place.root, `tree/${Math.floor(at / 200)}/${at}.txt`), `file ${at}\n`)
    }
  },
  "megabytes of one file": async (place, size) => {
    writeFileSync(
      join(place.root, "huge.txt"),
      "0123456789 a line of the huge file, as long as lines are wont to be\n".repeat(
        Math.floor((size * 1024 * 1024) / 68) - 1,
      ),
    )
    await place.agent.message({ text: "huge" })
    await edit(place, { command: "insert", path: "huge.txt", insert_line: 10, insert_text: "inserted\n" })
  },
}

/** What each growth is measured by. Each leaves the place as it found it, by undo where it changes something. */
async function requestsOf(place: Place, axis: string): Promise<Readonly<Record<string, () => Promise<unknown>>>> {
  const target =
    axis === "megabytes of one file" ? "huge.txt" : axis === "operations on one file" ? "one.txt" : "probe.txt"
  if (target === "probe.txt") await edit(place, { command: "create", path: "probe.txt", file_text: "probe\n" })
  let round = 0
  if (axis === "operations on one file")
    await edit(place, { command: "insert", path: "one.txt", insert_line: 0, insert_text: "probe\n" })
  const last = async (): Promise<string> => (await place.person.log({ counts: false })).messages.at(-1)?.id ?? ""
  return {
    status: () => place.person.status({}),
    log: () => place.person.log({}),
    "operations (last 50)": () => place.person.operations({ limit: 50 }),
    diff: () => place.person.diff({ path: target }),
    edit: () => edit(place, { command: "insert", path: target, insert_line: 0, insert_text: `probe ${++round}\n` }),
    "accept, undo": async () => {
      await place.person.accept({ path: target })
      await place.person.undo({})
    },
    "reject, undo": async () => {
      await place.person.reject({ path: target })
      await place.person.undo({})
    },
    "rewind, undo": async () => {
      await place.person.rewind({ message: await last(), onConflict: "keep-mine" })
      await place.person.undo({})
    },
    "run true": () => place.person.run({ command: ["true"] }),
  }
}

/** Settled edits of an agent, as they stand in the log once they were accepted. */
async function fillLog(
  place: Place,
  size: number,
  each: (at: number) => { readonly message: number; readonly path: string },
): Promise<void> {
  const { store } = place
  const encoder = new TextEncoder()
  const last = new Map<string, State>()
  const body = Array.from({ length: 60 }, (_, at) => `line ${at} of an ordinary file, as long as lines are`).join("\n")
  let message = -1
  for (let from = 0; from < size; from += 500) {
    const places = Array.from({ length: Math.min(500, size - from) }, (_, at) => ({
      at: from + at,
      ...each(from + at),
    }))
    const texts = places.map(({ at }) => encoder.encode(`${body}\ncount ${at}\n`))
    const blobs = await store.putBlobs(texts.map(bytes => ({ bytes })))
    const messages: Message[] = []
    const operations = places.map(({ at, message: of, path }, index): NewOperation => {
      if (of !== message) {
        messages.push({
          id: `m${of}`,
          conversation: "c1",
          parent: message < 0 ? null : `m${message}`,
          title: `message ${of}`,
          createdAt: at,
        })
        message = of
      }
      const before = last.get(path) ?? absent
      const after: State = { kind: "file", blob: blobs[index] ?? "", size: texts[index]?.length ?? 0, mode: 0o644 }
      last.set(path, after)
      return {
        id: `o${at}`,
        kind: "edit",
        actor: "agent",
        conversation: "c1",
        message: `m${of}`,
        at,
        title: `Edit ${path}`,
        capture: "recorded",
        head: null,
        changes: [{ path, before: { base: before, current: before }, after: { base: before, current: after } }],
      }
    })
    await store.commit({
      operations,
      messages,
      conversations: [{ id: "c1", title: "", head: `m${message}`, createdAt: 0 }],
    })
  }
  // What the log says last stands on disk, and is accepted.
  for (const [path, state] of last) {
    if (state.kind !== "file") continue
    mkdirSync(dirname(join(place.root, path)), { recursive: true })
    writeFileSync(join(place.root, path), await store.blob(state.blob), { mode: 0o644 })
  }
}

export async function measureGrowth(axis: string, sizes: readonly number[], tell: (cost: Cost) => void): Promise<void> {
  const fill = axes[axis]
  if (fill === undefined) throw new Error(`no growth ${axis}; there are: ${Object.keys(axes).join(", ")}`)
  for (const size of sizes) {
    const folder = mkdtempSync(join(tmpdir(), "galley-growth-"))
    const root = join(folder, "work")
    mkdirSync(root)
    const home = join(folder, "home")
    const workspace = await openWorkspace({ root, home, config: resolveConfig([]), env: realEnv() })
    const store = await openSqliteStore({
      folder: join(home, "workspaces", readdirSync(join(home, "workspaces"))[0] ?? ""),
    })
    try {
      const place: Place = {
        root,
        store,
        person: workspace.as({ actor: "person" }),
        agent: workspace.as({ actor: "agent", conversation: "c1" }),
      }
      const began = process.cpuUsage()
      await fill(place, size)
      tell({ what: axis, size, request: "(filling)", ms: spent(began), megabytes: memory() })
      for (const [request, make] of Object.entries(await requestsOf(place, axis))) {
        const times: number[] = []
        const until = performance.now() + 4000
        for (let run = 0; run < 5 && (run < 1 || performance.now() < until); run++) {
          const start = process.cpuUsage()
          await make()
          times.push(spent(start))
        }
        tell({
          what: axis,
          size,
          request,
          ms: times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0,
          megabytes: memory(),
        })
      }
    } finally {
      await workspace.close()
      await store.close()
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

function spent(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1000
}

function memory(): number {
  return Math.round(process.memoryUsage().rss / 1e6)
}

if (import.meta.main) {
  const [axis = "messages", ...sizes] = process.argv.slice(2)
  await measureGrowth(axis, sizes.map(Number), cost =>
    console.log(`${cost.what}\t${cost.size}\t${cost.request}\t${cost.ms.toFixed(1)} ms\t${cost.megabytes} MB`),
  )
}
