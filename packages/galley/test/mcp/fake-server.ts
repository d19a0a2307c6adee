/**
 * A real MCP server process over a scripted workspace, for what the server does with a client: `command` of a call says what
 * happens. Arguments: a file to which what was asked and what came of it is appended, as JSON lines.
 */
import { appendFileSync } from "node:fs"
import { Failure } from "@galley/core/failure.ts"
import type { RequestIo } from "@galley/engine/workspace.ts"
import { serveOnStreams } from "../../src/mcp/stdio.ts"
import { fakeWorkspace } from "../fake-workspace.ts"

const [journal = "/dev/null", ...flags] = process.argv.slice(2)
const note = (event: unknown): void => appendFileSync(journal, `${JSON.stringify(event)}\n`)

interface Input {
  readonly command?: string
  readonly ms?: number
}

const workspace = fakeWorkspace({
  call: async ({ tool, input }: { tool: string; input: Input }, io: RequestIo, context: unknown) => {
    note({ tool, input, context })
    const done = { version: 1, capture: "none", changes: [] } as const
    if (input.command === "fail") throw new Failure("NOT_UNIQUE", "old_str occurs 2 times.", "Add neighbouring lines.")
    if (input.command === "crash") throw new TypeError("undefined is not an object")
    if (input.command === "refused")
      return { ...done, ok: false, text: "No.", error: { code: "DENIED", message: "No." } }
    if (input.command === "wait") {
      io.progress?.("waiting for review")
      await new Promise<void>(resolve => {
        const timer = setTimeout(resolve, input.ms ?? 60_000)
        io.signal?.addEventListener("abort", () => {
          clearTimeout(timer)
          note({ aborted: true })
          resolve()
        })
      })
    }
    return {
      ...done,
      ok: true,
      text: `did ${tool}`,
      changes: [{ path: "a.txt", kind: "modify" }],
      locations: [{ path: "/w/a.txt", line: 3 }],
      diffs: [{ path: "/w/a.txt", oldText: "a", newText: "b" }],
    }
  },
})

const stop = new AbortController()
process.on("SIGTERM", () => stop.abort())
await serveOnStreams(
  {
    version: "1.2.3",
    identity: { fallback: "mcp-1", variables: process.env },
    settings: { review: "hold" },
    asksRoots: flags.includes("--ask-roots"),
    workspace: roots => {
      note({ roots })
      return flags.includes("--broken")
        ? Promise.reject(new Failure("STORE_FAILED", "The database is damaged."))
        : Promise.resolve(workspace)
    },
    progressEveryMs: 40,
    log: text => process.stderr.write(`${text}\n`),
  },
  { input: process.stdin, output: process.stdout },
  stop.signal,
)
note({ closed: true })
