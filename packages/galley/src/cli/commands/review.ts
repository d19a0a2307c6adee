import { type CommandModule, examples } from "../command.ts"
import { withQuietWorkspace } from "../context.ts"
import { exitCodes, UsageError } from "../exit.ts"
import { review } from "../review/review.ts"

export const command: CommandModule = {
  configure(command) {
    command.argument("[path...]", "only these files and folders")
    command.option("--plain", "line by line and in words: for screen readers, simple terminals and pipes")
    command.description(
      "Reviews what is pending in the terminal, hunk by hunk: accept, reject, split, edit, comment, undo. Calls that wait for you come\n" +
        "first. ? lists the keys. What is left when you quit stays pending. --message M shows only what that message changed.",
    )
    examples(command, ["galley review", "galley review src", "galley review --plain"])
  },
  run: async (context, operands, options) => {
    if (context.globals.json) throw new UsageError("galley review talks with a person; it has no --json.")
    const { message } = context.globals
    return withQuietWorkspace(context, "person", async ({ workspace, path, shown }) => {
      const { cwd } = context.surroundings
      const paths = operands.flatMap(operand => (operand === "." && cwd === workspace.root ? [] : [path(operand)]))
      await review(context, workspace, shown, {
        plain: options["plain"] === true,
        paths: paths.length === 0 ? null : paths,
        message: message ?? null,
      })
      return context.surroundings.signal.aborted ? 130 : exitCodes.done
    })
  },
}
