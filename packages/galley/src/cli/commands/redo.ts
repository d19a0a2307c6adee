import type { OnConflict } from "@galley/core/protocol/requests.ts"
import { forced, forceOption, onConflictOption } from "../args.ts"
import { type CommandModule, examples } from "../command.ts"
import { print, printJson, withWorkspace } from "../context.ts"
import { exitCodes } from "../exit.ts"
import { renderDecision } from "../render-status.ts"

export const command: CommandModule = {
  configure(command) {
    command.addOption(onConflictOption())
    command.addOption(forceOption())
    command.description("Does again what was undone last, unless you decided something else since.")
    examples(command, ["galley redo"])
  },
  run: (context, _operands, options) =>
    withWorkspace(context, "person", async ({ requests, io, shown }) => {
      const result = await requests.redo(
        {
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
            { title: result.operation === null ? "There is nothing to redo." : "Done again", ...result },
            shown,
            context.look,
          ),
        )
      return exitCodes.done
    }),
}
