import { diffLines } from "@galley/core/diff/line-diff.ts"
import { isPending } from "@galley/core/change/item.ts"
import { splitLines } from "@galley/core/text/lines.ts"
import { expect } from "vitest"
import type { World } from "./world.ts"

/** Everything that a rewind and its undo must bring back: files, both sides of what is pending, heads. */
export async function snapshot(world: World, paths: readonly string[]): Promise<unknown> {
  const files: Record<string, string | null> = {}
  for (const path of paths) files[path] = await world.read(path)
  const items = (await world.store.items({})).filter(isPending)
  return {
    files,
    pending: items.map(({ path, base, current, disk, conflictOrigin }) => ({
      path,
      base,
      current,
      disk,
      conflictOrigin,
    })),
    heads: (await world.person.status({})).heads.map(head => `${head.conversation} ${head.message}`).sort(),
  }
}

/** What status shows is what the two texts say, and the disk is the side that it says. */
export async function shownIsSo(world: World): Promise<void> {
  const { files } = await world.person.status({})
  for (const file of files) {
    if (file.parked) continue
    const side = async (name: string): Promise<string | null> => {
      const seen = await world.person.cat({ path: file.path, side: name })
      return seen.absent ? null : (seen.text ?? `binary ${seen.base64 ?? ""}`)
    }
    const [base, current, disk] = [await side("base"), await side("current"), await side("disk")]
    expect(disk, `the disk side of ${file.path}`).toBe(file.disk === "base" ? base : current)
    expect(file.kinds, `${file.path} is pending`).not.toEqual([])
    if (file.kinds.some(kind => kind === "symlink" || kind === "binary" || kind === "rename")) continue
    const hunks = diffLines(splitLines(base ?? ""), splitLines(current ?? "")).hunks
    expect(
      file.hunks.map(hunk => [hunk.oldStart, hunk.oldLines, hunk.newStart, hunk.newLines]),
      `the hunks of ${file.path}`,
    ).toEqual(
      hunks.map(hunk => [
        hunk.fromBase === hunk.toBase ? hunk.fromBase : hunk.fromBase + 1,
        hunk.toBase - hunk.fromBase,
        hunk.fromCurrent === hunk.toCurrent ? hunk.fromCurrent : hunk.fromCurrent + 1,
        hunk.toCurrent - hunk.fromCurrent,
      ]),
    )
    expect(new Set(file.hunks.map(hunk => hunk.id)).size, `ids of ${file.path}`).toBe(hunks.length)
  }
}

/** All texts that the store keeps under a name: those of the operations that the log lists. */
export async function keptTexts(world: World): Promise<string> {
  const listed = new Set((await world.person.operations({})).operations.map(operation => operation.id))
  const blobs = new Set<string>()
  for (const operation of await world.store.operations({})) {
    if (!listed.has(operation.id)) continue
    for (const { before, after } of operation.changes)
      for (const state of [before.base, before.current, after.base, after.current])
        if (state.kind === "file") blobs.add(state.blob)
  }
  const texts: string[] = []
  for (const blob of blobs) texts.push(Buffer.from(await world.store.blob(blob)).toString("utf8"))
  return texts.join("\n")
}

/** The marks (`P7`) in a text. */
export function marksIn(text: string | null, letter: "A" | "B" | "P"): ReadonlySet<string> {
  return new Set((text ?? "").match(new RegExp(`\\b${letter}[0-9]+\\b`, "g")) ?? [])
}
