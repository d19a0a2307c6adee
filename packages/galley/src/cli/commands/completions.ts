import type { Command } from "commander"
import { type CommandModule, examples } from "../command.ts"
import { print, printJson } from "../context.ts"
import { exitCodes, UsageError } from "../exit.ts"

/** Needs every command's options, so it is made with the whole program, by `commands.ts`. */
export function completionsCommand(wholeProgram: () => Promise<Command>): CommandModule {
  return {
    configure(command) {
      command.argument("<shell>", "bash, zsh or fish")
      command.description("Prints a script that completes galley's commands and options in your shell.")
      examples(command, [
        'eval "$(galley completions bash)"     # in ~/.bashrc',
        'eval "$(galley completions zsh)"      # in ~/.zshrc, after compinit',
        "galley completions fish > ~/.config/fish/completions/galley.fish",
      ])
    },
    async run(context, [shell = ""]) {
      const words = wordsOf(await wholeProgram())
      const script = scriptFor(shell, words)
      if (script === null) throw new UsageError("The shell is bash, zsh or fish.")
      if (context.globals.json) printJson(context, { version: 1, shell, script })
      else print(context, script)
      return exitCodes.done
    },
  }
}

/** What can be completed, as data; every shell's script is made from it. */
export interface Words {
  readonly globals: readonly OptionWords[]
  readonly commands: readonly {
    readonly name: string
    readonly summary: string
    readonly options: readonly OptionWords[]
    /** Words the first operand can be, where that is a closed list. */
    readonly operands: readonly string[]
  }[]
}

interface OptionWords {
  readonly flag: string
  readonly summary: string
  readonly choices: readonly string[]
  readonly takesValue: boolean
}

const closedOperands: Readonly<Record<string, readonly string[]>> = {
  completions: ["bash", "zsh", "fish"],
  call: ["str_replace_editor", "bash"],
}

export function wordsOf(program: Command): Words {
  const options = (command: Command): OptionWords[] =>
    command.options
      .filter(option => option.long !== undefined && option.long !== null)
      .map(option => ({
        flag: option.long ?? "",
        summary: option.description,
        choices: option.argChoices ?? [],
        takesValue: option.required,
      }))
  return {
    globals: options(program),
    commands: program.commands.map(command => ({
      name: command.name(),
      summary: command.summary(),
      options: options(command),
      operands: closedOperands[command.name()] ?? [],
    })),
  }
}

export function scriptFor(shell: string, words: Words): string | null {
  if (shell === "bash") return bashScript(words)
  if (shell === "zsh") return `autoload -Uz bashcompinit && bashcompinit\n${bashScript(words)}`
  if (shell === "fish") return fishScript(words)
  return null
}

function bashScript({ globals, commands }: Words): string {
  const choices = [...globals, ...commands.flatMap(command => command.options)].filter(
    option => option.choices.length > 0,
  )
  const valued = [...globals, ...commands.flatMap(command => command.options)].filter(option => option.takesValue)
  const cases = commands.map(
    command =>
      `    ${command.name}) words="${[...command.operands, ...command.options.map(option => option.flag)].join(" ")}" ;;`,
  )
  const choiceCases = [...new Map(choices.map(option => [option.flag, option.choices])).entries()].map(
    ([flag, values]) => `    ${flag}) COMPREPLY=($(compgen -W "${values.join(" ")}" -- "$current")); return ;;`,
  )
  return `# Completion of galley for bash (and zsh, through bashcompinit).
_galley() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" command="" words="" at
  case "$previous" in
${choiceCases.join("\n")}
    --workspace|-w) COMPREPLY=($(compgen -d -- "$current")); return ;;
  esac
  for ((at = 1; at < COMP_CWORD; at++)); do
    case "\${COMP_WORDS[at]}" in
      -w|${[...new Set(valued.map(option => option.flag))].join("|")}) ((at++)) ;;
      -*) ;;
      *) command="\${COMP_WORDS[at]}"; break ;;
    esac
  done
  case "$command" in
    "") words="${commands.map(command => command.name).join(" ")}" ;;
${cases.join("\n")}
  esac
  words="$words ${globals.map(option => option.flag).join(" ")}"
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [ -n "$command" ] && [[ "$current" != -* ]]; then COMPREPLY+=($(compgen -f -- "$current")); fi
}
complete -o filenames -F _galley galley
`
}

function fishScript({ globals, commands }: Words): string {
  const option = (condition: string, { flag, summary, choices, takesValue }: OptionWords): string =>
    [
      `complete -c galley ${condition}-l ${flag.replace(/^--/, "")} -d ${quoted(summary)}`,
      choices.length > 0 ? ` -x -a ${quoted(choices.join(" "))}` : takesValue ? " -r" : "",
    ].join("")
  const lines = commands.flatMap(command => {
    const condition = `-n ${quoted(`__fish_seen_subcommand_from ${command.name}`)} `
    return [
      `complete -c galley -f -n __fish_use_subcommand -a ${command.name} -d ${quoted(command.summary)}`,
      ...(command.operands.length === 0
        ? []
        : [`complete -c galley ${condition}-a ${quoted(command.operands.join(" "))}`]),
      ...command.options.map(one => option(condition, one)),
    ]
  })
  return `# Completion of galley for fish.\n${[...globals.map(one => option("", one)), ...lines].join("\n")}\n`
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`
}
