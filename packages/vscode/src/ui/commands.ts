import { Failure } from "@galley/core/failure.ts"
import { showPath } from "@galley/core/path.ts"
import type { OnConflict } from "@galley/core/protocol/requests.ts"
import {
  commands,
  ConfigurationTarget,
  Disposable,
  type OutputChannel,
  type QuickPickItem,
  window,
  workspace,
} from "vscode"
import type { Session } from "../session.ts"
import type { Sessions } from "../sessions.ts"
import { allow, deny, reviewAsk, type Waiting } from "./asks.ts"
import type { ChangesNode } from "./changes-tree.ts"
import {
  decideFiles,
  decideHunk,
  decideLines,
  decideMany,
  chosenSide,
  filesOfMessage,
  savedBefore,
  told,
  type Verdict,
} from "./decide.ts"
import type { MessagesNode } from "./messages-tree.ts"
import { goToHunk } from "./navigate.ts"
import { carryOut, closePlanTabs, planRestore, type Plans, showPlan } from "./restore.ts"
import { openFile, openReview, openReviews } from "./review-tabs.ts"
import { fileTarget, hunkTarget } from "./targets.ts"
import { type PlannedTexts, sideUri } from "./virtual-texts.ts"

export interface CommandParts {
  readonly sessions: Sessions
  readonly plans: Plans
  readonly planned: PlannedTexts
  readonly output: OutputChannel
}

type Handler = (...args: unknown[]) => Promise<unknown> | undefined

/** Everything a person can do, by the names of the manifest. */
export function registerCommands(parts: CommandParts): Disposable {
  const handlers: Readonly<Record<string, Handler>> = {
    ...decisions(parts.sessions),
    ...looking(parts),
    ...history(parts),
    ...program(parts),
  }
  return Disposable.from(
    ...Object.entries(handlers).map(([name, handler]) => commands.registerCommand(`galley.${name}`, handler)),
  )
}

function decisions(sessions: Sessions): Record<string, Handler> {
  const hunk =
    (verdict: Verdict) =>
    async (...args: unknown[]) => {
      const target = hunkTarget(sessions, args)
      if (target === null) return void window.setStatusBarMessage("No pending block here", 3000)
      if ("uri" in target) return decideHunk(sessions, verdict, target.uri, target.hunk)
      return decideFiles(target.session, verdict, [target.file])
    }
  const file =
    (verdict: Verdict) =>
    async (...args: unknown[]) => {
      const target = fileTarget(sessions, args)
      if (target !== null) await decideFiles(target.session, verdict, [target.file])
    }
  const lines = (verdict: Verdict) => async () => {
    const editor = window.activeTextEditor
    if (editor === undefined) return
    const { start, end } = editor.selection
    // A selection that ends before the first column of a line does not mean that line.
    const to = end.character === 0 && end.line > start.line ? end.line - 1 : end.line
    await decideLines(sessions, verdict, editor.document, start.line, to)
  }
  const message = (verdict: Verdict) => async (node: unknown) => {
    const meant = messageOf(node)
    if (meant === null) return
    if (meant.message === null) await decideFiles(meant.session, verdict, meant.files)
    else await decideMany(meant.session, verdict, { message: meant.message })
  }
  const all = (verdict: Verdict) => async () => {
    const pending = sessions.all.filter(session => session.pending.length > 0)
    const count = pending.reduce((sum, session) => sum + session.pending.length, 0)
    if (count === 0) return
    const verb = verdict === "accept" ? "Accept" : "Reject"
    const text = `${verb} everything the agent changed in ${count} ${count === 1 ? "file" : "files"}?`
    if (
      (await window.showWarningMessage(text, { modal: true, detail: "It can be undone." }, `${verb} All`)) === undefined
    )
      return
    for (const session of pending) await decideMany(session, verdict, { all: true })
  }
  const mark =
    (off: boolean) =>
    async (...args: unknown[]) => {
      const target = fileTarget(sessions, args)
      if (target === null) return
      await told(async () => {
        await target.session.request("mark", { path: target.file.path, ...(off ? { off } : {}) })
        await target.session.refresh()
      })
    }
  return {
    acceptHunk: hunk("accept"),
    rejectHunk: hunk("reject"),
    acceptFile: file("accept"),
    rejectFile: file("reject"),
    acceptLines: lines("accept"),
    rejectLines: lines("reject"),
    acceptMessage: message("accept"),
    rejectMessage: message("reject"),
    acceptAll: all("accept"),
    rejectAll: all("reject"),
    markReviewed: mark(false),
    unmarkReviewed: mark(true),
    acceptSubstitution: async (...args) => {
      const [, name] = args
      const session = fileTarget(sessions, args.slice(0, 1))?.session
      if (session === undefined || typeof name !== "string") return
      await told(async () => {
        const same = session.pending.filter(file => file.hunks.some(hunk => hunk.same === name))
        const paths = same.map(file => file.path)
        if (paths.length === 0 || !(await savedBefore(session, paths, "accept"))) return
        await session.request("accept", { hunks: [name] })
        await session.refresh()
      })
    },
  }
}

