import { expect, test } from "vitest"
import { five, stories } from "./stories.ts"

const story = stories()

const wide = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n"

test("S88 the undo of a rewind after the person edited is a three-way one", async () => {
  const s = await story({ files: { f: wide } })
  const agent = s.agent()
  const message = await agent.message("m")
  await agent.replace("f", "two", "TWO")
  await s.person.rewind({ message })
  s.write("f", wide.replace("eight", "mine"))
  await s.person.undo({})
  expect(s.read("f")).toBe(wide.replace("two", "TWO").replace("eight", "mine"))
  await s.person.redo({})
  expect(s.read("f")).toBe(wide.replace("eight", "mine"))
})

test("S88 where both changed the same line the undo is a conflict, and settled as told", async () => {
  const s = await story({ files: { f: wide } })
  const agent = s.agent()
  const message = await agent.message("m")
  await agent.replace("f", "two", "TWO")
  await s.person.rewind({ message })
  s.write("f", wide.replace("two", "mine"))
  await expect(s.person.undo({})).rejects.toMatchObject({ code: "CONFLICT" })
  expect(s.read("f")).toBe(wide.replace("two", "mine"))
  await s.person.undo({ onConflict: "take-theirs" })
  expect(s.read("f")).toBe(wide.replace("two", "TWO"))
})

test("S89 the agent is told once which files a rewind put back", async () => {
  const s = await story({ files: { f: five, g: five } })
  const agent = s.agent()
  const message = await agent.message("m")
  await agent.replace("f", "one", "ONE")
  await s.person.rewind({ message })
  const told = await agent.replace("g", "one", "ONE")
  expect(told.text).toContain("Rewind to before “m”")
  expect(told.text).toContain("Files put back: f.")
  expect((await agent.replace("g", "two", "TWO")).text).not.toContain("Rewind")
})

test("S89 the chat alone goes back: a message with an earlier parent leaves the files, and the branch can be visited", async () => {
  const s = await story({ files: { f: wide } })
  const agent = s.agent()
  const first = await agent.message("first")
  await agent.replace("f", "one", "ONE")
  const second = await agent.message("second")
  await agent.replace("f", "five", "FIVE")
  const third = (await agent.requests.message({ text: "again", parent: first })).message ?? ""
  expect(s.read("f")).toBe(wide.replace("one", "ONE").replace("five", "FIVE"))
  await agent.replace("f", "nine", "NINE")
  const { messages } = await s.person.log({})
  expect(messages.map(message => [message.id, message.parent, message.onHeadPath])).toEqual([
    [first, null, true],
    [second, first, false],
    [third, first, true],
  ])
  await s.person.rewind({ message: first, after: true })
  expect(s.read("f")).toBe(wide.replace("one", "ONE"))
  await s.person.rewind({ message: second, after: true })
  expect(s.read("f")).toBe(wide.replace("one", "ONE").replace("five", "FIVE"))
})

test("S91 a forked conversation has the past as its own, and its rewind leaves the other's work", async () => {
  const s = await story({ files: { f: wide } })
  const origin = s.agent("origin")
  const first = await origin.message("first")
  await origin.replace("f", "one", "ONE")
  const fork = s.agent("fork")
  const begun = (await fork.requests.message({ text: "fork", parent: first })).message ?? ""
  await fork.replace("f", "five", "FIVE")
  await origin.replace("f", "nine", "NINE")
  const { heads } = await s.person.status({})
  expect(Object.fromEntries(heads.map(head => [head.conversation, head.message]))).toEqual({
    origin: first,
    fork: begun,
  })
  await s.person.rewind({ message: begun })
  expect(s.read("f")).toBe(wide.replace("one", "ONE").replace("nine", "NINE"))
  expect(Object.fromEntries((await s.person.status({})).heads.map(head => [head.conversation, head.message]))).toEqual({
    origin: first,
    fork: first,
  })
  await fork.replace("f", "two", "TWO")
  await s.person.rewind({ message: first })
  expect(s.read("f")).toBe(wide.replace("two", "TWO"))
})

test("a conversation that is resumed in another process goes on from its head", async () => {
  let s = await story({ files: { f: wide } })
  const first = await s.agent().message("first")
  await s.agent().replace("f", "one", "ONE")
  s = await s.reopen()
  await s.agent().replace("f", "two", "TWO")
  expect((await s.person.log({})).messages.map(message => message.id)).toEqual([first])
  await s.person.rewind({ message: first })
  expect(s.read("f")).toBe(wide)
  s = await s.reopen()
  await s.person.undo({})
  expect(s.read("f")).toBe(wide.replace("one", "ONE").replace("two", "TWO"))
})

test("S92 a subagent's work belongs to the message that sent it, and goes with it", async () => {
  const s = await story({ files: { f: wide } })
  const message = await s.agent("main").message("delegate")
  const sub = s.workspace.as({ actor: "agent", conversation: "sub", message })
  const edit = { command: "str_replace", path: "f", old_str: "one", new_str: "ONE" }
  await sub.call({ tool: "str_replace_editor", input: edit })
  await s.person.rewind({ message })
  expect(s.read("f")).toBe(wide)
  const late = await sub.call({ tool: "str_replace_editor", input: { ...edit, old_str: "two", new_str: "TWO" } })
  expect(late.ok).toBe(true)
  expect((await s.person.log({})).messages.map(one => one.onHeadPath)).toEqual([false, true])
})

