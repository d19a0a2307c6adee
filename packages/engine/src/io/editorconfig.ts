import { Failure } from "@galley/core/failure.ts"
import { parentOf, type WorkspacePath } from "@galley/core/path.ts"
import { matchesSection } from "@galley/core/glob.ts"
import type { Files } from "./files.ts"
import type { Root } from "./roots.ts"

/**
 * The charset that `.editorconfig` files of the workspace declare for a path, in lower case; undefined where none does. The nearest
 * file wins, inside one the last matching section; the way up ends at `root = true` and at the workspace. Files above the
 * workspace are not read: what is outside decides nothing inside. EditorConfig 0.17.2.
 */
export async function declaredCharset(files: Files, root: Root, path: WorkspacePath): Promise<string | undefined> {
  for (let folder = parentOf(path); ; folder = parentOf(folder)) {
    const text = await readConfig(files, root, folder)
    const config = text === null ? null : parseEditorConfig(text)
    const inside = folder === "" ? path : path.slice(folder.length + 1)
    const charset = config?.sections.findLast(
      section => section.charset !== null && matchesSection(section.glob, inside),
    )?.charset
    if (charset === "unset") return undefined
    if (charset) return charset
    if (config?.isRoot || folder === "") return undefined
  }
}

export interface EditorConfig {
  readonly isRoot: boolean
  readonly sections: readonly { readonly glob: string; readonly charset: string | null }[]
}

/** Reads sections and their charset; everything else in the file is passed over, as the specification asks of bad lines. */
export function parseEditorConfig(text: string): EditorConfig {
  const sections: { glob: string; charset: string | null }[] = []
  let isRoot = false
  for (const raw of text.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/)) {
    const line = raw.trim()
    if (line === "" || line.startsWith("#") || line.startsWith(";")) continue
    if (line.startsWith("[") && line.endsWith("]")) {
      sections.push({ glob: line.slice(1, -1), charset: null })
      continue
    }
    const at = line.indexOf("=")
    if (at < 0) continue
    const key = line.slice(0, at).trim().toLowerCase()
    const value = line
      .slice(at + 1)
      .trim()
      .toLowerCase()
    const section = sections.at(-1)
    if (!section) {
      if (key === "root") isRoot = value === "true"
    } else if (key === "charset" && value !== "") section.charset = value
  }
  return { isRoot, sections }
}

/** A file that is no file, or has no end, declares nothing. */
const longestConfig = 256 * 1024

async function readConfig(files: Files, root: Root, folder: string): Promise<string | null> {
  try {
    const named = root.absolute(folder === "" ? ".editorconfig" : `${folder}/.editorconfig`)
    // Mostly there is none, and finding that out must not cost a walk of every folder on the way.
    if ((await files.lstat(named)) === null) return null
    const path = await root.resolve(named)
    const place = root.absolute(path)
    if ((await files.lstat(place))?.kind !== "file") return null
    const read = await files.read(place, longestConfig)
    return read === "tooLarge" ? null : Buffer.from(read.bytes).toString("utf8")
  } catch (error) {
    // A link that leads outside, a file that we may not read, one that went just now.
    if (error instanceof Failure || (error instanceof Error && "code" in error)) return null
    throw error
  }
}
