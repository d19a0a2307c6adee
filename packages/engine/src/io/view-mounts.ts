import { readFileSync } from "node:fs"
import { pathToBytes } from "@galley/core/path.ts"

/** One line of /proc/self/mountinfo. */
export interface Mount {
  readonly path: string
  readonly type: string
  readonly writable: boolean
}

/** The mounts this process sees, in the order in which they were made. */
export function readMounts(): readonly Mount[] {
  return parseMounts(readFileSync("/proc/self/mountinfo", "utf8"))
}

/** Reads the kernel's format (proc_pid_mountinfo(5)): octal escapes for space, tab, newline, backslash and `#`. */
export function parseMounts(text: string): readonly Mount[] {
  return text.split("\n").flatMap(line => {
    const [left = "", right = ""] = line.split(" - ")
    const [, , , , path, options = ""] = left.split(" ")
    if (path === undefined) return []
    const unescaped = path.replace(/\\([0-7]{3})/g, (_, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 8)),
    )
    // A path of other than ASCII letters was read as UTF-8 already; only the five characters above are escaped.
    return [{ path: unescaped, type: right.split(" ")[0] ?? "", writable: options.split(",").includes("rw") }]
  })
}

/**
 * The mounts that are made read-only so that a command cannot write outside its workspace: all writable ones but devices,
 * kernel interfaces (which guard themselves by user id) and those that a view covers with something of its own.
 */
export function mountsToClose(mounts: readonly Mount[], covered: readonly string[]): readonly string[] {
  const last = new Map(mounts.map(mount => [mount.path, mount]))
  return [...last.values()]
    .filter(mount => mount.writable && !/^\/(dev|proc|sys)(\/|$)/.test(mount.path) && !kernelTypes.has(mount.type))
    .map(mount => mount.path)
    .filter(path => !covered.some(cover => path === cover || path.startsWith(`${cover}/`)))
}

/** Mounts below a folder, outermost first. */
export function mountsBelow(mounts: readonly Mount[], folder: string): readonly string[] {
  const below = mounts.map(mount => mount.path).filter(path => path.startsWith(`${folder}/`))
  return [...new Set(below)].sort()
}

/** One mount to make. `source` may be relative to the run folder. */
export interface MountStep {
  readonly source: string
  readonly target: string
  readonly type: string
  readonly options: string
}

/**
 * A table for `mount -a -c -T`: one process makes all mounts, in order, and no path is ever part of a shell text or of an
 * option. Sources are relative to the run folder, which may be covered by then: with `-c` they reach the kernel as they are.
 */
export function mountTable(steps: readonly MountStep[]): Uint8Array {
  const line = (step: MountStep): string =>
    `${escaped(step.source)} ${escaped(step.target)} ${step.type} ${step.options} 0 0\n`
  return pathToBytes(steps.map(line).join(""))
}

function escaped(path: string): string {
  return path.replace(/[ \t\n\r\\#"']/g, character => `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`)
}

const kernelTypes: ReadonlySet<string> = new Set(
  "sysfs cgroup cgroup2 securityfs debugfs tracefs configfs pstore bpf efivarfs mqueue hugetlbfs binfmt_misc autofs fusectl nsfs".split(
    " ",
  ),
)
