import { expect, test } from "vitest"
import { compareCommands, whyNoBash } from "./shell-differential.ts"

/** More with `GALLEY_SHELL_SEEDS` or `node scripts/fuzz-shell.ts`. */
const count = Number(process.env["GALLEY_SHELL_SEEDS"] ?? 2000)
const why = whyNoBash()
if (why !== undefined) console.log(`skipped: comparing with the machine's bash, because ${why}`)

test.skipIf(why !== undefined)(`of ${count} random commands, the words accepted are those that bash passes on`, () => {
  const report = compareCommands(Array.from({ length: count }, (_, at) => at + 1))
  expect(report.differences).toEqual([])
  expect(report.accepted).toBeGreaterThan(count / 20)
})
