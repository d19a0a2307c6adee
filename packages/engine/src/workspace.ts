export type { RequestIo } from "./session/request-io.ts"
import type { CallResult } from "@galley/core/protocol/results.ts"
import type { EditProposal, Proposal, ToolCall } from "./tools/propose.ts"
import type { RequestIo } from "./session/request-io.ts"
import type { Params, RequestContext, RequestName, Result } from "@galley/core/protocol/requests.ts"

/**
 * A workspace as every surface sees it: the closed set of requests of `core/protocol/requests.ts`, bound to who asks.
 *
 * Entry points (command line, MCP, page, hooks) and embedders hold one of these and nothing else of the engine.
 */
export interface Workspace {
  /** Absolute, symlinks resolved. */
  readonly root: string
  as(context: RequestContext): Requests
  /** What a tool call would do, for a host that confirms before it acts (REQUIREMENTS B4). Nothing is changed. */
  propose(context: RequestContext, call: ToolCall): Promise<Proposal>
  /** Carries a confirmed edit out, with the person's own content if they changed it. */
  commit(context: RequestContext, proposal: EditProposal, options?: { readonly content?: string }): Promise<CallResult>
  /**
   * Calls `listener` after every change by this or another process (within 200 ms; files are watched, nothing resident is
   * needed). Returns how to stop.
   */
  onChange(listener: (event: WorkspaceEvent) => void): () => void
  /** What opening repaired or noticed: "Finished the rewind that a crash interrupted (3 files)". */
  readonly notices: readonly string[]
  close(): Promise<void>
}

/** Announces, never steers: listeners ask again for what they show. */
export interface WorkspaceEvent {
  /** `Store.revision` after the change. */
  readonly revision: number
}

export type Requests = {
  readonly [N in RequestName]: (params: Params<N>, io?: RequestIo) => Promise<Result<N>>
}
