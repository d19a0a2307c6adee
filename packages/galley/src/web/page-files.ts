import { existsSync, readdirSync, readFileSync } from "node:fs"
import { extname, join } from "node:path"
import { fileURLToPath } from "node:url"

export interface PageFile {
  readonly type: string
  readonly bytes: Uint8Array
}

/** The page as `scripts/build.ts` made it, read once: a closed set of names, so no path of a request reaches the disk. */
export function readPageFiles(): ReadonlyMap<string, PageFile> {
  const folder = pageFolder()
  if (folder === null) return new Map()
  return new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => {
        const place = join(entry.parentPath, entry.name)
        const name = place.slice(folder.length).replaceAll("\\", "/")
        return [name, { type: types[extname(name)] ?? "application/octet-stream", bytes: readFileSync(place) }]
      }),
  )
}

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
}

/** Beside the bundle (this file is then in `dist/chunks`), or where the bundle would be when the sources run. */
function pageFolder(): string | null {
  const places = ["../page", "./page", "../../dist/page"].map(at => fileURLToPath(new URL(at, import.meta.url)))
  return places.find(place => existsSync(join(place, "index.html"))) ?? null
}
