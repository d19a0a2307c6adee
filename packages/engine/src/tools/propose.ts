import { Failure } from "@galley/core/failure.ts"
import { splitLines } from "@galley/core/text/lines.ts"
import type { RequestContext } from "@galley/core/protocol/requests.ts"
import type { CallResult } from "@galley/core/protocol/results.ts"
import { fileOfLines, textOf, type Loaded } from "@galley/core/change/loaded.ts"
import { editToolName } from "@galley/core/tool/edit-schema.ts"
import { shellToolName } from "@galley/core/tool/shell-schema.ts"
import { diffOfSides } from "../session/diff-text.ts"
import { changeView } from "../session/history-views.ts"
import type { IntentHandler } from "../session/intents.ts"
import { policyOf } from "../session/policy.ts"
import { agentView, beginCall, recordChange, versionOf } from "../session/record.ts"
import { sessionFiles, type SessionCall } from "../session/session-files.ts"
import type { Session } from "../session/session.ts"
import type { CallContext, ToolFiles } from "../session/tool-files.ts"
import { createEditTool } from "./edit-tool.ts"
import { previewSed } from "./sed-edit.ts"

/**
 * What a host shows a person before a change is made (REQUIREMENTS B4): an edit with its diff, or a command that can only be run to
 * know what it does.
 */
export type Proposal = EditProposal | CommandProposal

export interface EditProposal {
  readonly type: "edit"
  readonly title: string
  /** Absolute. */
  readonly filePath: string
  readonly fileDiff: string
  /** Null where there is no file yet, or no text. */
  readonly originalContent: string | null
  readonly newContent: string
  /** An external editor would edit the file, not the proposal: hosts hide that choice. */
  readonly hideModify: true
  /** Given back to `commit`; opaque. */
  readonly seal: Seal
}

export interface CommandProposal {
  readonly type: "command"
  readonly title: string
  readonly command: string
}

/** What a proposal was computed from and would write. */
export interface Seal {
  readonly path: string
  readonly version: string
  readonly after: Loaded
  readonly began: number
  readonly tool: string
  readonly title: string
  readonly capture: "recorded" | "simulated"
}

/** A tool call of an agent as its host knows it. */
export interface ToolCall {
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
}

/**
 * Computes what a call would do, without doing it: reads the file, applies the edit or substitution in memory. A call that would fail
 * throws the `Failure` that it would answer. A shell command that cannot be computed is a command to run.
 */
export async function propose(
  session: Session,
  intents: readonly IntentHandler[],
  context: RequestContext,
  call: ToolCall,
): Promise<Proposal> {
  const captured: { path: string; bytes: Uint8Array; version: string | null }[] = []
  const files = capturing(sessionFiles(session), captured)
  const began = await beginCall(session)
  const plain = await plainCall(session, context, began)
  if (call.tool === shellToolName) {
    const command = typeof call.input["command"] === "string" ? call.input["command"] : ""
    const preview = await previewSed(session, files, command, session.root.path, plain)
    if (preview === null) return { type: "command", title: command, command }
    return sealed(session, began, {
      path: preview.path,
      bytes: preview.after,
      title: command,
      tool: call.tool,
      capture: "simulated",
    })
  }
  if (call.tool !== editToolName) throw new Failure("BAD_ARGUMENT", `There is no tool ${call.tool}.`)
  const edit = createEditTool({
    files,
    config: {
      maxOutputChars: session.config["tool.maxOutputChars"],
      expandTabsOnMutation: session.config["tool.expandTabs"],
      requireAbsolutePath: false,
    },
    intents,
  })
  const result = await edit.call(call.input, plain)
  if (result.error !== undefined) throw new Failure(result.error.code, result.error.message, result.error.hint)
  const [write] = captured
  if (write === undefined)
    throw new Failure("BAD_ARGUMENT", "This call changes nothing; there is nothing to confirm.", "Run it as it is.")
  const verb = call.input["command"] === "create" ? "Create" : "Edit"
  return sealed(session, began, {
    path: write.path,
    bytes: write.bytes,
    title: `${verb} ${write.path}`,
    tool: call.tool,
    capture: "recorded",
  })
}

