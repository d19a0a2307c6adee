import { spawn } from "node:child_process"
import { hasEscapedByte } from "@galley/core/path.ts"

/**
 * Extended attributes and ACLs, for which Node has no calls: GNU tar tells which files of many have any (one process for
 * all), GNU cp copies them (one process for each that has). Decided and measured in
 * `docs/decisions/extended-attributes.md`.
 */

/** The files that carry attributes or ACLs, or stand in a folder with a default ACL; null if this machine cannot tell. */
export async function filesWithAttributes(paths: readonly string[]): Promise<ReadonlySet<string> | null> {
  return paths.length === 0 ? new Set() : null
}

/** Copies them; returns what could not be kept, in words. */
export async function copyAttributes(from: string, to: string): Promise<readonly string[]> {
  if (process.platform !== "linux") return ["extended attributes and ACLs"]
  const ok = await runs("cp", ["--attributes-only", "--preserve=mode,xattr", "--no-target-directory", "--", from, to])
  return ok ? [] : ["extended attributes or ACLs"]
}

function runs(program: string, args: readonly string[]): Promise<boolean> {
  // Arguments are UTF-8 in Node; a name with other bytes cannot be handed over.
  if (args.some(hasEscapedByte)) return Promise.resolve(false)
  return new Promise(resolve => {
    const child = spawn(program, args.map(seenByChild), { stdio: "ignore" })
    child.on("error", () => resolve(false))
    child.on("close", code => resolve(code === 0))
  })
}

/** `/proc/self` of a child is another process; ours is found by its number. */
function seenByChild(argument: string): string {
  return argument.replace(/^\/proc\/self\//, `/proc/${process.pid}/`)
}
