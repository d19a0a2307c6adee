import type { OperationView } from "@galley/core/protocol/results.ts"
import { readWhole } from "../args.ts"
import { fitColumns, padColumns } from "../columns.ts"
import { type CommandModule, examples } from "../command.ts"
import { print, printJson, withWorkspace } from "../context.ts"
import { exitCodes, UsageError } from "../exit.ts"
import { inertLine } from "../inert.ts"
import type { Look } from "../look.ts"
import { renderTree, timeOf } from "../render-tree.ts"

export const command: CommandModule = {
  configure(command) {
    command.argument("[path]", "with --operations: only those that touched this file")
    command.option("--operations", "every operation, newest last, instead of the tree of messages")
    command.option("-n, --limit <n>", "with --operations: the newest N", readWhole)
    command.description("Draws the messages of each conversation as a tree: each one is a point to rewind to.")
    examples(command, ["galley log", "galley log --conversation C", "galley log --operations -n 20"])
  },
  run: (context, [operand], options) => {
    const wantsOperations = options["operations"] === true
    if (!wantsOperations && (operand !== undefined || options["limit"] !== undefined))
      throw new UsageError("A path and --limit go with --operations.")
    return withWorkspace(context, "person", async ({ requests, io, path, shown }) => {
      const { globals, look } = context
      if (wantsOperations) {
        const result = await requests.operations(
          {
            ...(operand === undefined ? {} : { path: path(operand) }),
            ...(options["limit"] === undefined ? {} : { limit: options["limit"] as number }),
          },
          io,
        )
        if (globals.json) printJson(context, result)
        else print(context, renderOperations(result.operations, shown, look))
      } else {
        const { conversation } = globals
        const result = await requests.log(conversation === undefined ? {} : { conversation }, io)
        if (globals.json) printJson(context, result)
        else print(context, renderTree(result, look))
      }
      return exitCodes.done
    })
  },
}

export function renderOperations(
  operations: readonly OperationView[],
  shown: (path: string) => string,
  { color, width }: Look,
): string {
  if (operations.length === 0) return color.dim("No operation yet.")
  const rows = operations.map(operation => {
    const what = operation.title ?? `${operation.kind} ${operation.paths.map(shown).join(", ")}`
    const aside = [
      operation.capture === "none" ? "" : operation.capture,
      operation.undone ? "undone" : "",
      operation.remark === undefined ? "" : inertLine(operation.remark),
    ].filter(part => part !== "")
    const start = `${inertLine(operation.id)}  ${operation.at === undefined ? "" : `${timeOf(operation.at)}  `}${padColumns(operation.actor, 8)}  ${padColumns(operation.kind, 8)}  `
    const room =
      width === null ? Number.POSITIVE_INFINITY : Math.max(20, width - start.length - aside.join("  ").length - 2)
    const title = fitColumns(inertLine(what), room)
    return `${color.dim(start)}${operation.undone ? color.strikethrough(title) : title}  ${color.dim(aside.join("  "))}`.trimEnd()
  })
  return rows.join("\n")
}
