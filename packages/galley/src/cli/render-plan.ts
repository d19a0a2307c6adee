import type { RewindResult, RewindStepView } from "@galley/core/protocol/results.ts"
import { columnsOf, padColumns } from "./columns.ts"
import { inertLine } from "./inert.ts"
import type { Look } from "./look.ts"
import { renderUnified } from "./render-diff.ts"

/** A rewind as its steps, with counts and reasons: what will be done, or what was. */
export function renderPlan(
  result: RewindResult,
  shown: (path: string) => string,
  look: Look,
  withDiffs: boolean,
): string {
  const { color } = look
  if (result.steps.length === 0) return `${color.dim("No file is different there.")}\n`
  const names = result.steps.map(step => shown(step.path))
  const width = Math.min(60, Math.max(...names.map(columnsOf)))
  const lines = result.steps.flatMap((step, at) => {
    const paint = paintOf(step.action, look)
    const line = `  ${paint(actionWord(step.action).padEnd(12))}${padColumns(names[at] ?? "", width)}  ${color.dim(inertLine(step.reason))}`
    return withDiffs && step.diff !== undefined && step.diff !== ""
      ? [line.trimEnd(), indent(renderUnified(step.diff, look))]
      : [line.trimEnd()]
  })
  return `${[...lines, summary(result)].join("\n")}\n`
}

function actionWord(action: RewindStepView["action"]): string {
  switch (action) {
    case "write":
      return "write"
    case "delete":
      return "delete"
    case "restore":
      return "bring back"
    case "merge":
      return "merge"
    case "conflict":
      return "conflict"
    case "none":
      return "unchanged"
    case "skip":
      return "leave"
  }
}

function paintOf(action: RewindStepView["action"], { color }: Look): (text: string) => string {
  switch (action) {
    case "write":
    case "restore":
      return color.green
    case "merge":
      return color.cyan
    case "delete":
      return color.red
    case "conflict":
      return text => color.bold(color.yellow(text))
    case "none":
    case "skip":
      return color.dim
  }
}

function summary(result: RewindResult): string {
  const order = ["write", "restore", "merge", "delete", "conflict", "skip", "none"] as const
  const parts = order
    .map(action => ({ action, count: result.steps.filter(step => step.action === action).length }))
    .filter(part => part.count > 0)
    .map(part => `${part.count} to ${actionPhrase(part.action)}`)
  return `${parts.join(", ")}.`
}

function actionPhrase(action: RewindStepView["action"]): string {
  switch (action) {
    case "write":
      return "write"
    case "restore":
      return "bring back"
    case "merge":
      return "merge with newer changes"
    case "delete":
      return "delete"
    case "conflict":
      return "settle (both sides changed the same lines)"
    case "skip":
      return "leave alone"
    case "none":
      return "find as they should be"
  }
}

function indent(text: string): string {
  return text
    .trimEnd()
    .split("\n")
    .map(line => `      ${line}`)
    .join("\n")
}
