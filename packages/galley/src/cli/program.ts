import { Command, CommanderError } from "commander"
import { declareGlobals, readGlobals, type Globals } from "./args.ts"
import type { CommandEntry } from "./command.ts"
import type { Context, Engine, Surroundings } from "./context.ts"
import { endingOf, exitCodes, UsageError } from "./exit.ts"
import { inert } from "./inert.ts"
import { lookOf } from "./look.ts"

export interface Program {
  readonly version: string
  readonly entries: readonly CommandEntry[]
  readonly surroundings: Surroundings
  readonly engine: Engine
  /** For conversations that nobody named. */
  readonly newId: () => string
}

/**
 * Runs one command line and answers with its exit code. Everything thrown ends here: as one document on standard output with
 * `--json`, else as a line or two on standard error.
 */
export async function runProgram(program: Program, typed: readonly string[]): Promise<number> {
  const { surroundings } = program
  const words = withColorSaid(typed)
  const json = words.slice(0, endOfOptions(words)).includes("--json")
  try {
    return await parse(program, words)
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.done
    const ending = endingOf(error instanceof CommanderError ? usageError(error) : error)
    const stack =
      ending.bug && surroundings.variables["GALLEY_DEBUG"] !== undefined && error instanceof Error
        ? error.stack
        : undefined
    if (json) surroundings.stdout.write(`${JSON.stringify({ error: ending.data })}\n`)
    else surroundings.stderr.write(complaint(ending.data.code, ending.data.message, ending.data.hint))
    if (stack !== undefined) surroundings.stderr.write(`${stack}\n`)
    return ending.code
  }
}

/** The commander program with the named commands loaded; the others have their summaries only. */
export async function buildProgram(program: Program, loaded: readonly string[]): Promise<Command> {
  const root = bareProgram(program)
  for (const entry of program.entries) {
    const command = root
      .command(entry.name)
      .summary(entry.summary)
      .description(entry.summary)
      .helpGroup(entry.group)
      .helpOption("-h, --help", "show help")
    if (loaded.includes(entry.name)) (await entry.load()).configure(command)
  }
  return root
}

async function parse(program: Program, words: readonly string[]): Promise<number> {
  const name = commandName(program, words)
  const root = await buildProgram(program, name === null ? [] : [name])
  if (name === null) {
    if (words.includes("--json") && !asksForHelp(words))
      throw new UsageError("No command was given.", "galley --help lists them.")
    if (words.some(word => word.startsWith("-"))) await root.parseAsync([...words], { from: "user" })
    program.surroundings.stderr.write(root.helpInformation())
    return exitCodes.usage
  }
  const entry = program.entries.find(one => one.name === name)
  let code: number = exitCodes.done
  const command = root.commands.find(one => one.name() === name)
  command?.action(async () => {
    const context = contextOf(program, readGlobals(root.opts()))
    code = (await (await entry?.load())?.run(context, command.args, command.opts())) ?? exitCodes.failed
  })
  await root.parseAsync([...words], { from: "user" })
  return code
}

function contextOf({ surroundings, engine }: Program, globals: Globals): Context {
  return { globals, surroundings, engine, look: lookOf(globals.color, surroundings.stdout, surroundings.variables) }
}

function bareProgram({ version, surroundings }: Program): Command {
  const root = new Command("galley")
  root
    .description(
      "Stands between a coding agent and your files: every change it makes is shown as an inline diff,\n" +
        "accepted or rejected hunk by hunk, and reversible to any message of the conversation.",
    )
    .usage("[options] <command> ...")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help; galley COMMAND --help for a command's own")
    .helpCommand("help [command]", "show help")
    .exitOverride()
    .configureOutput({
      writeOut: text => surroundings.stdout.write(text),
      // Said once, by runProgram; commander would say it before and in its own form.
      writeErr: () => {},
      getOutHelpWidth: () => surroundings.stdout.columns ?? 100,
      getOutHasColors: () => false,
    })
    .configureHelp({
      showGlobalOptions: true,
      optionDescription: ({ description, argChoices, long }) =>
        argChoices === undefined || long === "--color" ? description : `${description}: ${argChoices.join(", ")}`,
    })
    .addHelpText(
      "after",
      `
Examples:
  $ galley status                          what is pending, what waits for you
  $ galley diff src/cart.js                see it, hunk by hunk
  $ galley accept src/cart.js --hunk ID    take one hunk; --all takes everything
  $ galley rewind MESSAGE --plan           see what going back would do
  $ galley undo                            take back your last decision

Exit codes: 0 done, 1 refused or failed, 2 usage, 3 conflict, 4 stale.`,
    )
  declareGlobals(root)
  return root
}

/** The first word that is not an option or an option's value. */
function commandName({ entries }: Program, words: readonly string[]): string | null {
  const taking = new Set(["-w", "--workspace", "--review", "--policy", "--conversation", "--message", "--set"])
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ""
    if (word === "--") return null
    if (taking.has(word)) at++
    else if (word === "--color") at++
    else if (!word.startsWith("-")) {
      if (word === "help") return words[at + 1] === undefined ? null : known(entries, words[at + 1] ?? "")
      return known(entries, word)
    }
  }
  return null
}

function known(entries: readonly CommandEntry[], name: string): string {
  if (entries.some(entry => entry.name === name)) return name
  const near = nearest(name, entries)
  throw new UsageError(
    `There is no command ${inert(name)}.`,
    near === null ? "galley --help lists the commands." : `Did you mean ${near}?`,
  )
}

/** The command that is at most two letters away. */
function nearest(name: string, entries: readonly CommandEntry[]): string | null {
  const close = entries
    .map(entry => ({ name: entry.name, far: distance(name, entry.name) }))
    .sort((a, b) => a.far - b.far)[0]
  return close !== undefined && close.far <= 2 ? close.name : null
}

/** Levenshtein's, on command names only, so its square cost is nothing; a long word is no command's neighbour. */
function distance(a: string, b: string): number {
  if (a.length > 20) return a.length
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++)
      next.push(
        Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)),
      )
    row = next
  }
  return row[b.length] ?? a.length
}

function usageError(error: CommanderError): UsageError {
  return new UsageError(
    error.message.replace(/^error: /, "").replace(/\n\(Did you mean/, " (Did you mean"),
    "galley --help, or galley COMMAND --help.",
  )
}

function complaint(code: string, message: string, hint: string | undefined): string {
  const said = `galley: ${inert(message)}${code === "BAD_ARGUMENT" ? "" : ` [${code}]`}\n`
  return hint === undefined ? said : `${said}        ${inert(hint)}\n`
}

/** `--color` alone means always, also before an operand, which commander would take for its value. */
function withColorSaid(words: readonly string[]): readonly string[] {
  const end = endOfOptions(words)
  return words.map((word, at) =>
    word === "--color" && at < end && !["auto", "always", "never"].includes(words[at + 1] ?? "")
      ? "--color=always"
      : word,
  )
}

function asksForHelp(words: readonly string[]): boolean {
  return words.some(word => ["-h", "--help", "-V", "--version", "help"].includes(word))
}

function endOfOptions(words: readonly string[]): number {
  const at = words.indexOf("--")
  return at < 0 ? words.length : at
}
