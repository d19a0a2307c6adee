import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { dialects } from "../../src/hooks/dialects.ts"
import type { HookEvent, Reply } from "../../src/hooks/event.ts"

type Payloads = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** Payloads recorded from the real agents (versions in each dialect's comment), long texts cut. */
function recorded(agent: string): Payloads {
  return JSON.parse(readFileSync(new URL(`payloads/${agent}.json`, import.meta.url), "utf8")) as Payloads
}

function dialectOf(agent: string) {
  const dialect = dialects[agent]
  if (dialect === undefined) throw new Error(`no dialect ${agent}`)
  return dialect
}

/** An event in a line: what it is, the tool, its paths or command, whose it is. */
function line(event: HookEvent): string {
  switch (event.kind) {
    case "ignored":
      return "ignored"
    case "strange":
      return `strange: ${event.problem}`
    case "end":
      return "end"
    case "prompt":
      return `prompt ${event.text.slice(0, 9)}`
    case "before":
    case "after": {
      const { tool } = event
      switch (tool.kind) {
        case "edit":
          return `${event.kind} ${tool.title}: ${tool.paths.join(" ")}`
        case "shell":
          return `${event.kind} shell: ${tool.command}`
        case "galley":
          return `${event.kind} galley ${tool.name}`
        case "other":
          return `${event.kind} other`
      }
    }
  }
}

function check(agent: string, payload: string | Readonly<Record<string, unknown>>, expected: string): void {
  test(`${agent} ${typeof payload === "string" ? payload : JSON.stringify(payload).slice(0, 60)}: ${expected}`, () => {
    const given = typeof payload === "string" ? recorded(agent)[payload] : payload
    if (given === undefined) throw new Error(`no such payload of ${agent}`)
    expect(line(dialectOf(agent).read(given))).toBe(expected)
  })
}

check("claude-code", "UserPromptSubmit", "prompt Please do")
check("claude-code", "PreToolUse-Edit", "before Edit a.txt: /w/claude1/a.txt")
check("claude-code", "PreToolUse-Write", "before Write new.txt: /w/claude1/new.txt")
check("claude-code", "PreToolUse-Bash", "before shell: sed -i s/gamma/GAMMA/ a.txt && cat a.txt")
check("claude-code", "PostToolUse-Edit", "after Edit a.txt: /w/claude1/a.txt")
check("claude-code", "PreToolUse-mcp__toy__echo", "before other")
check("claude-code", "PreToolUse-Read", "before other")
check("claude-code", "Stop", "end")
check("claude-code", "SubagentStart", "ignored")
check(
  "claude-code",
  { hook_event_name: "PreToolUse", tool_name: "mcp__galley__bash", tool_input: {} },
  "before galley bash",
)
check(
  "claude-code",
  { hook_event_name: "PreToolUse", tool_name: "Edit", tool_input: { target: "x" } },
  "strange: Edit names no file; fields: target",
)
check(
  "claude-code",
  { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { cmd: "x" } },
  "strange: Bash has no command; fields: cmd",
)
check("claude-code", { event: "PreToolUse" }, "strange: the event has no name; fields: event")
check("claude-code", { hook_event_name: "UserPromptSubmit", prompt: "x", agent_id: "a" }, "ignored")
check("codex", "UserPromptSubmit", "prompt do @@SCRI")
check("codex", "PreToolUse-apply_patch", "before Patch a.txt, new.txt: /w/codex1/a.txt /w/codex1/new.txt")
check("codex", "PreToolUse-Bash", "before shell: sed -i s/gamma/GAMMA/ a.txt && cat a.txt")
check("codex", "PostToolUse-apply_patch", "after Patch a.txt, new.txt: /w/codex1/a.txt /w/codex1/new.txt")
check(
  "codex",
  {
    hook_event_name: "PreToolUse",
    cwd: "/w",
    tool_name: "apply_patch",
    tool_input: { command: "*** Begin Patch\n*** Update File: a\n*** Move to: b c\n*** Delete File: d\n*** End Patch" },
  },
  "before Patch a, b c, d: /w/a /w/b c /w/d",
)
check("qwen-code", "UserPromptSubmit", "prompt Please do")
check("qwen-code", { hook_event_name: "UserPromptSubmit", prompt: "" }, "ignored")
check("qwen-code", "PreToolUse-edit", "before Edit a.txt: /w/qwen1/a.txt")
check("qwen-code", "PreToolUse-write_file", "before Write new.txt: /w/qwen1/new.txt")
check("qwen-code", "PreToolUse-run_shell_command", "before shell: sed -i s/gamma/GAMMA/ a.txt && cat a.txt")
check("gemini-cli", "BeforeAgent", "prompt Please do")
check("gemini-cli", "BeforeTool-replace", "before Edit a.txt: /w/gemini1/a.txt")
check("gemini-cli", "BeforeTool-write_file", "before Write new.txt: /w/gemini1/new.txt")
check("gemini-cli", "BeforeTool-run_shell_command", "before shell: sed -i s/gamma/GAMMA/ a.txt && cat a.txt")
check("gemini-cli", "AfterTool-replace", "after Edit a.txt: /w/gemini1/a.txt")
check("gemini-cli", "BeforeModel", "ignored")
check("gemini-cli", "AfterAgent", "end")
check("opencode", "chat.message", "prompt Please do")
check("opencode", "tool.execute.before-edit", "before Edit a.txt: /w/opencode1/a.txt")
check("opencode", "tool.execute.before-write", "before Write new.txt: /w/opencode1/new.txt")
check("opencode", "tool.execute.before-bash", "before shell: sed -i s/gamma/GAMMA/ a.txt && cat a.txt")
check("opencode", "tool.execute.after-edit", "after Edit a.txt: /w/opencode1/a.txt")
check("cline", "agent_start", "ignored")
check("cline", { hookName: "prompt_submit", userPromptSubmit: { prompt: "Please do it" } }, "prompt Please do")
check("cline", "tool_call-editor", "before Edit a.txt: /w/cline1/a.txt")
check("cline", "tool_call-run_commands", "before shell: sed -i s/gamma/GAMMA/ a.txt && cat a.txt")
check("cline", "tool_result-editor", "after Edit a.txt: /w/cline1/a.txt")
check("cline", "tool_call-read_files", "before other")
check("cline", "agent_end", "end")

test("ids are those of the reference's table", () => {
  const ids = (agent: string, name: string): unknown => {
    const event = dialectOf(agent).read(recorded(agent)[name] ?? {})
    if (!("who" in event)) return null
    const { conversation, message, callId } = event.who
    return [conversation, message, callId]
  }
  expect(ids("claude-code", "PreToolUse-Edit")).toEqual([
    "ab001741-b9a7-481f-a978-71c74275ccb1",
    "ce2317f8-5de2-4744-9d9f-719735519800",
    "toolu_8py0011",
  ])
  expect(ids("codex", "PreToolUse-apply_patch")).toEqual([
    "01a22d5c-400c-7080-9775-30c74b55c7d0",
    "01a22d5c-4049-7991-b191-e014f4c23537",
    "call_o3p0009",
  ])
  expect(ids("qwen-code", "PreToolUse-edit")).toEqual([
    "e81885d2-1278-4024-8ddf-b3bc124d2424",
    "e81885d2-1278-4024-8ddf-b3bc124d2424########0",
    "call_jep0008",
  ])
  expect(ids("opencode", "chat.message")).toEqual([
    "ses_dd2a19a61ffeWOCvV0RIk7SZLH",
    "msg_22d5e6669001te6kStzRHsYpB9",
    null,
  ])
})

test("gemini-cli's calls are the same before and after, and differ by input", () => {
  const callId = (name: string): unknown => {
    const event = dialectOf("gemini-cli").read(recorded("gemini-cli")[name] ?? {})
    return "who" in event ? event.who.callId : null
  }
  expect(callId("BeforeTool-replace")).toBe(callId("AfterTool-replace"))
  expect(callId("BeforeTool-replace")).not.toBe(callId("BeforeTool-write_file"))
})

test("a sub-agent's work belongs to the message that started it", () => {
  const payload = { ...recorded("claude-code")["PreToolUse-Edit"], agent_id: "a1" }
  const event = dialectOf("claude-code").read(payload)
  expect("who" in event && event.who.message).toBeNull()
  const child = { ...recorded("opencode")["tool.execute.before-edit"], root: "ses_parent" }
  const inChild = dialectOf("opencode").read(child)
  expect("who" in inChild && inChild.who.conversation).toBe("ses_parent")
})

function says(agent: string, payload: string, reply: Reply, expected: unknown): void {
  test(`${agent} ${payload} with ${Object.keys(reply).join()}`, () => {
    const given = recorded(agent)[payload] ?? {}
    const said = dialectOf(agent).say(given, dialectOf(agent).read(given), reply)
    expect(said.exitCode).toBe(0)
    expect(said.stdout === "" ? null : JSON.parse(said.stdout)).toEqual(expected)
  })
}

const pre = "PreToolUse"
says("claude-code", "PreToolUse-Edit", {}, null)
says(
  "claude-code",
  "PreToolUse-Edit",
  { deny: "no" },
  {
    hookSpecificOutput: { hookEventName: pre, permissionDecision: "deny", permissionDecisionReason: "no" },
  },
)
// Never "allow": the person's own permission rules decide about what really runs.
says(
  "claude-code",
  "PreToolUse-Bash",
  { command: "new" },
  {
    hookSpecificOutput: { hookEventName: pre, updatedInput: { command: "new", description: "sed" } },
  },
)
says(
  "claude-code",
  "PostToolUse-Edit",
  { context: "note" },
  {
    hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: "note" },
  },
)
says("claude-code", "Stop", { context: "note" }, null)
says(
  "codex",
  "PreToolUse-Bash",
  { command: "new" },
  {
    hookSpecificOutput: { hookEventName: pre, permissionDecision: "allow", updatedInput: { command: "new" } },
  },
)
says("gemini-cli", "BeforeTool-replace", { deny: "no" }, { decision: "deny", reason: "no" })
says(
  "gemini-cli",
  "BeforeTool-run_shell_command",
  { command: "new" },
  {
    hookSpecificOutput: { hookEventName: "BeforeTool", tool_input: { command: "new", description: "sed" } },
  },
)
says(
  "gemini-cli",
  "AfterTool-replace",
  { context: "note" },
  {
    hookSpecificOutput: { hookEventName: "AfterTool", additionalContext: "note" },
  },
)
says("opencode", "tool.execute.before-bash", { command: "new" }, { command: "new" })
says("cline", "tool_call-run_commands", { command: "new" }, { overrideInput: { commands: ["new"] } })

test("codex's shell is left alone where a sandbox would keep Galley out", () => {
  const payload = recorded("codex")["PreToolUse-Bash"] ?? {}
  expect(dialectOf("codex").rewrites(payload)).toBe(true)
  expect(dialectOf("codex").rewrites({ ...payload, permission_mode: "default" })).toBe(false)
})
