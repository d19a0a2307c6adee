import type { Selection } from "@galley/core/protocol/requests.ts"
import { forced, forceOption, onConflictOption, readLines, readWhole } from "./args.ts"
import { type CommandModule, examples } from "./command.ts"
import { print, printJson, withWorkspace } from "./context.ts"
import { exitCodes, UsageError } from "./exit.ts"
import { renderDecision } from "./render-status.ts"

/** `accept` and `reject` differ in their texts and in the request they make. */
export function decisionCommand(
  verb: "accept" | "reject",
  help: { readonly description: string; readonly examples: readonly string[] },
): CommandModule {
  return {
    configure(command) {
      command.argument("[path]", "a file, or a folder and all in it")
      command.option("--hunk <id...>", "these hunks: ids from diff or status, or numbers with --revision")
      command.option("--lines <ranges>", "these lines alone: old:A-B,new:C-D, counted from 1", readLines)
      command.option("--property <name...>", "these properties alone: mode, encoding, existence")
      command.option("--all", "everything that is pending")
      command.option("--revision <n>", "the file's revision that you saw; another one is refused (exit 4)", readWhole)
      command.addOption(onConflictOption())
      command.addOption(forceOption())
      command.description(help.description)
      examples(command, help.examples)
    },
    run: (context, operands, options) => {
      const typed = selectionOf(operands[0], options, context.globals.message)
      return withWorkspace(context, "person", async ({ requests, io, path, shown }) => {
        const selection = typed.path === undefined ? typed : { ...typed, path: path(typed.path) }
        const result = await requests[verb](selection, io)
        if (context.globals.json) printJson(context, result)
        else print(context, renderDecision(result, shown, context.look))
        return exitCodes.done
      })
    },
  }
}

/** What was typed as a selection, or a complaint that it selects nothing, or two things at once. */
export function selectionOf(
  path: string | undefined,
  options: Readonly<Record<string, unknown>>,
  message: string | undefined,
): Selection {
  const hunks = words(options["hunk"])
  const properties = words(options["property"])
  const selection: Selection = {
    ...(path === undefined || path === "." ? {} : { path }),
    ...(hunks === undefined ? {} : { hunks }),
    ...(properties === undefined ? {} : { properties }),
    ...(message === undefined ? {} : { message }),
    ...(options["lines"] === undefined ? {} : { lines: options["lines"] as NonNullable<Selection["lines"]> }),
    ...(options["all"] === true || path === "." ? { all: true } : {}),
    ...(options["revision"] === undefined ? {} : { revision: options["revision"] as number }),
    ...(options["onConflict"] === undefined
      ? {}
      : { onConflict: options["onConflict"] as NonNullable<Selection["onConflict"]> }),
    ...forced(options),
  }
  const partOfFile = hunks !== undefined || properties !== undefined || selection.lines !== undefined
  if (partOfFile && selection.path === undefined)
    throw new UsageError(
      "--hunk, --lines and --property are of one file: name it.",
      "The file comes first: galley accept PATH --hunk ID ID.",
    )
  if (selection.path === undefined && message === undefined && selection.all !== true)
    throw new UsageError("Say what: a PATH, --message M, or --all.")
  if (selection.all === true && (partOfFile || message !== undefined || selection.path !== undefined))
    throw new UsageError("--all takes everything; it cannot stand beside a path, a hunk or a message.")
  if (selection.revision !== undefined && selection.path === undefined)
    throw new UsageError("--revision is of one file: name it.")
  return selection
}

/** `--hunk a b`, `--hunk a,b` and `--hunk a --hunk b` alike. */
function words(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined
  return value.flatMap(word => String(word).split(",")).filter(word => word !== "")
}
