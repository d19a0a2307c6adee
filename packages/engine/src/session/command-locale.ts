import { commandEnvironment } from "../io/environment.ts"

/** The variables by which a command that Galley runs would choose its locale. */
export function commandLocale(
  variables: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  return commandEnvironment(variables)
}
