import type { OnConflict, Selection } from "@galley/core/protocol/requests.ts"
import type { Policy, ReviewMode } from "@galley/core/protocol/results.ts"
import { type Command, InvalidArgumentError, Option } from "commander"
import { UsageError } from "./exit.ts"
import type { ColorChoice } from "./look.ts"

/** The options that every command takes, exactly as typed; nothing here is looked up or resolved. */
export interface Globals {
  readonly workspace?: string
  readonly review?: ReviewMode
  readonly policy?: Policy
  readonly conversation?: string
  readonly message?: string
  /** `KEY=VALUE` texts in order. */
  readonly set: readonly string[]
  readonly json: boolean
  readonly color: ColorChoice
}

/** Declares them on the program; commander then knows them before and after the command's name. */
export function declareGlobals(program: Command): void {
  const add = (option: Option): void => {
    program.addOption(option.helpGroup("Options of every command:"))
  }
  add(
    new Option("-w, --workspace <dir>", "the folder to work on; else the nearest one upward that git or Galley knows"),
  )
  add(new Option("--review <mode>", "where new changes stand").choices(["hold", "ask", "apply"]))
  add(new Option("--policy <policy>", "what tools may write").choices(["read-only", "workspace-write", "full-access"]))
  add(new Option("--conversation <id>", "the conversation that is meant"))
  add(new Option("--message <id>", "the message that is meant"))
  add(new Option("--set <key=value>", "a setting for this once (repeatable)").argParser(appended))
  add(new Option("--json", "one JSON document on standard output and nothing else"))
  add(new Option("--color [when]", "auto, always or never").choices(["auto", "always", "never"]).preset("always"))
  add(new Option("--no-color", "same as --color never"))
}

/** What was typed for them. */
export function readGlobals(options: Readonly<Record<string, unknown>>): Globals {
  const { color, json, set, ...rest } = options
  return {
    ...(rest as Partial<Globals>),
    set: Array.isArray(set) ? (set as string[]) : [],
    json: json === true,
    color: color === false ? "never" : color === undefined || color === true ? "auto" : (color as ColorChoice),
  }
}

/** For `--opt a --opt b`. */
export function appended(value: string, before: readonly string[] | undefined): string[] {
  return [...(before ?? []), value]
}

/** `old:3-5,new:7`: lines counted from 1, both ends included, of the base and of the current text. */
export function readLines(text: string): NonNullable<Selection["lines"]> {
  const lines: { old?: LineRange; new?: LineRange } = {}
  for (const part of text.split(",")) {
    const match = /^\s*(old|new):(\d+)(?:-(\d+))?\s*$/.exec(part)
    const from = Number(match?.[2])
    const to = Number(match?.[3] ?? match?.[2])
    const side = match?.[1]
    if ((side !== "old" && side !== "new") || !(from >= 1 && to >= from) || !Number.isSafeInteger(to))
      throw new InvalidArgumentError("Lines are written old:A-B,new:C-D, counted from 1.")
    if (lines[side] !== undefined) throw new InvalidArgumentError(`${side}: is given twice.`)
    lines[side] = { from, to }
  }
  return lines
}

/** An option's value that is text; undefined where it was not given. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined
}

export function readWhole(text: string): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value)) throw new InvalidArgumentError("Not a whole number.")
  return value
}

export function readAmount(text: string): number {
  const value = Number(text)
  if (text.trim() === "" || !Number.isFinite(value) || value < 0) throw new InvalidArgumentError("Not a number.")
  return value
}

export function onConflictOption(): Option {
  const choices = ["stop", "keep-mine", "take-theirs"] satisfies OnConflict[]
  return new Option("--on-conflict <how>", "where both sides changed the same lines (else stop)").choices(choices)
}

/** Where the person knows that git is in the middle of something. */
export function forceOption(): Option {
  return new Option("--force", "also while a rebase, merge or bisect is under way")
}

/** What {@link forceOption} says, for a request. */
export function forced(options: Readonly<Record<string, unknown>>): { readonly force?: true } {
  return options["force"] === true ? { force: true } : {}
}

/** `PATH:12` as a place; a path that itself ends so is given with a line (`a:1:5`). */
export function readPlace(text: string): { readonly path: string; readonly line?: number } {
  const match = /^(.+):(\d+)$/s.exec(text)
  if (match?.[1] === undefined) return { path: text }
  const line = Number(match[2])
  if (line < 1) throw new UsageError("Lines count from 1.")
  return { path: match[1], line }
}

interface LineRange {
  readonly from: number
  readonly to: number
}
