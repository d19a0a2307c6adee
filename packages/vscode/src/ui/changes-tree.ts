import { showPath } from "@galley/core/path.ts"
import type { FileView, HunkView, StatusResult } from "@galley/core/protocol/results.ts"
import {
  EventEmitter,
  MarkdownString,
  ThemeColor,
  ThemeIcon,
  type TreeDataProvider,
  TreeItem,
  TreeItemCollapsibleState,
  workspace,
} from "vscode"
import { editorLines, hunkOf } from "../review/buffer-hunks.ts"
import { planSummary, wordFor } from "../review/plan-summary.ts"
import { type Session, shortTitle } from "../session.ts"
import type { Sessions } from "../sessions.ts"
import type { Plan, Plans } from "./restore.ts"

export type ChangesNode =
  | { readonly kind: "plan"; readonly plan: Plan }
  | { readonly kind: "step"; readonly plan: Plan; readonly index: number }
  | { readonly kind: "ask"; readonly session: Session; readonly waiting: StatusResult["waiting"][number] }
  | { readonly kind: "notice"; readonly text: string }
  | {
      readonly kind: "message"
      readonly session: Session
      readonly message: string | null
      readonly files: readonly FileView[]
    }
  | { readonly kind: "file"; readonly session: Session; readonly file: FileView }
  | { readonly kind: "hunk"; readonly session: Session; readonly file: FileView; readonly hunk: HunkView }
  | { readonly kind: "parked"; readonly session: Session; readonly files: readonly FileView[] }

/** What waits for the person: questions, a plan to restore, files and blocks by the message they came with. */
export class ChangesTree implements TreeDataProvider<ChangesNode> {
  private readonly emitter = new EventEmitter<undefined>()
  private readonly sessions: Sessions
  private readonly plans: Plans
  readonly onDidChangeTreeData = this.emitter.event

  constructor(sessions: Sessions, plans: Plans) {
    this.sessions = sessions
    this.plans = plans
    sessions.onDidChange(() => this.emitter.fire(undefined))
    plans.onDidChange(() => this.emitter.fire(undefined))
  }

  async getChildren(node?: ChangesNode): Promise<ChangesNode[]> {
    if (node === undefined) return this.roots()
    switch (node.kind) {
      case "plan":
        return node.plan.steps.map((_step, index) => ({ kind: "step", plan: node.plan, index }))
      case "message":
      case "parked":
        return node.files.map(file => ({ kind: "file", session: node.session, file }))
      case "file":
        await node.session.loadTexts(node.file.path).catch(() => null)
        return node.file.hunks.map(hunk => ({ ...node, kind: "hunk", hunk }))
      case "ask":
      case "notice":
      case "step":
      case "hunk":
        return []
    }
  }

  getTreeItem(node: ChangesNode): TreeItem {
    switch (node.kind) {
      case "plan":
        return planItem(node.plan)
      case "step":
        return stepItem(node.plan, node.index)
      case "ask":
        return askItem(node.session, node.waiting)
      case "notice":
        return noticeItem(node.text)
      case "message":
        return messageItem(node.session, node.message, node.files)
      case "file":
        return fileItem(node.session, node.file)
      case "hunk":
        return hunkItem(node.session, node.file, node.hunk)
      case "parked":
        return parkedItem(node.files)
    }
  }

  private roots(): ChangesNode[] {
    const plan = this.plans.current
    return [
      ...(plan === null ? [] : [{ kind: "plan" as const, plan }]),
      ...this.sessions.all.flatMap(session => [
        ...(session.status?.notices ?? []).map(text => ({ kind: "notice" as const, text })),
        ...(session.status?.waiting ?? []).map(waiting => ({ kind: "ask" as const, session, waiting })),
        ...changes(session),
      ]),
    ]
  }
}

function changes(session: Session): ChangesNode[] {
  const parked = (session.status?.files ?? []).filter(file => file.parked)
  const tail: ChangesNode[] = parked.length === 0 ? [] : [{ kind: "parked", session, files: parked }]
  if (workspace.getConfiguration("galley").get<string>("groupBy") === "file")
    return [...session.pending.map(file => ({ kind: "file" as const, session, file })), ...tail]
  const groups = new Map<string | null, FileView[]>()
  for (const file of session.pending)
    for (const message of session.messagesOf(file).length > 0 ? session.messagesOf(file) : [null])
      groups.set(message, [...(groups.get(message) ?? []), file])
  const order = new Map(session.log?.messages.map(message => [message.id, message.createdAt]))
  return [
    ...[...groups]
      .sort(([a], [b]) => (order.get(b ?? "") ?? 0) - (order.get(a ?? "") ?? 0))
      .map(([message, files]) => ({ kind: "message" as const, session, message, files })),
    ...tail,
  ]
}

function planItem(plan: Plan): TreeItem {
  const item = new TreeItem("Restore?", TreeItemCollapsibleState.Expanded)
  item.description = planSummary(plan.steps)
  item.iconPath = new ThemeIcon("history", new ThemeColor("galley.pendingForeground"))
  item.contextValue = plan.steps.some(step => step.action === "conflict") ? "planConflict" : "plan"
  item.tooltip = `To ${plan.after ? "after" : "before"} “${plan.title}”\n${item.description}\nNothing is written until you say Restore.`
  return item
}

