import type { OwnChange } from "./own-change.ts"

/** Whose an event is, as the agent says. Ids of other programs: bounded, else as if they were not there. */
export interface Who {
  readonly conversation: string | null
  /** The user's message (turn) it belongs to; null where the agent does not say, or a sub-agent has turns of its own. */
  readonly message: string | null
  readonly callId: string | null
  /** Where the agent works; absolute. */
  readonly cwd: string | null
}

/** What an agent's tool is to Galley. */
export type ToolUse =
  /** Its own edit or write tool. `paths` as the agent gave them, made absolute. */
  | {
      readonly kind: "edit"
      readonly name: string
      readonly title: string
      readonly paths: readonly string[]
      /** What it will make of its file; null where that cannot be told exactly. */
      readonly change: OwnChange | null
    }
  /** Its own shell. `background`: it returns before the command ends. */
  | { readonly kind: "shell"; readonly name: string; readonly command: string; readonly background: boolean }
  /** One of Galley's tools, by Galley's own name for it. */
  | { readonly kind: "galley"; readonly name: string; readonly input: Readonly<Record<string, unknown>> }
  | { readonly kind: "other"; readonly name: string }

/** An event of any agent, in one form. */
export type HookEvent =
  | {
      readonly kind: "prompt"
      readonly who: Who
      readonly text: string
      /** The agent's own record of the conversation, where a fork can be read off. */
      readonly transcript: string | null
    }
  | { readonly kind: "before"; readonly who: Who; readonly tool: ToolUse }
  | {
      readonly kind: "after"
      readonly who: Who
      readonly tool: ToolUse
      /** Texts that the agent says stood there before, by absolute path. */
      readonly originals: Readonly<Record<string, string>>
    }
  /** A turn or session is over. */
  | { readonly kind: "end"; readonly who: Who }
  /** Nothing of ours. */
  | { readonly kind: "ignored" }
  /** Not what this agent's payloads were when this was written. */
  | { readonly kind: "strange"; readonly who: Who; readonly problem: string }

/** What the hook has to say to its agent. Empty: nothing, go on. */
export interface Reply {
  /** For the model, beside the result. */
  readonly context?: string
  /** Do not make this call; the reason is for the model. */
  readonly deny?: string
  /** Run this instead of the shell command. */
  readonly command?: string
  /** The person was asked about this very call and allows it; why, in words. */
  readonly allow?: string
  /** Make the call with this input: the person changed it. */
  readonly input?: Readonly<Record<string, unknown>>
}

/** What the agent reads of a hook: its standard output and exit code. */
export interface Said {
  readonly stdout: string
  readonly exitCode: number
}

/** How one agent speaks to its hooks. */
export interface Dialect {
  read(payload: Readonly<Record<string, unknown>>): HookEvent
  say(payload: Readonly<Record<string, unknown>>, event: HookEvent, reply: Reply): Said
  /** Whether this call's shell command may be replaced by another, without going round the agent's own permissions and sandbox. */
  rewrites(payload: Readonly<Record<string, unknown>>): boolean
  /** Whether a hook may give an edit another input. */
  readonly changesEdits: boolean
  /** Whether its shell keeps its folder from command to command. */
  readonly shellRemembers: boolean
  /** The name that the model knows one of Galley's tools by. */
  toolName(name: string): string
}
