/** `ask` put to an agent's own edits by its hooks: the person's answer is the hook's, in each agent's form. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openWorkspace } from "@galley/engine/open.ts"
import { resolveConfig } from "@galley/engine/session/config.ts"
import { realEnv } from "@galley/engine/io/env.ts"
import { afterEach, describe, expect, it } from "vitest"
import { dialects } from "../../src/hooks/dialects.ts"
import type { HookEvent } from "../../src/hooks/event.ts"
import { ownChange, usualFields } from "../../src/hooks/own-change.ts"
import { ownPatch } from "../../src/hooks/own-patch.ts"
import { react, type Situation } from "../../src/hooks/react.ts"

const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

type Payload = Readonly<Record<string, unknown>>

/** How an agent tells its hook of an edit, and how it reads the answer. */
interface Form {
  payload(root: string, input: Payload, tool: string, when: "before" | "after"): Payload
  readonly edit: { readonly tool: string; input(path: string, from: string, to: string): Payload }
  readonly write: { readonly tool: string; input(path: string, text: string): Payload }
  denial(said: Payload): unknown
  /** The input that the hook put in place; undefined if it left it. */
  changed(said: Payload): Payload | undefined
}

const claudeForm: Form = {
  payload: (root, tool_input, tool_name, when) => ({
    hook_event_name: when === "before" ? "PreToolUse" : "PostToolUse",
    session_id: "s1",
    prompt_id: "m1",
    turn_id: "m1",
    permission_mode: "bypassPermissions",
    cwd: root,
    tool_name,
    tool_input,
    tool_use_id: "t1",
    tool_call_id: "t1",
  }),
  edit: { tool: "Edit", input: (file_path, old_string, new_string) => ({ file_path, old_string, new_string }) },
  write: { tool: "Write", input: (file_path, content) => ({ file_path, content }) },
  denial: said => output(said)["permissionDecisionReason"],
  changed: said => output(said)["updatedInput"] as Payload | undefined,
}

function output(said: Payload): Payload {
  return (said["hookSpecificOutput"] ?? {}) as Payload
}

const forms: Readonly<Record<string, Form>> = {
  "claude-code": claudeForm,
  codex: {
    ...claudeForm,
    edit: {
      tool: "apply_patch",
      input: (path, from, to) => ({
        command: `*** Begin Patch\n*** Update File: ${path}\n@@\n one\n-${from}\n+${to}\n*** End Patch\n`,
      }),
    },
    write: {
      tool: "apply_patch",
      input: (path, text) => ({
        command: `*** Begin Patch\n*** Add File: ${path}\n${text.replaceAll(/^(?=.)/gm, "+")}*** End Patch\n`,
      }),
    },
  },
  "qwen-code": {
    ...claudeForm,
    edit: { ...claudeForm.edit, tool: "edit" },
    write: { ...claudeForm.write, tool: "write_file" },
  },
  "gemini-cli": {
    payload: (root, tool_input, tool_name, when) => ({
      hook_event_name: when === "before" ? "BeforeTool" : "AfterTool",
      session_id: "s1",
      cwd: root,
      tool_name,
      tool_input,
    }),
    edit: { tool: "replace", input: (path, from, to) => claudeForm.edit.input(path, from, to) },
    write: { tool: "write_file", input: (path, text) => claudeForm.write.input(path, text) },
    denial: said => said["reason"],
    changed: said => output(said)["tool_input"] as Payload | undefined,
  },
  opencode: {
    payload: (root, args, tool, when) => ({
      event: `tool.execute.${when}`,
      directory: root,
      root: "s1",
      input: { tool, sessionID: "s1", callID: "t1", args },
      output: { args },
    }),
    edit: { tool: "edit", input: (filePath, oldString, newString) => ({ filePath, oldString, newString }) },
    write: { tool: "write", input: (filePath, content) => ({ filePath, content }) },
    denial: said => said["deny"],
    changed: said => said["input"] as Payload | undefined,
  },
  cline: {
    payload: (root, input, name, when) => ({
      hookName: when === "before" ? "tool_call" : "tool_result",
      sessionContext: { rootSessionId: "s1" },
      workspaceRoots: [root],
      [when === "before" ? "tool_call" : "tool_result"]: { id: "t1", name, input },
    }),
    edit: { tool: "editor", input: (path, old_text, new_text) => ({ path, old_text, new_text }) },
    write: { tool: "editor", input: (path, new_text) => ({ path, old_text: "", new_text }) },
    denial: said => said["errorMessage"],
    changed: said => said["overrideInput"] as Payload | undefined,
  },
}

/** What the agent's tool then does: only what its input says. */
function act(path: string, input: Payload): void {
  const now = existsSync(path) ? readFileSync(path, "utf8") : null
  const change =
    ownPatch(input) ??
    ownChange(input, usualFields) ??
    ownChange(input, { text: "content", from: "oldString", to: "newString", all: "replaceAll" }) ??
    ownChange(input, { text: "content", from: "old_text", to: "new_text", all: "replace_all" })
  const after = change?.after(now) ?? null
  if (after === null) throw new Error("the tool would fail")
  writeFileSync(path, after)
}

