/** How one real agent is started against the scripted model, and what it calls things. */
export interface Driver {
  /** As `galley install` knows it. */
  readonly name: string
  /** Writes what the agent needs besides what `galley install` writes: its model, its switches. */
  prepare(place: AgentPlace): void
  /** The command line for the nth prompt (from 0) of one conversation. `how`: more options of the agent. */
  command(place: AgentPlace, prompt: string, n: number, how: readonly string[]): AgentCommand
  /** Ends what the agent leaves running. */
  end?(place: AgentPlace): void
  /** Calls of the scripted model. */
  readonly calls: {
    edit(input: Readonly<Record<string, unknown>>): Call
    bash(command: string): Call
    ownReplace(path: string, from: string, to: string): readonly Call[]
    ownWrite(path: string, text: string): readonly Call[]
    ownShell(command: string): Call
    /** Asked for before a `sed -i`, where the agent wants a file to have been read (it simulates that itself). */
    readBefore?(path: string): Call
  }
  /** What an own `sed -i` is recorded as: `simulated` where the shell command is replaced, else seen by looking. */
  readonly ownSed: "simulated" | "recorded"
  /** Whether prompts become messages; else the whole run is one. */
  readonly tellsPrompts: boolean
}

export interface AgentPlace {
  readonly home: string
  readonly work: string
  /** Of tests/agents. */
  readonly modules: string
  readonly port: number
  readonly node: string
  /** Chosen by us where the agent lets us. */
  readonly session: string
}

export interface AgentCommand {
  readonly words: readonly string[]
  readonly stdin?: string
  readonly env: Readonly<Record<string, string>>
}

export interface Call {
  readonly t: string
  readonly a: unknown
  readonly ns?: string
  readonly kind?: string
}