function looking({ sessions, planned }: CommandParts): Record<string, Handler> {
  return {
    openReview: async (...args) => {
      const target = fileTarget(sessions, args)
      if (target !== null) await told(() => openReview(target.session, target.file, target.hunk))
    },
    openFile: async (...args) => {
      const target = fileTarget(sessions, args)
      if (target !== null) await told(() => openFile(target.session, target.file, target.hunk))
    },
    reviewAll: async () => {
      for (const session of sessions.all)
        if (session.pending.length > 0) await told(() => openReviews("Pending agent changes", session, session.pending))
    },
    reviewMessage: async node => {
      const meant = messageOf(node)
      if (meant === null) return
      const title = meant.session.log?.messages.find(one => one.id === meant.message)?.title ?? "Other changes"
      await told(() => openReviews(title, meant.session, meant.files))
    },
    showMessageFile: async node => {
      const { session, path, message } = node as Extract<MessagesNode, { kind: "touched" }>
      const real = session.uriOf(path)
      const diff = [sideUri(real, { kind: "message", message }), real, `${showPath(path)} (since that message)`]
      await told(async () => void (await commands.executeCommand("vscode.diff", ...diff)))
    },
    nextHunk: () => goToHunk(sessions, 1),
    previousHunk: () => goToHunk(sessions, -1),
    groupByFile: () => group("file"),
    groupByMessage: () => group("message"),
    allow: node => (isAsk(node) ? allow(node.session, node.waiting) : undefined),
    deny: node => (isAsk(node) ? deny(node.session, node.waiting) : undefined),
    reviewAsk: node => (isAsk(node) ? reviewAsk(node.session, node.waiting, planned) : undefined),
  }
}

function history({ sessions, plans, planned }: CommandParts): Record<string, Handler> {
  const restore = (after: boolean) => async (node: unknown) => {
    const { session, row } = node as Extract<MessagesNode, { kind: "row" }>
    await planRestore(session, row.message.id, after, plans, planned)
  }
  const carry = (onConflict: "keep-mine" | "take-theirs" | null) => async () => {
    if (plans.current !== null) await carryOut(plans.current, onConflict, plans)
  }
  const again = (name: "undo" | "redo") => async () => {
    const session = sessions.all.find(one => one.status?.[name] != null)
    const next = session?.status?.[name]
    if (session === undefined || next == null) return void window.setStatusBarMessage(`Nothing to ${name}`, 3000)
    await told(async () => {
      if (!(await savedBefore(session, await pathsOf(session, next.operation), name))) return
      const request = (choice: { readonly onConflict?: OnConflict }): Promise<unknown> =>
        name === "undo"
          ? session.request("undo", { operation: next.operation, ...choice })
          : session.request("redo", choice)
      try {
        await request({})
      } catch (error) {
        if (!(error instanceof Failure) || error.code !== "CONFLICT") throw error
        const onConflict = await chosenSide(error)
        if (onConflict === null) return
        await request({ onConflict })
      } finally {
        await session.refresh().catch(() => {})
      }
      const said = name === "undo" ? "$(discard) Undid" : "$(redo) Redid"
      window.setStatusBarMessage(`${said}: ${next.title}`, 5000)
    })
  }
  return {
    restoreBefore: restore(false),
    restoreAfter: restore(true),
    doRestore: carry(null),
    restoreKeepMine: carry("keep-mine"),
    restoreTakeTheirs: carry("take-theirs"),
    showPlan: async () => {
      const plan = plans.current
      if (plan !== null) await told(() => showPlan(plan, planned))
    },
    cancelPlan: async () => {
      plans.put(null)
      await closePlanTabs()
    },
    undo: again("undo"),
    redo: again("redo"),
  }
}

