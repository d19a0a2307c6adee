import type { FileView, ItemKind } from "@galley/core/protocol/results.ts"
import { inertLine } from "./inert.ts"
import type { Colors, Look } from "./look.ts"

/** One line that says everything of a pending file but its lines. */
export function fileHeading(file: FileView, shown: string, { color }: Look): string {
  const from = file.from === undefined ? "" : `${inertLine(file.from)} -> `
  const parts = [
    color.bold(`${from}${shown}`),
    file.kinds.map(kind => kindWord(kind)).join(", "),
    counts(file, color),
    ...(file.properties ?? []).map(property => color.yellow(inertLine(property))),
    file.summary === undefined ? "" : `${file.summary.files} files, shown as one`,
    file.disk === "base" ? color.yellow("held: not on disk") : "",
    file.conflict ? color.bold(color.yellow("conflict")) : "",
    file.parked ? color.yellow(`parked${file.branch === undefined ? "" : ` on ${inertLine(file.branch)}`}`) : "",
    file.coarse === true ? color.dim("coarse: too different for a shortest diff") : "",
    color.dim(`${inertLine(file.id)} r${file.revision}`),
  ]
  return parts.filter(part => part !== "").join("  ")
}

export function counts(
  file: { readonly added?: number | undefined; readonly removed?: number | undefined },
  color: Colors,
): string {
  const { added, removed } = file
  if (added === undefined && removed === undefined) return ""
  const plus = (added ?? 0) === 0 ? "" : color.green(`+${added}`)
  const minus = (removed ?? 0) === 0 ? "" : color.red(`-${removed}`)
  return [plus, minus].filter(part => part !== "").join(" ")
}

export function kindWord(kind: ItemKind): string {
  switch (kind) {
    case "modify":
      return "modified"
    case "create":
      return "created"
    case "delete":
      return "deleted"
    case "rename":
      return "renamed"
    case "mode":
      return "mode changed"
    case "symlink":
      return "symbolic link"
    case "binary":
      return "binary"
    case "folder":
      return "folder"
  }
}

/** The letter of the list: the most telling of a file's kinds. */
export function kindLetter(kinds: readonly ItemKind[]): string {
  if (kinds.includes("create")) return "A"
  if (kinds.includes("delete")) return "D"
  if (kinds.includes("rename")) return "R"
  if (kinds.includes("symlink")) return "L"
  if (kinds.includes("folder")) return "F"
  if (kinds.includes("modify") || kinds.includes("binary")) return "M"
  return "P"
}
