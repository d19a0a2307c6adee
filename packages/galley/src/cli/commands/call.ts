import { Buffer } from "node:buffer"
import type { CallResult } from "@galley/core/protocol/results.ts"
import { type CommandModule, examples } from "../command.ts"
import { print, printJson, withWorkspace } from "../context.ts"
import { exitCodeOf, exitCodes, type ExitCode, UsageError } from "../exit.ts"
import { inert } from "../inert.ts"

export const command: CommandModule = {
  configure(command) {
    command.argument("<tool>", "str_replace_editor or bash")
    command.argument("<json>", "the tool's input as a JSON object; - reads it from standard input")
    command.description("Makes one tool call as an agent would: recorded, reviewable, reversible.")
    examples(command, [
      `galley call str_replace_editor '{"command":"view","path":"/shop/README.md"}'`,
      `galley call bash '{"command":"make test"}' --json`,
    ])
  },
  run: async (context, [tool = "", typed = ""]) => {
    const text = typed === "-" ? Buffer.from(await context.surroundings.stdin.bytes()).toString("utf8") : typed
    const input = inputOf(text)
    return await withWorkspace(context, "agent", async ({ requests, io }) => {
      const result = await requests.call({ tool, input }, io)
      if (context.globals.json) printJson(context, result)
      else if (context.surroundings.stdout.isTTY === true) print(context, inert(result.text))
      else print(context, result.text)
      return exitOf(result)
    })
  },
}

function inputOf(text: string): Record<string, unknown> {
  let input: unknown
  try {
    input = JSON.parse(text)
  } catch (error) {
    throw new UsageError(`The input is not JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
  if (typeof input !== "object" || input === null || Array.isArray(input))
    throw new UsageError("The input must be a JSON object.")
  return input as Record<string, unknown>
}

function exitOf(result: CallResult): ExitCode {
  if (result.ok) return exitCodes.done
  return result.error === undefined ? exitCodes.failed : exitCodeOf(result.error.code)
}