/**
 * Carries a confirmed edit out. What others did meanwhile is folded in first; if the file is then not what was confirmed,
 * `FILE_CHANGED_SINCE_READ` and nothing is written. `content` is the person's version of the proposal.
 */
export async function commitProposal(
  session: Session,
  context: RequestContext,
  proposal: EditProposal,
  options: { readonly content?: string } = {},
): Promise<CallResult> {
  const { seal } = proposal
  const path = await session.root.resolve(seal.path)
  const after =
    options.content === undefined ? seal.after : await withContent(session, path, seal.after, options.content)
  const outcome = await recordChange(session, {
    context,
    kind: "edit",
    title: seal.title,
    capture: seal.capture,
    changes: [{ path, after, expected: seal.version }],
    call: { tool: seal.tool, summary: seal.title, ...(context.callId === undefined ? {} : { callId: context.callId }) },
    began: seal.began,
  })
  const edited = options.content === undefined ? "" : " The person changed the proposal; the file holds their version."
  return {
    version: 1,
    ok: true,
    text: `Wrote ${seal.path}.${edited}${outcome.held ? " It is held for review: not on disk until the person accepts it." : ""}`,
    capture: seal.capture,
    changes: (outcome.operation?.changes ?? []).map(changeView),
    locations: [{ path: seal.path }],
    ...(outcome.held ? { held: true } : {}),
  }
}

async function sealed(
  session: Session,
  began: number,
  write: {
    readonly path: string
    readonly bytes: Uint8Array
    readonly title: string
    readonly tool: string
    readonly capture: Seal["capture"]
  },
): Promise<EditProposal> {
  const path = await session.root.resolve(write.path)
  const view = await agentView(session, path)
  const mode = view.state.kind === "file" ? view.state.mode : 0o644
  const after: Loaded = { kind: "file", bytes: write.bytes, mode }
  const charset = await session.charsetFor(path)
  return {
    type: "edit",
    title: write.title,
    filePath: write.path,
    fileDiff: await diffOfSides(session, path, { base: view.state, current: after }),
    originalContent: textOf(view.state, charset)?.text ?? null,
    newContent: textOf(after, charset)?.text ?? "",
    hideModify: true,
    seal: {
      path: write.path,
      version: versionOf(view.state),
      after,
      began,
      tool: write.tool,
      title: write.title,
      capture: write.capture,
    },
  }
}

async function withContent(session: Session, path: string, proposed: Loaded, content: string): Promise<Loaded> {
  const charset = await session.charsetFor(path)
  const encoding = textOf(proposed, charset)?.encoding ?? { name: "utf-8", bom: false }
  const file = fileOfLines(splitLines(content), encoding, proposed.kind === "file" ? proposed.mode : 0o644, charset)
  if (file === null)
    throw new Failure("NOT_TEXT", "The given content cannot be written in the file's encoding. Nothing was written.")
  return file
}

/** The session's files, but a write is only taken down. */
function capturing(
  files: ToolFiles,
  captured: { path: string; bytes: Uint8Array; version: string | null }[],
): ToolFiles {
  return {
    ...files,
    write: async (path, bytes, version) => {
      captured.push({ path, bytes, version })
      return { kind: "written", version }
    },
    create: async (path, bytes, call) => {
      const there = await files.read(path, call)
      if (there.kind !== "absent") return { kind: "exists", what: there.kind === "folder" ? "folder" : "file" }
      captured.push({ path, bytes, version: null })
      return { kind: "written", version: "proposed" }
    },
  }
}

async function plainCall(session: Session, context: RequestContext, began: number): Promise<SessionCall & CallContext> {
  return {
    conversation: context.conversation ?? null,
    message: context.message ?? null,
    callId: context.callId ?? null,
    policy: policyOf(session, context),
    context,
    io: {},
    began,
    title: "",
    tool: { tool: "", summary: "" },
    capture: "recorded",
    recorded: [],
  }
}
