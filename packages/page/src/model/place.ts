import { pathFromBytes, pathToBytes } from "@galley/core/path.ts"

/** What the page shows, as it stands behind `#` in the address: every place can be linked to. */
export type Place =
  | { readonly kind: "home" }
  | { readonly kind: "file"; readonly path: string; readonly hunk: string | null }
  | { readonly kind: "message"; readonly id: string }

export function readPlace(hash: string): Place {
  const [, kind, name = "", hunk] = /^#\/(file|message)\/([^?]*)(?:\?hunk=([\w]+))?$/.exec(hash) ?? []
  const decoded = decode(name)
  if (decoded === null || decoded === "") return { kind: "home" }
  if (kind === "file") return { kind: "file", path: decoded, hunk: hunk ?? null }
  if (kind === "message") return { kind: "message", id: decoded }
  return { kind: "home" }
}

export function writePlace(place: Place): string {
  switch (place.kind) {
    case "home":
      return "#/"
    case "file":
      return `#/file/${place.path.split("/").map(encode).join("/")}${place.hunk === null ? "" : `?hunk=${place.hunk}`}`
    case "message":
      return `#/message/${encode(place.id)}`
  }
}

/** By bytes, so that a name that is not UTF-8 has an address too. */
function encode(text: string): string {
  return [...pathToBytes(text)]
    .map(byte => {
      const character = String.fromCharCode(byte)
      return /[\w.~-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`
    })
    .join("")
}

function decode(text: string): string | null {
  const parts = text.match(/%[0-9a-f]{2}|[^%]/gi) ?? []
  if (parts.join("") !== text) return null
  const utf8 = new TextEncoder()
  const bytes = parts.flatMap(part =>
    part.length === 3 ? [Number.parseInt(part.slice(1), 16)] : [...utf8.encode(part)],
  )
  return pathFromBytes(Uint8Array.from(bytes))
}
