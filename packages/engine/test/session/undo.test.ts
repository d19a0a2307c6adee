import { expect, test } from "vitest"
import { five, stories } from "../scenarios/stories.ts"

const story = stories()

test("undo and redo go in order through decisions of every kind, across restarts", async () => {
  let s = await story({ files: { f: five, g: five } })
  const agent = s.agent()
  const message = await agent.message("m")
  await agent.replace("f", "one", "ONE")
  await agent.replace("f", "five", "FIVE")
  await agent.replace("g", "one", "ONE")
  const states: unknown[] = []
  const note = async (): Promise<void> => {
    const files = (await s.pending()).map(file => [file.path, file.hunks.map(hunk => [hunk.oldStart, hunk.newStart])])
    states.push([s.read("f"), s.read("g"), files])
  }
  await note()
  await s.person.accept({ path: "f", hunks: ["1"] })
  await note()
  await s.person.reject({ path: "f" })
  await note()
  await s.person.write({ path: "g", text: five.replace("one", "ONE").replace("three", "mine") })
  await note()
  await s.person.rewind({ message })
  await note()
  const forward = [...states]
  for (const expected of forward.toReversed().slice(1)) {
    s = await s.reopen()
    await s.person.undo({})
    states.length = 0
    await note()
    expect(states[0]).toEqual(expected)
  }
  await expect(s.person.undo({})).rejects.toMatchObject({ code: "NOT_FOUND" })
  for (const expected of forward.slice(1)) {
    s = await s.reopen()
    await s.person.redo({})
    states.length = 0
    await note()
    expect(states[0]).toEqual(expected)
  }
  await expect(s.person.redo({})).rejects.toMatchObject({ code: "NOT_FOUND" })
})

test("the undo of a named operation that is not the newest is refused as stale", async () => {
  const s = await story({ files: { f: five, g: five } })
  await s.agent().replace("f", "one", "ONE")
  await s.agent().replace("g", "one", "ONE")
  const first = (await s.person.reject({ path: "f" })).operation ?? ""
  const second = (await s.person.reject({ path: "g" })).operation ?? ""
  await expect(s.person.undo({ operation: first })).rejects.toMatchObject({ code: "STALE_REVISION" })
  await s.person.undo({ operation: second })
  await s.person.undo({ operation: first })
  expect([s.read("f"), s.read("g")]).toEqual([five.replace("one", "ONE"), five.replace("one", "ONE")])
  const { operations } = await s.person.operations({})
  expect(operations.filter(operation => operation.undone).map(operation => operation.id)).toEqual([first, second])
})

test("only a new decision of the person clears redo; an agent's work and an editor's do not", async () => {
  const s = await story({ files: { f: five, g: five } })
  await s.agent().replace("f", "one", "ONE")
  await s.person.reject({ path: "f" })
  await s.person.undo({})
  await s.agent().replace("g", "one", "ONE")
  s.write("g", `${five.replace("one", "ONE")}mine\n`)
  await s.pending()
  await s.person.redo({})
  expect(s.read("f")).toBe(five)
  await s.person.undo({})
  await s.person.accept({ path: "g" })
  await expect(s.person.redo({})).rejects.toMatchObject({ code: "NOT_FOUND" })
})

test("undo after an external edit merges, and does not touch what the editor wrote", async () => {
  const s = await story({ files: { f: five } })
  await s.agent().replace("f", "one", "ONE")
  await s.person.reject({ path: "f" })
  s.write("f", five.replace("five", "mine"))
  await s.person.undo({})
  expect(s.read("f")).toBe(five.replace("one", "ONE").replace("five", "mine"))
  const [file] = await s.pending()
  expect(file?.hunks.map(hunk => [hunk.oldStart, hunk.mixed])).toEqual([[1, false]])
  await s.person.reject({ path: "f" })
  expect(s.read("f")).toBe(five.replace("five", "mine"))
})

test("what is pending again is the work of the conversation that made it", async () => {
  const s = await story({ files: { f: five } })
  await s.agent("maker").replace("f", "one", "ONE")
  await s.person.accept({ path: "f" })
  await s.person.undo({})
  expect((await s.pending())[0]?.conversations).toEqual(["maker"])
})

test("the undo of an accepted creation, deletion and rename makes them pending again", async () => {
  const s = await story({ files: { gone: five, old: `old\n${five}` } })
  await s.agent().bash("rm gone; mv old new; echo made > made")
  const before = (await s.pending()).map(file => [file.path, file.from, file.kinds])
  await s.person.accept({ all: true })
  expect(await s.pending()).toEqual([])
  await s.person.undo({})
  expect((await s.pending()).map(file => [file.path, file.from, file.kinds])).toEqual(before)
  await s.person.reject({ all: true })
  expect(["gone", "old", "new", "made"].map(path => s.read(path))).toEqual([five, `old\n${five}`, null, null])
  await s.person.undo({})
  expect((await s.pending()).map(file => [file.path, file.from, file.kinds])).toEqual(before)
})