function program({ sessions, output }: CommandParts): Record<string, Handler> {
  return {
    retry: async () => sessions.retry(),
    refresh: async () => told(async () => void (await Promise.all(sessions.all.map(session => session.refresh())))),
    showLog: async () => output.show(true),
    openWalkthrough: async () =>
      commands.executeCommand("workbench.action.openWalkthrough", "galley.galley-vscode#start", false),
    chooseProgram: async () => commands.executeCommand("workbench.action.openSettings", "galley.program"),
    menu: () => menu(sessions),
  }
}

/** What the status bar's item opens: what can be done now, undo and redo by what they would take back. */
async function menu(sessions: Sessions): Promise<void> {
  const items: (QuickPickItem & { readonly run: string })[] = []
  const lost = sessions.all.some(session => session.link.kind === "lost")
  if (lost)
    items.push(
      { label: "$(debug-restart) Try Again", description: "start Galley's program", run: "galley.retry" },
      { label: "$(gear) Choose the Program…", run: "galley.chooseProgram" },
      { label: "$(output) Show the Log", run: "galley.showLog" },
    )
  const files = sessions.all.reduce((sum, session) => sum + session.pending.length, 0)
  if (files > 0)
    items.push(
      {
        label: "$(diff-multiple) Review All",
        description: `${files} ${files === 1 ? "file" : "files"}`,
        run: "galley.reviewAll",
      },
      { label: "$(arrow-down) Next Block", run: "galley.nextHunk" },
      { label: "$(check-all) Accept All…", run: "galley.acceptAll" },
      { label: "$(clear-all) Reject All…", run: "galley.rejectAll" },
    )
  const status = sessions.all.map(session => session.status)
  const undo = status.find(one => one?.undo != null)?.undo
  const redo = status.find(one => one?.redo != null)?.redo
  if (undo != null) items.push({ label: "$(discard) Undo", description: undo.title, run: "galley.undo" })
  if (redo != null) items.push({ label: "$(redo) Redo", description: redo.title, run: "galley.redo" })
  items.push(
    { label: "$(list-tree) Show Changes", run: "galley.changes.focus" },
    { label: "$(history) Show Messages", run: "galley.messages.focus" },
  )
  const choice = await window.showQuickPick(items, {
    title: "Galley",
    placeHolder: lost ? "The program is not running" : "",
  })
  if (choice !== undefined) await commands.executeCommand(choice.run)
}

async function group(by: "file" | "message"): Promise<void> {
  await workspace.getConfiguration("galley").update("groupBy", by, ConfigurationTarget.Global)
}

/** What an operation touched; of one that is too far back, everything that is pending. */
async function pathsOf(session: Session, operation: string): Promise<readonly string[]> {
  const { operations } = await session.request("operations", { limit: 100 })
  return operations.find(one => one.id === operation)?.paths ?? session.pending.map(file => file.path)
}

function messageOf(node: unknown): {
  readonly session: Session
  readonly message: string | null
  readonly files: ReturnType<typeof filesOfMessage>
} | null {
  if (typeof node !== "object" || node === null) return null
  const one = node as ChangesNode | MessagesNode
  if (one.kind === "message") return { session: one.session, message: one.message, files: one.files }
  if (one.kind !== "row") return null
  const { id } = one.row.message
  return { session: one.session, message: id, files: filesOfMessage(one.session, id) }
}

function isAsk(node: unknown): node is { session: Session; waiting: Waiting } {
  return typeof node === "object" && node !== null && Reflect.get(node, "kind") === "ask"
}
