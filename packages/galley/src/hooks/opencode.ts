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

/**
 * Hooks of opencode 1.18.33: its plugin (`opencode-plugin.ts` writes it) sends each event as one JSON document and does what the
 * answer says.
 */
export const opencode: Dialect = {
  read,
  say,
  rewrites: () => true,
  changesEdits: true,
  shellRemembers: false,
  toolName: name => `galley_${name}`,
}

const ours = /^galley_(.+)$/
const fields: ChangeFields = { text: "content", from: "oldString", to: "newString", all: "replaceAll" }
const editTools: Readonly<Record<string, "Edit" | "Write" | "Patch">> = {
  edit: "Edit",
  multiedit: "Edit",
  write: "Write",
  patch: "Patch",
  apply_patch: "Patch",
}

function read(payload: Payload): HookEvent {
  const input = recordOf(payload["input"])
  const output = recordOf(payload["output"])
  const cwd = textOf(payload["directory"])
  // The plugin gives the session at the top of a chain of child sessions: a sub-agent belongs to the message that started it.
  const conversation = idOf(payload["root"]) ?? idOf(input["sessionID"])
  const subAgent = idOf(payload["root"]) !== null && payload["root"] !== input["sessionID"]
  switch (textOf(payload["event"])) {
    case "chat.message": {
      const message = recordOf(output["message"])
      const who: Who = { conversation, message: idOf(message["id"]), callId: null, cwd }
      const text = listOf(output["parts"])
        .map(part => recordOf(part))
        .filter(part => part["type"] === "text" && part["synthetic"] !== true)
        .map(part => textOf(part["text"]) ?? "")
        .join("\n")
      if (subAgent) return { kind: "ignored" }
      return text === "" ? { kind: "ignored" } : { kind: "prompt", who, text, transcript: null }
    }
    case "tool.execute.before":
    case "tool.execute.after": {
      const who: Who = { conversation, message: null, callId: idOf(input["callID"]), cwd }
      const args = recordOf(payload["event"] === "tool.execute.before" ? output["args"] : input["args"])
      const tool = toolOf(input, args, who)
      if (tool === null) return strange(who, args, `${textOf(input["tool"]) ?? "a tool"} names no file or command`)
      return payload["event"] === "tool.execute.before"
        ? { kind: "before", who, tool }
        : { kind: "after", who, tool, originals: {} }
    }
    case "session.idle":
      return { kind: "end", who: { conversation, message: null, callId: null, cwd } }
    case null:
    default:
      return strange({ conversation, message: null, callId: null, cwd }, payload, "the event is not known")
  }
}

function toolOf(input: Payload, args: Payload, who: Who): ToolUse | null {
  const name = textOf(input["tool"])
  if (name === null) return null
  const galley = galleyTool(name, ours)
  if (galley !== null) return { kind: "galley", name: galley, input: args }
  if (name === "bash") {
    const command = textOf(args["command"])
    return command === null ? null : { kind: "shell", name, command, background: false }
  }
  const verb = editTools[name]
  if (verb === undefined) return { kind: "other", name }
  const patch = textOf(args["patchText"]) ?? textOf(args["patch"]) ?? ""
  const paths = [
    ...absolutePath(who.cwd, args["filePath"]),
    ...pathsOfPatch(patch).flatMap(path => absolutePath(who.cwd, path)),
  ]
  return paths.length === 0
    ? null
    : { kind: "edit", name, title: editTitle(verb, paths, who.cwd), paths, change: ownChange(args, fields) }
}

function say(_payload: Payload, _event: HookEvent, reply: Reply): Said {
  return { stdout: `${JSON.stringify(reply)}\n`, exitCode: 0 }
}
