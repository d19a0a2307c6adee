import { chmodSync } from "node:fs"
import { join } from "node:path"
import { afterEach, expect, test } from "vitest"
import { type Story, tell } from "../story.ts"

let open: Story | null = null
afterEach(async () => {
  await open?.end()
  open = null
})

test("S08 a file that the agent looked for in vain and a person then made is kept by a rewind", async () => {
  const s = (open = await tell({ files: { "a.txt": "one\n" } }))
  const agent = s.agent()
  const message = await agent.message("m")
  expect(
    (await agent.requests.call({ tool: "str_replace_editor", input: { command: "view", path: join(s.root, "g.txt") } }))
      .error?.code,
  ).toBe("NOT_FOUND")
  await agent.replace("a.txt", "one", "two")
  s.write("g.txt", "mine\n")
  await s.person.rewind({ message })
  expect([s.read("a.txt"), s.read("g.txt")]).toEqual(["one\n", "mine\n"])
})

test("S29 set-uid and sticky bits are recorded, kept by an edit and put back by a rewind", async () => {
  const s = (open = await tell({ files: { tool: "#!/bin/sh\n", "d/x": "x\n" } }))
  chmodSync(join(s.root, "tool"), 0o4755)
  const agent = s.agent()
  const message = await agent.message("m")
  await agent.insert("tool", 1, "echo\n")
  expect(s.mode("tool")).toBe("4755")
  await agent.bash("chmod 755 tool")
  await s.person.rewind({ message })
  expect([s.mode("tool"), s.read("tool")]).toEqual(["4755", "#!/bin/sh\n"])
})

test("in ask a sed -i waits with its diff; allowed it is written, allowed edited the person's text is, denied nothing is", async () => {
  const s = (open = await tell({ files: { "a.txt": "one\n" } }))
  const agent = s.agent("c", "ask")
  const waits = async (): Promise<string> => {
    for (;;) {
      const [call] = (await s.person.status({})).waiting
      if (call !== undefined) return call.id
      await new Promise(resolve => setTimeout(resolve, 20))
    }
  }
  const allowed = agent.bash("sed -i s/one/two/ a.txt")
  await s.person.answer({ id: await waits(), decision: "allow" })
  expect(await allowed).toMatchObject({ ok: true, capture: "simulated" })
  expect(s.read("a.txt")).toBe("two\n")
  const edited = agent.bash("sed -i s/two/three/ a.txt")
  await s.person.answer({ id: await waits(), decision: "allow", content: "mine\n" })
  expect((await edited).text).toContain("mine")
  expect(s.read("a.txt")).toBe("mine\n")
  const denied = agent.bash("sed -i s/mine/theirs/ a.txt")
  await s.person.answer({ id: await waits(), decision: "deny", reason: "no" })
  expect(await denied).toMatchObject({ ok: false, error: { code: "DENIED" } })
  expect(s.read("a.txt")).toBe("mine\n")
})
