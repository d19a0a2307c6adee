import { afterEach, expect, test } from "vitest"
import { tell, type Story, type StoryOptions } from "../story.ts"

let stories: Story[] = []
async function story(options: StoryOptions = {}): Promise<Story> {
  const told = await tell(options)
  stories.push(told)
  return told
}
afterEach(async () => {
  for (const one of stories) await one.end()
  stories = []
})

const five = "one\ntwo\nthree\nfour\nfive\n"

test("accepting one hunk and rejecting another leaves the first on disk and nothing pending", async () => {
  const s = await story({ files: { "a.txt": five } })
  const agent = s.agent()
  await agent.replace("a.txt", "one", "ONE")
  await agent.replace("a.txt", "five", "FIVE")
  const [file] = await s.pending()
  expect(file?.hunks.map(hunk => [hunk.oldStart, hunk.newStart])).toEqual([
    [1, 1],
    [5, 5],
  ])
  await s.person.accept({ path: "a.txt", hunks: [file?.hunks[0]?.id ?? ""] })
  await s.person.reject({ path: "a.txt", hunks: ["1"] })
  expect(s.read("a.txt")).toBe("ONE\ntwo\nthree\nfour\nfive\n")
  expect(await s.pending()).toEqual([])
})

test("what is held is not on disk, is seen by the agent, and is written on accept", async () => {
  const s = await story({ files: { "a.txt": five } })
  const agent = s.agent("c1", "hold")
  await agent.replace("a.txt", "two", "TWO")
  expect(s.read("a.txt")).toBe(five)
  expect((await agent.replace("a.txt", "TWO", "2")).ok).toBe(true)
  await s.person.accept({ path: "a.txt" })
  expect(s.read("a.txt")).toBe("one\n2\nthree\nfour\nfive\n")
})

test("S01 rewinding keeps what the person wrote in another place of the file", async () => {
  const s = await story({ files: { "a.txt": five } })
  const agent = s.agent()
  const message = await agent.message("change five")
  await agent.replace("a.txt", "five", "FIVE")
  s.write("a.txt", "zero\none\ntwo\nthree\nfour\nFIVE\n")
  const plan = await s.person.rewind({ message, plan: true })
  expect(plan.steps.map(step => [step.path, step.action])).toEqual([["a.txt", "merge"]])
  await s.person.rewind({ message })
  expect(s.read("a.txt")).toBe("zero\none\ntwo\nthree\nfour\nfive\n")
  await s.person.undo({})
  expect(s.read("a.txt")).toBe("zero\none\ntwo\nthree\nfour\nFIVE\n")
})

test("S02 the same line changed by both is a conflict, nothing is written until told", async () => {
  const s = await story({ files: { "a.txt": five } })
  const agent = s.agent()
  const message = await agent.message("m")
  await agent.replace("a.txt", "three", "THREE")
  s.write("a.txt", "one\ntwo\nTHREE!\nfour\nfive\n")
  await expect(s.person.rewind({ message })).rejects.toMatchObject({ code: "CONFLICT" })
  expect(s.read("a.txt")).toBe("one\ntwo\nTHREE!\nfour\nfive\n")
  await s.person.rewind({ message, onConflict: "take-theirs" })
  expect(s.read("a.txt")).toBe(five)
})

test("S04 a created file that the person added to is not deleted by a rewind", async () => {
  const s = await story()
  const agent = s.agent()
  const message = await agent.message("m")
  await agent.create("new.txt", "made\n")
  s.write("new.txt", "made\nmine\n")
  await expect(s.person.rewind({ message })).rejects.toMatchObject({ code: "CONFLICT" })
  expect(s.read("new.txt")).toBe("made\nmine\n")
})

test("S05 a created file that nobody touched goes, and comes back with undo", async () => {
  const s = await story()
  const agent = s.agent()
  const message = await agent.message("m")
  await agent.create("deep/new.txt", "made\n")
  await s.person.rewind({ message })
  expect(s.read("deep/new.txt")).toBe(null)
  expect((await s.person.rewind({ message, after: true })).applied).toBe(true)
  expect(s.read("deep/new.txt")).toBe("made\n")
})

test("rejecting a hunk that holds a person's line keeps the line", async () => {
  const s = await story({ files: { "a.txt": five } })
  const agent = s.agent()
  await agent.insert("a.txt", 2, "agent 1\nagent 2\n")
  s.write("a.txt", "one\ntwo\nagent 1\nmine\nagent 2\nthree\nfour\nfive\n")
  const [file] = await s.pending()
  expect(file?.hunks.map(hunk => hunk.mixed)).toEqual([true])
  await s.person.reject({ path: "a.txt" })
  expect(s.read("a.txt")).toBe("one\ntwo\nmine\nthree\nfour\nfive\n")
})

test("a commit by the person accepts what it contains", async () => {
  const s = await story({ git: true, files: { "a.txt": five, "b.txt": five } })
  const agent = s.agent()
  await agent.replace("a.txt", "one", "ONE")
  await agent.replace("b.txt", "one", "ONE")
  await s.pending()
  s.git("commit", "-q", "-m", "mine", "a.txt")
  expect((await s.pending()).map(file => file.path)).toEqual(["b.txt"])
})

test("a stash parks what is pending and popping it takes it up again", async () => {
  const s = await story({ git: true, files: { "a.txt": five } })
  const agent = s.agent()
  await agent.replace("a.txt", "one", "ONE")
  await s.pending()
  s.git("stash", "-q")
  expect((await s.pending()).map(file => [file.path, file.parked])).toEqual([["a.txt", true]])
  s.git("stash", "pop", "-q")
  expect((await s.pending()).map(file => [file.path, file.parked, file.hunks.length])).toEqual([["a.txt", false, 1]])
})

test("a command's changes are reviewable, whole folders renamed among them", async () => {
  const s = await story({ git: true, files: { "src/a.txt": five, "src/b.txt": "b\n" } })
  const agent = s.agent()
  const result = await agent.bash("mv src lib && sed -i 's/one/ONE/' lib/a.txt && rm lib/b.txt")
  expect(result.capture).toBe("previewed")
  expect(s.read("lib/a.txt")).toBe(five.replace("one", "ONE"))
  await s.person.reject({ all: true })
  expect([s.read("src/a.txt"), s.read("src/b.txt"), s.read("lib/a.txt")]).toEqual([five, "b\n", null])
})
