import { realpathSync } from "node:fs"
import { Failure } from "@galley/core/failure.ts"
import type { WorkspacePath } from "@galley/core/path.ts"
import type { Params, RequestName, Result } from "@galley/core/protocol/requests.ts"
import type { FileView, LogResult, StatusResult } from "@galley/core/protocol/results.ts"
import { EventEmitter, Uri, type WorkspaceFolder } from "vscode"
import { type Place, fileOf, pathOf } from "./place.ts"
import { originsOf } from "./review/origins.ts"
import type { Server } from "./program/server.ts"
import { Connection, type Link } from "./wire/connection.ts"

export type FileTexts = Result<"file">

/** Changes come in bursts while an agent works; they are answered together (ms). */
const settleTime = 40
/** Operations that are looked through for the messages of pending files. */
const operationsRead = 300

/**
 * What is pending in one folder, as the program says, and the wire to it. Everything that is shown is derived from this and from the
 * buffers, each time anew.
 */
export class Session {
  status: StatusResult | null = null
  log: LogResult | null = null
  readonly folder: WorkspaceFolder
  private origins: ReadonlyMap<WorkspacePath, readonly string[]> = new Map()
  private readonly texts = new Map<WorkspacePath, FileTexts>()
  private readonly connection: Connection
  private readonly emitter = new EventEmitter<void>()
  private readonly realFolder: string
  private refreshing: Promise<void> | null = null
  private again = false
  private timer: NodeJS.Timeout | null = null
  /** Fires when anything of this is another. */
  readonly onDidChange = this.emitter.event

  constructor(folder: WorkspaceFolder, start: () => Promise<Server>, log: (text: string) => void) {
    this.folder = folder
    this.realFolder = realpathSync(folder.uri.fsPath)
    this.connection = new Connection(
      start,
      link => {
        if (link.kind === "lost") log(`Connection lost: ${link.why}`)
        this.emitter.fire()
      },
      () => this.refreshSoon(),
    )
  }

  open(): Promise<void> {
    return this.connection.open()
  }

  retry(): void {
    this.connection.retry()
  }

  get link(): Link {
    return this.connection.state
  }

  get place(): Place {
    return {
      root: this.status?.workspace ?? this.realFolder,
      folder: this.folder.uri.fsPath,
      realFolder: this.realFolder,
    }
  }

  uriOf(path: WorkspacePath): Uri {
    return Uri.file(fileOf(this.place, path))
  }

  /** Null for a file outside of this workspace. */
  pathOf(uri: Uri): WorkspacePath | null {
    return pathOf(this.place, uri.fsPath)
  }

  /** What can be decided: not what is set aside for another branch. */
  get pending(): readonly FileView[] {
    return (this.status?.files ?? []).filter(file => !file.parked)
  }

  fileAt(path: WorkspacePath): FileView | null {
    return this.pending.find(file => file.path === path) ?? null
  }

  /** The messages that a pending file was changed in; not those that a restore left behind. */
  messagesOf(file: FileView): readonly string[] {
    if (file.messages !== undefined) return file.messages
    const standing = new Set(this.log?.messages.filter(message => message.onHeadPath).map(message => message.id))
    return (this.origins.get(file.path) ?? []).filter(message => standing.has(message))
  }

  /** Both texts of a pending file if they are here already. */
  textsOf(path: WorkspacePath): FileTexts | null {
    return this.fileAt(path) === null ? null : (this.texts.get(path) ?? null)
  }

  /** Both texts of a pending file, of the revision that `status` has; null where nothing is pending. */
  async loadTexts(path: WorkspacePath): Promise<FileTexts | null> {
    const file = this.fileAt(path)
    if (file === null) return null
    const known = this.texts.get(path)
    if (known !== undefined && sameRevision(known.file, file)) return known
    try {
      const texts = await this.connection.request("file", { path })
      this.texts.set(path, texts)
      return texts
    } catch (error) {
      if (error instanceof Failure && error.code === "NOT_FOUND") return null
      throw error
    }
  }

  /** What does not raise the revision (a comment) is asked for anew. */
  forgetTexts(path: WorkspacePath): void {
    this.texts.delete(path)
  }

  request<N extends RequestName>(name: N, params: Params<N>): Promise<Result<N>> {
    return this.connection.request(name, params)
  }

  /** Tells who shows things that texts have come. */
  announce(): void {
    this.emitter.fire()
  }

  refreshSoon(): void {
    this.timer ??= setTimeout(() => {
      this.timer = null
      void this.refresh().catch(() => this.emitter.fire())
    }, settleTime)
  }

  /** Asks anew; who waits for it sees the state of after the call. */
  async refresh(): Promise<void> {
    if (this.refreshing !== null) {
      this.again = true
      await this.refreshing.catch(() => {})
      if (this.refreshing !== null) return this.refreshing
      if (!this.again) return
    }
    this.again = false
    this.refreshing = this.ask().finally(() => {
      this.refreshing = null
    })
    return this.refreshing
  }

  dispose(): void {
    if (this.timer !== null) clearTimeout(this.timer)
    this.connection.close()
    this.emitter.dispose()
  }

  private async askOrigins(): Promise<ReadonlyMap<WorkspacePath, readonly string[]>> {
    const unknown = this.pending.filter(file => file.messages === undefined)
    if (unknown.length === 0) return new Map()
    const { operations } = await this.connection.request("operations", { limit: operationsRead })
    return new Map(unknown.map(file => [file.path, originsOf(operations, file.path)]))
  }

  private async ask(): Promise<void> {
    this.status = await this.connection.request("status", {})
    this.log = await this.connection.request("log", {})
    this.origins = await this.askOrigins()
    for (const path of this.texts.keys())
      if (this.fileAt(path) === null) this.texts.delete(path)
      else await this.loadTexts(path)
    this.emitter.fire()
  }
}

/** A title without the workspace's own path in it, which tells nothing here. */
export function shortTitle(session: Session, title: string): string {
  return title.replaceAll(`${session.place.root}/`, "")
}

function sameRevision(a: FileView, b: FileView): boolean {
  return a.id === b.id && a.revision === b.revision
}
