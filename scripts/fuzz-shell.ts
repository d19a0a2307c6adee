/**
 * Compares the words we read in random commands with those bash passes on, until told to stop:
 *
 *     node scripts/fuzz-shell.ts --count 10000 --seed 1
 *
 * Exits with 1 if there was a difference.
 */
import { parseArgs } from "node:util"
import { compareCommands, whyNoBash } from "../packages/core/test/sed/shell-differential.ts"

const { values } = parseArgs({ options: { count: { type: "string" }, seed: { type: "string" } } })

const why = whyNoBash()
if (why === undefined) fuzz()
else console.log(`skipped: ${why}`)

function fuzz(): void {
  const count = Number(values.count ?? 10_000)
  const first = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
  const batch = 500
  let accepted = 0
  let differences = 0
  console.log(`first seed ${first}`)
  for (let done = 0; done < count; done += batch) {
    const size = Math.min(batch, count - done)
    const report = compareCommands(Array.from({ length: size }, (_, at) => first + done + at))
    accepted += report.accepted
    differences += report.differences.length
    for (const difference of report.differences) console.log(JSON.stringify(difference))
  }
  console.log(JSON.stringify({ first, commands: count, accepted, differences }))
  process.exitCode = differences === 0 ? 0 : 1
}
