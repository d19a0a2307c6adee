import { statSync } from "node:fs"
import { dirname, join } from "node:path"

/**
 * The name of the socket within the folder `run` of Galley's home. Another build of the program, or another Node, talks to a process of
 * its own: a process that has an older one loaded answers nobody who has the newer.
 */
export function socketName(program: string, node: string): string {
  const built = statSync(join(dirname(program), "../dist/hook.js"), { throwIfNoEntry: false })
  const { mtimeMs, ino } = built ?? statSync(program)
  let mixed = 0
  for (const unit of `${program} ${node} ${mtimeMs} ${ino}`)
    mixed = (Math.imul(mixed, 31) + (unit.codePointAt(0) ?? 0)) | 0
  return `hooks-${(mixed >>> 0).toString(36)}.sock`
}
