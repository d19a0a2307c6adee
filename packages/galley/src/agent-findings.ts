import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Finding } from "./cli/commands/doctor.ts"
import { askVersion, wordVersion } from "./hooks/install/agent-version.ts"
import { examineTarget, wordStanding } from "./hooks/install/examine.ts"
import type { Wanted } from "./hooks/install/target.ts"
import { targets } from "./hooks/install/targets.ts"

/** What `doctor` says of connected agents and of hooks that failed. */
export async function agentFindings(
  given: Pick<Wanted, "home" | "root" | "variables" | "waitSeconds">,
  galleyHome: string,
): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for (const target of targets) {
    let connected = false
    for (const scope of ["user", "project"] as const) {
      const wanted: Wanted = {
        ...given,
        self: { node: process.execPath, program: process.argv[1] ?? "galley" },
        scope,
        review: null,
        toolsOnly: false,
        exists: existsSync,
      }
      const said = wordStanding(target, scope, examineTarget(target, wanted))
      if (said === null) continue
      connected = true
      findings.push({ name: `agent ${target.name}`, ...said })
    }
    // Only an agent that is connected is started, to be asked.
    if (!connected || target.known === undefined) continue
    const said = wordVersion(target.title, target.known, await askVersion(target.known))
    if (said !== null) findings.push({ name: `agent ${target.name}`, ...said })
  }
  const failures = failedHooks(galleyHome)
  const last = failures.at(-1)
  if (last !== undefined)
    findings.push({
      name: "hooks",
      state: "note",
      detail: `${failures.length} hooks could not record what their agent did; the last: ${last}`,
      hint: `${join(galleyHome, "hooks.log")} has them all; remove it when you have seen it. An agent that was updated may tell its hooks something new.`,
    })
  return findings
}

function failedHooks(home: string): readonly string[] {
  try {
    return readFileSync(join(home, "hooks.log"), "utf8")
      .split("\n")
      .filter(line => line !== "")
  } catch {
    return []
  }
}
