import { expect, test } from "vitest"
import { compareSeeds, whyNoGnuSed } from "./differential.ts"

/** More with `GALLEY_SED_SEEDS`; without an end with `node scripts/fuzz-sed.ts`. */
const count = Number(process.env["GALLEY_SED_SEEDS"] ?? 300)
const why = whyNoGnuSed()
if (why !== undefined) console.log(`skipped: comparing with the machine's sed, because ${why}`)

test.skipIf(why !== undefined)(`${count} random edits come out as from the machine's sed`, () => {
  const report = compareSeeds(Array.from({ length: count }, (_, at) => at + 1))
  expect(report.differences).toEqual([])
  expect(report.compared).toBeGreaterThan(count / 3)
})
