import { spawnSync } from "node:child_process"

/** The user without rights that some tests run a child as, where they run as root. */
export const nobody = 65534

/** Whether these tests may run a child as {@link nobody}, who must be able to read this checkout; where not, it is printed. */
export const canBeNobody = tryNobody()

function tryNobody(): boolean {
  if (process.getuid?.() !== 0) return false
  const words = ["-e", `require("node:fs").readFileSync(${JSON.stringify(import.meta.filename)})`]
  const { status } = spawnSync(process.execPath, words, { uid: nobody, gid: nobody, cwd: "/" })
  if (status !== 0)
    process.stdout.write("skipped: what another user may do; this checkout stands where other users may not read it\n")
  return status === 0
}
