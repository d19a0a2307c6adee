import { afterEach, expect, test } from "vitest"
import { type Story, tell } from "../story.ts"

let story: Story
afterEach(() => story.end())

/** The hunks of a message in `a.txt`, by what their new lines say. */
async function ofMessage(message: string): Promise<string[]> {
  const { file, current, ofMessage = [] } = await story.person.file({ path: "a.txt", message })
  const lines = (current ?? "").split("\n")
  return file.hunks
    .filter(hunk => ofMessage.includes(hunk.id))
    .map(hunk => lines.slice(hunk.newStart - 1, hunk.newStart - 1 + hunk.newLines).join(","))
}

test("a file tells which of its hunks are a message's, also after others wrote and one was decided", async () => {
  story = await tell({ files: { "a.txt": "a\nb\nc\nd\ne\nf\ng\nh\n" } })
  const agent = story.agent()
  const first = await agent.message("First")
  await agent.replace("a.txt", "b\n", "B\n")
  await agent.replace("a.txt", "g\n", "G\n")
  const second = await agent.message("Second")
  await agent.replace("a.txt", "e\n", "E\n")
  expect([await ofMessage(first), await ofMessage(second)]).toEqual([["B", "G"], ["E"]])
  story.write("a.txt", `mine\n${story.read("a.txt")}`)
  const [hunk] = (await story.person.file({ path: "a.txt" })).file.hunks
  await story.person.reject({ path: "a.txt", hunks: [hunk?.id ?? ""] })
  expect([await ofMessage(first), await ofMessage(second)]).toEqual([["G"], ["E"]])
  expect(await story.person.file({ path: "a.txt" })).not.toHaveProperty("ofMessage")
  await expect(story.person.file({ path: "a.txt", message: "nobody" })).rejects.toThrow("no message nobody")
})
