import type { LogResult } from "@galley/core/protocol/results.ts"
import { fitColumns } from "./columns.ts"
import { inertLine } from "./inert.ts"
import type { Look } from "./look.ts"
import { counts } from "./render-file.ts"

type Message = LogResult["messages"][number]

const filesNamed = 4

/**
 * The tree of messages, oldest at the top. The way to where the conversation stands is the trunk; what was rewound hangs off it
 * as a branch, drawn before the trunk goes on:
 *
 * ```
 * ● m1  Add a cart
 * ├─○ m2  First try        what was taken back
 * │ ○ m3  More of it
 * @ m4  Second try         where the conversation stands
 * ```
 */
export function renderTree(log: LogResult, look: Look): string {
  if (log.messages.length === 0)
    return `${look.color.dim("No message yet. An agent's first call begins one, or `galley message`.")}\n`
  const tree = treeOf(log.messages)
  return tree.conversations
    .map(conversation => {
      const heading = look.color.bold(`conversation ${inertLine(conversation)}`)
      const roots = tree.roots.filter(root => root.conversation === conversation)
      const atStart = roots.some(root => root.onHeadPath)
        ? []
        : [`${look.color.cyan("@")} ${look.color.dim("before the first message")}`]
      return `${[heading, ...atStart, ...siblings(roots, "", tree, look)].join("\n")}\n`
    })
    .join("\n")
}

interface Tree {
  readonly conversations: readonly string[]
  readonly roots: readonly Message[]
  readonly children: ReadonlyMap<string, readonly Message[]>
}

function treeOf(messages: readonly Message[]): Tree {
  const ordered = [...messages].sort((a, b) => a.createdAt - b.createdAt)
  const known = new Set(ordered.map(message => message.id))
  // A parent that is not listed (another conversation's, or expired) makes a root.
  const isRoot = (message: Message): boolean => message.parent === null || !known.has(message.parent)
  const roots = ordered.filter(isRoot)
  const children = Map.groupBy(
    ordered.filter(message => !isRoot(message)),
    message => message.parent ?? "",
  )
  return { roots, children, conversations: [...new Set(roots.map(root => root.conversation))] }
}

/** Draws messages of one parent: branches first, then the trunk in the same column. Only branches recurse, so depth is small. */
function siblings(messages: readonly Message[], prefix: string, tree: Tree, look: Look): string[] {
  const rows: string[] = []
  let level = messages
  while (level.length > 0) {
    const trunk = level.find(message => message.onHeadPath) ?? level[level.length - 1]
    for (const branch of level.filter(message => message !== trunk))
      rows.push(...branchRows(branch, prefix, tree, look))
    if (trunk === undefined) break
    const next = tree.children.get(trunk.id) ?? []
    rows.push(...messageRows(trunk, prefix, isHead(trunk, tree), next.length > 0, look))
    level = next
  }
  return rows
}

function branchRows(branch: Message, prefix: string, tree: Tree, look: Look): string[] {
  const rows = siblings([branch], "", tree, look)
  return rows.map((row, at) => `${prefix}${look.color.dim(at === 0 ? "├─" : "│ ")}${row}`)
}

/** The last message of its conversation's way to the head. */
function isHead(message: Message, tree: Tree): boolean {
  return message.onHeadPath && !(tree.children.get(message.id) ?? []).some(child => child.onHeadPath)
}

function messageRows(message: Message, prefix: string, head: boolean, goesOn: boolean, look: Look): string[] {
  const { color, width } = look
  const mark = head ? color.bold(color.cyan("@")) : message.onHeadPath ? color.cyan("●") : color.dim("○")
  const id = head ? color.bold(inertLine(message.id)) : inertLine(message.id)
  const room = width === null ? Number.POSITIVE_INFINITY : Math.max(10, width - prefix.length - message.id.length - 26)
  const title = fitColumns(inertLine(message.title), room)
  const aside = [timeOf(message.createdAt), head ? "where it stands" : message.onHeadPath ? "" : "taken back"]
  const first = `${prefix}${mark} ${id}  ${title}  ${color.dim(aside.filter(part => part !== "").join("  "))}`.trimEnd()
  const line = goesOn ? color.dim("│") : " "
  return [first, ...fileRows(message, look).map(row => `${prefix}${line}   ${row}`)]
}

function fileRows(message: Message, { color, width }: Look): string[] {
  const named = message.files.slice(0, filesNamed).map(file => {
    const name = width === null ? inertLine(file.path) : fitColumns(inertLine(file.path), Math.max(20, width - 30))
    return `${name} ${counts(file, color)}`.trimEnd()
  })
  const more = message.files.length - named.length
  return more > 0 ? [...named, color.dim(`and ${more} more`)] : named
}

/** Local time, minutes. */
export function timeOf(milliseconds: number): string {
  const date = new Date(milliseconds)
  const two = (value: number): string => String(value).padStart(2, "0")
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`
}
