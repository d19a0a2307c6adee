import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, expect, test } from "vitest"
import { type Story, tell } from "../story.ts"

let open: Story | null = null
afterEach(async () => {
  await open?.end()
  open = null
})
async function story(
  files: Record<string, string | Uint8Array>,
  variables: Record<string, string> = {},
): Promise<Story> {
  open = await tell({ files, env: { variables: { PATH: "/nonexistent", HOME: "/nonexistent", ...variables } } })
  return open
}

test("a simple sed -i is computed, recorded and starts no process", async () => {
  // With a PATH that holds nothing, a command that ran would fail.
  const s = await story({ "a.txt": "one two two\n" })
  const result = await s.agent().bash("sed -i 's/two/2/g' a.txt")
  expect(result).toMatchObject({
    ok: true,
    exitCode: 0,
    capture: "simulated",
    changes: [{ path: "a.txt", kind: "modify" }],
  })
  expect(s.read("a.txt")).toBe("one 2 2\n")
  await s.person.reject({ all: true })
  expect(s.read("a.txt")).toBe("one two two\n")
})

test("in hold it edits the pending text and leaves the disk alone", async () => {
  const s = await story({ "a.txt": "one\n" })
  const agent = s.agent("c", "hold")
  await agent.replace("a.txt", "one", "two")
  expect(await agent.bash("sed -i s/two/three/ a.txt")).toMatchObject({ held: true, capture: "simulated" })
  expect(s.read("a.txt")).toBe("one\n")
  expect((await s.person.cat({ path: "a.txt", side: "current" })).text).toBe("three\n")
})

test("a symlink and one of several hard links are not simulated", async () => {
  const s = await story({ "a.txt": "one\n" })
  const { linkSync, symlinkSync } = await import("node:fs")
  symlinkSync("a.txt", join(s.root, "link"))
  expect((await s.agent().bash("sed -i s/one/two/ link")).capture).not.toBe("simulated")
  linkSync(join(s.root, "a.txt"), join(s.root, "b.txt"))
  expect((await s.agent().bash("sed -i s/one/two/ a.txt")).capture).not.toBe("simulated")
})

test("a file changed between confirmation and commit is FILE_CHANGED_SINCE_READ", async () => {
  const s = await story({ "a.txt": "one\n" })
  const context = { actor: "agent" as const, conversation: "c" }
  const proposal = await s.workspace.propose(context, { tool: "bash", input: { command: "sed -i s/one/two/ a.txt" } })
  expect(proposal).toMatchObject({ type: "edit", originalContent: "one\n", newContent: "two\n", hideModify: true })
  s.write("a.txt", "one more\n")
  if (proposal.type !== "edit") throw new Error("not an edit")
  await expect(s.workspace.commit(context, proposal)).rejects.toMatchObject({ code: "FILE_CHANGED_SINCE_READ" })
  expect(s.read("a.txt")).toBe("one more\n")
})

test("the person's own content is written in place of the proposal", async () => {
  const s = await story({ "a.txt": "one\n" })
  const context = { actor: "agent" as const, conversation: "c" }
  const proposal = await s.workspace.propose(context, { tool: "bash", input: { command: "sed -i s/one/two/ a.txt" } })
  if (proposal.type !== "edit") throw new Error("not an edit")
  await s.workspace.commit(context, proposal, { content: "mine\n" })
  expect(s.read("a.txt")).toBe("mine\n")
})

test("a command that is no edit is proposed as a command", async () => {
  const s = await story({ "a.txt": "one\n" })
  expect(
    await s.workspace.propose({ actor: "agent" }, { tool: "bash", input: { command: "sed -i s/a/b/ a.txt; ls" } }),
  ).toMatchObject({ type: "command" })
})

test("a sample of what GNU sed left, through the tool", async () => {
  const lines = readFileSync(join(import.meta.dirname, "../../../core/test/sed/fixtures/sed-equivalence.jsonl"), "utf8")
    .trim()
    .split("\n")
  const cases = lines
    .map(
      line =>
        JSON.parse(line) as { command: string; file: string; content: string; after: string | null; plain: boolean },
    )
    .filter((one, at) => one.plain && one.after !== null && at % 40 === 0)
  const s = await story({})
  const agent = s.agent()
  for (const one of cases) {
    s.write(one.file, one.content)
    expect(await agent.bash(one.command), one.command).toMatchObject({ capture: "simulated" })
    expect(s.read(one.file), one.command).toBe(one.after)
  }
})
