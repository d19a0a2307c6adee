import { Buffer } from "node:buffer"
import { forced, forceOption, readWhole } from "../args.ts"
import { type CommandModule, examples } from "../command.ts"
import { print, printJson, withWorkspace } from "../context.ts"
import { exitCodes, UsageError } from "../exit.ts"
import { renderDecision } from "../render-status.ts"

export const command: CommandModule = {
  configure(command) {
    command.argument("<path>", "the file")
    command.requiredOption("--side <side>", "current: the proposal")
    command.option("--revision <n>", "the file's revision that you saw; another one is refused (exit 4)", readWhole)
    command.addOption(forceOption())
    command.description(
      "Edits a proposal: its new content is read from standard input, byte for byte. The agent is told at its next contact.",
    )
    examples(command, ["galley write src/cart.js --side current < mine.js"])
  },
  run: async (context, [typed = ""], options) => {
    if (options["side"] !== "current") throw new UsageError("Only --side current can be written.")
    if (context.surroundings.stdin.isTTY === true)
      throw new UsageError("The content is read from standard input.", "galley write PATH --side current < FILE")
    const bytes = await context.surroundings.stdin.bytes()
    return await withWorkspace(context, "person", async ({ requests, io, path, shown }) => {
      const result = await requests.write(
        {
          path: path(typed),
          base64: Buffer.from(bytes).toString("base64"),
          ...(options["revision"] === undefined ? {} : { revision: options["revision"] as number }),
          ...forced(options),
        },
        io,
      )
      if (context.globals.json) printJson(context, result)
      else print(context, renderDecision(result, shown, context.look))
      return exitCodes.done
    })
  },
}
