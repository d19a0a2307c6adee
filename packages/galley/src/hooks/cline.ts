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
import { type ChangeFields, ownChange } from "./own-change.ts"
import { pathsOfPatch } from "./patch-paths.ts"

/** Hooks of cline 3.0.65. A refusal aborts its whole run. It gives a prompt no id; a call has one. */
export const cline: Dialect = {
  read,
  say,
  rewrites: () => true,
  changesEdits: true,
  shellRemembers: false,
  toolName: name => `galley__${name}`,
}

const fields: ChangeFields = { text: "content", from: "old_text", to: "new_text", all: "replace_all" }
const ours = /^galley__(.+)$/

function read(payload: Payload): HookEvent {
  const call = recordOf(payload["tool_call"] ?? payload["tool_result"])
  const context = recordOf(payload["sessionContext"])
  const [root] = listOf(payload["workspaceRoots"])
  const conversation = idOf(context["rootSessionId"]) ?? idOf(payload["taskId"])
  const who: Who = { conversation, message: null, callId: idOf(call["id"]), cwd: textOf(root) }
  switch (textOf(payload["hookName"])) {
    case "prompt_submit": {
      if (idOf(payload["parent_agent_id"]) !== null) return { kind: "ignored" }
      const text = textOf(recordOf(payload["userPromptSubmit"])["prompt"])
      return text === null ? { kind: "ignored" } : { kind: "prompt", who, text, transcript: null }
    }
    case "tool_call":
    case "tool_result": {
      const tool = toolOf(call, who)
      if (tool === null)
        return strange(who, recordOf(call["input"]), `${textOf(call["name"]) ?? "a tool"} names no file or command`)
      return payload["hookName"] === "tool_call"
        ? { kind: "before", who, tool }
        : { kind: "after", who, tool, originals: {} }
    }
    case "agent_end":
    case "session_shutdown":
      return { kind: "end", who }
    case null:
      return strange(who, payload, "the event has no name")
    default:
      return { kind: "ignored" }
  }
}

function toolOf(call: Payload, who: Who): ToolUse | null {
  const name = textOf(call["name"])
  const input = recordOf(call["input"])
  if (name === null) return null
  const galley = galleyTool(name, ours)
  if (galley !== null) return { kind: "galley", name: galley, input }
  if (name === "run_commands") {
    const commands = listOf(input["commands"]).flatMap(command => textOf(command) ?? [])
    return commands.length === 0 ? null : { kind: "shell", name, command: commands.join("\n"), background: false }
  }
  if (name !== "editor" && name !== "apply_patch") return { kind: "other", name }
  const patch = textOf(input["patch"]) ?? textOf(input["input"]) ?? ""
  const paths = [
    ...absolutePath(who.cwd, input["path"]),
    ...pathsOfPatch(patch).flatMap(path => absolutePath(who.cwd, path)),
  ]
  return paths.length === 0
    ? null
    : { kind: "edit", name, title: editTitle("Edit", paths, who.cwd), paths, change: ownChange(input, fields) }
}

function say(payload: Payload, event: HookEvent, reply: Reply): Said {
  if (reply.deny !== undefined && event.kind !== "after" && payload["hookName"] !== "tool_result")
    return { stdout: `${JSON.stringify({ cancel: true, errorMessage: reply.deny })}\n`, exitCode: 0 }
  const output: Record<string, unknown> = {}
  if (reply.command !== undefined) {
    const input = recordOf(recordOf(payload["tool_call"])["input"])
    output["overrideInput"] = { ...input, commands: [reply.command] }
  }
  if (reply.input !== undefined) output["overrideInput"] = reply.input
  if (reply.context !== undefined) output["contextModification"] = reply.context
  return Object.keys(output).length === 0
    ? { stdout: "", exitCode: 0 }
    : { stdout: `${JSON.stringify(output)}\n`, exitCode: 0 }
}
