import { readFile } from "node:fs/promises"
import { resolve } from "node:path"
import { forced, forceOption, readWhole, textOf } from "../args.ts"
import { type CommandModule, examples } from "../command.ts"
import { print, printJson, withWorkspace } from "../context.ts"
import { exitCodes, UsageError } from "../exit.ts"
import { renderDecision } from "../render-status.ts"

export const command: CommandModule = {
  configure(command) {
    command.argument("<id>", "from status, under waiting")
    command.argument("<decision>", "allow or deny")
    command.option("--reason <text>", "for the agent")
    command.option("--content <file>", "write this instead of what was proposed; - is standard input")
    command.option("--revision <n>", "with --content: the file's revision that it was made from", readWhole)
    command.addOption(forceOption())
    command.description("Answers a call that waits for you (review mode ask).")
    examples(command, ["galley answer ID allow", 'galley answer ID deny --reason "keep the old name"'])
  },
  run: async (context, [id = "", decision = ""], options) => {
    if (decision !== "allow" && decision !== "deny") throw new UsageError("The decision is allow or deny.")
    const file = textOf(options["content"])
    const reason = textOf(options["reason"])
    if (file !== undefined && decision === "deny") throw new UsageError("--content goes with allow.")
    const content = file === undefined ? undefined : await contentOf(file)
    return await withWorkspace(context, "person", async ({ requests, io, shown }) => {
      const result = await requests.answer(
        {
          id,
          decision,
          ...(reason === undefined ? {} : { reason }),
          ...(content === undefined ? {} : { content }),
          ...(options["revision"] === undefined ? {} : { revision: options["revision"] as number }),
          ...forced(options),
        },
        io,
      )
      if (context.globals.json) printJson(context, result)
      else print(context, renderDecision(result, shown, context.look))
      return exitCodes.done
    })

    async function contentOf(name: string): Promise<string> {
      const { stdin, cwd } = context.surroundings
      const bytes = name === "-" ? await stdin.bytes() : await readFile(resolve(cwd, name))
      try {
        return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
      } catch {
        throw new UsageError("The content must be text in UTF-8.")
      }
    }
  },
}
