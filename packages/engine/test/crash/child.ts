import { arm, calls } from "./disaster.ts"
import { Failure } from "@galley/core/failure.ts"
import type { RequestContext } from "@galley/core/protocol/requests.ts"
import { realEnv } from "../../src/io/env.ts"
import { openWorkspace } from "../../src/open.ts"
import { resolveConfig } from "../../src/session/config.ts"
import type { Deed } from "./deeds.ts"

/** Run by `points.ts`: opens the workspace, makes one request, and says how it ended and which calls it made. */
const { root, home, deed } = JSON.parse(process.argv[2] ?? "") as { root: string; home: string; deed: Deed }
let ending: { readonly kind: "done" | "failure" | "foreign"; readonly text: string }
arm(true)
try {
  const config = resolveConfig([{ source: "test", values: deed.config ?? {} }])
  const workspace = await openWorkspace({ root, home, config, env: realEnv() })
  const context: RequestContext = { conversation: "c1", ...deed.context, actor: deed.actor }
  const requests = workspace.as(context)
  try {
    const answer = await (requests[deed.request] as (params: unknown) => Promise<unknown>)(deed.params)
    ending = { kind: "done", text: JSON.stringify(answer).slice(0, 100_000) }
  } finally {
    await workspace.close()
  }
} catch (error) {
  ending =
    error instanceof Failure
      ? { kind: "failure", text: `${error.code}: ${error.message}` }
      : { kind: "foreign", text: error instanceof Error ? (error.stack ?? error.message) : String(error) }
}
arm(false)
process.stdout.write(`${JSON.stringify({ ...ending, calls })}\n`)
