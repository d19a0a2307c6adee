import { showPath } from "@galley/core/path.ts"
import { EventEmitter, ThemeColor, ThemeIcon, type TreeDataProvider, TreeItem, TreeItemCollapsibleState } from "vscode"
import { type Thread, type ThreadMessage, threadsOf } from "../review/thread-rows.ts"
import { type Session, shortTitle } from "../session.ts"
import type { Sessions } from "../sessions.ts"

export type MessagesNode =
  | {
      readonly kind: "conversation"
      readonly session: Session
      readonly conversation: string
      readonly threads: readonly Thread[]
    }
  | { readonly kind: "row"; readonly session: Session; readonly row: ThreadMessage }
  | { readonly kind: "branch"; readonly session: Session; readonly thread: Thread }
  | {
      readonly kind: "touched"
      readonly session: Session
      readonly message: string
      readonly path: string
      readonly counts: string
    }

/** Conversations as trees of messages, each a point to go back to. */
export class MessagesTree implements TreeDataProvider<MessagesNode> {
  private readonly emitter = new EventEmitter<undefined>()
  private readonly sessions: Sessions
  readonly onDidChangeTreeData = this.emitter.event

  constructor(sessions: Sessions) {
    this.sessions = sessions
    sessions.onDidChange(() => this.emitter.fire(undefined))
  }

  getChildren(node?: MessagesNode): MessagesNode[] {
    if (node === undefined) return this.sessions.all.flatMap(conversations)
    const { session } = node
    switch (node.kind) {
      case "conversation":
        return node.threads.flatMap(thread => rowsOf(session, thread))
      case "branch":
        return rowsOf(session, node.thread)
      case "row":
        return [
          ...node.row.branches.map(thread => ({ kind: "branch" as const, session, thread })),
          ...node.row.message.files.map(({ path, added, removed }) => ({
            kind: "touched" as const,
            session,
            message: node.row.message.id,
            path,
            counts: `+${added} −${removed}`,
          })),
        ]
      case "touched":
        return []
    }
  }

  getTreeItem(node: MessagesNode): TreeItem {
    switch (node.kind) {
      case "conversation":
        return conversationItem(node.session, node.conversation, node.threads)
      case "row":
        return rowItem(node.session, node.row)
      case "branch":
        return branchItem(node.thread)
      case "touched":
        return touchedItem(node)
    }
  }
}

function conversations(session: Session): MessagesNode[] {
  const messages = session.log?.messages ?? []
  const names = [
    ...new Set(messages.toSorted((a, b) => b.createdAt - a.createdAt).map(message => message.conversation)),
  ]
  return names.map(conversation => ({
    kind: "conversation",
    session,
    conversation,
    threads: threadsOf(messages.filter(message => message.conversation === conversation)),
  }))
}

function rowsOf(session: Session, thread: Thread): MessagesNode[] {
  return thread.messages.map(row => ({ kind: "row", session, row }))
}

function conversationItem(session: Session, conversation: string, threads: readonly Thread[]): TreeItem {
  const item = new TreeItem(conversation, TreeItemCollapsibleState.Expanded)
  item.id = `conversation:${session.folder.uri.toString()}:${conversation}`
  const count = threads.reduce((sum, thread) => sum + thread.messages.length, 0)
  item.description = `${count} ${count === 1 ? "message" : "messages"}`
  item.iconPath = new ThemeIcon("comment-discussion")
  item.contextValue = "conversation"
  return item
}

function rowItem(session: Session, { message, branches }: ThreadMessage): TreeItem {
  const children = branches.length > 0 || message.files.length > 0
  const item = new TreeItem(
    shortTitle(session, message.title),
    branches.length > 0
      ? TreeItemCollapsibleState.Expanded
      : children
        ? TreeItemCollapsibleState.Collapsed
        : TreeItemCollapsibleState.None,
  )
  item.id = `row:${session.folder.uri.toString()}:${message.id}`
  const isHead = session.status?.heads.some(head => head.message === message.id) === true
  item.description = [
    ...(isHead ? ["now"] : []),
    ...(message.onHeadPath ? [] : ["left behind"]),
    timeOf(message.createdAt),
  ].join(" · ")
  item.iconPath = isHead
    ? new ThemeIcon("circle-filled", new ThemeColor("galley.pendingForeground"))
    : message.onHeadPath
      ? new ThemeIcon("circle-outline")
      : new ThemeIcon("git-commit", new ThemeColor("disabledForeground"))
  item.contextValue = message.onHeadPath ? "row" : "rowBehind"
  item.tooltip = `${message.title}\n${message.files.length} files changed`
  return item
}

function branchItem(thread: Thread): TreeItem {
  const count = thread.messages.length
  const item = new TreeItem(
    `Branch of ${count} ${count === 1 ? "message" : "messages"}`,
    TreeItemCollapsibleState.Expanded,
  )
  item.iconPath = new ThemeIcon("git-branch", new ThemeColor("disabledForeground"))
  return item
}

function touchedItem(node: Extract<MessagesNode, { kind: "touched" }>): TreeItem {
  const item = new TreeItem(node.session.uriOf(node.path))
  item.label = showPath(node.path.slice(node.path.lastIndexOf("/") + 1))
  item.description = node.counts
  item.iconPath = ThemeIcon.File
  item.command = { command: "galley.showMessageFile", title: "Show the Change", arguments: [node] }
  return item
}

function timeOf(at: number): string {
  return new Date(at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })
}