async function open(agent: string, given: Partial<Situation> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "galley-hook-ask-"))
  const root = join(folder, "work")
  mkdirSync(root)
  const dialect = dialects[agent]
  const form = forms[agent]
  if (dialect === undefined || form === undefined) throw new Error(`no agent ${agent}`)
  const workspace = await openWorkspace({
    root,
    home: join(folder, "home"),
    config: resolveConfig([]),
    env: realEnv(),
  })
  ends.push(async () => {
    await workspace.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const path = join(root, "a.txt")
  writeFileSync(path, "one\ntwo\nthree\n")
  const situation: Situation = {
    agent,
    dialect,
    rewrites: true,
    workspace,
    review: "ask",
    readOnly: false,
    strict: false,
    self: { node: "/opt/node", program: "/opt/galley.mjs" },
    flags: [],
    resident: true,
    waitSeconds: 60,
    ...given,
  }
  const person = workspace.as({ actor: "person" })
  const hook = async (payload: Payload, review: Situation["review"] = situation.review): Promise<Payload> => {
    const event: HookEvent = dialect.read(payload)
    const said = dialect.say(payload, event, await react({ ...situation, review }, event))
    return said.stdout === "" ? {} : (JSON.parse(said.stdout) as Payload)
  }
  return {
    root,
    path,
    person,
    form,
    text: () => readFileSync(path, "utf8"),
    before: (input: Payload, tool = form.edit.tool) => hook(form.payload(root, input, tool, "before")),
    after: (input: Payload, tool = form.edit.tool) => hook(form.payload(root, input, tool, "after")),
    /** An edit before the person asked to be asked. */
    applied: async (input: Payload) => {
      await hook(form.payload(root, input, form.edit.tool, "before"), "apply")
      act(path, input)
      await hook(form.payload(root, input, form.edit.tool, "after"), "apply")
    },
    waiting: async () => {
      for (;;) {
        const [one] = (await person.status({})).waiting
        if (one !== undefined) return one
        await new Promise(resolve => setTimeout(resolve, 10))
      }
    },
    files: async () => (await person.status({})).files.map(file => [file.path, file.disk]),
    kinds: async () =>
      (await person.operations({})).operations.map(operation => `${operation.actor} ${operation.kind}`),
  }
}

for (const agent of Object.keys(forms))
  describe(agent, () => {
    it("allowed: its tool goes on, and what it wrote counts as accepted", async () => {
      const h = await open(agent)
      const input = h.form.edit.input(h.path, "two", "TWO")
      const answer = h.before(input)
      const question = await h.waiting()
      expect(question.diff).toContain("-two\n+TWO\n")
      expect(question.path).toBe("a.txt")
      await h.person.answer({ id: question.id, decision: "allow" })
      const said = await answer
      expect(h.form.denial(said) ?? "The person allowed this change.").toBe("The person allowed this change.")
      expect(h.form.changed(said)).toBeUndefined()
      expect(h.text()).toBe("one\ntwo\nthree\n")
      act(h.path, input)
      await h.after(input)
      expect(h.text()).toBe("one\nTWO\nthree\n")
      expect(await h.files()).toEqual([])
      expect(await h.kinds()).toEqual(["person answer", "agent edit", "person accept"])
    })

    it("denied: its tool does not run, and the model reads the person's reason", async () => {
      const h = await open(agent)
      const answer = h.before(h.form.edit.input(h.path, "two", "TWO"))
      await h.person.answer({ id: (await h.waiting()).id, decision: "deny", reason: "no shouting" })
      expect(h.form.denial(await answer)).toBe("The person denied this change: no shouting")
      expect(await h.files()).toEqual([])
    })

    it("edited: what ends up on disk is the person's text, accepted", async () => {
      const h = await open(agent)
      const input = h.form.edit.input(h.path, "two", "TWO")
      const answer = h.before(input)
      const mine = "one\nmine\nthree\n"
      await h.person.answer({ id: (await h.waiting()).id, decision: "allow", content: mine })
      const said = await answer
      const changed = h.form.changed(said)
      if (agent === "qwen-code") {
        expect(changed).toBeUndefined()
        expect(h.form.denial(said)).toContain("a.txt holds their text")
      } else {
        if (changed === undefined) throw new Error("nothing was changed")
        act(h.path, changed)
        await h.after(changed)
      }
      expect(h.text()).toBe(mine)
      expect(await h.files()).toEqual([])
    })

    it("a new file is asked about too", async () => {
      const h = await open(agent)
      const path = join(h.root, "new.txt")
      const answer = h.before(h.form.write.input(path, "made\n"), h.form.write.tool)
      const question = await h.waiting()
      expect(question.diff).toContain("+made\n")
      await h.person.answer({ id: question.id, decision: "deny" })
      expect(h.form.denial(await answer)).toContain("denied")
    })

    it("unanswered: nothing is written, the change waits, and accepting it writes it", async () => {
      const h = await open(agent, { waitSeconds: 0 })
      const said = await h.before(h.form.edit.input(h.path, "two", "TWO"))
      expect(h.form.denial(said)).toContain("Nobody answered in time")
      expect(h.text()).toBe("one\ntwo\nthree\n")
      expect(await h.files()).toEqual([["a.txt", "base"]])
      // On top of what it cannot see its tool is refused.
      expect(h.form.denial(await h.before(h.form.edit.input(h.path, "three", "3")))).toContain("str_replace_editor")
      await h.person.accept({ all: true })
      expect(h.text()).toBe("one\nTWO\nthree\n")
    })
  })

it("a file that changes while the person looks is not written over", async () => {
  const h = await open("claude-code")
  const answer = h.before(h.form.edit.input(h.path, "two", "TWO"))
  const { id } = await h.waiting()
  writeFileSync(h.path, "one\ntwo\nfour\n")
  await h.person.answer({ id, decision: "allow" })
  expect(h.form.denial(await answer)).toContain("was changed while")
  expect(h.text()).toBe("one\ntwo\nfour\n")
})

it("an agent that does not wait any more takes its question with it; the change waits", async () => {
  const stop = new AbortController()
  const h = await open("claude-code", { signal: stop.signal })
  const answer = h.before(h.form.edit.input(h.path, "two", "TWO"))
  await h.waiting()
  stop.abort()
  expect(h.form.denial(await answer)).toContain("waits for the person's review")
  expect((await h.person.status({})).waiting).toEqual([])
})

it("what is pending from before is not accepted along with an allowed change", async () => {
  const h = await open("claude-code")
  await h.applied(h.form.edit.input(h.path, "one", "ONE"))
  expect(await h.files()).toEqual([["a.txt", "current"]])
  const input = h.form.edit.input(h.path, "three", "THREE")
  const answer = h.before(input)
  await h.person.answer({ id: (await h.waiting()).id, decision: "allow" })
  await answer
  act(h.path, input)
  await h.after(input)
  expect(h.text()).toBe("ONE\ntwo\nTHREE\n")
  expect(await h.files()).toEqual([["a.txt", "current"]])
  await h.person.reject({ path: "a.txt" })
  expect(h.text()).toContain("one\ntwo\n")
})

describe("what a tool will make of a file", () => {
  const check = (input: Payload, now: string | null, expected: string | null): void =>
    it(`${JSON.stringify(input)} of ${JSON.stringify(now)}`, () => {
      const change = ownChange(input, usualFields)
      expect(change === null ? null : change.after(now)).toBe(expected)
    })
  check({ content: "x" }, null, "x")
  check({ content: "x" }, "a\r\n", null)
  check({ old_string: "a", new_string: "b" }, "xax", "xbx")
  check({ old_string: "a", new_string: "$&" }, "xax", "x$&x")
  check({ old_string: "a", new_string: "b" }, "aa", null)
  check({ old_string: "a", new_string: "b", replace_all: true }, "aa", "bb")
  check({ old_string: "a", new_string: "b" }, "x", null)
  check({ old_string: "a", new_string: "b" }, null, null)
  check({ old_string: "", new_string: "b" }, null, "b")
  check({ old_string: "", new_string: "b" }, "x", null)
  check({ old_string: "a" }, "a", null)
  check({ old_string: 1, new_string: "b" }, "1", null)
  check(
    {
      edits: [
        { old_string: "a", new_string: "b" },
        { old_string: "b", new_string: "c" },
      ],
    },
    "a",
    "c",
  )
  check({ edits: [{ old_string: "a", new_string: "b" }, {}] }, "a", null)
  check({ notebook_path: "n", new_source: "x" }, "{}", null)
})

describe("what a patch will make of a file", () => {
  const check = (body: string, now: string | null, expected: string | null): void =>
    it(JSON.stringify(body), () => {
      const change = ownPatch({ command: `*** Begin Patch\n${body}*** End Patch\n` })
      expect(change === null ? null : change.after(now)).toBe(expected)
    })
  check("*** Update File: a\n@@\n-b\n+B\n", "a\nb\nc\n", "a\nB\nc\n")
  check("*** Update File: a\n@@\n a\n-b\n+B\n@@\n c\n+d\n", "a\nb\nc\n", "a\nB\nc\nd\n")
  check("*** Update File: a\n@@\n-b\n+B\n", "b\nb\n", null)
  check("*** Update File: a\n@@\n-x\n+B\n", "b\n", null)
  check("*** Update File: a\n@@ def f\n-b\n+B\n", "b\n", null)
  check("*** Update File: a\n@@\n-b\n+B\n", "b", null)
  check("*** Update File: a\n*** Move to: c\n@@\n-b\n+B\n", "b\n", null)
  check("*** Add File: a\n+x\n+y\n", null, "x\ny\n")
  check("*** Add File: a\n+x\n", "x\n", null)
  check("*** Delete File: a\n", "x\n", null)
  check("*** Add File: a\n+x\n*** Add File: b\n+y\n", null, null)
})
