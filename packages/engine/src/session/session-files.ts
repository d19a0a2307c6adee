import type { Charset, Loaded } from "@galley/core/change/loaded.ts"
import { Failure } from "@galley/core/failure.ts"
import type { DirectoryEntry } from "@galley/core/tool/view.ts"
import { showPath, type WorkspacePath } from "@galley/core/path.ts"
import type { RequestContext } from "@galley/core/protocol/requests.ts"
import type { RequestIo } from "./request-io.ts"
import { askPerson } from "./ask.ts"
import { diffOfSides } from "./diff-text.ts"
import { errorCode, failureFrom } from "./disk-trouble.ts"
import { policyOf, reviewModeOf } from "./policy.ts"
import { agentView, recordChange, versionOf, type ChangeOutcome } from "./record.ts"
import type { Session } from "./session.ts"
import { isStoreTrouble, writeUnrecorded } from "./unrecorded.ts"
import type { CallContext, ToolFiles, ToolRead, ToolWrite } from "./tool-files.ts"

/** One tool call on its way through a session. */
export interface SessionCall extends CallContext {
  readonly context: RequestContext
  readonly io: RequestIo
  /** Place in the log when it began. */
  readonly began: number
  readonly title: string
  readonly tool: { readonly tool: string; readonly summary: string; readonly callId?: string }
  readonly capture: "recorded" | "simulated"
  /** Filled in by a write: what was recorded. */
  readonly recorded: ChangeOutcome[]
}

/**
 * A workspace as the edit tool sees it: an agent reads its own pending text, every write is recorded before it is made, held or
 * put to the person as the review mode says.
 */
export function sessionFiles(session: Session): ToolFiles {
  return {
    root: session.root.path,
    read: (path, call) => read(session, path, sessionCall(call)),
    list: folder => list(session, folder),
    charsetFor: path => charsetFor(session, path),
    write: (path, bytes, version, call) => write(session, path, bytes, version, sessionCall(call)),
    create: (path, bytes, call) => create(session, path, bytes, sessionCall(call)),
  }
}

/** The call as this session made it. */
function sessionCall(call: CallContext): SessionCall {
  if (!("began" in call)) throw new Error("BUG: a call reached the session's files without its context")
  return call as SessionCall
}

async function read(session: Session, asked: string, _call: SessionCall): Promise<ToolRead> {
  const path = await session.root.resolve(asked)
  if (path === "") return { kind: "folder" }
  const { state, version } = await agentView(session, path)
  switch (state.kind) {
    case "file":
      return { kind: "file", bytes: state.bytes, version }
    case "absent":
      return (await holdsPending(session, path)) ? { kind: "folder" } : { kind: "absent" }
    case "folder":
      return { kind: "folder" }
    case "other":
      return { kind: "special", what: state.what }
    case "symlink":
      return { kind: "absent" }
    case "unknown":
      return tooLargeOrUnreadable(session, path)
  }
}

/** A folder that exists only because something held back is in it. */
async function holdsPending(session: Session, path: WorkspacePath): Promise<boolean> {
  const inside = await session.store.items({ under: path, pending: true })
  return inside.some(item => item.path !== path && item.disk === "base" && item.current.kind !== "absent")
}

async function tooLargeOrUnreadable(session: Session, path: WorkspacePath): Promise<ToolRead> {
  const stat = await session.files.lstat(session.root.absolute(path))
  const limit = session.config["file.maxBytes"]
  if (stat !== null && stat.size > limit) return { kind: "tooLarge", limit }
  throw new Failure("DENIED", `${showPath(path)} cannot be read (permission denied). Nothing was changed.`)
}

/** What we would then refuse to read, to show and to edit. */
function refuseTooLarge(session: Session, path: WorkspacePath, bytes: Uint8Array): void {
  const limit = session.config["file.maxBytes"]
  if (bytes.length > limit)
    throw new Failure(
      "BAD_ARGUMENT",
      `${showPath(path)} would have ${bytes.length} bytes, more than the ${limit} that a file may have here. Nothing was written.`,
      "Write it in parts, or ask the person for a larger file.maxBytes.",
    )
}

async function list(session: Session, asked: string): Promise<Awaited<ReturnType<ToolFiles["list"]>>> {
  const folder = await session.root.resolve(asked)
  const names = new Map<string, DirectoryEntry["kind"]>()
  try {
    for (const { name, kind } of await session.files.list(session.root.absolute(folder))) names.set(name, kind)
  } catch (error) {
    // A folder that is only proposed has nothing on disk.
    if (errorCode(error) !== "ENOENT" && errorCode(error) !== "ENOTDIR")
      throw failureFrom(error, `${showPath(folder === "" ? "The workspace" : folder)} cannot be listed.`) ?? error
  }
  for (const item of await session.store.items({ under: folder, pending: true })) {
    if (item.disk !== "base" || item.path === folder) continue
    const [name = "", ...deeper] = item.path.slice(folder === "" ? 0 : folder.length + 1).split("/")
    if (deeper.length > 0) {
      if (item.current.kind !== "absent" && !names.has(name)) names.set(name, "folder")
    } else if (item.current.kind === "absent") names.delete(name)
    else
      names.set(name, item.current.kind === "folder" ? "folder" : item.current.kind === "symlink" ? "symlink" : "file")
  }
  return [...names].map(([name, kind]) => ({ name, kind }))
}

