import { readPlace } from "../args.ts"
import { type CommandModule, examples } from "../command.ts"
import { print, printJson, withWorkspace } from "../context.ts"
import { exitCodes, UsageError } from "../exit.ts"
import { renderDecision } from "../render-status.ts"

export const command: CommandModule = {
  configure(command) {
    command.argument("<place>", "PATH, or PATH:LINE in the proposed text")
    command.argument("<text>", "what the agent should know")
    command.description("Leaves a comment for the agent, which gets it at its next contact, once.")
    examples(command, ['galley comment src/cart.js:12 "round to cents"'])
  },
  run: (context, [place = "", text = ""]) => {
    if (text.trim() === "") throw new UsageError("The comment is empty.")
    const { path: typed, line } = readPlace(place)
    const { conversation } = context.globals
    return withWorkspace(context, "person", async ({ requests, io, path, shown }) => {
      const result = await requests.comment(
        {
          path: path(typed),
          text,
          ...(line === undefined ? {} : { line }),
          ...(conversation === undefined ? {} : { conversation }),
        },
        io,
      )
      if (context.globals.json) printJson(context, result)
      else
        print(
          context,
          renderDecision({ title: "The agent is told at its next contact.", ...result }, shown, context.look),
        )
      return exitCodes.done
    })
  },
}
