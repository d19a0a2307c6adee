import { type CommandModule, examples } from "../command.ts"
import { print, printJson, withWorkspace } from "../context.ts"
import { exitCodes } from "../exit.ts"
import { inertLine } from "../inert.ts"

export const command: CommandModule = {
  configure(command) {
    command.argument("<path>", "the file whose recorded contents go")
    command.description(
      "Removes every recorded content of a file from Galley's store for good: a secret that was in it, for example. " +
        "The file itself stays as it is. This cannot be undone, and earlier states of the file cannot be brought back.",
    )
    examples(command, ["galley purge .env"])
  },
  run: (context, [typed = ""]) =>
    withWorkspace(context, "person", async ({ requests, io, path }) => {
      const result = await requests.purge({ path: path(typed) }, io)
      if (context.globals.json) printJson(context, result)
      else print(context, inertLine(result.text))
      return exitCodes.done
    }),
}
