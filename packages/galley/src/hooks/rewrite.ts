import { quoteWord, quoteWords } from "@galley/core/tool/shell-quote.ts"

/** How this very program is started again: absolute, so that nothing depends on a PATH (REQUIREMENTS E7). */
export interface Self {
  readonly node: string
  readonly program: string
}

export interface RunAs {
  readonly workspace: string
  readonly conversation: string
  readonly callId: string | null
  readonly flags: readonly string[]
}

/** The command line that runs an agent's shell command through Galley's capture, in the folder that the agent's shell is in. */
export function captured(self: Self, command: string, as: RunAs): string {
  const words = [
    self.node,
    self.program,
    "run",
    "--quiet-review",
    "--workspace",
    as.workspace,
    "--conversation",
    as.conversation,
    ...(as.callId === null ? [] : ["--call", as.callId]),
    ...as.flags,
    "--",
    "bash",
    "-c",
    command,
  ]
  return quoteWords(words)
}

/** Whether the command is one of ours already (a hook that runs twice, two installations). */
export function isCaptured(self: Self, command: string): boolean {
  return command.startsWith(`${quoteWord(self.node)} ${quoteWord(self.program)} run `)
}

/**
 * Commands that only read or only move the agent's own shell: nothing to record, and `cd` would not reach the agent's shell through
 * another process. Very few words on purpose, and nothing that a shell would expand, redirect or join.
 */
export function changesNothing(command: string): boolean {
  return (
    /^\s*(cd|pwd|ls|true|git (status|diff|log|show|branch))(\s+[A-Za-z0-9_./@:=,+-]+)*\s*$/.test(command) &&
    !/--output|-o\b|branch\s+\S/.test(command)
  )
}

/**
 * Whether the command takes the agent's own shell elsewhere than to the workspace's top, where it may be already: that would not reach
 * it through another process.
 */
export function movesShell(command: string, root: string): boolean {
  const targets = command.matchAll(
    /(?:^|[;&|({]|\b(?:then|do|else)\b)\s*(?:cd|pushd|popd)\b\s*("[^"]*"|'[^']*'|[^\s;&|)]*)/gm,
  )
  return [...targets].some(([, target = ""]) => target.replaceAll(/["']/g, "").replace(/\/$/, "") !== root)
}
