import { expect, test } from "vitest"
import { stories, five } from "../scenarios/stories.ts"

/** In `ask` the person allows a call with a text of their own, while the file moved since the question was put. */
const story = stories()

/** The agent wants `two` → `TWO`. `saved` is what somebody wrote to the file meanwhile, `content` the person's answer. */
async function check(saved: string, content: string, expected: string): Promise<void> {
  const s = await story({ files: { "a.txt": five } })
  const running = s.agent("c", "ask").replace("a.txt", "two", "TWO")
  let [call] = (await s.person.status({})).waiting
  while (call === undefined) {
    await new Promise(resolve => setTimeout(resolve, 20))
    call = (await s.person.status({})).waiting[0]
  }
  s.write("a.txt", saved)
  const answer = s.person.answer({ id: call.id, decision: "allow", content })
  const told = await answer.then(
    () => "done",
    (error: { readonly code?: string }) => error.code ?? "an error without a code",
  )
  expect(`${told}: ${s.read("a.txt")}`).toBe(expected)
  if (told !== "done") await s.person.answer({ id: call.id, decision: "deny" })
  await running
}

const own = five.replace("two", "my two")

test("nothing moved: the person's text is written", () => check(five, own, `done: ${own}`))

test("other lines were saved meanwhile: they stay", () =>
  check(five.replace("five", "FIVE"), own, `done: ${own.replace("five", "FIVE")}`))

test("the answer was made from the saved text: it is written as it is", () =>
  check(five.replace("five", "FIVE"), own.replace("five", "FIVE"), `done: ${own.replace("five", "FIVE")}`))

test("the same lines were saved meanwhile: nothing is overwritten", () =>
  check(five.replace("two", "saved"), own, `CONFLICT: ${five.replace("two", "saved")}`))

test("the answer names the revision that it was made from: it is written as it is", async () => {
  const s = await story({ files: { "a.txt": five } })
  const running = s.agent("c", "ask").replace("a.txt", "two", "TWO")
  let [call] = (await s.person.status({})).waiting
  while (call === undefined) {
    await new Promise(resolve => setTimeout(resolve, 20))
    call = (await s.person.status({})).waiting[0]
  }
  s.write("a.txt", five.replace("two", "saved"))
  // A decision elsewhere folds the save in.
  await s.person.comment({ path: "a.txt", text: "hm" })
  await s.person.write({ path: "a.txt", text: five.replace("two", "half") })
  const { revision } = (await s.person.file({ path: "a.txt" })).file
  await s.person.answer({ id: call.id, decision: "allow", content: own, revision })
  await running
  expect(s.read("a.txt")).toBe(own)
})
