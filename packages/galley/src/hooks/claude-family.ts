import type { Dialect, HookEvent, Reply, Said, ToolUse, Who } from "./event.ts"
import {
  absolutePath,
  editTitle,
  galleyTool,
  idOf,
  listOf,
  type Payload,
  recordOf,
  strange,
  textOf,
} from "./payload.ts"
import { ownChange, usualFields } from "./own-change.ts"
import { ownPatch } from "./own-patch.ts"
import { pathsOfPatch } from "./patch-paths.ts"

/** What sets the members of Claude Code's family of hook dialects apart. */
export interface Member {
  /** Tools that change a file, and the fields of their input that name it. */
  readonly editTools: Readonly<Record<string, readonly string[]>>
  readonly shellTools: readonly string[]
  /** The field that names the user's message. */
  readonly messageField: string
  /** The field that names the tool call. */
  readonly callFields: readonly string[]
  /** Modes of permission in which a shell command may be replaced. "any": the agent asks its person about what the hook made of it. */
  readonly rewritesIn: readonly string[] | "any"
  /** Whether its shell keeps its folder from command to command. */
  readonly shellRemembers: boolean
  /** Whether a changed input only counts together with "allow", and "allow" only together with a changed input. */
  readonly allowsWhatItChanges: boolean
  /** Whether a hook may give an edit another input. */
  readonly changesEdits: boolean
}

/** The hook dialect that Claude Code (2.1) made and codex (0.171) and qwen-code (0.24) took over. */
export function claudeFamily(member: Member): Dialect {
  return {
    read: payload => read(member, payload),
    say: (payload, event, reply) => say(member, payload, event, reply),
    rewrites: payload =>
      member.rewritesIn === "any" || member.rewritesIn.includes(textOf(payload["permission_mode"]) ?? ""),
    shellRemembers: member.shellRemembers,
    changesEdits: member.changesEdits,
    toolName: name => `mcp__galley__${name}`,
  }
}

const ours = /^mcp__galley__(.+)$/

function read(member: Member, payload: Payload): HookEvent {
  const who = whoOf(member, payload)
  const name = textOf(payload["hook_event_name"])
  switch (name) {
    case "UserPromptSubmit": {
      const text = textOf(payload["prompt"])
      if (text === null) return { kind: "ignored" } // qwen-code tells so of every further model call.
      if (idOf(payload["agent_id"]) !== null) return { kind: "ignored" }
      return { kind: "prompt", who, text, transcript: textOf(payload["transcript_path"]) }
    }
    case "PreToolUse":
    case "PostToolUse":
    case "PostToolUseFailure": {
      const tool = toolOf(member, payload, who)
      if (tool.kind === "strange") return tool
      if (name === "PreToolUse") return { kind: "before", who, tool }
      return { kind: "after", who, tool, originals: originalsOf(payload, tool) }
    }
    case "Stop":
    case "SessionEnd":
    case "StopFailure":
      return { kind: "end", who }
    case null:
      return strange(who, payload, "the event has no name")
    default:
      return { kind: "ignored" }
  }
}

function whoOf(member: Member, payload: Payload): Who {
  // A sub-agent belongs to the message that started it, which is where its conversation stands.
  const subAgent = idOf(payload["agent_id"]) !== null
  const callId = member.callFields.map(field => idOf(payload[field])).find(id => id !== null) ?? null
  return {
    conversation: idOf(payload["session_id"]),
    message: subAgent ? null : idOf(payload[member.messageField]),
    callId,
    cwd: textOf(payload["cwd"]),
  }
}

function toolOf(member: Member, payload: Payload, who: Who): ToolUse | (HookEvent & { readonly kind: "strange" }) {
  const name = textOf(payload["tool_name"])
  const input = recordOf(payload["tool_input"])
  if (name === null) return strangeTool(who, payload, "the tool has no name")
  const galley = galleyTool(name, ours)
  if (galley !== null) return { kind: "galley", name: galley, input }
  if (member.shellTools.includes(name)) {
    const command = textOf(input["command"])
    if (command === null) return strangeTool(who, input, `${name} has no command`)
    const background = input["run_in_background"] === true || input["is_background"] === true
    return { kind: "shell", name, command, background }
  }
  const fields = member.editTools[name]
  if (fields === undefined) return { kind: "other", name }
  const named = fields.flatMap(field => absolutePath(who.cwd, input[field]))
  const patched = name === "apply_patch" ? patchPaths(input, who.cwd) : []
  const edits = listOf(input["edits"]).flatMap(edit =>
    fields.flatMap(field => absolutePath(who.cwd, recordOf(edit)[field])),
  )
  const paths = [...new Set([...named, ...patched, ...edits])]
  if (paths.length === 0) return strangeTool(who, input, `${name} names no file`)
  const verb = name === "apply_patch" ? "Patch" : /write/i.test(name) ? "Write" : "Edit"
  const change = name === "apply_patch" ? ownPatch(input) : ownChange(input, usualFields)
  return { kind: "edit", name, title: editTitle(verb, paths, who.cwd), paths, change }
}

function strangeTool(who: Who, payload: Payload, what: string): HookEvent & { readonly kind: "strange" } {
  const event = strange(who, payload, what)
  if (event.kind !== "strange") throw new Error("BUG: strange is strange")
  return event
}

function patchPaths(input: Payload, cwd: string | null): string[] {
  const patch = textOf(input["command"]) ?? textOf(input["input"]) ?? textOf(input["patch"]) ?? ""
  return pathsOfPatch(patch).flatMap(path => absolutePath(cwd, path))
}

/** Claude Code gives the file's old text with an edit; qwen-code the old and the new. */
function originalsOf(payload: Payload, tool: ToolUse): Readonly<Record<string, string>> {
  const response = recordOf(payload["tool_response"])
  const shown = recordOf(response["returnDisplay"])
  const original = textOf(response["originalFile"]) ?? textOf(shown["originalContent"])
  const [path] = tool.kind === "edit" ? tool.paths : []
  return original === null || path === undefined ? {} : { [path]: original }
}

function say(member: Member, payload: Payload, event: HookEvent, reply: Reply): Said {
  const hookEventName = textOf(payload["hook_event_name"]) ?? ""
  const output: Record<string, unknown> = { hookEventName }
  if (reply.deny !== undefined && event.kind !== "after") {
    output["permissionDecision"] = "deny"
    output["permissionDecisionReason"] = reply.deny
  } else if (reply.allow !== undefined) {
    // The person answered for this very call: a second question of the agent's own would be about the same.
    if (reply.input !== undefined || !member.allowsWhatItChanges) {
      output["permissionDecision"] = "allow"
      output["permissionDecisionReason"] = reply.allow
    }
    if (reply.input !== undefined) output["updatedInput"] = reply.input
  } else if (reply.command !== undefined) {
    // Never "allow" where that would go round a question to the person: their rules and answers stay the agent's to keep.
    if (member.allowsWhatItChanges) output["permissionDecision"] = "allow"
    output["updatedInput"] = { ...recordOf(payload["tool_input"]), command: reply.command }
  }
  if (reply.context !== undefined && takesContext.has(hookEventName)) output["additionalContext"] = reply.context
  return Object.keys(output).length === 1
    ? { stdout: "", exitCode: 0 }
    : { stdout: `${JSON.stringify({ hookSpecificOutput: output })}\n`, exitCode: 0 }
}

const takesContext = new Set(["UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure"])