test("S94 one of three blocks rejected, the others keep their ids, and a rewind leads to the very start", async () => {
  const s = await story({ files: { f: wide } })
  const agent = s.agent()
  const message = await agent.message("m")
  for (const word of ["two", "five", "eight"]) await agent.replace("f", word, `${word}\nmore ${word}`)
  const ids = (await s.pending())[0]?.hunks.map(hunk => hunk.id) ?? []
  await s.person.reject({ path: "f", hunks: [ids[1] ?? ""] })
  const [file] = await s.pending()
  expect(file?.hunks.map(hunk => [hunk.id, hunk.newStart])).toEqual([
    [ids[0], 3],
    [ids[2], 10],
  ])
  await s.person.rewind({ message })
  expect(s.read("f")).toBe(wide)
})

test("S95 a block accepted, edited in by the person, its neighbour rejected: each line in its place", async () => {
  const s = await story({ files: { f: wide } })
  const agent = s.agent()
  await agent.replace("f", "two\n", "two\nagent a\nagent b\n")
  await agent.replace("f", "eight\n", "eight\nagent c\n")
  const [first = "", second = ""] = (await s.pending())[0]?.hunks.map(hunk => hunk.id) ?? []
  await s.person.accept({ path: "f", hunks: [first] })
  s.write("f", wide.replace("two\n", "two\nagent a\nmine\nagent b\n").replace("eight\n", "eight\nagent c\n"))
  await s.person.reject({ path: "f", hunks: [second] })
  expect(s.read("f")).toBe(wide.replace("two\n", "two\nagent a\nmine\nagent b\n"))
  expect(await s.pending()).toEqual([])
})

test("S98 a call that began before its conversation was rewound writes nothing", async () => {
  const s = await story({ files: { f: wide, g: wide } })
  const agent = s.agent()
  const message = await agent.message("m")
  await agent.replace("f", "one", "ONE")
  const running = agent.bash("echo started > started; sleep 2; sed -i s/two/TWO/ g")
  await new Promise(resolve => setTimeout(resolve, 700))
  await s.person.rewind({ message })
  const result = await running
  expect([result.ok, result.error?.code]).toEqual([false, "STALE_REVISION"])
  expect([s.read("f"), s.read("g"), s.read("started")]).toEqual([wide, wide, null])
})

test("a rewind in one conversation does not make another's call stale", async () => {
  const s = await story({ files: { f: wide, g: wide } })
  const message = await s.agent("a").message("m")
  await s.agent("a").replace("f", "one", "ONE")
  const running = s.agent("b").bash("sleep 1; echo x >> g")
  await new Promise(resolve => setTimeout(resolve, 300))
  await s.person.rewind({ message })
  expect((await running).ok).toBe(true)
  expect(s.read("g")).toBe(`${wide}x\n`)
})

test("the tree: every branch can be visited and left, with what was accepted and what was held as they were", async () => {
  const s = await story({ files: { f: wide, g: wide } })
  const agent = s.agent("c")
  const root = await agent.message("root")
  await agent.replace("f", "one", "ONE")
  const left = await agent.message("left")
  await agent.replace("f", "two", "LEFT")
  await s.agent("c", "hold").replace("g", "one", "HELD")
  await s.person.accept({ path: "f", hunks: ["1"] })
  const atLeft = { f: s.read("f"), g: s.read("g"), pending: hunks(await s.pending()) }
  await s.person.rewind({ message: left })
  const right = await agent.message("right")
  await agent.replace("f", "nine", "RIGHT")
  const atRight = { f: s.read("f"), g: s.read("g"), pending: hunks(await s.pending()) }
  for (const _ of [1, 2]) {
    await s.person.rewind({ message: left, after: true })
    expect({ f: s.read("f"), g: s.read("g"), pending: hunks(await s.pending()) }).toEqual(atLeft)
    await s.person.rewind({ message: right, after: true })
    expect({ f: s.read("f"), g: s.read("g"), pending: hunks(await s.pending()) }).toEqual(atRight)
  }
  await s.person.rewind({ message: root })
  expect([s.read("f"), s.read("g")]).toEqual([wide, wide])
  await s.person.undo({})
  expect({ f: s.read("f"), g: s.read("g"), pending: hunks(await s.pending()) }).toEqual(atRight)
  expect((await s.person.log({})).messages.map(message => [message.title, message.onHeadPath])).toEqual([
    ["root", true],
    ["left", false],
    ["right", true],
  ])
})

test("a rewind undone after the conversation went on: a later rewind takes back both branches", async () => {
  const s = await story({ files: { f: wide } })
  const agent = s.agent()
  const first = await agent.message("first")
  await agent.replace("f", "one", "ONE")
  const second = await agent.message("second")
  await agent.replace("f", "five", "FIVE")
  await s.person.rewind({ message: second })
  await agent.message("third")
  await agent.replace("f", "nine", "NINE")
  await s.person.undo({})
  expect(s.read("f")).toBe(wide.replace("one", "ONE").replace("five", "FIVE").replace("nine", "NINE"))
  await s.person.rewind({ message: first })
  expect(s.read("f")).toBe(wide)
})

test("after a rewind, a message that was begun takes the calls that follow", async () => {
  const s = await story({ files: { f: wide } })
  const agent = s.agent()
  const first = await agent.message("first")
  await agent.replace("f", "one", "ONE")
  await s.person.rewind({ message: first })
  const next = await agent.message("next")
  await agent.replace("f", "two", "TWO")
  expect((await s.person.log({})).messages.map(message => message.id)).toEqual([first, next])
})

test("visiting where one is changes nothing and makes no operation", async () => {
  const s = await story({ files: { f: wide } })
  const agent = s.agent()
  const message = await agent.message("m")
  await agent.replace("f", "one", "ONE")
  expect(await s.person.rewind({ message, after: true })).toMatchObject({ applied: true, operation: null, steps: [] })
})

function hunks(files: Awaited<ReturnType<Awaited<ReturnType<typeof story>>["pending"]>>): unknown {
  return files.map(file => [file.path, file.disk, file.hunks.map(hunk => [hunk.oldStart, hunk.newStart])])
}
