import { expect, test } from "vitest"
import { five, stories } from "../scenarios/stories.ts"

const story = stories()

test("comments, rejections and edits are told at the next contact, once, to those whose work it is", async () => {
  const s = await story({ files: { f: five, g: five } })
  const [a, b] = [s.agent("a"), s.agent("b")]
  await a.replace("f", "one", "ONE")
  await b.replace("g", "one", "ONE")
  await s.person.comment({ path: "f", line: 1, text: "Lower case, please." })
  await s.person.write({ path: "f", text: five.replace("one", "One") })
  await s.person.reject({ path: "g" })
  const toldA = (await a.replace("f", "two", "2")).text
  expect(toldA).toContain("Comment on f:1: Lower case, please.")
  expect(toldA).toContain("Edited by the person in f")
  expect(toldA).not.toContain("Rejected")
  const toldB = (await b.replace("g", "two", "2")).text
  expect(toldB).toContain("Rejected in g; do not write it again:\n-ONE\n+one")
  expect(toldB).not.toContain("Comment")
  expect((await a.replace("f", "three", "3")).text).not.toContain("Comment")
  expect((await s.person.file({ path: "f" })).comments).toMatchObject([{ line: 1, delivered: true }])
})

test("what is told is short, however much was rejected", async () => {
  const s = await story({ files: { f: "start\n" } })
  const agent = s.agent()
  await agent.insert("f", 1, `${"a long line of an agent ".repeat(20)}\n`.repeat(200))
  await s.person.reject({ path: "f" })
  for (let at = 0; at < 30; at++)
    await s.person.comment({ path: "f", text: `remark ${at} ${"x".repeat(200)}`, conversation: "c1" })
  const told = (await agent.replace("f", "start", "START")).text
  expect(told.length).toBeLessThan(5000)
  expect(told).toMatch(/… and \d+ more\./)
})

test("a rejection that was undone before anybody was told is not told", async () => {
  const s = await story({ files: { f: five } })
  const agent = s.agent()
  await agent.replace("f", "one", "ONE")
  await s.person.reject({ path: "f" })
  await s.person.undo({})
  expect((await agent.replace("f", "two", "TWO")).text).not.toContain("Rejected")
})

test("one that was undone after it was told is told too", async () => {
  const s = await story({ files: { f: five } })
  const agent = s.agent()
  await agent.replace("f", "one", "ONE")
  await s.person.reject({ path: "f" })
  expect((await agent.replace("f", "two", "TWO")).text).toContain("Rejected")
  await s.person.undo({})
  expect((await agent.replace("f", "three", "THREE")).text).toContain("took back")
})

test("marks follow content through restarts, and end when it changes", async () => {
  let s = await story({ files: { f: five } })
  await s.agent().replace("f", "one", "ONE")
  await s.person.mark({ path: "f" })
  s = await s.reopen()
  expect((await s.pending())[0]?.reviewed).toBe(true)
  await s.agent().replace("f", "two", "TWO")
  expect((await s.pending())[0]?.reviewed).toBe(false)
  await s.agent().replace("f", "TWO", "two")
  expect((await s.pending())[0]?.reviewed).toBe(true)
  await s.person.mark({ path: "f", off: true })
  expect((await s.pending())[0]?.reviewed).toBe(false)
})

test("rules by path accept at once, in hold too, and a rewind takes that back as well", async () => {
  const s = await story({ files: { "a.lock": five, f: five }, config: { "review.accept": ["*.lock"] } })
  const agent = s.agent("c", "hold")
  const message = await agent.message("m")
  await agent.replace("a.lock", "one", "ONE")
  await agent.replace("f", "one", "ONE")
  expect((await s.pending()).map(file => file.path)).toEqual(["f"])
  expect([s.read("a.lock"), s.read("f")]).toEqual([five.replace("one", "ONE"), five])
  await s.person.rewind({ message })
  expect([s.read("a.lock"), await s.pending()]).toEqual([five, []])
})
