import type { RewindStepView } from "@galley/core/protocol/results.ts"

/** The steps that do something, or ask for something. */
export function effectiveSteps(steps: readonly RewindStepView[]): readonly RewindStepView[] {
  return steps.filter(step => step.action !== "none" && step.action !== "skip")
}

/** "3 files: 1 written, 1 deleted, 1 merged with your edits" */
export function planSummary(steps: readonly RewindStepView[]): string {
  const effective = effectiveSteps(steps)
  if (effective.length === 0) return "No file changes."
  const counts = new Map<string, number>()
  for (const step of effective) counts.set(wordFor(step), (counts.get(wordFor(step)) ?? 0) + 1)
  const parts = [...counts].map(([word, count]) => `${count} ${word}`)
  return `${effective.length} ${effective.length === 1 ? "file" : "files"}: ${parts.join(", ")}.`
}

export function wordFor(step: RewindStepView): string {
  switch (step.action) {
    case "write":
      return "put back"
    case "delete":
      return "deleted"
    case "restore":
      return "brought back"
    case "merge":
      return "merged with your edits"
    case "conflict":
      return "in conflict"
    case "none":
    case "skip":
      return "left alone"
  }
}
