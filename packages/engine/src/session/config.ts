import { Failure } from "@galley/core/failure.ts"
import type { Policy, ReviewMode } from "@galley/core/protocol/results.ts"

// Not read from the schemas: this file is loaded by every command, and zod costs it 50 ms.
const reviewModes = ["hold", "ask", "apply"] as const satisfies readonly ReviewMode[]
const policies = ["read-only", "workspace-write", "full-access"] as const satisfies readonly Policy[]

/**
 * Every setting, with its default and what it is for. Help, `doctor` and `config.json` are checked against this table, so a
 * setting exists exactly if it is a row here.
 *
 * Settings belong to the person (DESIGN §6): they come from `$GALLEY_HOME/config.json` and `--set`, never from a file
 * inside the workspace.
 */
export const configKeys = {
  "review.mode": key(choice(reviewModes), "apply", "Where proposed changes stand: on disk or held back."),
  "review.accept": key(list, [], "Globs of paths whose changes are accepted at once."),
  policy: key(choice(policies), "workspace-write", "What an agent's tools may write."),
  strict: key(yesOrNo, false, "Refuse an edit that could not be undone, instead of warning of it."),
  "ask.waitSeconds": key(amount(0, 86_400), 45, "How long a call waits for the person before it is answered `held`."),
  "message.idleSeconds": key(amount(1, 86_400), 120, "A pause between calls that begins a new message."),
  "file.maxBytes": key(
    wholeNumber(1024, 1 << 30),
    64 << 20,
    "Larger files are refused by tools and not reviewed as text.",
  ),
  "file.charset": key(
    list,
    [],
    "Declared encodings, GLOB=CHARSET, for text that is neither UTF-8 nor UTF-16 with a BOM.",
  ),
  "tool.maxOutputChars": key(wholeNumber(200, 10_000_000), 16_000, "Characters of a view that an agent is shown."),
  "tool.expandTabs": key(yesOrNo, false, "Expand the tabs of the whole file before a replace or an insert."),
  "sed.simulate": key(yesOrNo, true, "Compute simple `sed -i` commands in memory and show them as an edit."),
  "view.enabled": key(yesOrNo, true, "Run commands over an overlay of the workspace where this machine can."),
  "view.caches": key(list, [], "Folders outside the workspace that a command may write to (caches)."),
  "view.regenerable": key(
    list,
    ["node_modules", "target", ".venv", "venv", "dist", "build", "__pycache__", ".next", ".gradle"],
    "Folders that, where git ignores them, commands write directly and that are not reviewed.",
  ),
  "gc.keepDays": key(
    amount(0, 36_500),
    90,
    "Age from which old contents are dropped, once a day by themselves or by `galley gc`.",
  ),
  "gc.maxMegabytes": key(
    amount(1, 1e9),
    4096,
    "Size of a store above which its oldest contents are dropped, as above.",
  ),
} as const

export type ConfigKey = keyof typeof configKeys
export type Config = { readonly [K in ConfigKey]: ReturnType<(typeof configKeys)[K]["read"]> }

/** One source of settings: a file, or `--set`. Values as JSON gave them, or text as it was typed. */
export interface ConfigLayer {
  /** Names the source in a complaint. */
  readonly source: string
  readonly values: Readonly<Record<string, unknown>>
}

/** Later layers win. An unknown key or a bad value is `BAD_ARGUMENT` naming the source, the key and what is allowed. */
export function resolveConfig(layers: readonly ConfigLayer[]): Config {
  const config: Record<string, unknown> = {}
  for (const name of keyNames()) config[name] = configKeys[name].fallback
  for (const layer of layers)
    for (const [name, value] of flatten(layer.values)) {
      if (!isConfigKey(name)) throw unknownKey(layer.source, name)
      const reading = configKeys[name].read
      try {
        config[name] = reading(value)
      } catch (error) {
        if (!(error instanceof BadValue)) throw error
        throw new Failure("BAD_ARGUMENT", `${layer.source}: ${name} must be ${error.wanted}, not ${show(value)}.`)
      }
    }
  return config as Config
}

