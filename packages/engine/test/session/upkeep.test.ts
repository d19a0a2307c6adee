import { afterEach, expect, test } from "vitest"
import { type Story, type StoryOptions, tell } from "../story.ts"

const day = 86_400_000
const five = "one\ntwo\nthree\nfour\nfive\n"
const open: Story[] = []
afterEach(async () => {
  for (const story of open.splice(0)) await story.end()
})

/** A story whose clock stands still until it is set. */
async function dated(options: StoryOptions): Promise<{ story: Story; clock: { now: number } }> {
  const clock = { now: Date.UTC(2030, 0, 1) }
  const story = await tell({ ...options, env: { now: () => clock.now } })
  open.push(story)
  return { story, clock }
}

async function reopened(story: Story): Promise<Story> {
  const next = await story.reopen()
  open.splice(0, open.length, next)
  return next
}

const before = (s: Story, message: string, path: string) => s.person.cat({ path, side: `message:${message}` })
const lost = { code: "NOT_FOUND" }

test("what is older than the limit goes by itself when a person's process closes, what is pending stays", async () => {
  const { story: first, clock } = await dated({ files: { settled: five, pending: five } })
  const message = await first.agent().message("both")
  await first.agent().replace("settled", "one", "ONE")
  await first.agent().replace("pending", "one", "ONE")
  await first.person.accept({ path: "settled" })
  const second = await reopened(first)
  expect((await before(second, message, "settled")).text).toBe(five)
  clock.now += 91 * day
  const third = await reopened(second)
  await expect(before(third, message, "settled")).rejects.toMatchObject(lost)
  expect((await before(third, message, "pending")).text).toBe(five)
  await third.person.reject({ path: "pending" })
  expect([third.read("settled"), third.read("pending")]).toEqual([five.replace("one", "ONE"), five])
})

test("a store above its size loses its oldest contents, until it fits", async () => {
  const { story: first, clock } = await dated({ files: { f: "0" }, config: { "gc.maxMegabytes": 1 } })
  const messages: string[] = []
  const agent = first.agent()
  for (let round = 0; round < 6; round++) {
    messages.push(await agent.message(`round ${round}`))
    await agent.create(`f${round}`, incompressible(400_000, round))
    await first.person.accept({ all: true })
    await agent.message("remove it")
    await agent.bash(`rm f${round}`)
    await first.person.accept({ all: true })
    clock.now += 1000
  }
  clock.now += day
  const second = await reopened(first)
  clock.now += 2 * day
  await second.person.status({})
  const third = await reopened(second)
  const reach = (await third.person.gc({ dryRun: true })).removedBlobs
  expect(reach).toBe(0)
  const after = (round: number) => third.person.show({ id: messages[round] ?? "" })
  expect((await after(0)).diff).toBe("")
  expect((await after(5)).files).not.toEqual([])
})

test("an agent's process, and one that only looks the same day, collect nothing", async () => {
  const { story: first, clock } = await dated({ files: { f: five } })
  const message = await first.agent().message("m")
  await first.agent().replace("f", "one", "ONE")
  await first.person.accept({ all: true })
  const second = await reopened(first)
  clock.now += 91 * day
  await second.agent().message("only an agent asked here")
  const third = await reopened(second)
  expect((await before(third, message, "f")).text).toBe(five)
})

test("a clock that was ahead does not put it off", async () => {
  const { story: first, clock } = await dated({ files: { f: five } })
  const message = await first.agent().message("m")
  await first.agent().replace("f", "one", "ONE")
  await first.person.accept({ all: true })
  clock.now += 80 * day
  const second = await reopened(first)
  await second.person.status({})
  clock.now += 11 * day
  await second.person.status({})
  const third = await reopened(second)
  await expect(before(third, message, "f")).rejects.toMatchObject(lost)
})

/** Digits of a small generator (xorshift), which no compressor makes much smaller. */
function incompressible(length: number, seed: number): string {
  let state = seed * 7919 + 1
  return Array.from({ length }, () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return String.fromCharCode(33 + (Math.abs(state) % 90))
  }).join("")
}
