import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import * as vscode from "vscode"
import type { Sessions } from "../../../packages/vscode/src/sessions.ts"
import type { Session } from "../../../packages/vscode/src/session.ts"
import type { Plans } from "../../../packages/vscode/src/ui/restore.ts"
import { type Agent, agentIn, writeFiles } from "../galley.ts"

export interface Stage {
  readonly sessions: Sessions
  readonly session: Session
  readonly plans: Plans
  readonly root: string
  agent(settings?: readonly string[]): Agent
}

/** The extension in the window that the tests run in. */
export async function stage(): Promise<Stage> {
  const extension = vscode.extensions.getExtension<{ sessions: Sessions; plans: Plans }>("galley.galley-vscode")
  if (extension === undefined) throw new Error("The extension is not there.")
  const { sessions, plans } = await extension.activate()
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? ""
  const session = sessions.all[0]
  if (session === undefined) throw new Error("There is no session.")
  await until(() => session.status !== null, "the program's answer")
  const program = process.env["GALLEY_TEST_PROGRAM"] ?? ""
  const home = process.env["GALLEY_HOME"] ?? ""
  return { sessions, session, plans, root: folder, agent: settings => agentIn(folder, program, home, settings) }
}

/** Files of this test alone, in a folder of their own; nothing pending of an earlier one. */
export async function fresh(
  { session, root }: Stage,
  folder: string,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  await vscode.commands.executeCommand("workbench.action.closeAllEditors")
  await session.refresh()
  if (session.pending.length > 0) await session.request("accept", { all: true })
  rmSync(join(root, folder), { recursive: true, force: true })
  mkdirSync(join(root, folder), { recursive: true })
  writeFiles(join(root, folder), files)
  await session.refresh()
  if (session.pending.length > 0) await session.request("accept", { all: true })
  await session.refresh()
}

/** Waits for what must come; says what did not. */
export async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (let attempt = 0; attempt < 800; attempt++) {
    if (await condition()) return
    await new Promise(done => setTimeout(done, 50))
  }
  throw new Error(`Did not come within 40 s: ${what}`)
}

export async function show(root: string, path: string): Promise<vscode.TextEditor> {
  const document = await vscode.workspace.openTextDocument(join(root, path))
  return vscode.window.showTextDocument(document)
}

export interface Lens {
  readonly title: string
  readonly line: number
  readonly run: () => Thenable<unknown>
}

export async function lenses(uri: vscode.Uri): Promise<Lens[]> {
  const all = await vscode.commands.executeCommand<vscode.CodeLens[]>("vscode.executeCodeLensProvider", uri, 200)
  return all.flatMap(({ command, range }) =>
    command === undefined || !command.command.startsWith("galley.")
      ? []
      : [
          {
            title: command.title.replace(/\$\([\w-]+\) ?/g, ""),
            line: range.start.line,
            run: () => vscode.commands.executeCommand(command.command, ...(command.arguments ?? [])),
          },
        ],
  )
}

/** Waits until the blocks of a document have these lenses: `Accept` at these lines. */
export async function acceptsAt(uri: vscode.Uri, expected: readonly number[]): Promise<void> {
  let seen: readonly number[] = []
  await until(
    async () => {
      seen = (await lenses(uri)).filter(lens => lens.title === "Accept").map(lens => lens.line)
      return JSON.stringify(seen) === JSON.stringify(expected)
    },
    `Accept at ${JSON.stringify(expected)}`,
  ).catch((error: unknown) => {
    throw new Error(`${String(error)}; they are at ${JSON.stringify(seen)}`)
  })
}

export async function press(uri: vscode.Uri, title: string, at: number): Promise<void> {
  const lens = (await lenses(uri)).find(one => one.title === title && one.line === at)
  if (lens === undefined) throw new Error(`There is no ${title} at line ${at}.`)
  await lens.run()
}
