import type { Charset } from "@galley/core/change/loaded.ts"
import { Failure } from "@galley/core/failure.ts"
import { matchesGlob } from "@galley/core/glob.ts"
import type { WorkspacePath } from "@galley/core/path.ts"
import { assembleWorkspace } from "./assemble.ts"
import { iconvCodec } from "./io/codec.ts"
import { declaredCharset } from "./io/editorconfig.ts"
import type { Env } from "./io/env.ts"
import type { Files } from "./io/files.ts"
import { realFiles } from "./io/real-files.ts"
import { openRoot, type Root } from "./io/roots.ts"
import { sweepRunFolders } from "./io/view-folder.ts"
import { watchFolder } from "./io/watch.ts"
import type { Config } from "./session/config.ts"
import { unforeseen } from "./session/disk-trouble.ts"
import { settleLost } from "./session/hook-look.ts"
import type { IntentHandler } from "./session/intents.ts"
import { repairInterrupted } from "./session/repair.ts"
import type { Session } from "./session/session.ts"
import type { WorkspaceLock } from "./store/lock.ts"
import { locateStore } from "./store/location.ts"
import { openLock } from "./store/open-lock.ts"
import { openSqliteStore } from "./store/sqlite.ts"
import type { Store } from "./store/store.ts"
import type { Workspace, WorkspaceEvent } from "./workspace.ts"

/** Opens a workspace on this machine's disk, its store under `home`. What a crash interrupted is finished or undone first. */
export async function openWorkspace(options: {
  readonly root: string
  readonly home: string
  readonly config: Config
  readonly env: Env
}): Promise<Workspace> {
  try {
    return await openOnDisk(options)
  } catch (error) {
    throw unforeseen(error)
  }
}

async function openOnDisk(options: Parameters<typeof openWorkspace>[0]): Promise<Workspace> {
  const files = realFiles()
  const root = await openRoot(files, options.root)
  const place = locateStore(root.path, { variables: { GALLEY_HOME: options.home }, userHome: options.home })
  const store = await openSqliteStore({ folder: place.folder, env: options.env })
  const lock = openLock(place.folder, options.env)
  // Copies of the workspace that commands of a killed process had: they may hold secrets, and would wait for the next command.
  if (!store.readOnly) sweepRunFolders(`${place.folder}/views`)
  const moved =
    place.formerRoot === null ? [] : [`This workspace was at ${place.formerRoot} before; its history came along.`]
  const watch = (listener: (event: WorkspaceEvent) => void): (() => void) => watchStore(store, place.folder, listener)
  return embedWorkspace({
    files,
    root,
    store,
    lock,
    env: options.env,
    config: options.config,
    notices: moved,
    watch,
    scratch: place.folder,
    masked: [place.home],
  })
}

/** What an embedder injects. Everything else is the engine's. */
export interface Embedding {
  readonly files: Files
  readonly root: Root
  readonly store: Store
  readonly lock: WorkspaceLock
  readonly env: Env
  readonly config: Config
  readonly intents?: readonly IntentHandler[]
  readonly notices?: readonly string[]
  readonly watch?: (listener: (event: WorkspaceEvent) => void) => () => void
  /** A private folder on disk for views of commands; without one commands have no view. */
  readonly scratch?: string
  /** Folders that commands must not reach. */
  readonly masked?: readonly string[]
}

/** Opens a workspace over injected files, store and clock (REQUIREMENTS E1). */
export async function embedWorkspace(parts: Embedding): Promise<Workspace> {
  const session = sessionOf(parts)
  const repaired = parts.store.readOnly ? [] : await parts.lock.hold(() => repairInterrupted(session))
  const lost = parts.store.readOnly ? [] : await settleLost(session)
  const readOnly = parts.store.readOnly
    ? ["The store is damaged or cannot be written: it is open for reading only."]
    : []
  return assembleWorkspace({
    session,
    notices: [...(parts.notices ?? []), ...readOnly, ...repaired, ...lost],
    intents: parts.intents ?? [],
    watch: parts.watch ?? (listener => pollStore(session, listener)),
  })
}

function sessionOf(parts: Embedding): Session {
  const declared = parts.config["file.charset"].map(entry => {
    const at = entry.lastIndexOf("=")
    if (at < 1) throw new Failure("BAD_ARGUMENT", `file.charset takes GLOB=CHARSET, not ${entry}.`)
    return { glob: entry.slice(0, at), charset: entry.slice(at + 1) }
  })
  return {
    root: parts.root,
    files: parts.files,
    store: parts.store,
    lock: parts.lock,
    env: parts.env,
    config: parts.config,
    scratch: parts.scratch ?? null,
    masked: parts.masked ?? [],
    unrecorded: [],
    charsetFor: async (path: WorkspacePath): Promise<Charset | undefined> => {
      const configured = declared.find(entry => matchesGlob(path, entry.glob))?.charset
      const charset = configured ?? (await declaredCharset(parts.files, parts.root, path))
      return charset === undefined ? undefined : { charset, codec: await iconvCodec() }
    },
  }
}

/** Listens to the store's folder and tells once for each new revision. */
function watchStore(store: Store, folder: string, listener: (event: WorkspaceEvent) => void): () => void {
  const tell = announcer(store, listener)
  const watching = watchFolder(folder, tell)
  return () => watching.close()
}

function pollStore(session: Session, listener: (event: WorkspaceEvent) => void): () => void {
  const tell = announcer(session.store, listener)
  const stop = new AbortController()
  const loop = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      tell()
      await session.env.sleep(150, stop.signal)
    }
  }
  loop().catch(() => stop.abort())
  return () => stop.abort()
}

function announcer(store: Store, listener: (event: WorkspaceEvent) => void): () => void {
  let told: number | null = null
  let asking = false
  let again = false
  const ask = (): void => {
    asking = true
    store
      .revision()
      .then(revision => {
        if (told !== null && revision !== told) listener({ revision })
        told = revision
      })
      .catch(() => {
        // A store that is closing has nothing to tell.
      })
      .finally(() => {
        asking = false
        if (again) {
          again = false
          ask()
        }
      })
  }
  ask()
  return () => {
    if (asking) again = true
    else ask()
  }
}
