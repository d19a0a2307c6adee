import { Failure } from "@galley/core/failure.ts"
import {
  Disposable,
  EventEmitter,
  type FileChangeEvent,
  FileChangeType,
  FileSystemError,
  type FileSystemProvider,
  FileType,
  type TextDocument,
  Uri,
  window,
  workspace,
} from "vscode"
import { proposalScheme, type Side, sideFrom, sideQuery, sideScheme } from "../review/side-uri.ts"
import type { Sessions } from "../sessions.ts"

/** The address of a virtual text of this file. */
export function sideUri(file: Uri, side: Side): Uri {
  return file.with({ scheme: sideScheme, query: sideQuery(side), fragment: "" })
}

export function proposalUri(file: Uri): Uri {
  return file.with({ scheme: proposalScheme, query: "", fragment: "" })
}

/** The real file behind a virtual text. */
export function realUri(uri: Uri): Uri {
  return uri.scheme === "file" ? uri : Uri.file(uri.path)
}

/** What plans and questions would leave in files, by address; they live as long as the window. */
export type PlannedTexts = Map<string, string>

/** Serves base, planned and earlier texts as documents that cannot be written. */
export function serveSides(sessions: Sessions, planned: PlannedTexts): Disposable {
  const emitter = new EventEmitter<Uri>()
  const isLive = (document: TextDocument): boolean =>
    document.uri.scheme === sideScheme && sideFrom(document.uri.query)?.kind === "base"
  return Disposable.from(
    emitter,
    workspace.registerTextDocumentContentProvider(sideScheme, {
      onDidChange: emitter.event,
      provideTextDocumentContent: uri => sideText(sessions, planned, uri),
    }),
    sessions.onDidChange(() => {
      for (const document of workspace.textDocuments) if (isLive(document)) emitter.fire(document.uri)
    }),
  )
}

async function sideText(sessions: Sessions, planned: PlannedTexts, uri: Uri): Promise<string> {
  const side = sideFrom(uri.query)
  if (side === null || side.kind === "empty") return ""
  if (side.kind === "planned") return planned.get(uri.toString()) ?? ""
  const found = sessions.of(realUri(uri))
  if (found === null) return ""
  if (side.kind === "base") {
    const texts = await found.session.loadTexts(found.path)
    // Nothing pending (any more): base is what is on disk, and the diff is empty.
    if (texts !== null) return texts.base ?? ""
  }
  const wanted = side.kind === "message" ? `message:${side.message}` : "disk"
  const answer = await found.session.request("cat", { path: found.path, side: wanted })
  return answer.text ?? ""
}

/**
 * The current text of files whose base is on disk, as documents that can be edited. Saving one edits the proposal, of the revision that
 * was read; nothing here ever touches the file.
 */
export class ProposalFiles implements FileSystemProvider {
  private readonly emitter = new EventEmitter<FileChangeEvent[]>()
  private readonly read = new Map<string, { readonly revision: number; readonly text: string; readonly at: number }>()
  private readonly sessions: Sessions
  private readonly listening: Disposable
  readonly onDidChangeFile = this.emitter.event

  constructor(sessions: Sessions) {
    this.sessions = sessions
    this.listening = sessions.onDidChange(() => this.announce())
  }

  async readFile(uri: Uri): Promise<Uint8Array> {
    return new TextEncoder().encode((await this.load(uri)).text)
  }

  async stat(uri: Uri): Promise<{ type: FileType; ctime: number; mtime: number; size: number }> {
    const { text, at } = await this.load(uri)
    return { type: FileType.File, ctime: 0, mtime: at, size: Buffer.byteLength(text) }
  }

  async writeFile(uri: Uri, content: Uint8Array): Promise<void> {
    const found = this.sessions.of(realUri(uri))
    if (found === null) throw FileSystemError.FileNotFound(uri)
    const text = new TextDecoder().decode(content)
    const known = this.read.get(uri.toString())
    try {
      const revision = known === undefined ? {} : { revision: known.revision }
      await found.session.request("write", { path: found.path, text, ...revision })
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      if (error.code === "STALE_REVISION") {
        await found.session.refresh()
        throw new FileSystemError(
          `${error.message} The proposal changed while you edited it: compare, then save again.`,
        )
      }
      throw new FileSystemError(error.message)
    }
    await found.session.refresh()
    await this.load(uri)
  }

  watch(): Disposable {
    return new Disposable(() => {})
  }

  readDirectory(): [string, FileType][] {
    return []
  }

  createDirectory(uri: Uri): void {
    throw FileSystemError.NoPermissions(uri)
  }

  delete(uri: Uri): void {
    throw FileSystemError.NoPermissions(uri)
  }

  rename(uri: Uri): void {
    throw FileSystemError.NoPermissions(uri)
  }

  dispose(): void {
    this.listening.dispose()
    this.emitter.dispose()
  }

  private async load(uri: Uri): Promise<{ readonly text: string; readonly at: number }> {
    const found = this.sessions.of(realUri(uri))
    const texts = (await found?.session.loadTexts(found.path)) ?? null
    const key = uri.toString()
    const known = this.read.get(key)
    if (texts === null) {
      if (known !== undefined) return known
      throw FileSystemError.FileNotFound(uri)
    }
    const text = texts.current ?? ""
    if (known !== undefined && known.text === text) {
      this.read.set(key, { ...known, revision: texts.file.revision })
      return known
    }
    const fresh = { revision: texts.file.revision, text, at: (known?.at ?? Date.now()) + 1 }
    this.read.set(key, fresh)
    return fresh
  }

  private announce(): void {
    const open = workspace.textDocuments.filter(document => document.uri.scheme === proposalScheme)
    this.emitter.fire(open.map(({ uri }) => ({ type: FileChangeType.Changed, uri })))
  }
}

/** Closes the tabs of proposals that are decided: there is nothing left to edit. Unsaved ones stay. */
export async function closeDecidedProposals(sessions: Sessions): Promise<void> {
  const decided = (uri: Uri): boolean => {
    const found = sessions.of(realUri(uri))
    return found !== null && found.session.status !== null && found.session.fileAt(found.path) === null
  }
  const tabs = window.tabGroups.all.flatMap(group => group.tabs)
  const over = tabs.filter(tab => {
    const uri = tab.input !== null && typeof tab.input === "object" ? modifiedOf(tab.input) : null
    return uri?.scheme === proposalScheme && !tab.isDirty && decided(uri)
  })
  if (over.length > 0) await window.tabGroups.close(over, true)
}

function modifiedOf(input: object): Uri | null {
  const uri: unknown = Reflect.get(input, "modified") ?? Reflect.get(input, "uri")
  return uri instanceof Uri ? uri : null
}
