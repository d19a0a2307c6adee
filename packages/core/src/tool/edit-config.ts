import { Failure } from "../failure.ts"
import { editDescription } from "./edit-schema.ts"

/** Settings of one edit tool, fixed when it is made. */
export interface EditConfig {
  /** UTF-16 units of a view's rows that are kept: the prefix, then a clipping notice. Header and notes do not count. */
  readonly maxOutputChars: number
  /** Replaces the model-facing text. */
  readonly description: string
  readonly requireAbsolutePath: boolean
  /**
   * true, the canonical behaviour: before a replace or an insert the tabs of the whole file and of the given texts become
   * blanks (tab stop 8). false: only what is asked for changes.
   */
  readonly expandTabsOnMutation: boolean
}

export const defaultEditConfig: EditConfig = {
  maxOutputChars: 16_000,
  description: editDescription,
  requireAbsolutePath: true,
  expandTabsOnMutation: true,
}

/** Completes and checks settings. A wrong value or an unknown name is a `BAD_ARGUMENT`, so that a tool is never made with it. */
export function editConfig(given: Partial<EditConfig> = {}): EditConfig {
  for (const name of Object.keys(given))
    if (!Object.hasOwn(defaultEditConfig, name))
      throw bad(name, `is not a setting; there are ${Object.keys(defaultEditConfig).join(", ")}`)
  const config = { ...defaultEditConfig, ...withoutUndefined(given) }
  if (!Number.isSafeInteger(config.maxOutputChars) || config.maxOutputChars < 1)
    throw bad("maxOutputChars", "must be a whole number of at least 1")
  if (typeof config.description !== "string" || config.description.trim() === "")
    throw bad("description", "must be text that is not blank")
  for (const name of ["requireAbsolutePath", "expandTabsOnMutation"] as const)
    if (typeof config[name] !== "boolean") throw bad(name, "must be true or false")
  return config
}

function withoutUndefined(given: Partial<EditConfig>): Partial<EditConfig> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

function bad(name: string, why: string): Failure {
  return new Failure("BAD_ARGUMENT", `The edit tool's setting ${name} ${why}.`)
}
