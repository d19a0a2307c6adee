import { Buffer } from "node:buffer"
import { isAbsolute, relative, resolve } from "node:path"
import { Failure } from "@galley/core/failure.ts"
import { pathFromBytes, showPath, type WorkspacePath } from "@galley/core/path.ts"

/** The path of a file in an answer: documents hold a printable form, and its bytes where that says less. */
export function exactPath(file: { readonly path: string; readonly pathBytes?: string | undefined }): WorkspacePath {
  return file.pathBytes === undefined ? file.path : pathFromBytes(Buffer.from(file.pathBytes, "base64"))
}

/**
 * A typed path is meant from the current folder, as git means it, if that is inside the workspace; from outside (`--workspace`)
 * from the workspace's top.
 */
export function workspacePath(root: string, cwd: string, typed: string): WorkspacePath {
  const path = relative(root, resolve(startFolder(root, cwd), typed))
  if (path === "" || path === ".." || path.startsWith("../") || isAbsolute(path))
    throw new Failure(
      "OUTSIDE_WORKSPACE",
      `${showPath(typed)} is not inside the workspace ${showPath(root)}.`,
      "Name a file inside it, or another --workspace.",
    )
  return path
}

export function shownPath(root: string, cwd: string, path: WorkspacePath): string {
  return showPath(relative(startFolder(root, cwd), resolve(root, path)))
}

function startFolder(root: string, cwd: string): string {
  return cwd === root || cwd.startsWith(root === "/" ? "/" : `${root}/`) ? cwd : root
}
