import { unifiedDiff } from "@galley/core/diff/unified.ts"
import { Failure } from "@galley/core/failure.ts"
import { splitLines } from "@galley/core/text/lines.ts"
import type { Requests } from "@galley/engine/workspace.ts"
import type { Dialect, Reply, ToolUse, Who } from "./event.ts"

/** What asking about an agent's own edit needs to know. */
export interface Asking {
  readonly dialect: Dialect
  /** The person's requests. */
  readonly person: Requests
  /** The agent's requests in another mode than `ask`. */
  as(review: "hold" | "apply"): Requests
  /** Said where the person cannot be asked about this very change. */
  readonly refusal: string
  /** Shorter than the agent waits for its hook: all of them go on without an answer. */
  readonly waitSeconds: number
  /** Aborted when the agent does not wait any more. */
  readonly signal: AbortSignal | undefined
}

/** The hook's answer, and whether the agent's tool will now act. */
export interface Asked {
  readonly reply: Reply
  readonly acts: boolean
}

/**
 * In `ask`: puts an agent's own edit before the person, and makes their answer the hook's. Denied or unanswered, nothing is written;
 * what nobody answered is held, as with Galley's own tools. An edit by the person becomes the tool's input where the agent takes that,
 * else Galley writes it and the agent's call is refused with the news.
 */
export async function askEdit(
  asking: Asking,
  requests: Requests,
  who: Who,
  tool: ToolUse & { readonly kind: "edit" },
): Promise<Asked> {
  const { dialect, refusal } = asking
  const [path, ...others] = tool.paths
  if (path === undefined || others.length > 0 || tool.change === null) return refused(refusal)
  const seen = await seenAt(requests, path)
  // Not this workspace's: the agent's own rules hold there.
  if (seen === "outside") return { reply: {}, acts: true }
  if (seen === "unreadable") return refused(refusal)
  const after = tool.change.after(seen.text)
  if (after === null) return refused(refusal)
  if (after === seen.text) return { reply: {}, acts: true }
  const [pending] = (await requests.status({ paths: [seen.path] })).files
  // The agent's tool would write over text that it cannot see.
  if (pending?.disk === "base") return refused(refusal)
  const said = await requests.ask(
    {
      title: tool.title,
      path,
      diff: diffOf(seen.path, seen.text, after),
      waitSeconds: asking.waitSeconds,
      // What waits in the file from before is not allowed along with this.
      ...(who.callId === null || pending !== undefined ? {} : { callId: who.callId }),
    },
    asking.signal === undefined ? {} : { signal: asking.signal },
  )
  switch (said.answer) {
    case "denied":
      return refused(
        said.reason === undefined
          ? "The person denied this change. Do not make it again."
          : `The person denied this change: ${said.reason}`,
      )
    case "none":
      return refused(await held(asking, path, seen.text, after))
    case "allowed":
      break
  }
  const now = await seenAt(requests, path)
  if (now === "outside" || now === "unreadable" || now.text !== seen.text)
    return refused(
      "The file was changed while the person looked at this change. Read it again, then repeat the change.",
    )
  const wanted = said.content ?? after
  if (wanted === after) return { reply: { allow: allowed(said.reason) }, acts: true }
  const input = dialect.changesEdits ? tool.change.inputFor(seen.text, wanted) : null
  if (input !== null) return { reply: { allow: allowed(said.reason), input }, acts: true }
  const news = await written(asking, path, seen, wanted)
  return refused(
    `The person allowed this change in another form, and Galley has written it already: ${seen.path} holds their text. ` +
      `Do not make this change again; read the file before you go on.${said.reason === undefined ? "" : ` They say: ${said.reason}`} ${news}`,
  )
}

function refused(text: string): Asked {
  return { reply: { deny: text }, acts: false }
}

function allowed(reason: string | undefined): string {
  return reason === undefined ? "The person allowed this change." : `The person allowed this change: ${reason}`
}

interface Seen {
  /** Within the workspace. */
  readonly path: string
  readonly text: string | null
}

async function seenAt(requests: Requests, path: string): Promise<Seen | "outside" | "unreadable"> {
  try {
    const found = await requests.cat({ path, side: "disk" })
    if (!found.absent && found.text === undefined) return "unreadable"
    return { path: found.path, text: found.absent ? null : (found.text ?? null) }
  } catch (error) {
    if (error instanceof Failure && error.code === "OUTSIDE_WORKSPACE") return "outside"
    throw error
  }
}

function diffOf(path: string, before: string | null, after: string): string {
  return unifiedDiff({
    oldName: before === null ? null : path,
    newName: path,
    base: splitLines(before ?? ""),
    current: splitLines(after),
  })
}

/** Nobody answered: the change becomes a pending one, as a call of Galley's own tool would have. */
async function held(asking: Asking, path: string, before: string | null, after: string): Promise<string> {
  const result = await asking.as("hold").call({ tool: "str_replace_editor", input: editInput(path, before, after) })
  return result.ok
    ? `Nobody answered in time. Nothing was written; the change waits for the person's review, and Galley writes it if they accept it. Do not make it again. ${result.text}`
    : `Nobody answered in time, and the change could not be kept for later: ${result.text} Nothing was written. ${asking.refusal}`
}

/** Writes the person's text, and gives the words of it. What waited in the file from before goes on waiting. */
async function written(asking: Asking, path: string, seen: Seen, wanted: string): Promise<string> {
  const pending = (await asking.person.status({ paths: [seen.path] })).files.length > 0
  const input = editInput(path, seen.text, wanted)
  const result = await asking.as("apply").call({ tool: "str_replace_editor", input })
  if (!result.ok) throw new Failure(result.error?.code ?? "STORE_FAILED", result.text)
  if (!pending) await asking.person.accept({ path: seen.path })
  return result.text
}

function editInput(path: string, before: string | null, after: string): Record<string, unknown> {
  if (before === null) return { command: "create", path, file_text: after }
  if (before === "") return { command: "insert", path, insert_line: 0, insert_text: after }
  return { command: "str_replace", path, old_str: before, new_str: after }
}
