import type { LoadedSides } from "@galley/core/change/loaded.ts"
import { propertyTexts, viewSides, type SidesView } from "@galley/core/change/sides-view.ts"
import { unifiedDiff } from "@galley/core/diff/unified.ts"
import { showPath, type WorkspacePath } from "@galley/core/path.ts"
import type { Session } from "./session.ts"

/**
 * The difference of two sides as a unified diff in git's form; what is no text, and changed properties, are told in a line. Empty
 * where nothing differs.
 */
export async function diffOfSides(
  session: Session,
  path: WorkspacePath,
  sides: LoadedSides,
  from: WorkspacePath = path,
): Promise<string> {
  return diffOfView(path, from, sides, viewSides(sides, await session.charsetFor(path)))
}

export function diffOfView(path: WorkspacePath, from: WorkspacePath, sides: LoadedSides, view: SidesView): string {
  if (view.kinds.length === 0 && from === path) return ""
  const notes = propertyTexts(view).map(text => `# ${showPath(path)}: ${text}\n`)
  if (from !== path) notes.unshift(`rename from ${showPath(from)}\nrename to ${showPath(path)}\n`)
  if (view.text === null) {
    if (view.kinds.includes("binary"))
      notes.push(
        `Binary files ${name(sides.base.kind, "a/", from)} and ${name(sides.current.kind, "b/", path)} differ\n`,
      )
    return notes.join("")
  }
  const diff = unifiedDiff({
    oldName: sides.base.kind === "absent" ? null : from,
    newName: sides.current.kind === "absent" ? null : path,
    base: view.text.base,
    current: view.text.current,
    hunks: view.text.diff.hunks,
  })
  return notes.join("") + diff
}

function name(kind: string, prefix: string, path: WorkspacePath): string {
  return kind === "absent" ? "/dev/null" : `${prefix}${showPath(path)}`
}
