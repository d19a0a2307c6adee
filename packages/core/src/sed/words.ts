import { parse, type Word, type WordPart } from "unbash"
import { Declined } from "./outcome.ts"

/** A word of a command as the program receives it, and as it was written. */
export interface ShellWord {
  readonly value: string
  readonly written: string
}

/**
 * The words of one plain simple command, exactly as bash would pass them; throws `Declined` where bash would do anything
 * else: expand, redirect, chain, run in the background.
 *
 * unbash drops what it does not understand without an error (`sed (`), so between two words nothing but blanks is accepted; and
 * bash expands a tilde after `=` or `:` in some words, which unbash does not report, so an unquoted one is refused.
 */
export function shellWords(command: string): readonly ShellWord[] {
  if (command.includes("\0") || !command.isWellFormed()) throw new Declined("shell", "The command is not plain text.")
  // bash reads a last lone backslash in two ways, by where the command came from.
  if (/(?:^|[^\\])(?:\\\\)*\\$/.test(command)) throw notPlain()
  const words = simpleCommandWords(command)
  let end = 0
  for (const word of words) {
    if (!onlyBlanks(command.slice(end, word.pos))) throw notPlain()
    end = word.end
  }
  if (!/^(?:[ \t]*|[ \t]+#[^\n]*)\n*$/.test(command.slice(end))) throw notPlain()
  return words.map(word => ({ value: literalValue(word), written: word.text }))
}

function simpleCommandWords(command: string): readonly Word[] {
  const script = parse(command)
  const [statement, another] = script.commands
  if ((script.errors ?? []).length > 0) throw new Declined("shell", "The shell command could not be parsed.")
  if (statement === undefined || another !== undefined) {
    throw new Declined("shell", "The text is not exactly one command.")
  }
  if (statement.background === true) throw new Declined("shell", "The command runs in the background.")
  const node = statement.command
  if (node.type !== "Command") throw new Declined("shell", "The command is compound: a pipe, a list or control flow.")
  if (node.prefix.length > 0) throw new Declined("shell", "Assignments or redirections come before the command.")
  if (node.redirects.length > 0) throw new Declined("shell", "The command has a redirection.")
  const args = node.suffix.filter(part => part.type === "Word")
  if (node.name === undefined || args.length !== node.suffix.length) throw notPlain()
  return [node.name, ...args]
}

function literalValue(word: Word): string {
  if (/[=:]~/.test(word.text) || word.text.startsWith("~")) {
    throw new Declined("expansion", "The shell may replace the tilde in the command.")
  }
  for (const part of word.parts ?? []) refuseExpansion(part)
  // unbash takes for plain what bash does not: a lone bracket, or `1<(x)` in the middle of a word.
  const bare = unquoted(word)
  if (/[<>()|&;`]/.test(bare)) throw notPlain()
  if (/[*?[{]/.test(bare)) throw new Declined("expansion", "The shell may expand a glob or braces in the command.")
  return word.value
}

function refuseExpansion(part: WordPart): void {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
      return
    case "DoubleQuoted":
      for (const child of part.parts) refuseExpansion(child)
      return
    case "AnsiCQuoted":
    case "LocaleString":
      throw new Declined("expansion", "The command uses a $'…' or $\"…\" string.")
    case "Glob":
    case "ExtendedGlob":
    case "BraceExpansion":
      throw new Declined("expansion", "The shell may expand a glob or braces in the command.")
    case "SimpleExpansion":
    case "ParameterExpansion":
      throw new Declined("expansion", "The command uses a shell variable.")
    case "CommandExpansion":
    case "ProcessSubstitution":
      throw new Declined("expansion", "The command uses the output of another command.")
    case "ArithmeticExpansion":
      throw new Declined("expansion", "The command uses shell arithmetic.")
  }
}

/** What of a word stands outside quotes and is not behind a backslash. */
function unquoted(word: Word): string {
  const parts: readonly { readonly type: string; readonly text: string }[] = word.parts ?? [
    { type: "Literal", text: word.text },
  ]
  return parts
    .filter(part => part.type === "Literal")
    .map(part => part.text.replaceAll(/\\[^]/g, ""))
    .join("")
}

function onlyBlanks(text: string): boolean {
  return /^(?:[ \t]|\\\n)*$/.test(text)
}

function notPlain(): Declined {
  return new Declined("shell", "The text is not one plain command.")
}
