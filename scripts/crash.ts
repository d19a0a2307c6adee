/**
 * Every point of every state-changing request at which the process can die, and every call that can fail, one after the other:
 * `node scripts/crash.ts [--deed NAME | --after NAME] [--kind kill,half,EIO,ENOSPC,EACCES] [--step N] [--minutes M]
 * [--shuffle]`. Prints what is wrong with
 * each point and a table; ends with 1 if anything is. A line `deed kind at` names the point to try again (`--at N`).
 */
import { parseArgs } from "node:util"
import { deeds } from "../packages/engine/test/crash/deeds.ts"
import { Ground, type Point } from "../packages/engine/test/crash/points.ts"

const { values } = parseArgs({
  options: {
    deed: { type: "string" },
    after: { type: "string" },
    kind: { type: "string", default: "kill,half,EIO,ENOSPC,EACCES" },
    step: { type: "string", default: "1" },
    at: { type: "string" },
    minutes: { type: "string" },
    shuffle: { type: "boolean" },
    width: { type: "string", default: "2" },
  },
})
const until = values.minutes === undefined ? Infinity : Date.now() + Number(values.minutes) * 60_000
const ground = new Ground()
const share = values.shuffle === true ? 40 : Infinity
await ground.open()
let tried = 0
let bad = 0
try {
  const first = deeds.findIndex(deed => deed.name === values.after) + 1
  for (const deed of deeds.slice(first).filter(one => values.deed === undefined || one.name === values.deed)) {
    const { calls } = (await ground.plainOf(deed)).ending
    const points: Point[] = []
    for (const kind of values.kind.split(",") as Point["kind"][]) {
      const names = kind.startsWith("E") ? calls.all : calls.changing
      for (let at = 1; at <= names.length; at += Number(values.step)) {
        if (values.at !== undefined && Number(values.at) !== at) continue
        if (kind === "half" && names[at - 1]?.startsWith("write") !== true) continue
        points.push({ deed, kind, at })
      }
    }
    // With little time: some of each request, other ones each time.
    if (share < points.length) points.sort(() => Math.random() - 0.5).splice(share)
    const began = performance.now()
    const counts: Record<string, number> = {}
    let next = 0
    const work = async (): Promise<void> => {
      for (let point = points[next++]; point !== undefined && Date.now() < until; point = points[next++]) {
        const { ending, wrong } = await ground.try(point)
        tried++
        counts[ending.kind] = (counts[ending.kind] ?? 0) + 1
        if (wrong.length === 0) continue
        bad++
        const names = point.kind.startsWith("E") ? calls.all : calls.changing
        console.log(
          `WRONG ${deed.name} ${point.kind} ${point.at} (${names[point.at - 1]}), ended ${ending.kind} ${ending.text.slice(0, 200)}`,
        )
        for (const line of wrong) console.log(`    ${line.slice(0, 1500)}`)
      }
    }
    await Promise.all(Array.from({ length: Number(values.width) }, work))
    const seconds = ((performance.now() - began) / 1000).toFixed(0)
    console.log(
      `${deed.name}: ${calls.changing.length} changing calls of ${calls.all.length}, ${points.length} points, ${JSON.stringify(counts)}, ${seconds} s`,
    )
  }
} finally {
  await ground.close()
}
console.log(`${tried} points tried, ${bad} wrong`)
process.exit(bad === 0 ? 0 : 1)
