import type { WorkspacePath } from "@galley/core/path.ts"
import type { RequestContext } from "@galley/core/protocol/requests.ts"
import type { RequestIo } from "@galley/engine/session/request-io.ts"
import type { Requests, Workspace } from "@galley/engine/workspace.ts"
import type { Globals } from "./args.ts"
import type { Finding, Setting } from "./commands/doctor.ts"
import { inertLine } from "./inert.ts"
import { refuseInView } from "./in-view.ts"
import type { Look } from "./look.ts"
import { shownPath, workspacePath } from "./paths.ts"
import { startProgress } from "./progress.ts"
import type { Terminal } from "./terminal.ts"

/** The program's surroundings, as values. Only `main.ts` makes one from the process. */
export interface Surroundings {
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly userHome: string
  readonly cwd: string
  readonly stdout: Output
  readonly stderr: Output
  readonly stdin: { readonly isTTY?: boolean; bytes(): Promise<Uint8Array> }
  /** Aborted by Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal
  /** For what talks with a person; left out where nobody can be talked with. */
  readonly terminal?: Terminal
}

export interface Output {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string | Uint8Array): void
  /** Tells when whoever read this went away (EPIPE). Where nobody listens that ends the program, as it ends any. */
  onGone?(listener: () => void): void
}

/** What `main.ts` knows how to do for a command: the only way from here to the engine. */
export interface Engine {
  /** The folder that `--workspace`, or the current folder, means. */
  rootFor(globals: Globals): string
  open(root: string, globals: Globals): Promise<Workspace>
  /** What this machine and this workspace are like; for `doctor`. Never throws for what is wrong with them. */
  examine(globals: Globals): Promise<readonly Finding[]>
  /** Every setting as it stands. */
  settings(globals: Globals): readonly Setting[]
}

/** All that a command gets. */
export interface Context {
  readonly globals: Globals
  readonly look: Look
  readonly surroundings: Surroundings
  readonly engine: Engine
}

/** An open workspace as one command uses it. */
export interface Session {
  readonly workspace: Workspace
  readonly requests: Requests
  readonly io: RequestIo
  /** A path as typed, as the workspace knows it. */
  readonly path: (typed: string) => WorkspacePath
  /** A workspace path as its reader would type it, safe to print. */
  readonly shown: (path: WorkspacePath) => string
}

/**
 * Opens the workspace, asks it, and closes it whatever happens. What opening noticed (a recovered crash) goes to standard error.
 */
export async function withWorkspace<T>(
  context: Context,
  actor: RequestContext["actor"],
  work: (session: Session) => Promise<T>,
): Promise<T> {
  return withQuietWorkspace(context, actor, async session => {
    const progress = startProgress(context)
    try {
      return await work({ ...session, io: { ...session.io, progress: progress.say } })
    } finally {
      progress.stop()
    }
  })
}

/** The same without a line of progress, for what writes on the terminal itself. */
export async function withQuietWorkspace<T>(
  context: Context,
  actor: RequestContext["actor"],
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const { globals, engine, surroundings } = context
  if (actor === "person") refuseInView(surroundings.variables)
  const workspace = await engine.open(engine.rootFor(globals), globals)
  try {
    for (const notice of workspace.notices) surroundings.stderr.write(`galley: ${inertLine(notice)}\n`)
    return await work({
      workspace,
      requests: workspace.as(requestContext(actor, globals)),
      io: { signal: surroundings.signal },
      path: typed => workspacePath(workspace.root, surroundings.cwd, typed),
      shown: path => shownPath(workspace.root, surroundings.cwd, path),
    })
  } finally {
    await workspace.close()
  }
}

export function print(context: Context, text: string): void {
  context.surroundings.stdout.write(text.endsWith("\n") || text === "" ? text : `${text}\n`)
}

/** The one document of `--json`. */
export function printJson(context: Context, document: unknown): void {
  const indent = context.surroundings.stdout.isTTY === true ? 2 : undefined
  context.surroundings.stdout.write(`${JSON.stringify(document, null, indent)}\n`)
}

function requestContext(actor: RequestContext["actor"], globals: Globals): RequestContext {
  const { conversation, message, review, policy } = globals
  return {
    actor,
    ...(conversation === undefined ? {} : { conversation }),
    // Of a person's request, --message says what it is about; of an agent's call, what it belongs to.
    ...(message === undefined || actor === "person" ? {} : { message }),
    ...(review === undefined ? {} : { review }),
    ...(policy === undefined ? {} : { policy }),
  }
}
