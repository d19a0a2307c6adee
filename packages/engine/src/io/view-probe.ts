import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { commandEnvironment } from "./environment.ts"
import { runInView } from "./view.ts"
import { processStart, sweepRunFolders } from "./view-folder.ts"
import { hasSetpriv } from "./view-plan.ts"

/** Whether this machine gives views, and if not, why, for `doctor` and for `PREVIEW_UNAVAILABLE`. */
export type ViewSupport =
  | { readonly kind: "available"; readonly remarks: readonly string[] }
  | { readonly kind: "unavailable"; readonly reason: string }

/**
 * Finds out by making a view: AppArmor, seccomp in containers, sysctls and old kernels refuse at different steps, and only trying
 * tells. Sweeps what earlier processes left in the scratch folder first.
 */
export async function probeViews(scratch: string, id: string): Promise<ViewSupport> {
  if (process.platform !== "linux") return { kind: "unavailable", reason: "views need Linux" }
  try {
    sweepRunFolders(scratch)
    // Named as a run, so that it is swept like one.
    const folder = join(scratch, `run-${process.pid}-${processStart(process.pid) ?? "0"}-probe-${id}`)
    mkdirSync(join(folder, "root"), { recursive: true, mode: 0o700 })
    try {
      return await probeAt(join(folder, "root"), join(folder, "views"), id)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  } catch (error) {
    return { kind: "unavailable", reason: error instanceof Error ? error.message : String(error) }
  }
}

async function probeAt(root: string, scratch: string, id: string): Promise<ViewSupport> {
  const outcome = await runInView({
    root,
    pending: [],
    command: ["/bin/sh", "-c", "echo seen >file && cat file"],
    cwd: root,
    env: commandEnvironment(process.env),
    timeoutMs: 10_000,
    outputLimit: 1_000,
    mask: [],
    git: "dropped",
    passThrough: [],
    caches: [],
    dependencyFolders: [],
    scratch,
    id,
    owners: "own",
  })
  if (outcome.kind === "noView") return { kind: "unavailable", reason: explained(outcome.reason) }
  await outcome.close()
  const [change] = outcome.changes
  if (outcome.exitCode !== 0 || change?.path !== "file" || existsSync(join(root, "file")))
    return { kind: "unavailable", reason: `a view did not show what a command wrote: ${outcome.output.trim()}` }
  const remarks = hasSetpriv()
    ? []
    : ["setpriv is missing: a view outlives Galley if Galley is killed, until its command ends"]
  return { kind: "available", remarks }
}

/** Adds the usual cause to what the step said. */
function explained(reason: string): string {
  if (!onPath("unshare")) return "the program unshare (util-linux) is not installed"
  if (!onPath("mount")) return "the program mount (util-linux) is not installed"
  if (flag("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") === "1")
    return `${reason} (AppArmor keeps unprivileged user namespaces closed: kernel.apparmor_restrict_unprivileged_userns=1)`
  if (flag("/proc/sys/kernel/unprivileged_userns_clone") === "0")
    return `${reason} (unprivileged user namespaces are switched off: kernel.unprivileged_userns_clone=0)`
  if (flag("/proc/sys/user/max_user_namespaces") === "0")
    return `${reason} (user namespaces are switched off: user.max_user_namespaces=0)`
  if (existsSync("/.dockerenv") || existsSync("/run/.containerenv"))
    return `${reason} (a container, which usually allows neither unshare nor mount)`
  return reason
}

function onPath(program: string): boolean {
  const folders = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin".split(":")
  return folders.some(folder => existsSync(join(folder, program)))
}

function flag(path: string): string | null {
  try {
    return readFileSync(path, "utf8").trim()
  } catch {
    return null
  }
}
