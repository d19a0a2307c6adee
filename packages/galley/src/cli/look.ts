import picocolors from "picocolors"

export type Colors = ReturnType<typeof picocolors.createColors>

/** How text goes out: in which colours and how wide. */
export interface Look {
  readonly color: Colors
  /** Columns to fit in; null where lines are left as they are (a pipe, a file). */
  readonly width: number | null
}

export type ColorChoice = "auto" | "always" | "never"

/**
 * `auto` colours on a terminal only, and not where `NO_COLOR` is set to anything (no-color.org) or `TERM` is `dumb`. An
 * explicit choice beats the environment.
 */
export function lookOf(
  choice: ColorChoice,
  output: { readonly isTTY?: boolean; readonly columns?: number },
  variables: Readonly<Record<string, string | undefined>>,
): Look {
  const terminal = output.isTTY === true
  const quiet = (variables["NO_COLOR"] ?? "") !== "" || variables["TERM"] === "dumb"
  const colored = choice === "always" || (choice === "auto" && terminal && !quiet)
  return {
    color: picocolors.createColors(colored),
    width: terminal ? widthOf(output.columns, variables["COLUMNS"]) : null,
  }
}

/** A terminal that does not know its width (0, as some do) is taken for the classic 80. */
function widthOf(columns: number | undefined, variable: string | undefined): number {
  const declared = Number(variable ?? "")
  const width = columns !== undefined && columns > 0 ? columns : declared > 0 ? declared : 80
  return Math.max(40, Math.min(width, 400))
}
