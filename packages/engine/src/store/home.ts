import { join, resolve } from "node:path"

/** Where Galley keeps things, as values: `process.env` and `os.homedir()` of whoever asks. */
export interface Surroundings {
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly userHome: string
}

/** `$GALLEY_HOME`, else `$XDG_DATA_HOME/galley`, else `~/.local/share/galley`. A relative XDG_DATA_HOME is ignored, as its specification says. */
export function galleyHome({ variables, userHome }: Surroundings): string {
  const own = variables["GALLEY_HOME"]
  if (own !== undefined && own !== "") return resolve(own)
  const data = variables["XDG_DATA_HOME"]
  return data?.startsWith("/") === true ? join(data, "galley") : join(userHome, ".local", "share", "galley")
}
