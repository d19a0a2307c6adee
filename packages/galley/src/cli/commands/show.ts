import { type CommandModule, examples } from "../command.ts"
import { print, printJson, withWorkspace } from "../context.ts"
import { exitCodes } from "../exit.ts"
import { inertLine } from "../inert.ts"
import { renderUnified } from "../render-diff.ts"
import { counts } from "../render-file.ts"

export const command: CommandModule = {
  configure(command) {
    command.argument("<id>", "of an operation, a message or a pending file")
    command.description("Shows what an operation or a message did, or what is pending in a file, as a unified diff.")
    examples(command, ["galley show ID"])
  },
  run: (context, [id = ""]) =>
    withWorkspace(context, "person", async ({ requests, io, shown }) => {
      const result = await requests.show({ id }, io)
      const { look, globals } = context
      if (globals.json) printJson(context, result)
      else {
        const { operation } = result
        const aside =
          operation === undefined ? "" : `  ${operation.actor} ${operation.kind}${operation.undone ? ", undone" : ""}`
        print(
          context,
          `${look.color.bold(inertLine(result.title))}  ${look.color.dim(`${result.kind} ${inertLine(id)}${aside}`)}`,
        )
        for (const file of result.files) print(context, `  ${shown(file.path)}  ${counts(file, look.color)}`.trimEnd())
        if (result.diff !== "") print(context, `\n${renderUnified(result.diff, look)}`)
      }
      return exitCodes.done
    }),
}
