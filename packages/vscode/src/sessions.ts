import { Disposable, EventEmitter, type TextDocument, type Uri, workspace, type WorkspaceFolder } from "vscode"
import type { FileView } from "@galley/core/protocol/results.ts"
import type { WorkspacePath } from "@galley/core/path.ts"
import type { Server } from "./program/server.ts"
import { type BufferHunk, type BufferSide, bufferHunks } from "./review/buffer-hunks.ts"
import { proposalScheme } from "./review/side-uri.ts"
import { type FileTexts, Session } from "./session.ts"

/** A pending file where its text is a document of the editor's. */
export interface PendingDocument {
  readonly session: Session
  readonly path: WorkspacePath
  readonly file: FileView
  readonly texts: FileTexts
  /** Which of the two texts the document is. */
  readonly side: BufferSide
}

/** The workspaces of the window's folders. */
export class Sessions {
  private readonly open = new Map<string, Session>()
  private readonly emitter = new EventEmitter<void>()
  private readonly folders: Disposable
  private readonly start: (folder: WorkspaceFolder) => Promise<Server>
  private readonly log: (text: string) => void
  /** Fires when anything of any workspace is another. */
  readonly onDidChange = this.emitter.event

  constructor(start: (folder: WorkspaceFolder) => Promise<Server>, log: (text: string) => void) {
    this.start = start
    this.log = log
    this.folders = workspace.onDidChangeWorkspaceFolders(() => this.match())
    this.match()
  }

  /** One for each workspace: two folders of one repository show it once. */
  get all(): readonly Session[] {
    const roots = new Set<string>()
    return [...this.open.values()].filter(session => {
      const { root } = session.place
      return !roots.has(root) && roots.add(root)
    })
  }

  retry(): void {
    for (const session of this.open.values()) session.retry()
  }

  /** The workspace that a file or one of our virtual documents belongs to; of nested ones the innermost. */
  of(uri: Uri): { readonly session: Session; readonly path: WorkspacePath } | null {
    const found = this.all.flatMap(session => {
      const path = session.pathOf(uri)
      return path === null ? [] : [{ session, path }]
    })
    return found.sort((a, b) => a.path.length - b.path.length)[0] ?? null
  }

  /** What is pending in a document; null where nothing is, or its texts are not here yet. */
  pendingIn(document: TextDocument): PendingDocument | null {
    if (document.uri.scheme !== "file" && document.uri.scheme !== proposalScheme) return null
    const found = this.of(document.uri)
    const file = found?.session.fileAt(found.path) ?? null
    const texts = found?.session.textsOf(found.path) ?? null
    if (found === null || file === null || texts === null || !isText(texts)) return null
    return { ...found, file, texts, side: document.uri.scheme === proposalScheme ? "proposal" : file.disk }
  }

  hunksIn(document: TextDocument): readonly BufferHunk[] {
    const pending = this.pendingIn(document)
    return pending === null ? [] : hunksOf(pending, document.getText())
  }

  dispose(): void {
    this.folders.dispose()
    for (const session of this.open.values()) session.dispose()
    this.emitter.dispose()
  }

  private match(): void {
    const wanted = (workspace.workspaceFolders ?? []).filter(folder => folder.uri.scheme === "file")
    const keys = new Set(wanted.map(folder => folder.uri.toString()))
    for (const [key, session] of this.open)
      if (!keys.has(key)) {
        session.dispose()
        this.open.delete(key)
      }
    for (const folder of wanted) {
      const key = folder.uri.toString()
      if (this.open.has(key)) continue
      const session = new Session(folder, () => this.start(folder), this.log)
      session.onDidChange(() => this.emitter.fire())
      this.open.set(key, session)
      void session.open()
    }
    this.emitter.fire()
  }
}

export function hunksOf(pending: PendingDocument, text: string): BufferHunk[] {
  const { base, current, file } = pending.texts
  return bufferHunks({ base: base ?? "", current: current ?? "", hunks: file.hunks }, { side: pending.side, text })
}

/** An absent side is an empty text; a binary one is none. */
function isText(texts: FileTexts): boolean {
  return (texts.base !== null || texts.current !== null) && !texts.file.kinds.includes("binary")
}
