import type { CommandEntry } from "./cli/command.ts"
import type { Program } from "./cli/program.ts"

/**
 * Every command of the program, in the order of help. A row names a module that exists and does its work; a command comes into
 * being by adding its row, and nothing of it is loaded before it is asked for.
 */
export function commandTable(program: () => Program): readonly CommandEntry[] {
  return [
    {
      name: "mcp",
      summary: "serve an agent over MCP on standard input and output",
      group: "For agents:",
      load: async () => (await import("./mcp-command.ts")).mcpCommand(program().version, program().newId),
    },
    {
      name: "call",
      summary: "make one tool call as an agent would",
      group: "For agents:",
      load: async () => (await import("./cli/commands/call.ts")).command,
    },
    {
      name: "run",
      summary: "run any command and review what it changed",
      group: "For agents:",
      load: async () => (await import("./cli/commands/run.ts")).command,
    },
    {
      name: "acp",
      summary: "stand between an ACP editor and an ACP agent",
      group: "For agents:",
      load: async () => (await import("./acp-command.ts")).acpCommand(() => program().newId()),
    },
    {
      name: "hook",
      summary: "answer an agent's hook (set up by install)",
      group: "For agents:",
      load: async () => (await import("./hook-command.ts")).hookCommand(() => program().engine),
    },
    {
      name: "message",
      summary: "begin a message by hand and print its id",
      group: "For agents:",
      load: async () => (await import("./cli/commands/message.ts")).command,
    },
    {
      name: "status",
      summary: "what is pending and what waits for you",
      group: "Review:",
      load: async () => (await import("./cli/commands/status.ts")).command,
    },
    {
      name: "serve",
      summary: "the review page in a browser, and MCP over HTTP",
      group: "Review:",
      load: async () => (await import("./serve-command.ts")).serveCommand(program().version, program().newId),
    },
    {
      name: "review",
      summary: "decide hunk by hunk in the terminal",
      group: "Review:",
      load: async () => (await import("./cli/commands/review.ts")).command,
    },
    {
      name: "diff",
      summary: "pending changes inline, hunk by hunk",
      group: "Review:",
      load: async () => (await import("./cli/commands/diff.ts")).command,
    },
    {
      name: "accept",
      summary: "take changes: hunks, lines, files, messages or all",
      group: "Review:",
      load: async () => (await import("./cli/commands/accept.ts")).command,
    },
    {
      name: "reject",
      summary: "put the old text back; what you wrote stays",
      group: "Review:",
      load: async () => (await import("./cli/commands/reject.ts")).command,
    },
    {
      name: "write",
      summary: "edit a proposal",
      group: "Review:",
      load: async () => (await import("./cli/commands/write.ts")).command,
    },
    {
      name: "answer",
      summary: "allow or deny a call that waits",
      group: "Review:",
      load: async () => (await import("./cli/commands/answer.ts")).command,
    },
    {
      name: "comment",
      summary: "tell the agent something about a line",
      group: "Review:",
      load: async () => (await import("./cli/commands/comment.ts")).command,
    },
    {
      name: "log",
      summary: "the tree of messages, or every operation",
      group: "History:",
      load: async () => (await import("./cli/commands/log.ts")).command,
    },
    {
      name: "show",
      summary: "what an operation or a message did",
      group: "History:",
      load: async () => (await import("./cli/commands/show.ts")).command,
    },
    {
      name: "cat",
      summary: "one side of a file, byte for byte",
      group: "History:",
      load: async () => (await import("./cli/commands/cat.ts")).command,
    },
    {
      name: "rewind",
      summary: "go back to before a message, keeping your own edits",
      group: "History:",
      load: async () => (await import("./cli/commands/rewind.ts")).command,
    },
    {
      name: "undo",
      summary: "take back your newest decision",
      group: "History:",
      load: async () => (await import("./cli/commands/undo.ts")).command,
    },
    {
      name: "redo",
      summary: "do again what was undone",
      group: "History:",
      load: async () => (await import("./cli/commands/redo.ts")).command,
    },
    {
      name: "gc",
      summary: "drop old contents from the store",
      group: "Care:",
      load: async () => (await import("./cli/commands/gc.ts")).command,
    },
    {
      name: "purge",
      summary: "remove a file's recorded contents for good",
      group: "Care:",
      load: async () => (await import("./cli/commands/purge.ts")).command,
    },
    {
      name: "export",
      summary: "all that Galley knows, as JSON",
      group: "Care:",
      load: async () => (await import("./cli/commands/export.ts")).command,
    },
    {
      name: "install",
      summary: "connect an agent or editor",
      group: "Care:",
      load: async () => (await import("./install-command.ts")).installCommand("install"),
    },
    {
      name: "uninstall",
      summary: "take that out again",
      group: "Care:",
      load: async () => (await import("./install-command.ts")).installCommand("uninstall"),
    },
    {
      name: "doctor",
      summary: "what this machine can do, and what is wrong",
      group: "Care:",
      load: async () => (await import("./cli/commands/doctor.ts")).command,
    },
    {
      name: "completions",
      summary: "a script that completes in bash, zsh or fish",
      group: "Care:",
      load: async () => {
        const { completionsCommand } = await import("./cli/commands/completions.ts")
        const { buildProgram } = await import("./cli/program.ts")
        return completionsCommand(() => {
          const whole = program()
          const names = whole.entries.map(entry => entry.name)
          return buildProgram(whole, names)
        })
      },
    },
  ]
}
