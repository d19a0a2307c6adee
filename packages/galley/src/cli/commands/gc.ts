import { readAmount } from "../args.ts"
import { type CommandModule, examples } from "../command.ts"
import { print, printJson, withWorkspace } from "../context.ts"
import { exitCodes } from "../exit.ts"
import { inertLine } from "../inert.ts"

export const command: CommandModule = {
  configure(command) {
    command.option("--dry-run", "only say what would go")
    command.option("--keep-days <n>", "keep what is younger (default: setting gc.keepDays)", readAmount)
    command.option("--max-bytes <n>", "drop the oldest until the store is smaller than this", readAmount)
    command.option("--abandoned", "also drop what was rewound and is on no branch that a conversation stands on")
    command.description(
      "Drops old contents from Galley's store, never what is pending, and says how far back one can still rewind.",
    )
    examples(command, ["galley gc --dry-run", "galley gc --keep-days 30", "galley gc --abandoned --dry-run"])
  },
  run: (context, _operands, options) =>
    withWorkspace(context, "person", async ({ requests, io }) => {
      const dryRun = options["dryRun"] === true
      const result = await requests.gc(
        {
          ...(dryRun ? { dryRun } : {}),
          ...(options["abandoned"] === true ? { abandoned: true } : {}),
          ...(options["keepDays"] === undefined ? {} : { keepDays: options["keepDays"] as number }),
          ...(options["maxBytes"] === undefined ? {} : { maxBytes: options["maxBytes"] as number }),
        },
        io,
      )
      if (context.globals.json) printJson(context, result)
      else {
        const word = dryRun ? "would go" : "are gone"
        print(
          context,
          `${result.removedBlobs} contents ${word} (${inBytes(result.freedBytes)}).\n${inertLine(result.reach)}`,
        )
      }
      return exitCodes.done
    }),
}

export function inBytes(bytes: number): string {
  const units = ["bytes", "KB", "MB", "GB", "TB"]
  const at = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10))
  return `${at === 0 ? bytes : (bytes / 1024 ** at).toFixed(1)} ${units[at] ?? ""}`
}
