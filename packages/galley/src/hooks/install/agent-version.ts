import { execFile } from "node:child_process"

/** The program of an agent, and the version whose hooks and configuration Galley was run against. */
export interface KnownVersion {
  /** As it is found on the PATH. */
  readonly program: string
  readonly tested: string
}

/** How an agent's version stands towards the one that is known. */
export type VersionStanding =
  | { readonly kind: "same" | "near" | "other"; readonly found: string }
  /** Its program is not on the PATH, or says no version. */
  | { readonly kind: "unknown" }

/**
 * Holds what a program says of its version against the tested one. "near": only the last number differs, where hooks have not changed
 * so far; before 1.0 the middle number counts as the first.
 */
export function compareVersion(known: KnownVersion, said: string): VersionStanding {
  const found = /(?<![\d.])(\d+)\.(\d+)\.(\d+)(?:[-+][0-9A-Za-z.-]+)?/.exec(said)
  if (found === null) return { kind: "unknown" }
  const [text, major, minor] = found
  if (text === known.tested) return { kind: "same", found: text }
  const [wantedMajor, wantedMinor] = known.tested.split(".")
  return { kind: major === wantedMajor && minor === wantedMinor ? "near" : "other", found: text }
}

/** Asks the program. One that does not answer in 10 s counts as not found. */
export function askVersion(known: KnownVersion): Promise<VersionStanding> {
  return new Promise(resolve => {
    const child = execFile(known.program, ["--version"], { timeout: 10_000 }, (_error, stdout, stderr) =>
      resolve(compareVersion(known, `${stdout}\n${stderr}`)),
    )
    child.stdin?.end()
  })
}

/** In words, for `doctor`; null where there is nothing to say. */
export function wordVersion(
  title: string,
  known: KnownVersion,
  standing: VersionStanding,
): { readonly state: "good" | "note"; readonly detail: string; readonly hint?: string } | null {
  switch (standing.kind) {
    case "unknown":
      return null
    case "same":
    case "near":
      return { state: "good", detail: `${title} ${standing.found}; its hooks are known from ${known.tested}` }
    case "other":
      return {
        state: "note",
        detail: `${title} ${standing.found} is here; its hooks are known as they were in ${known.tested}`,
        hint: "They may tell something else now. What is not understood is told here, in galley log and to the agent; --set strict=true refuses it.",
      }
  }
}
