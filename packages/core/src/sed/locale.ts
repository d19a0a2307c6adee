import type { SedLocale } from "./substitute.ts"

/** The variables of an environment that decide how sed reads characters. */
export interface LocaleVariables {
  readonly LC_ALL?: string | undefined
  readonly LC_CTYPE?: string | undefined
  readonly LC_COLLATE?: string | undefined
  readonly LANG?: string | undefined
}

/**
 * The locale sed would run in, if its two categories agree and it is one we know; undefined means not to simulate.
 *
 * It cannot be told from here whether a language's locale is installed; where it is not, sed runs in C.
 */
export function sedLocaleOf(variables: LocaleVariables): SedLocale | undefined {
  const characters = named(variables.LC_ALL, variables.LC_CTYPE, variables.LANG)
  const order = named(variables.LC_ALL, variables.LC_COLLATE, variables.LANG)
  return characters === "utf-8" && order === "utf-8-language"
    ? "utf-8-language"
    : characters === order
      ? characters
      : undefined
}

/** An empty variable counts as unset. */
function named(...values: readonly (string | undefined)[]): SedLocale | undefined {
  const name = values.find(value => value !== undefined && value !== "") ?? "C"
  if (name === "C" || name === "POSIX") return "c"
  if (/^C\.utf-?8$/i.test(name)) return "utf-8"
  return /^[a-z]{2,3}(?:_[A-Z]{2})?\.utf-?8(?:@\w+)?$/i.test(name) ? "utf-8-language" : undefined
}
