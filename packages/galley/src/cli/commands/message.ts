import { type CommandModule, examples } from "../command.ts"
import { print, printJson, withWorkspace } from "../context.ts"
import { exitCodes, UsageError } from "../exit.ts"

export const command: CommandModule = {
  configure(command) {
    command.argument("<text>", "what was asked of the agent; the message is named after it")
    command.description("Begins a message by hand: a restore point that the next calls belong to. Prints its id.")
    examples(command, ['galley message "Add a discount"', 'galley message "Try again" --conversation C'])
  },
  run: (context, [text = ""]) => {
    if (text.trim() === "") throw new UsageError("The text is empty.")
    const { conversation, message: id } = context.globals
    return withWorkspace(context, "person", async ({ requests, io }) => {
      const result = await requests.message(
        { text, ...(conversation === undefined ? {} : { conversation }), ...(id === undefined ? {} : { id }) },
        io,
      )
      if (context.globals.json) printJson(context, result)
      else print(context, result.message ?? "")
      return exitCodes.done
    })
  },
}
