import { isAbsolute, join, relative, sep } from "node:path"
import type { WorkspacePath } from "@galley/core/path.ts"

/**
 * How one workspace of Galley's lies to a folder of the editor's.
 *
 * They differ in two ways: the program knows the folder by its real path, the editor by the one it was opened with; and the folder
 * may be a part of the workspace (a package of a repository) or hold it.
 */
export interface Place {
  /** The workspace's root, symlinks resolved, as the program says it. */
  readonly root: string
  /** The editor's folder as the editor says it, and with symlinks resolved. */
  readonly folder: string
  readonly realFolder: string
}

/** The file of a workspace path, spelled as the editor spells it, so that both mean the same document. */
export function fileOf(place: Place, path: WorkspacePath): string {
  const real = join(place.root, ...path.split("/"))
  const inFolder = within(place.realFolder, real)
  return inFolder === null ? real : join(place.folder, inFolder)
}

/** The workspace path of a file; null where it is outside. */
export function pathOf(place: Place, file: string): WorkspacePath | null {
  const inFolder = within(place.folder, file)
  const inRoot = within(place.root, inFolder === null ? file : join(place.realFolder, inFolder))
  return inRoot === null || inRoot === "" ? null : inRoot.split(sep).join("/")
}

/** `""` for the folder itself. */
function within(folder: string, file: string): string | null {
  const inside = relative(folder, file)
  return inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside) ? null : inside
}
