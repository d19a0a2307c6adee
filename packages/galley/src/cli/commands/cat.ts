import { Buffer } from "node:buffer"
import { textOf } from "../args.ts"
import { type CommandModule, examples } from "../command.ts"
import { print, printJson, withWorkspace } from "../context.ts"
import { Failure } from "@galley/core/failure.ts"
import { exitCodes, UsageError } from "../exit.ts"
import { inert } from "../inert.ts"

export const command: CommandModule = {
  configure(command) {
    command.argument("<path>", "the file")
    command.requiredOption("--side <side>", "disk, base, current, or message:M for how it was before message M")
    command.description(
      "Prints one side of a file, byte for byte. On a terminal, control characters in it are shown, not obeyed.",
    )
    examples(command, ["galley cat src/cart.js --side base", "galley cat logo.png --side message:M > old.png"])
  },
  run: (context, [typed = ""], options) => {
    const side = textOf(options["side"]) ?? ""
    if (!/^(disk|base|current|message:.+)$/s.test(side))
      throw new UsageError(`--side is disk, base, current or message:M, not ${inert(side)}.`)
    return withWorkspace(context, "person", async ({ requests, io, path }) => {
      const { json } = context.globals
      const result = await requests.cat({ path: path(typed), side, ...(json ? {} : { raw: true }) }, io)
      if (json) printJson(context, result)
      else if (result.absent) throw new Failure("NOT_FOUND", `There is no file on the side ${side}.`)
      else {
        const bytes =
          result.base64 === undefined ? Buffer.from(result.text ?? "") : Buffer.from(result.base64, "base64")
        if (context.surroundings.stdout.isTTY === true) print(context, inert(bytes.toString("utf8")))
        else context.surroundings.stdout.write(bytes)
      }
      return exitCodes.done
    })
  },
}
