import { renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/**
 * Run by `races.test.ts` until it is killed: swaps a folder of the workspace for a symlink to a folder outside and back, and a file
 * for a symlink to a file outside and back, as fast as it can.
 */
const [, , root = "", outside = ""] = process.argv
for (let round = 0; ; round++) {
  renameSync(join(root, "d"), join(root, "d.kept"))
  symlinkSync(outside, join(root, "d"))
  // Sometimes the link stands for longer than one call.
  if (round % 3 === 0) for (let at = 0; at < round % 40; at++) writeFileSync(join(root, "noise"), `${at}`)
  rmSync(join(root, "d"))
  renameSync(join(root, "d.kept"), join(root, "d"))
  renameSync(join(root, "f.txt"), join(root, "f.kept"))
  symlinkSync(join(outside, "f.txt"), join(root, "f.txt"))
  rmSync(join(root, "f.txt"))
  renameSync(join(root, "f.kept"), join(root, "f.txt"))
  if (round === 0) console.log("swapping")
}
