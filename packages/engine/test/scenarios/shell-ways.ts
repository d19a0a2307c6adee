import { rmSync } from "node:fs"
import { join } from "node:path"
import type { CallResult } from "@galley/core/protocol/results.ts"
import { probeViews } from "../../src/io/view-probe.ts"
import type { Story } from "../story.ts"

const scratch = join("/var/tmp", `galley-shell-probe-${process.pid}`)
const support = await probeViews(scratch, "p")
rmSync(scratch, { recursive: true, force: true })

/** Whether this machine gives views; where not, it is printed. */
export const views = support.kind === "available"
if (support.kind === "unavailable") process.stdout.write(`skipped: views cannot be had here: ${support.reason}\n`)

export function firstLine(result: CallResult): string | undefined {
  return result.text.split("\n")[0]
}

/** Labels of the answer and of the log's newest operation, then `kind path` of each change. */
export async function told(s: Story, result: CallResult): Promise<string> {
  const last = (await s.person.operations({ limit: 1 })).operations.at(-1)
  const changes = result.changes.map(change => `${change.kind} ${change.path}`).join(", ")
  return `${result.capture}/${last?.capture ?? "nothing"}: ${changes}`
}

export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    if (await holds()) return
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  throw new Error("it never came to be")
}
