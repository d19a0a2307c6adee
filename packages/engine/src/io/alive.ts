import { readFileSync } from "node:fs"

/** Clocks of boot and of start are kept in hundredths, and a process notes its start a moment late: seconds are near enough. */
const tolerance = 5000

/**
 * Whether the very process is still there that had this id and began at that time (milliseconds since the epoch). Where the
 * system does not tell when a process began (no `/proc`), its id alone must do.
 */
export function isAlive(owner: { readonly pid: number; readonly startedAt: number }): boolean {
  try {
    process.kill(owner.pid, 0)
  } catch (error) {
    // EPERM: it is there, and another user's.
    if (!(error instanceof Error && "code" in error && error.code === "EPERM")) return false
  }
  const began = beganAt(owner.pid)
  return began === null || Math.abs(began - owner.startedAt) < tolerance
}

/** proc_pid_stat(5), field 22: start in clock ticks (100 a second on Linux) since boot; proc_stat(5), `btime`: boot in seconds. */
function beganAt(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    const ticks = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19])
    const boot = Number(/^btime (\d+)$/m.exec(readFileSync("/proc/stat", "latin1"))?.[1])
    return Number.isFinite(ticks) && Number.isFinite(boot) ? boot * 1000 + ticks * 10 : null
  } catch {
    return null
  }
}
