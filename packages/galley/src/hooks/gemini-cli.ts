import { createHash } from "node:crypto"
import type { Dialect, HookEvent, Reply, Said, ToolUse, Who } from "./event.ts"
import { ownChange, usualFields } from "./own-change.ts"
import { absolutePath, editTitle, galleyTool, idOf, type Payload, recordOf, strange, textOf } from "./payload.ts"

/**
 * Hooks of gemini-cli 0.61.0. It gives calls no id, so a call is known by its tool and input; of the message it says only that one
 * begins.
 */
export const geminiCli: Dialect = {
  read,
  say,
  // The shell's input may be changed, but how it is allowed is not told to hooks: only where everything is.
  rewrites: () => true,
  changesEdits: true,
  shellRemembers: false,
  toolName: name => `mcp_galley_${name}`,
}

const ours = /^mcp_galley_(.+)$/
const editTools = ["replace", "write_file", "edit"]

function read(payload: Payload): HookEvent {
  const name = textOf(payload["hook_event_name"])
  const who = whoOf(payload)
  switch (name) {
    case "BeforeAgent": {
      const text = textOf(payload["prompt"])
      return text === null ? { kind: "ignored" } : { kind: "prompt", who, text, transcript: null }
    }
    case "BeforeTool":
    case "AfterTool": {
      const tool = toolOf(payload, who)
      if (tool === null)
        return strange(
          who,
          recordOf(payload["tool_input"]),
          `${textOf(payload["tool_name"]) ?? "a tool"} names no file or command`,
        )
      return name === "BeforeTool"
        ? { kind: "before", who, tool }
        : { kind: "after", who, tool, originals: originalsOf(payload, tool) }
    }
    case "AfterAgent":
    case "SessionEnd":
      return { kind: "end", who }
    case null:
      return strange(who, payload, "the event has no name")
    default:
      return { kind: "ignored" }
  }
}

function whoOf(payload: Payload): Who {
  const conversation = idOf(payload["session_id"])
  const name = textOf(payload["tool_name"])
  const input = recordOf(payload["tool_input"])
  // An edit is known by its file: the person may give it another text between its two events.
  const what = editTools.includes(name ?? "") ? (input["file_path"] ?? input) : input
  const digest = createHash("sha256")
    .update(JSON.stringify([conversation, name, what]))
    .digest("hex")
  return {
    conversation,
    message: null,
    callId: name === null ? null : digest.slice(0, 32),
    cwd: textOf(payload["cwd"]),
  }
}

function toolOf(payload: Payload, who: Who): ToolUse | null {
  const name = textOf(payload["tool_name"])
  const input = recordOf(payload["tool_input"])
  if (name === null) return null
  const galley = galleyTool(name, ours)
  if (galley !== null) return { kind: "galley", name: galley, input }
  if (name === "run_shell_command") {
    const command = textOf(input["command"])
    return command === null ? null : { kind: "shell", name, command, background: input["is_background"] === true }
  }
  if (!editTools.includes(name)) return { kind: "other", name }
  const paths = absolutePath(who.cwd, input["file_path"])
  const verb = name === "write_file" ? "Write" : "Edit"
  return paths.length === 0
    ? null
    : { kind: "edit", name, title: editTitle(verb, paths, who.cwd), paths, change: ownChange(input, usualFields) }
}

function originalsOf(payload: Payload, tool: ToolUse): Readonly<Record<string, string>> {
  const original = textOf(recordOf(recordOf(payload["tool_response"])["returnDisplay"])["originalContent"])
  const [path] = tool.kind === "edit" ? tool.paths : []
  return original === null || path === undefined ? {} : { [path]: original }
}

function say(payload: Payload, event: HookEvent, reply: Reply): Said {
  const hookEventName = textOf(payload["hook_event_name"]) ?? ""
  // After a tool a refusal would only take its result from the model.
  if (reply.deny !== undefined && event.kind !== "after" && hookEventName !== "AfterTool")
    return { stdout: `${JSON.stringify({ decision: "deny", reason: reply.deny })}\n`, exitCode: 0 }
  const output: Record<string, unknown> = { hookEventName }
  if (reply.command !== undefined) output["tool_input"] = { ...recordOf(payload["tool_input"]), command: reply.command }
  if (reply.input !== undefined) output["tool_input"] = reply.input
  if (reply.context !== undefined && (hookEventName === "BeforeAgent" || hookEventName === "AfterTool"))
    output["additionalContext"] = reply.context
  return Object.keys(output).length === 1
    ? { stdout: "", exitCode: 0 }
    : { stdout: `${JSON.stringify({ hookSpecificOutput: output })}\n`, exitCode: 0 }
}
