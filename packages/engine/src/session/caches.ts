import type { Session } from "./session.ts"

/**
 * Folders outside the workspace that commands may write: those of the configuration, and the caches that package managers and compilers
 * keep in the home folder. What lands there can be made again and is not reviewed. `~` is the home folder.
 */
export async function writableCaches(session: Session): Promise<string[]> {
  const home = session.env.variables["HOME"]
  const expanded = (folder: string): string =>
    folder.startsWith("~/") && home !== undefined ? `${home}${folder.slice(1)}` : folder
  const asked = session.config["view.caches"].map(expanded)
  if (home === undefined || home === "") return asked
  const there: string[] = []
  for (const name of usual) {
    const folder = `${home}/${name}`
    const stat = await session.files.lstat(folder).catch(() => null)
    if (stat?.kind === "folder") there.push(folder)
  }
  return [...new Set([...asked, ...there])]
}

/** Relative to the home folder; used where they are. */
const usual = [
  ".cache",
  ".npm",
  ".yarn",
  ".local/share/pnpm",
  ".cargo/registry",
  ".cargo/git",
  ".rustup/tmp",
  "go/pkg",
  ".gradle",
  ".m2",
  ".ivy2",
  ".nuget",
  ".bun/install/cache",
  ".deno",
  ".node-gyp",
]
