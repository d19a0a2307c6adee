import { realpathSync, statSync } from "node:fs"
import { homedir } from "node:os"
import { delimiter } from "node:path"
import {
  commands,
  type ExtensionContext,
  type OutputChannel,
  type Uri,
  window,
  workspace,
  type WorkspaceFolder,
} from "vscode"
import { locateProgram } from "./program/locate.ts"
import { type Server, startServer } from "./program/server.ts"
import { proposalScheme } from "./review/side-uri.ts"
import type { Session } from "./session.ts"
import { Sessions } from "./sessions.ts"
import { putQuestions } from "./ui/asks.ts"
import { showBadges } from "./ui/badges.ts"
import { ChangesTree } from "./ui/changes-tree.ts"
import { registerCommands } from "./ui/commands.ts"
import { takeComments } from "./ui/comments.ts"
import { keepContexts } from "./ui/contexts.ts"
import { showGutter } from "./ui/gutter.ts"
import { serveLenses } from "./ui/lenses.ts"
import { drawMarks } from "./ui/marks.ts"
import { MessagesTree } from "./ui/messages-tree.ts"
import { Plans } from "./ui/restore.ts"
import { showStatus } from "./ui/status-bar.ts"
import { keepBasesStruck } from "./ui/struck-language.ts"
import { closeDecidedProposals, type PlannedTexts, ProposalFiles, serveSides } from "./ui/virtual-texts.ts"

/** The only wiring. Returned for the tests inside the editor. */
export function activate(context: ExtensionContext): { readonly sessions: Sessions; readonly plans: Plans } {
  const output = window.createOutputChannel("Galley")
  const log = (text: string): void => output.appendLine(text)
  const sessions = new Sessions(folder => start(context, folder, log), log)
  const plans = new Plans()
  const planned: PlannedTexts = new Map()
  const proposals = new ProposalFiles(sessions)
  const changes = window.createTreeView("galley.changes", {
    treeDataProvider: new ChangesTree(sessions, plans),
    showCollapseAll: true,
  })
  const messages = window.createTreeView("galley.messages", { treeDataProvider: new MessagesTree(sessions) })
  context.subscriptions.push(
    output,
    sessions,
    proposals,
    changes,
    messages,
    workspace.registerFileSystemProvider(proposalScheme, proposals, { isCaseSensitive: true }),
    serveSides(sessions, planned),
    keepBasesStruck(),
    serveLenses(sessions),
    drawMarks(sessions),
    showGutter(sessions),
    showBadges(sessions),
    showStatus(sessions),
    takeComments(sessions),
    putQuestions(sessions, planned),
    keepContexts(sessions),
    registerCommands({ sessions, plans, planned, output }),
    sessions.onDidChange(() => {
      const count = sessions.all.reduce((sum, session) => sum + session.pending.length, 0)
      changes.badge = count === 0 ? undefined : { value: count, tooltip: `${count} files with pending changes` }
      void closeDecidedProposals(sessions)
    }),
    // What a person saves is folded in when somebody asks next; the server looks too, we need not wait for it.
    workspace.onDidSaveTextDocument(document => sessions.of(document.uri)?.session.refreshSoon()),
    workspace.onDidRenameFiles(({ files }) => sessions.all.forEach(session => void tellRenames(session, files))),
    workspace.onDidChangeConfiguration(change => {
      if (change.affectsConfiguration("galley.program")) sessions.retry()
      if (change.affectsConfiguration("galley.groupBy")) sessions.all.forEach(session => session.refreshSoon())
    }),
  )
  return { sessions, plans }
}

/** The review goes along with files that the person renames or moves here. A program that does not know of it looks for itself. */
async function tellRenames(
  session: Session,
  renames: readonly { readonly oldUri: Uri; readonly newUri: Uri }[],
): Promise<void> {
  const files = renames.flatMap(({ oldUri, newUri }) => {
    const [from, to] = [session.pathOf(oldUri), session.pathOf(newUri)]
    return from === null || to === null ? [] : [{ from, to }]
  })
  if (files.length > 0) await session.request("renamed", { files }).catch(() => {})
  session.refreshSoon()
}

function start(context: ExtensionContext, folder: WorkspaceFolder, log: OutputChannel["appendLine"]): Promise<Server> {
  const program = locateProgram({
    setting: workspace.getConfiguration("galley").get<string>("program", ""),
    extensionFolder: context.extensionPath,
    userHome: homedir(),
    pathFolders: (process.env["PATH"] ?? "").split(delimiter).filter(entry => entry !== ""),
    runtime: process.execPath,
    isElectron: process.versions["electron"] !== undefined,
    realFile,
  })
  void commands.executeCommand("setContext", "galley.programMissing", program === null)
  if (program === null)
    return Promise.reject(new Error("Galley's program was not found. Set galley.program to its path."))
  log(`Starting ${program.command} ${program.args.join(" ")} (${program.from}) for ${folder.uri.fsPath}`)
  return startServer(program, folder.uri.fsPath, log)
}

function realFile(file: string): string | null {
  try {
    const real = realpathSync(file)
    return statSync(real).isFile() ? real : null
  } catch {
    return null
  }
}

export function deactivate(): void {
  // Everything is a subscription.
}
