import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs"
import { join } from "node:path"

/** What a git directory says: HEAD, index, refs, their logs, stash and packed refs, byte for byte. */
export function gitBytes(gitDir: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {}
  const visit = (name: string): void => {
    const path = join(gitDir, name)
    const stat = lstatSync(path, { throwIfNoEntry: false })
    if (stat === undefined) return
    if (stat.isDirectory()) for (const inside of readdirSync(path).toSorted()) visit(`${name}/${inside}`)
    else found[name] = stat.isSymbolicLink() ? `-> ${readlinkSync(path)}` : readFileSync(path).toString("base64")
  }
  for (const name of ["HEAD", "index", "refs", "logs", "packed-refs", "ORIG_HEAD", "MERGE_HEAD", "config"]) visit(name)
  return found
}
