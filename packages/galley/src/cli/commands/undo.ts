import type { OnConflict } from "@galley/core/protocol/requests.ts"
import { forced, forceOption, onConflictOption } from "../args.ts"
import { type CommandModule, examples } from "../command.ts"
import { print, printJson, withWorkspace } from "../context.ts"
import { exitCodes } from "../exit.ts"
import { renderDecision } from "../render-status.ts"

export const command: CommandModule = {
  configure(command) {
    command.argument("[operation]", "the operation you mean; if it is not the newest one any more, exit 4")
    command.addOption(onConflictOption())
    command.addOption(forceOption())
    command.description(
      "Takes back your newest decision: an accept, a reject, an edit, an answer or a rewind. Again for the one before. " +
        "What an agent did is taken back by reject or rewind.",
    )
    examples(command, ["galley undo", "galley undo OPERATION"])
  },
  run: (context, [operation], options) =>
    withWorkspace(context, "person", async ({ requests, io, shown }) => {
      const result = await requests.undo(
        {
          ...(operation === undefined ? {} : { operation }),
          ...(options["onConflict"] === undefined ? {} : { onConflict: options["onConflict"] as OnConflict }),
          ...forced(options),
        },
        io,
      )
      if (context.globals.json) printJson(context, result)
      else
        print(
          context,
          renderDecision(
            { title: result.operation === null ? "There is nothing to undo." : "Undone", ...result },
            shown,
            context.look,
          ),
        )
      return exitCodes.done
    }),
}
