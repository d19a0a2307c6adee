/**
 * Compares our sed with the machine's own on random edits until told to stop:
 *
 *     node scripts/fuzz-sed.ts --seconds 300
 *     node scripts/fuzz-sed.ts --count 10000 --seed 1
 *     node scripts/fuzz-sed.ts --locale c
 *
 * Prints each difference with its seed on the smallest line that shows it, and a summary. Exits with 1 if there was one.
 */
import { parseArgs } from "node:util"
import type { SedLocale } from "../packages/core/src/sed/substitute.ts"
import { compareSeeds, type Difference, whyNoGnuSed } from "../packages/core/test/sed/differential.ts"

const { values } = parseArgs({
  options: {
    seconds: { type: "string" },
    count: { type: "string" },
    seed: { type: "string" },
    locale: { type: "string", default: "utf-8" },
  },
})

const { locale } = values
const why =
  locale === "utf-8" || locale === "utf-8-language" || locale === "c" ? whyNoGnuSed() : `there is no locale ${locale}`
if (why === undefined) fuzz()
else console.log(`skipped: ${why}`)

function fuzz(): void {
  const until =
    values.seconds === undefined ? Number.POSITIVE_INFINITY : performance.now() + 1000 * Number(values.seconds)
  const count = Number(values.count ?? (values.seconds === undefined ? 1000 : Number.POSITIVE_INFINITY))
  const first = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
  const batch = 100
  const declined: Record<string, number> = {}
  const total = { edits: 0, compared: 0, unfinished: 0, refused: 0 }
  const differences: Difference[] = []
  console.log(`first seed ${first}`)
  while (total.edits < count && performance.now() < until) {
    const size = Math.min(batch, count - total.edits)
    const report = compareSeeds(
      Array.from({ length: size }, (_, at) => first + total.edits + at),
      locale as SedLocale,
    )
    total.edits += size
    total.compared += report.compared
    total.unfinished += report.unfinished
    total.refused += report.refused
    for (const [reason, times] of Object.entries(report.declined)) declined[reason] = (declined[reason] ?? 0) + times
    for (const difference of report.differences) console.log(JSON.stringify(difference))
    differences.push(...report.differences)
  }
  console.log(JSON.stringify({ first, ...total, differences: differences.length, declined }, undefined, 2))
  process.exitCode = differences.length === 0 ? 0 : 1
}
