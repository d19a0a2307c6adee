import { readdirSync, lstatSync } from "node:fs"
import { join } from "node:path"

/** Run by `secrets.test.ts` until it is killed: prints every file of the folder that anybody but its owner may read, as fast as it can look. */
const [, , folder = ""] = process.argv
const told = new Set<string>()
console.log("watching")
for (;;) {
  for (const name of readdirSync(folder)) {
    const stat = lstatSync(join(folder, name), { throwIfNoEntry: false })
    if (stat === undefined || (stat.mode & 0o077) === 0 || told.has(name)) continue
    told.add(name)
    console.log(`${name} ${(stat.mode & 0o777).toString(8)}`)
  }
}
