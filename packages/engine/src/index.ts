/**
 * What an embedder uses of the engine (REQUIREMENTS E1). Adding a name here is a decision.
 *
 * A whole workspace: {@link openWorkspace} on this machine's disk, {@link embedWorkspace} over injected files, store and clock. The edit
 * tool alone: {@link createEditTool} over {@link plainToolFiles} or an own {@link ToolFiles}.
 */
export { Failure, type FailureCode, type FailureData } from "@galley/core/failure.ts"
export type { Params, RequestContext, RequestName, Result } from "@galley/core/protocol/requests.ts"
export { type Env, realEnv } from "./io/env.ts"
export type { Files } from "./io/files.ts"
export { memoryFiles } from "./io/memory-files.ts"
export { realFiles } from "./io/real-files.ts"
export { openRoot, type Root } from "./io/roots.ts"
export { type Embedding, embedWorkspace, openWorkspace } from "./open.ts"
export { type Config, resolveConfig } from "./session/config.ts"
export { type ChangeIntent, type IntentAnswer, type IntentHandler } from "./session/intents.ts"
export { plainToolFiles } from "./session/plain-tool-files.ts"
export type { CallContext, ToolFiles, ToolRead, ToolWrite } from "./session/tool-files.ts"
export type { WorkspaceLock } from "./store/lock.ts"
export { memoryStore } from "./store/memory.ts"
export { memoryLock, openLock } from "./store/open-lock.ts"
export { openSqliteStore } from "./store/sqlite.ts"
export type { Store } from "./store/store.ts"
export { createEditTool, type EditResult, type EditTool } from "./tools/edit-tool.ts"
export type { EditProposal, Proposal, ToolCall } from "./tools/propose.ts"
export type { RequestIo, Requests, Workspace, WorkspaceEvent } from "./workspace.ts"
