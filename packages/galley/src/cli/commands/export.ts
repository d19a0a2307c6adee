import { open } from "node:fs/promises"
import { resolve } from "node:path"
import { textOf } from "../args.ts"
import { type CommandModule, examples } from "../command.ts"
import { print, printJson, type Session, withWorkspace } from "../context.ts"
import { exitCodes } from "../exit.ts"
import { exactPath } from "../paths.ts"
import { showPath } from "@galley/core/path.ts"

export const command: CommandModule = {
  configure(command) {
    command.option(
      "-o, --output <file>",
      "write it there (a new file, readable by you alone) instead of standard output",
    )
    command.description(
      "Prints all that Galley knows of the workspace as one JSON document: messages, operations with their diffs, and both " +
        "sides of what is pending. It may hold secrets that files held.",
    )
    examples(command, ["galley export > galley.json", "galley export -o galley.json"])
  },
  run: (context, _operands, options) =>
    withWorkspace(context, "person", async session => {
      const document = await gather(session)
      const file = textOf(options["output"])
      if (file === undefined) printJson(context, document)
      else {
        const path = resolve(context.surroundings.cwd, file)
        const handle = await open(path, "wx", 0o600)
        try {
          await handle.writeFile(`${JSON.stringify(document)}\n`)
        } finally {
          await handle.close()
        }
        if (context.globals.json) printJson(context, { version: 1, file: path })
        else print(context, `Written to ${showPath(path)}.`)
      }
      return exitCodes.done
    }),
}

async function gather({ requests, io, workspace }: Session): Promise<unknown> {
  const status = await requests.status({}, io)
  const log = await requests.log({}, io)
  const { operations } = await requests.operations({}, io)
  const told: unknown[] = []
  for (const [at, operation] of operations.entries()) {
    io.progress?.(`operation ${at + 1} of ${operations.length}`)
    told.push({ ...operation, diff: await diffOf(operation.id) })
  }
  const pending: unknown[] = []
  for (const file of status.files) {
    const path = exactPath(file)
    const sides = await Promise.all(["base", "current"].map(side => requests.cat({ path, side, raw: true }, io)))
    pending.push({ ...file, base: sides[0]?.base64 ?? null, current: sides[1]?.base64 ?? null })
  }
  return { version: 1, workspace: workspace.root, messages: log.messages, operations: told, pending }

  /** A content that was purged or lost leaves a gap in the export, not an end to it. */
  async function diffOf(id: string): Promise<string | null> {
    try {
      return (await requests.show({ id }, io)).diff
    } catch {
      return null
    }
  }
}
