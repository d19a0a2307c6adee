import { type CommandModule, examples } from "../command.ts"
import { type Context, print, printJson, type Session, withWorkspace } from "../context.ts"
import { exitCodes } from "../exit.ts"
import { inertLine } from "../inert.ts"
import { exactPath } from "../paths.ts"
import { renderFileDiff, renderUnified } from "../render-diff.ts"

export const command: CommandModule = {
  configure(command) {
    command.argument("[path]", "a file, or a folder and all in it")
    command.option("-u, --unified", "as a unified diff, which git apply and patch take")
    command.description(
      "Shows pending changes inline, hunk by hunk, with the ids that accept and reject take. " +
        "With --message M: what that message changed, as a unified diff.",
    )
    examples(command, [
      "galley diff",
      "galley diff src/cart.js",
      "galley diff --message M",
      "galley diff -u > pending.patch",
    ])
  },
  run: (context, [operand], options) =>
    withWorkspace(context, "person", async session => {
      const { message } = context.globals
      const path = operand === undefined || operand === "." ? undefined : session.path(operand)
      const wanted = { ...(path === undefined ? {} : { path }), ...(message === undefined ? {} : { message }) }
      const result = await session.requests.diff(wanted, session.io)
      if (context.globals.json) printJson(context, result)
      else if (options["unified"] === true) print(context, result.diff)
      else if (message !== undefined) print(context, renderUnified(result.diff, context.look))
      else if (result.files.length === 0) print(context, context.look.color.green("Nothing is pending."))
      else await printFiles(context, session, result.files.map(exactPath))
      return exitCodes.done
    }),
}

/** File by file, so that the first is on the screen while the last is still read. */
async function printFiles(context: Context, session: Session, paths: readonly string[]): Promise<void> {
  for (const [at, path] of paths.entries()) {
    const view = await session.requests.file({ path }, session.io)
    const text = renderFileDiff(view, session.shown(path), context.look)
    const links = view.file.kinds.includes("symlink") ? await linkLines(context, session, path) : ""
    print(context, `${at === 0 ? "" : "\n"}${text}${links}`)
  }
}

/** Where a symbolic link leads, before and after; a side that is no link is told by the file's kinds. */
async function linkLines(context: Context, { requests, io }: Session, path: string): Promise<string> {
  const { color } = context.look
  const [base, current] = await Promise.all(["base", "current"].map(side => requests.cat({ path, side }, io)))
  const line = (sign: string, target: string | undefined, paint: (text: string) => string): string =>
    target === undefined || target === "" ? "" : paint(`  ${sign} leads to ${inertLine(target)}\n`)
  return line("-", base?.text, color.red) + line("+", current?.text, color.green)
}
