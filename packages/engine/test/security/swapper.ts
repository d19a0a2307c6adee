import { existsSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/**
 * Run by `races.test.ts` until it is killed: swaps a folder of the workspace for a symlink to a folder outside and back, and a file
 * for a symlink to a file outside and back, as fast as it can.
 */
const [, , root = "", outside = ""] = process.argv
for (let round = 0; ; round++) {
  swap("d", outside, () => {
    // Sometimes the link stands for longer than one call.
    if (round % 3 === 0) for (let at = 0; at < round % 40; at++) writeFileSync(join(root, "noise"), `${at}`)
  })
  swap("f.txt", join(outside, "f.txt"), () => {})
  if (round === 0) console.log("swapping")
}

function swap(name: string, target: string, meanwhile: () => void): void {
  const place = join(root, name)
  const kept = `${place}.kept`
  try {
    renameSync(place, kept)
    symlinkSync(target, place)
    meanwhile()
    rmSync(place)
    renameSync(kept, place)
  } catch {
    // Galley put something back in just that moment: what was there stands again.
    if (!existsSync(kept)) return
    rmSync(place, { recursive: true, force: true })
    renameSync(kept, place)
  }
}
