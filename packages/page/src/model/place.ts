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

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