async function charsetFor(session: Session, asked: string): Promise<Charset | undefined> {
  const path = await session.root.resolve(asked)
  return path === "" ? undefined : session.charsetFor(path)
}

async function write(
  session: Session,
  asked: string,
  bytes: Uint8Array,
  version: string,
  call: SessionCall,
): Promise<ToolWrite> {
  const path = await session.root.resolve(asked)
  if (path === "") return { kind: "changed" }
  refuseTooLarge(session, path, bytes)
  const view = await agentView(session, path)
  if (view.version !== version || view.state.kind !== "file") return { kind: "changed" }
  try {
    return await change(session, path, { kind: "file", bytes, mode: view.state.mode }, version, call)
  } catch (error) {
    if (error instanceof Failure && error.code === "FILE_CHANGED_SINCE_READ") return { kind: "changed" }
    throw error
  }
}

async function create(session: Session, asked: string, bytes: Uint8Array, call: SessionCall): Promise<ToolWrite> {
  const path = await session.root.resolveEntry(asked)
  if (path === "") return { kind: "exists", what: "folder" }
  refuseTooLarge(session, path, bytes)
  const { state, version } = await agentView(session, path)
  switch (state.kind) {
    case "absent":
      break
    case "file":
    case "folder":
    case "symlink":
      return { kind: "exists", what: state.kind }
    case "other":
      return { kind: "exists", what: state.what }
    case "unknown":
      throw new Failure("DENIED", `${showPath(path)} cannot be looked at. Nothing was changed.`)
  }
  return change(session, path, { kind: "file", bytes, mode: 0o666 & ~umask }, version, call)
}

/** New files get the usual mode; the process's umask is not asked for, as it is the server's, not the person's shell's. */
const umask = 0o022

async function change(
  session: Session,
  path: WorkspacePath,
  after: Loaded,
  expected: string,
  call: SessionCall,
): Promise<ToolWrite> {
  const before = (await agentView(session, path)).state
  const asked = {
    context: call.context,
    kind: "edit" as const,
    title: call.title,
    capture: call.capture,
    changes: [{ path, after, expected }],
    call: call.tool,
    began: call.began,
  }
  const outcome = await recordChange(session, asked).catch(async (error: unknown) => {
    const goesOn =
      !session.config.strict && reviewModeOf(session, call.context) === "apply" && call.policy !== "read-only"
    if (!isStoreTrouble(error) || !goesOn) throw error
    return writeUnrecorded(session, path, after, expected, error)
  })
  if (typeof outcome === "string") return { kind: "written", version: versionOf(after), remark: outcome }
  call.recorded.push(outcome)
  const written = { kind: "written" as const, version: versionOf(after), ...(outcome.held ? { held: true } : {}) }
  const asks = reviewModeOf(session, call.context) === "ask"
  // A file whose earlier changes were applied at once is on disk in `ask` too; the question is the same.
  if (outcome.operation === null || !(outcome.held || (asks && outcome.pending))) return written
  if (!asks)
    return {
      ...written,
      remark: "It is held for review: not on disk until the person accepts it; your reads through this tool see it.",
    }
  const where = outcome.held
    ? "held for review and not on disk"
    : "pending, and on disk as the file's earlier changes are"
  const answered = await askPerson(
    session,
    {
      title: call.title,
      context: call.context,
      operation: outcome.operation,
      path,
      diff: await diffOfSides(session, path, { base: before, current: after }),
    },
    call.io,
  )
  switch (answered.kind) {
    case "allowed": {
      const now = await agentView(session, path)
      const said = answered.reason === undefined ? "" : ` They said: ${answered.reason}`
      const remark = answered.edited
        ? `The person changed your proposal before allowing it; what stands in the file now differs from yours:\n${await diffOfSides(session, path, { base: after, current: now.state })}`
        : "The person allowed it."
      return { kind: "written", version: now.version, remark: `${remark}${said}` }
    }
    case "denied":
      throw new Failure(
        "DENIED",
        `The person denied this change; it was taken back.${answered.reason === undefined ? "" : ` Reason: ${answered.reason}`}`,
      )
    case "held":
      return {
        ...written,
        remark: `Nobody has answered yet: the change is ${where}. Go on with other work; you are told when it is decided.`,
      }
    case "cancelled":
      return { ...written, remark: `The call was cancelled: the change is ${where}.` }
  }
}

/** The policy that a call of this context has. */
export function callPolicy(session: Session, context: RequestContext): ReturnType<typeof policyOf> {
  return policyOf(session, context)
}