/** The text of `--set KEY=VALUE` as a layer. */
export function settingLayer(texts: readonly string[]): ConfigLayer {
  // fromEntries, not assignment: a key `__proto__` must become a property, to be refused like any other.
  const values = Object.fromEntries(
    texts.map(text => {
      const at = text.indexOf("=")
      if (at < 1) throw new Failure("BAD_ARGUMENT", `--set takes KEY=VALUE, not ${show(text)}.`)
      return [text.slice(0, at).trim(), text.slice(at + 1)]
    }),
  )
  return { source: "--set", values }
}

/** The text of `config.json` as a layer: nested (`{"ask":{"waitSeconds":9}}`) or flat (`{"ask.waitSeconds":9}`). */
export function fileLayer(source: string, text: string): ConfigLayer {
  let values: unknown
  try {
    values = JSON.parse(text)
  } catch (error) {
    throw new Failure(
      "BAD_ARGUMENT",
      `${source} is not JSON: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
  if (!isRecord(values)) throw new Failure("BAD_ARGUMENT", `${source} must hold a JSON object of settings.`)
  return { source, values }
}

/** The table for people: help, `doctor`, documentation. */
export function describeConfig(): readonly {
  readonly key: string
  readonly fallback: unknown
  readonly doc: string
}[] {
  return keyNames().map(name => ({ key: name, fallback: configKeys[name].fallback, doc: configKeys[name].doc }))
}

interface Key<T> {
  readonly read: (value: unknown) => T
  readonly fallback: T
  readonly doc: string
}

function key<T>(read: (value: unknown) => T, fallback: NoInfer<T>, doc: string): Key<T> {
  return { read, fallback, doc }
}

/** Thrown by readers only; `wanted` completes "must be …". */
class BadValue extends Error {
  readonly wanted: string
  constructor(wanted: string) {
    super(wanted)
    this.wanted = wanted
  }
}

function choice<const T extends string>(allowed: readonly T[]): (value: unknown) => T {
  return value => {
    const found = allowed.find(one => one === value)
    if (found === undefined) throw new BadValue(`one of ${allowed.join(", ")}`)
    return found
  }
}

function yesOrNo(value: unknown): boolean {
  if (value === true || value === "true") return true
  if (value === false || value === "false") return false
  throw new BadValue("true or false")
}

function amount(least: number, most: number): (value: unknown) => number {
  return value => {
    const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value
    if (typeof number !== "number" || !(number >= least && number <= most))
      throw new BadValue(`a number from ${least} to ${most}`)
    return number
  }
}

function wholeNumber(least: number, most: number): (value: unknown) => number {
  const read = amount(least, most)
  return value => {
    const number = read(value)
    if (!Number.isInteger(number)) throw new BadValue(`a whole number from ${least} to ${most}`)
    return number
  }
}

/** A JSON array of strings, or one text with commas between. */
function list(value: unknown): readonly string[] {
  if (typeof value === "string")
    return value
      .split(",")
      .map(part => part.trim())
      .filter(part => part !== "")
  if (Array.isArray(value) && value.every(part => typeof part === "string")) return value
  throw new BadValue("a list of texts")
}

function flatten(values: Readonly<Record<string, unknown>>, prefix = ""): [string, unknown][] {
  return Object.entries(values).flatMap(([name, value]) =>
    isRecord(value) ? flatten(value, `${prefix}${name}.`) : [[`${prefix}${name}`, value] satisfies [string, unknown]],
  )
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function isConfigKey(name: string): name is ConfigKey {
  return Object.hasOwn(configKeys, name)
}

function keyNames(): ConfigKey[] {
  return Object.keys(configKeys).filter(isConfigKey)
}

function unknownKey(source: string, name: string): Failure {
  return new Failure(
    "BAD_ARGUMENT",
    `${source}: there is no setting ${show(name)}.`,
    `Settings: ${keyNames().join(", ")}.`,
  )
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 80 ? `${text.slice(0, 77)}…` : text
}
