import { execFileSync } from "node:child_process"
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { realEnv } from "@galley/engine/io/env.ts"
import { openWorkspace } from "@galley/engine/open.ts"
import { resolveConfig } from "@galley/engine/session/config.ts"
import type { Workspace } from "@galley/engine/workspace.ts"
import { afterEach, expect, test } from "vitest"
import { dialects } from "../../src/hooks/dialects.ts"
import type { HookEvent, Reply, ToolUse, Who } from "../../src/hooks/event.ts"
import { excuse, react, type Situation } from "../../src/hooks/react.ts"

let ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends) await end()
  ends = []
})

/** Hooks of one agent over a real workspace. */
async function scene(given: Partial<Situation> = {}, agent = "claude-code") {
  const folder = mkdtempSync(join(tmpdir(), "galley-hooks-"))
  const root = join(folder, "work")
  mkdirSync(root)
  writeFileSync(join(root, "a.txt"), "one\ntwo\nthree\n")
  execFileSync("git", ["init", "-q", root])
  const workspace: Workspace = await openWorkspace({
    root,
    home: join(folder, "home"),
    config: resolveConfig([]),
    env: realEnv(),
  })
  ends.push(async () => {
    await workspace.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const dialect = dialects[agent]
  if (dialect === undefined) throw new Error("no such agent")
  const situation: Situation = {
    agent,
    dialect,
    rewrites: true,
    workspace,
    review: "apply",
    readOnly: false,
    strict: false,
    self: { node: "/opt/node", program: "/opt/galley.mjs" },
    flags: [],
    resident: true,
    waitSeconds: 60,
    ...given,
  }
  const who = (callId: string | null, message: string | null = "m1"): Who => ({
    conversation: "c1",
    message,
    callId,
    cwd: root,
  })
  const at = (path: string): string => join(root, path)
  const edit = (path: string): ToolUse => ({
    kind: "edit",
    name: "Edit",
    title: `Edit ${path}`,
    paths: [at(path)],
    change: null,
  })
  const shell = (command: string): ToolUse => ({ kind: "shell", name: "Bash", command, background: false })
  const send = (event: HookEvent): Promise<Reply> => react(situation, event)
  return {
    root,
    workspace,
    situation,
    at,
    edit,
    shell,
    who,
    send,
    person: workspace.as({ actor: "person" }),
    prompt: (text: string, message: string) =>
      send({ kind: "prompt", who: who(null, message), text, transcript: null }),
    before: (tool: ToolUse, callId = "t1") => send({ kind: "before", who: who(callId), tool }),
    after: (tool: ToolUse, callId = "t1", originals = {}) => send({ kind: "after", who: who(callId), tool, originals }),
    text: (path: string) => readFileSync(at(path), "utf8"),
  }
}

test("an own edit is recorded with what stood there, in the message of its prompt", async () => {
  const s = await scene()
  await s.prompt("Do it", "m1")
  expect(await s.before(s.edit("a.txt"))).toEqual({})
  writeFileSync(s.at("a.txt"), "one\nTWO\nthree\n")
  expect(await s.after(s.edit("a.txt"))).toEqual({})
  const { operations } = await s.person.operations({})
  expect(operations.map(one => [one.title, one.capture, one.message])).toEqual([["Edit a.txt", "recorded", "m1"]])
  await s.person.rewind({ message: "m1" })
  expect(s.text("a.txt")).toBe("one\ntwo\nthree\n")
})

test("a new file of its own goes again with its message", async () => {
  const s = await scene()
  await s.prompt("Make it", "m1")
  await s.before(s.edit("deep/new.txt"))
  mkdirSync(s.at("deep"))
  writeFileSync(s.at("deep/new.txt"), "made\n")
  await s.after(s.edit("deep/new.txt"))
  const plan = await s.person.rewind({ message: "m1" })
  expect(plan.steps.map(step => [step.path, step.action])).toContainEqual(["deep/new.txt", "delete"])
})

test("a person's text of before the edit is not the agent's, and stays", async () => {
  const s = await scene()
  await s.prompt("Do it", "m1")
  appendFileSync(s.at("a.txt"), "mine\n")
  await s.before(s.edit("a.txt"))
  writeFileSync(s.at("a.txt"), s.text("a.txt").replace("one", "ONE"))
  await s.after(s.edit("a.txt"))
  await s.person.reject({ path: "a.txt" })
  expect(s.text("a.txt")).toBe("one\ntwo\nthree\nmine\n")
})

test("an edit whose first hook did not run says that it cannot be undone, unless the agent tells the old text", async () => {
  const s = await scene()
  await s.prompt("Do it", "m1")
  writeFileSync(s.at("a.txt"), "one\nTWO\nthree\n")
  const reply = await s.after(s.edit("a.txt"))
  expect(reply.context).toContain("cannot be undone")
  const { operations } = await s.person.operations({})
  expect(operations.map(one => one.capture)).toEqual(["detected"])
  writeFileSync(s.at("b.txt"), "new\n")
  expect(await s.after(s.edit("b.txt"), "t2", { [s.at("b.txt")]: "old\n" })).toEqual({})
  await s.person.reject({ path: "b.txt" })
  expect(s.text("b.txt")).toBe("old\n")
})

test("what an agent left when it was stopped is recorded at its next prompt", async () => {
  const s = await scene()
  await s.prompt("First", "m1")
  await s.before(s.edit("a.txt"))
  writeFileSync(s.at("a.txt"), "one\nTWO\nthree\n")
  await s.prompt("Second", "m2")
  const { operations } = await s.person.operations({})
  expect(operations.map(one => [one.message, one.actor, one.paths])).toEqual([["m1", "agent", ["a.txt"]]])
})

test("rejections, comments and rewinds reach the model once", async () => {
  const s = await scene()
  await s.prompt("First", "m1")
  await s.before(s.edit("a.txt"))
  writeFileSync(s.at("a.txt"), "one\nTWO\nthree\n")
  await s.after(s.edit("a.txt"))
  await s.person.reject({ path: "a.txt" })
  await s.person.comment({ path: "a.txt", line: 1, text: "keep this" })
  const told = await s.prompt("Second", "m2")
  expect(told.context).toContain("Rejected in a.txt")
  expect(told.context).toContain("keep this")
  expect(await s.prompt("Third", "m3")).toEqual({})
})

test("a shell command is run through Galley by absolute paths", async () => {
  const s = await scene()
  await s.prompt("Run", "m1")
  const reply = await s.before(s.shell("sed -i 's/two/it'\\''s/' a.txt"))
  expect(reply.command).toMatch(
    /^\/opt\/node \/opt\/galley\.mjs run --quiet-review --workspace \S+ --conversation c1 --call t1 -- bash -c '/,
  )
  expect(await s.before(s.shell(reply.command ?? ""))).toEqual({})
  expect(await s.before(s.shell("ls -la src"))).toEqual({})
})

test("a command that moves the agent's own shell is left to it and looked at", async () => {
  const s = await scene()
  await s.prompt("Run", "m1")
  mkdirSync(s.at("sub"))
  expect((await s.before(s.shell("cd sub && make"))).command).toBeUndefined()
  expect((await s.before(s.shell(`cd ${s.root} && make`), "t2")).command).toBeDefined()
})

test("a shell that cannot be replaced is looked at before and after", async () => {
  const s = await scene({ rewrites: false })
  await s.prompt("Run", "m1")
  const command = s.shell("sed -i s/two/TWO/ a.txt; echo x > b.txt")
  expect(await s.before(command)).toEqual({})
  writeFileSync(s.at("a.txt"), "one\nTWO\nthree\n")
  writeFileSync(s.at("b.txt"), "x\n")
  await s.after(command)
  const { operations } = await s.person.operations({})
  expect(operations.map(one => [one.kind, one.capture, one.paths])).toEqual([
    ["command", "recorded", ["a.txt", "b.txt"]],
  ])
  await s.person.rewind({ message: "m1" })
  expect(s.text("a.txt")).toBe("one\ntwo\nthree\n")
})

for (const review of ["hold", "ask"] as const)
  test(`in ${review} the agent's own tools are refused, naming Galley's`, async () => {
    const s = await scene({ review })
    for (const tool of [s.edit("a.txt"), s.shell("make")])
      expect((await s.before(tool)).deny).toContain("mcp__galley__str_replace_editor")
    expect(await s.before({ kind: "other", name: "Read" })).toEqual({})
    expect(await s.before({ kind: "galley", name: "bash", input: {} })).toEqual({})
  })

test("a file that cannot be kept is said to the agent and the log, and refused with strict", async () => {
  const s = await scene()
  await s.prompt("Do it", "m1")
  writeFileSync(s.at("big"), Buffer.alloc(65 << 20))
  expect((await s.before(s.edit("big"))).context).toContain("cannot be undone")
  const { operations } = await s.person.operations({})
  expect(operations.at(-1)?.remark).toContain("cannot be undone")
  const strict = { ...s.situation, strict: true }
  expect((await react(strict, { kind: "before", who: s.who("t2"), tool: s.edit("big") })).deny).toContain("big")
})

test("an event that is not understood is logged with its fields, and stops nothing unless strict", async () => {
  const s = await scene()
  const event: HookEvent = { kind: "strange", who: s.who(null), problem: "Edit names no file; fields: target" }
  expect(await s.send(event)).toEqual({})
  const { operations } = await s.person.operations({})
  expect(operations.at(-1)?.remark).toContain("fields: target")
  expect((await react({ ...s.situation, strict: true }, event)).deny).toBeDefined()
})

test("a failing hook tells the agent, never blocks it, and denies with strict", async () => {
  const s = await scene()
  const event: HookEvent = { kind: "before", who: s.who("t1"), tool: s.edit("a.txt") }
  expect((await excuse(s.situation, event, new Error("disk full"))).context).toContain("disk full")
  expect((await excuse({ ...s.situation, strict: true }, event, new Error("disk full"))).deny).toContain("disk full")
})

test("a call of Galley's own tools on a connection that cannot tell joins the conversation that its hook named", async () => {
  const s = await scene({}, "gemini-cli")
  await s.prompt("Do it", "m1")
  const input = { command: "str_replace", path: "a.txt", old_str: "two", new_str: "TWO" }
  await s.before({ kind: "galley", name: "str_replace_editor", input })
  const guessing = s.workspace.as({ actor: "agent", conversation: "mcp-1", guessed: true })
  await guessing.call({ tool: "str_replace_editor", input })
  const { operations } = await s.person.operations({})
  expect(operations.map(one => [one.conversation, one.message])).toEqual([["c1", "m1"]])
})

test("a forked conversation begins where its record shows that it left", async () => {
  const s = await scene()
  await s.prompt("First", "message-one")
  const transcript = s.at("../fork.jsonl")
  writeFileSync(transcript, '{"promptId":"message-one"}\n{"promptId":"message-new"}\n')
  const who: Who = { conversation: "fork", message: "message-new", callId: null, cwd: s.root }
  await s.send({ kind: "prompt", who, text: "Other way", transcript })
  const { messages } = await s.person.log({})
  expect(messages.find(one => one.id === "message-new")?.parent).toBe("message-one")
})

test("a fork whose record has the old rows under the new message's id finds its tree in the old record beside it", async () => {
  const s = await scene()
  await s.prompt("One", "message-one")
  await s.prompt("Two", "message-two")
  const folder = s.at("../records")
  mkdirSync(folder)
  const row = (uuid: string, promptId: string): string => `${JSON.stringify({ type: "user", uuid, promptId })}\n`
  writeFileSync(
    join(folder, "old.jsonl"),
    row("u1", "message-one") + row("u2", "message-two") + row("u3", "message-two"),
  )
  writeFileSync(join(folder, "broken.jsonl"), '{"promptId": nonsense\n')
  const transcript = join(folder, "fork.jsonl")
  writeFileSync(transcript, row("u1", "message-new") + row("u2", "message-new") + row("n1", "message-new"))
  const who = { ...s.who(null, "message-new"), conversation: "fork" }
  await s.send({ kind: "prompt", who, text: "Other way", transcript })
  const { messages } = await s.person.log({ conversation: "fork" })
  expect(messages.map(message => [message.id, message.parent])).toEqual([["message-new", "message-two"]])
})

test("a fork that the agent's command line names leaves that conversation's head; one of an unknown conversation stands alone", async () => {
  for (const [named, parent] of [
    ["c1", "message-two"],
    ["nobody", null],
  ] as const) {
    const s = await scene({ forkOf: named })
    await s.prompt("One", "message-one")
    await s.prompt("Two", "message-two")
    const who = { ...s.who(null, "message-new"), conversation: "fork" }
    await s.send({ kind: "prompt", who, text: "Other way", transcript: null })
    const { messages } = await s.person.log({ conversation: "fork" })
    expect(messages.find(message => message.id === "message-new")?.parent).toBe(parent)
  }
})
