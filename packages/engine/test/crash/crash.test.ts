import { afterAll, beforeAll, expect, test } from "vitest"
import { deeds } from "./deeds.ts"
import { Ground, type Point } from "./points.ts"

/**
 * A sample of the points that `npm run soak -- --crash` tries one and all: a child process that opens a real workspace dies, or is failed
 * by the disk or the database, somewhere in a request; the next start must find everything wholly done or wholly undone.
 */
const count = Number(process.env["CRASH_POINTS"] ?? 36)
// The same points each time; `npm run soak -- --crash` tries others.
const seed = Number(process.env["CRASH_SEED"] ?? 1)

const ground = new Ground()
beforeAll(() => ground.open())
afterAll(() => ground.close())

test(`killed or failed at ${count} points, seed ${seed}`, { timeout: 60_000 + count * 20_000 }, async () => {
  // Numerical Recipes' generator: enough to choose points, and the same everywhere.
  let state = seed
  const below = (limit: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state % limit
  }
  const kinds = ["kill", "kill", "half", "EIO", "ENOSPC", "EACCES"] as const
  const shift = below(deeds.length)
  let tried = 0
  const work = async (): Promise<void> => {
    for (let at = tried++; at < count; at = tried++) {
      const deed = deeds[(at + shift) % deeds.length]
      const kind = kinds[below(kinds.length)] ?? "kill"
      if (deed === undefined) continue
      const { calls } = (await ground.plainOf(deed)).ending
      const names = kind.startsWith("E") ? calls.all : calls.changing
      const writes = names.flatMap((name, index) => (kind !== "half" || name.startsWith("write") ? [index + 1] : []))
      const point: Point = { deed, kind, at: writes[below(Math.max(writes.length, 1))] ?? 1 }
      const { wrong } = await ground.try(point)
      expect(wrong, `${deed.name} ${kind} ${point.at} (${names[point.at - 1]})`).toEqual([])
    }
  }
  await Promise.all([work(), work()])
  expect(tried).toBeGreaterThan(count)
})
