import type { Command } from "commander"
import type { Context } from "./context.ts"

/** One command of the program. Each is a file of its own that is only loaded when it is asked for, or for help. */
export interface CommandModule {
  /** Adds operands, options, examples. The name and the summary are on it already. */
  readonly configure: (command: Command) => void
  /**
   * Does it. `options` are the command's own, named by commander. Ends with an exit code: one of the contract's
   * (`ExitCode`), or, for `run`, that of the command which was run.
   */
  readonly run: (
    context: Context,
    operands: readonly string[],
    options: Readonly<Record<string, unknown>>,
  ) => Promise<number>
}

/** A row of the program's table: what help and completions list without loading anything. */
export interface CommandEntry {
  readonly name: string
  readonly summary: string
  readonly group: "For agents:" | "Review:" | "History:" | "Care:"
  readonly load: () => Promise<CommandModule>
}

/** Examples under a command's help, as they are typed. */
export function examples(command: Command, lines: readonly string[]): void {
  command.addHelpText("after", `\nExamples:\n${lines.map(line => `  $ ${line}`).join("\n")}`)
}
