import { type CommandModule, examples } from "../command.ts"
import { print, printJson, withWorkspace } from "../context.ts"
import { exitCodes } from "../exit.ts"
import { renderStatus } from "../render-status.ts"

export const command: CommandModule = {
  configure(command) {
    command.argument("[path...]", "only these files and folders")
    command.description("Shows what is pending, which calls wait for your answer, and what undo would take back.")
    examples(command, ["galley status", "galley status src --json"])
  },
  run: (context, operands) =>
    withWorkspace(context, "person", async ({ requests, io, path, shown, workspace }) => {
      const paths = operands.map(operand => (operand === "." ? operand : path(operand)))
      // "." is the whole workspace when it is typed at its top, else the current folder.
      const wanted = paths.flatMap(one => (one === "." ? here(workspace.root, context.surroundings.cwd) : [one]))
      const status = await requests.status(wanted.length === 0 ? {} : { paths: wanted }, io)
      if (context.globals.json) printJson(context, status)
      else print(context, renderStatus(status, shown, context.look))
      return exitCodes.done
    }),
}

function here(root: string, cwd: string): string[] {
  return cwd.startsWith(`${root}/`) ? [cwd.slice(root.length + 1)] : []
}
