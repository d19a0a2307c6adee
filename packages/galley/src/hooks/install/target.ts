import type { ReviewMode } from "@galley/core/protocol/results.ts"
import { quoteWords } from "@galley/core/tool/shell-quote.ts"
import type { Self } from "../rewrite.ts"
import type { KnownVersion } from "./agent-version.ts"
import type { JsonEntry } from "./edits.ts"

/** What `install` was asked for. */
export interface Wanted {
  readonly self: Self
  readonly scope: "user" | "project"
  /** The person's home folder. */
  readonly home: string
  /** The workspace; where `project` writes. */
  readonly root: string
  readonly review: ReviewMode | null
  /** Turn the agent's own edit and shell tools off where it can. */
  readonly toolsOnly: boolean
  /** How long a call may wait for the person, in seconds; the agent's time-out for tools must be longer. */
  readonly waitSeconds: number
  readonly variables: Readonly<Record<string, string | undefined>>
  /** Whether a file is there: some agents have one of two names. */
  readonly exists: (path: string) => boolean
}

/** What is to stand in one file. */
export type Part =
  | { readonly kind: "json"; readonly file: string; readonly entries: readonly JsonEntry[] }
  | { readonly kind: "toml"; readonly file: string; readonly block: string; readonly tables: readonly string[] }
  /** A file that is ours alone. */
  | { readonly kind: "file"; readonly file: string; readonly text: string; readonly mode: number }

export interface Target {
  readonly name: string
  /** A person's name for it. */
  readonly title: string
  /** For an agent with hooks: they change from version to version. */
  readonly known?: KnownVersion
  parts(wanted: Wanted): readonly Part[]
  /** What the person has to do or know, truthfully. */
  notes(wanted: Wanted): readonly string[]
}

/** An agent's time limit for one call, in seconds: above the wait for a person by a minute at least, and long enough for a build. */
export function callSeconds(wanted: Wanted): number {
  return Math.max(wanted.waitSeconds + 60, 3600)
}

/** The words that start the MCP server. */
export function serverWords(wanted: Wanted): readonly [string, ...string[]] {
  const review = wanted.review === null ? [] : ["--review", wanted.review]
  return [wanted.self.node, wanted.self.program, "mcp", ...review]
}

/** The same for an agent whose hooks and server name the same conversations: the server then notices hooks that did not run. */
export function hookedServerWords(wanted: Wanted): readonly [string, ...string[]] {
  return [...serverWords(wanted), "--hooked"]
}

/** The command line of a hook, for an agent that gives it to a shell. */
export function hookLine(wanted: Wanted, agent: string): string {
  return quoteWords(hookWords(wanted, agent))
}

/** The words of a hook's command line. */
export function hookWords(wanted: Wanted, agent: string): string[] {
  const review = wanted.review === null ? [] : ["--review", wanted.review]
  const patience = wanted.waitSeconds <= usualHookWait ? [] : ["--wait-seconds", String(Math.ceil(wanted.waitSeconds))]
  return [wanted.self.node, wanted.self.program, "hook", agent, ...review, ...patience]
}

/** Seconds that a hook may wait for the person where nothing else is said. */
export const usualHookWait = 100

/** Seconds that a hook may take before its agent goes on without it: all of them fail open, so more than it waits for the person. */
export function hookSeconds(wanted: Wanted): number {
  return Math.max(120, Math.ceil(wanted.waitSeconds) + 20)
}

/** A list element of hooks that runs Galley's hook for the agent, whichever Node and program wrote it. */
export function isOurHook(agent: string): (value: unknown) => boolean {
  const pattern = new RegExp(`galley\\S* hook ${agent}(?![\\w-])`)
  return value => pattern.test(JSON.stringify(value ?? null))
}