function stepItem(plan: Plan, index: number): TreeItem {
  const step = plan.steps[index]
  if (step === undefined) return new TreeItem("")
  const item = new TreeItem(plan.session.uriOf(step.path))
  item.label = baseName(step.path)
  item.description = `${wordFor(step)}${step.reason === "" ? "" : ` · ${step.reason}`}`
  item.iconPath =
    step.action === "conflict" ? new ThemeIcon("warning", new ThemeColor("list.warningForeground")) : ThemeIcon.File
  item.command = { command: "galley.showPlan", title: "Show the Plan" }
  return item
}

function askItem(session: Session, waiting: StatusResult["waiting"][number]): TreeItem {
  const item = new TreeItem(shortTitle(session, waiting.title))
  item.description = "waits for you"
  item.iconPath = new ThemeIcon("question", new ThemeColor("galley.pendingForeground"))
  item.contextValue = "ask"
  item.command = { command: "galley.reviewAsk", title: "Review", arguments: [{ kind: "ask", session, waiting }] }
  if (waiting.command !== undefined) item.tooltip = new MarkdownString().appendCodeblock(waiting.command, "sh")
  return item
}

function noticeItem(text: string): TreeItem {
  const item = new TreeItem(text)
  item.iconPath = new ThemeIcon("info")
  item.tooltip = text
  return item
}

function messageItem(session: Session, message: string | null, files: readonly FileView[]): TreeItem {
  const found = session.log?.messages.find(one => one.id === message)
  const item = new TreeItem(
    found === undefined ? "Other changes" : shortTitle(session, found.title),
    TreeItemCollapsibleState.Expanded,
  )
  item.id = `message:${session.folder.uri.toString()}:${message ?? ""}`
  item.description = `${files.length} ${files.length === 1 ? "file" : "files"}`
  item.iconPath = new ThemeIcon("sparkle")
  item.contextValue = message === null ? "other" : "message"
  item.tooltip = found?.title ?? ""
  return item
}

function fileItem(session: Session, file: FileView): TreeItem {
  const open = file.hunks.length > 0 && !file.parked
  const item = new TreeItem(
    session.uriOf(file.path),
    open ? TreeItemCollapsibleState.Collapsed : TreeItemCollapsibleState.None,
  )
  item.label = baseName(file.path)
  const folder = file.path.slice(0, Math.max(0, file.path.lastIndexOf("/")))
  item.description = [showPath(folder), ...factsOf(file)].filter(text => text !== "").join(" · ")
  item.iconPath = file.reviewed === true ? new ThemeIcon("eye") : ThemeIcon.File
  item.contextValue = file.parked ? "parkedFile" : file.reviewed === true ? "fileReviewed" : "file"
  item.command = { command: "galley.openReview", title: "Open Review", arguments: [{ kind: "file", session, file }] }
  item.tooltip = [showPath(file.path), ...factsOf(file), ...(file.properties ?? [])].join("\n")
  return item
}

function factsOf(file: FileView): string[] {
  const kinds = file.kinds.filter(kind => kind !== "modify")
  return [
    ...(file.from === undefined ? [] : [`from ${showPath(file.from)}`]),
    ...kinds.map(kind => (kind === "create" ? "new" : kind === "delete" ? "deleted" : kind)),
    ...(file.added === undefined && file.removed === undefined ? [] : [`+${file.added ?? 0} −${file.removed ?? 0}`]),
    ...(file.disk === "base" ? ["proposed"] : []),
    ...(file.conflict ? ["conflict"] : []),
    ...(file.branch === undefined ? [] : [`on ${file.branch}`]),
    ...(file.summary === undefined ? [] : [`${file.summary.files} files`]),
  ]
}

function hunkItem(session: Session, file: FileView, view: HunkView): TreeItem {
  const texts = session.textsOf(file.path)
  const hunk = hunkOf(view)
  const lines = (text: string | null | undefined, from: number, to: number): string =>
    editorLines(text ?? "")
      .slice(from, to)
      .map(line => line.trim())
      .find(line => line !== "") ?? ""
  const first =
    lines(texts?.current, hunk.fromCurrent, hunk.toCurrent) ||
    lines(texts?.base, hunk.fromBase, hunk.toBase) ||
    "(empty lines)"
  const item = new TreeItem(first)
  item.description = `${Math.max(1, view.newStart)} · +${view.newLines} −${view.oldLines}`
  item.iconPath = iconOf(view)
  item.contextValue = "hunk"
  item.command = {
    command: "galley.openReview",
    title: "Open",
    arguments: [{ kind: "hunk", session, file, hunk: view }],
  }
  return item
}

function iconOf(view: HunkView): ThemeIcon {
  if (view.conflict) return new ThemeIcon("warning", new ThemeColor("list.warningForeground"))
  if (view.oldLines === 0) return new ThemeIcon("diff-added", new ThemeColor("galley.addedForeground"))
  if (view.newLines === 0) return new ThemeIcon("diff-removed", new ThemeColor("galley.removedForeground"))
  return new ThemeIcon("diff-modified", new ThemeColor("galley.pendingForeground"))
}

function parkedItem(files: readonly FileView[]): TreeItem {
  const item = new TreeItem("Set aside with another branch", TreeItemCollapsibleState.Collapsed)
  item.description = String(files.length)
  item.iconPath = new ThemeIcon("git-branch")
  item.contextValue = "parked"
  return item
}

function baseName(path: string): string {
  return showPath(path.slice(path.lastIndexOf("/") + 1))
}
