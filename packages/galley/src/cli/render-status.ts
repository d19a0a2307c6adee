import type { DecisionResult, FileView, StatusResult } from "@galley/core/protocol/results.ts"
import { columnsOf, padColumns } from "./columns.ts"
import { inertLine } from "./inert.ts"
import type { Colors, Look } from "./look.ts"
import { exactPath } from "./paths.ts"
import { counts, kindLetter } from "./render-file.ts"
import { hunkSummary } from "./render-diff.ts"

type Shown = (path: string) => string

/** What waits for the person, what is pending, and what can be taken back. */
export function renderStatus(status: StatusResult, shown: Shown, look: Look): string {
  const { color } = look
  const blocks = [
    [`${color.bold(inertLine(status.workspace))}  review: ${status.review}`, ...headLines(status, color)],
    (status.notices ?? []).map(notice => color.yellow(`! ${inertLine(notice)}`)),
    waitingLines(status, shown, color),
    status.files.length === 0
      ? [color.green("Nothing is pending.")]
      : [`${pendingTotal(status.files)}:`, ...fileLines(status.files, shown, color)],
    takeBackLines(status, color),
    nextLines(status, color),
  ]
  return `${blocks
    .filter(block => block.length > 0)
    .map(block => block.join("\n"))
    .join("\n\n")}\n`
}

/** What a decision did and what is left of the files it touched. */
export function renderDecision(result: DecisionResult, shown: Shown, look: Look): string {
  const { color } = look
  if (result.operation === null) return `${color.dim(inertLine(result.title ?? "There was nothing to do."))}\n`
  const lines = [`${inertLine(result.title ?? "Done")}  ${color.dim(`operation ${inertLine(result.operation)}`)}`]
  const left = result.files.filter(file => file.hunks.length > 0 || file.kinds.length > 0)
  if (left.length > 0) lines.push("Still pending:", ...fileLines(left, shown, color))
  return `${lines.join("\n")}\n`
}

export function fileLines(files: readonly FileView[], shown: Shown, color: Colors): string[] {
  const names = files.map(file =>
    file.from === undefined ? shown(exactPath(file)) : `${shown(file.from)} -> ${shown(exactPath(file))}`,
  )
  const width = Math.min(60, Math.max(0, ...names.map(columnsOf)))
  return files.map((file, at) => {
    const facts = [
      counts(file, color),
      hunkSummary(file),
      file.kinds.includes("binary") ? "binary" : "",
      file.summary === undefined ? "" : `${file.summary.files} files`,
      ...(file.properties ?? []).map(inertLine),
      file.disk === "base" ? color.yellow("held") : "",
      file.conflict ? color.bold(color.yellow("conflict")) : "",
      file.parked ? color.yellow("parked") : "",
      file.hunks.some(hunk => hunk.mixed) ? "mixed" : "",
      file.reviewed === true ? color.dim("reviewed") : "",
    ]
    const told = facts.filter(fact => fact !== "").join("  ")
    return `  ${color.bold(kindLetter(file.kinds))} ${padColumns(names[at] ?? "", width)}  ${told}`.trimEnd()
  })
}

function headLines(status: StatusResult, color: Colors): string[] {
  return status.heads.map(head =>
    color.dim(
      `conversation ${inertLine(head.conversation)} at ${head.message === null ? "its start" : inertLine(head.message)}`,
    ),
  )
}

function waitingLines(status: StatusResult, shown: Shown, color: Colors): string[] {
  if (status.waiting.length === 0) return []
  return [
    color.bold("Waiting for you:"),
    ...status.waiting.map(call => {
      const about =
        call.path !== undefined ? shown(call.path) : call.command !== undefined ? inertLine(call.command) : ""
      return `  ${color.cyan(inertLine(call.id))}  ${inertLine(call.title)}  ${about}`.trimEnd()
    }),
  ]
}

function takeBackLines(status: StatusResult, color: Colors): string[] {
  const line = (word: string, entry: StatusResult["undo"]): string[] =>
    entry === undefined || entry === null ? [] : [color.dim(`galley ${word}  would take: ${inertLine(entry.title)}`)]
  return [...line("undo", status.undo), ...line("redo", status.redo)]
}

function nextLines(status: StatusResult, color: Colors): string[] {
  const waiting = status.waiting[0]
  if (waiting !== undefined) return [color.dim(`galley answer ${inertLine(waiting.id)} allow   or deny --reason "..."`)]
  if (status.files.length === 0) return []
  return [color.dim("galley diff   galley accept PATH --hunk ID   galley reject PATH   galley accept --all")]
}

function pendingTotal(files: readonly FileView[]): string {
  const hunks = files.reduce((sum, file) => sum + file.hunks.length, 0)
  const count = `${files.length} file${files.length === 1 ? "" : "s"}`
  return hunks === 0 ? `${count} pending` : `${count} pending, ${hunks} hunk${hunks === 1 ? "" : "s"}`
}
