import type { RequestContext } from "@galley/core/protocol/requests.ts"
import type { ReviewMode } from "@galley/core/protocol/results.ts"
import type { Requests, Workspace } from "@galley/engine/workspace.ts"
import { askEdit, type Asking } from "./ask-edit.ts"
import type { Dialect, HookEvent, Reply, ToolUse, Who } from "./event.ts"
import { forkedFrom } from "./fork.ts"
import { captured, changesNothing, isCaptured, movesShell, type Self } from "./rewrite.ts"

/** What a hook's answer depends on beside its event. */
export interface Situation {
  readonly agent: string
  readonly dialect: Dialect
  /** Whether this call's shell command may be replaced. */
  readonly rewrites: boolean
  readonly workspace: Workspace
  readonly review: ReviewMode
  readonly readOnly: boolean
  /** Refuse what could not be undone, instead of warning of it. */
  readonly strict: boolean
  readonly self: Self
  /** Options of this hook's own command line that a rewritten command needs too. */
  readonly flags: readonly string[]
  /** How long a question to the person may take, in seconds: less than the agent waits for its hook. */
  readonly waitSeconds: number
  /** Aborted when the agent does not wait any more. */
  readonly signal?: AbortSignal
  /** The conversation that the agent was told to fork, if any. */
  readonly forkOf?: string | null
  /** A process that lives until `after` can hold a look over the workspace. */
  readonly resident: boolean
}

/** Does what an agent's event asks for and says what the agent must hear. Throws what went wrong; see {@link excuse}. */
export async function react(situation: Situation, event: HookEvent): Promise<Reply> {
  switch (event.kind) {
    case "ignored":
      return {}
    case "prompt":
      return prompt(situation, event)
    case "before":
      return before(situation, event.who, event.tool)
    case "after":
      return after(situation, event.who, event.tool, event.originals)
    case "end":
      await requestsOf(situation, event.who).settle({})
      return {}
    case "strange":
      await requestsOf(situation, event.who).trouble({
        title: `A hook of ${situation.agent} was not understood`,
        text: `This version of ${situation.agent} tells its hooks something else than Galley knows: ${event.problem}. What it does is recorded only as far as it shows on disk.`,
      })
      return situation.strict
        ? {
            deny: `Galley does not understand this call (${event.problem}) and is set to refuse what it cannot record.`,
          }
        : {}
  }
}

/** What the agent and the log are told when a hook failed: nothing is kept silent, and only `strict` stops the agent. */
export async function excuse(situation: Situation, event: HookEvent, error: unknown): Promise<Reply> {
  const problem = error instanceof Error ? error.message : String(error)
  const text = `Galley could not record this: ${problem} It cannot be undone with Galley.`
  if ("who" in event) {
    const title = event.kind === "before" || event.kind === "after" ? titleOf(event.tool) : `hook of ${situation.agent}`
    await requestsOf(situation, event.who)
      .trouble({ title, text: `cannot be undone: ${problem}` })
      .catch(() => {})
  }
  if (situation.strict && event.kind === "before" && event.tool.kind !== "other") return { deny: text }
  return event.kind === "before" || event.kind === "after" ? { context: text } : {}
}

async function prompt(situation: Situation, event: HookEvent & { readonly kind: "prompt" }): Promise<Reply> {
  const requests = requestsOf(situation, event.who)
  await requests.settle({})
  const { conversation, message } = event.who
  const parent =
    conversation === null
      ? null
      : await forkedFrom(requests, conversation, { transcript: event.transcript, named: situation.forkOf ?? null })
  await requests.message({
    text: event.text.length > longestTitle ? `${event.text.slice(0, longestTitle)}…` : event.text,
    ...(conversation === null ? {} : { conversation }),
    ...(message === null ? {} : { id: message }),
    ...(parent === null ? {} : { parent }),
  })
  return withNotes(requests, [])
}

/** A prompt names its message; nobody reads more of it in a tree. In UTF-16 units. */
const longestTitle = 4000

async function before(situation: Situation, who: Who, tool: ToolUse): Promise<Reply> {
  const requests = requestsOf(situation, who)
  switch (tool.kind) {
    case "other":
      return {}
    case "galley":
      await requests.claim({
        tool: tool.name,
        input: { ...tool.input },
        ...(who.callId === null ? {} : { callId: who.callId }),
      })
      return {}
    case "edit":
    case "shell":
      break
  }
  const refusal = refusalOf(situation, tool)
  if (refusal !== null) {
    if (situation.review !== "ask" || situation.readOnly || tool.kind !== "edit") return { deny: refusal }
    const asked = await askEdit(askingOf(situation, who, refusal), requests, who, tool)
    return asked.acts ? { ...(await edit(situation, requests, who, tool)), ...asked.reply } : asked.reply
  }
  if (tool.kind === "shell") return shell(situation, requests, who, tool)
  return edit(situation, requests, who, tool)
}

