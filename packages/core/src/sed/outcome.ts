/**
 * Why a command is not computed here, as a closed list.
 *
 * - `shell`: the text is not one plain simple command (compound, pipe, redirection, background, prefix, comment trouble)
 * - `expansion`: the shell would change a word (variable, substitution, glob, brace, tilde, `$'…'`)
 * - `notSed`, `notInPlace`: another program, or sed without `-i`
 * - `option`, `backupSuffix`: an option of sed that is not simulated
 * - `files`: not exactly one file
 * - `script`, `flag`: not exactly one `s` command, or a flag other than `g` and a number
 * - `pattern`, `replacement`: sed would refuse it, or its result cannot be computed with certainty
 * - `text`: the file's content or the locale makes the result uncertain
 * - `effort`: the work would exceed its bound
 */
export type NotSimulatedCode =
  | "shell"
  | "expansion"
  | "notSed"
  | "notInPlace"
  | "option"
  | "backupSuffix"
  | "files"
  | "script"
  | "flag"
  | "pattern"
  | "replacement"
  | "text"
  | "effort"

/** A command or an edit that has to run as a real command. */
export interface NotSimulated {
  readonly kind: "notSimulated"
  readonly code: NotSimulatedCode
  /** A sentence for a person. */
  readonly reason: string
}

export function notSimulated(code: NotSimulatedCode, reason: string): NotSimulated {
  return { kind: "notSimulated", code, reason }
}

/** Leaves a nested parser or matcher of this folder; never crosses its border. */
export class Declined extends Error {
  readonly outcome: NotSimulated

  constructor(code: NotSimulatedCode, reason: string) {
    super(reason)
    this.name = "Declined"
    this.outcome = notSimulated(code, reason)
  }
}

/** Runs work that may throw `Declined` and returns the outcome instead. */
export function orNotSimulated<T>(work: () => T): T | NotSimulated {
  try {
    return work()
  } catch (error) {
    if (error instanceof Declined) return error.outcome
    throw error
  }
}
