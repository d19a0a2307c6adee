import { Failure } from "@galley/core/failure.ts"
import { realEnv } from "../../src/io/env.ts"
import { openWorkspace } from "../../src/open.ts"
import { resolveConfig } from "../../src/session/config.ts"
import type { Requests } from "../../src/workspace.ts"

/**
 * One of many processes on one workspace, run by `many.ts` until its time is over: an agent that edits, a reader that asks as the page
 * does, or a person that decides. Prints each operation that was acknowledged, and at the end what it did.
 */
const [, , role = "", name = "", root = "", home = "", until = "0"] = process.argv
const workspace = await openWorkspace({ root, home, config: resolveConfig([]), env: realEnv() })
const counts: Record<string, number> = {}
let largest = 0
let slowest = 0

/** Failures that a busy workspace gives and that a caller answers by looking again. Anything else ends this process. */
const expected = new Set([
  "FILE_CHANGED_SINCE_READ",
  "CONFLICT",
  "STALE_REVISION",
  "NOT_FOUND",
  "NO_MATCH",
  "NOT_UNIQUE",
])

async function doing(what: string, work: () => Promise<string | null>): Promise<void> {
  const began = performance.now()
  let how = what
  try {
    const operation = await work()
    if (operation !== null) process.stdout.write(`op ${operation}\n`)
  } catch (error) {
    if (!(error instanceof Failure) || !expected.has(error.code)) throw error
    how = `${what}: ${error.code}`
    if (role === "person" && error.code === "FILE_CHANGED_SINCE_READ") console.error(error.stack)
  }
  counts[how] = (counts[how] ?? 0) + 1
  slowest = Math.max(slowest, performance.now() - began)
  largest = Math.max(largest, process.memoryUsage().rss)
}

const roles: Readonly<Record<string, (requests: Requests, round: number) => Promise<void>>> = {
  agent: async (requests, round) => {
    const own = `${name}/${round % 12}.txt`
    const edit = (input: Readonly<Record<string, unknown>>) =>
      doing(String(input["command"]), async () => {
        const result = await requests.call({ tool: "str_replace_editor", input })
        if (result.error !== undefined) {
          const { code, message } = result.error
          throw new Failure(code, message)
        }
        return null
      })
    if (round % 10 === 0)
      await doing("message", async () => (await requests.message({ text: `${name} ${round}` })).operation)
    if (round < 12) await edit({ command: "create", path: own, file_text: `count ${round}\n`.repeat(30) })
    else await edit({ command: "insert", path: own, insert_line: 0, insert_text: `${name} ${round}\n` })
    // One file for everybody: versions collide.
    await edit({ command: "insert", path: "shared.txt", insert_line: 0, insert_text: `${name} ${round}\n` })
  },
  reader: async requests => {
    const status = await requests.status({}).catch(ignoreExpected)
    const first = status?.files[0]
    await doing("read", async () => {
      await requests.log({ counts: false })
      await requests.operations({ limit: 50 })
      if (first !== undefined) await requests.file({ path: first.path })
      return null
    })
  },
  person: async (requests, round) => {
    const files = (await requests.status({}).catch(ignoreExpected))?.files ?? []
    const file = files[round % Math.max(files.length, 1)]
    const last = (await requests.log({ counts: false })).messages.at(-3)?.id
    if (round % 7 === 6 && last !== undefined)
      await doing("rewind", async () => (await requests.rewind({ message: last, onConflict: "keep-mine" })).operation)
    else if (round % 7 === 5)
      await doing("undo", async () => (await requests.undo({ onConflict: "keep-mine" })).operation)
    else if (file !== undefined && round % 2 === 0)
      await doing("accept", async () => (await requests.accept({ path: file.path })).operation)
    else if (file !== undefined)
      await doing("reject", async () => (await requests.reject({ path: file.path, onConflict: "keep-mine" })).operation)
  },
}

function ignoreExpected(error: unknown): null {
  if (error instanceof Failure && expected.has(error.code)) return null
  throw error
}

const play = roles[role]
if (play === undefined) throw new Error(`no role ${role}`)
const requests = workspace.as(
  role === "agent"
    ? { actor: "agent", conversation: name, review: name.endsWith("3") ? "hold" : "apply" }
    : { actor: "person" },
)
for (let round = 0; Date.now() < Number(until); round++) await play(requests, round)
await workspace.close()
process.stdout.write(
  `end ${JSON.stringify({ counts, megabytes: Math.round(largest / 1e6), slowestMs: Math.round(slowest) })}\n`,
)