function askingOf(situation: Situation, who: Who, refusal: string): Asking {
  return {
    dialect: situation.dialect,
    person: situation.workspace.as({ actor: "person" }),
    as: review => requestsOf({ ...situation, review }, who),
    refusal,
    waitSeconds: situation.waitSeconds,
    signal: situation.signal,
  }
}

async function edit(
  situation: Situation,
  requests: Requests,
  who: Who,
  tool: ToolUse & { readonly kind: "edit" },
): Promise<Reply> {
  const kept = await requests.before({
    callId: callIdOf(who, tool),
    tool: tool.name,
    title: tool.title,
    paths: [...tool.paths],
  })
  return troubled(situation, requests, tool, kept.trouble)
}

async function shell(
  situation: Situation,
  requests: Requests,
  who: Who,
  tool: ToolUse & { readonly kind: "shell" },
): Promise<Reply> {
  if (isCaptured(situation.self, tool.command) || changesNothing(tool.command)) return {}
  const { root } = situation.workspace
  const inside = who.cwd === root || who.cwd?.startsWith(`${root}/`) === true
  const stays = !situation.dialect.shellRemembers || !movesShell(tool.command, root)
  if (situation.rewrites && inside && stays && !tool.background && who.conversation !== null) {
    const as = {
      workspace: root,
      conversation: who.conversation,
      callId: who.callId,
      flags: situation.flags,
    }
    return { command: captured(situation.self, tool.command, as) }
  }
  if (!situation.resident)
    return troubled(situation, requests, tool, "no process could be kept that compares the workspace before and after")
  const kept = await requests.before({
    callId: callIdOf(who, tool),
    tool: tool.name,
    title: titleOf(tool),
    paths: [],
    command: tool.command,
  })
  return troubled(situation, requests, tool, kept.trouble)
}

async function after(
  situation: Situation,
  who: Who,
  tool: ToolUse,
  originals: Readonly<Record<string, string>>,
): Promise<Reply> {
  const requests = requestsOf(situation, who)
  if (tool.kind === "other") return withNotes(requests, [])
  // Its own answer carries the notes.
  if (tool.kind === "galley" || (tool.kind === "shell" && isCaptured(situation.self, tool.command))) return {}
  const done = await requests.after({
    callId: callIdOf(who, tool),
    tool: tool.name,
    title: titleOf(tool),
    paths: tool.kind === "edit" ? [...tool.paths] : [],
    originals: { ...originals },
  })
  if (done.allowed === true)
    for (const { path } of done.changes) await situation.workspace.as({ actor: "person" }).accept({ path })
  return withNotes(requests, done.remarks)
}

/** In `hold` and `ask` an agent's own tools would go round the review: they are refused, naming ours. */
function refusalOf(situation: Situation, tool: ToolUse): string | null {
  const { dialect } = situation
  const instead = `Use ${dialect.toolName("str_replace_editor")} to view, create and edit files and ${dialect.toolName("bash")} to run commands.`
  if (situation.review !== "apply")
    return `In this workspace changes wait for the person's review, and ${tool.name} would write past it. ${instead}`
  if (situation.readOnly && tool.kind === "edit")
    return "The sandbox policy of this workspace is read-only. Nothing was changed."
  return null
}

async function troubled(
  situation: Situation,
  requests: Requests,
  tool: ToolUse,
  trouble: string | undefined,
): Promise<Reply> {
  if (trouble === undefined) return {}
  const text = `Galley cannot record this call: ${trouble}.`
  if (situation.strict) return { deny: `${text} It is set to refuse what could not be undone.` }
  await requests.trouble({ title: titleOf(tool), text: trouble })
  return { context: text }
}

async function withNotes(requests: Requests, remarks: readonly string[]): Promise<Reply> {
  const { text } = await requests.notes({})
  const said = [...remarks.map(remark => `Galley: this change ${remark}`), ...(text === null ? [] : [text])]
  return said.length === 0 ? {} : { context: said.join("\n\n") }
}

function requestsOf(situation: Situation, who: Who): Requests {
  const context: RequestContext = {
    actor: "agent",
    review: situation.review,
    ...(who.conversation === null ? {} : { conversation: who.conversation }),
    ...(who.message === null ? {} : { message: who.message }),
    ...(who.callId === null ? {} : { callId: who.callId }),
  }
  return situation.workspace.as(context)
}

/** Agents that give calls no id run one at a time. */
function callIdOf(who: Who, tool: ToolUse): string {
  return who.callId ?? `${who.conversation ?? "?"} ${tool.name}`
}

function titleOf(tool: ToolUse): string {
  switch (tool.kind) {
    case "edit":
      return tool.title
    case "shell": {
      const line = tool.command.trim().replace(/\s+/g, " ")
      return line.length > 120 ? `${line.slice(0, 119)}…` : line
    }
    case "galley":
    case "other":
      return tool.name
  }
}
