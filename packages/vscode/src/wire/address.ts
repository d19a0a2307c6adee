/** Where a server listens and what proves that we may talk to it. */
export interface Address {
  /** Ends with `/`. */
  readonly url: string
  readonly token: string
}

/** Reads the document that `galley serve --json` prints; null while it is not whole, and for anything but a loopback address. */
export function addressFrom(printed: string): Address | null {
  const line = printed.split("\n").find(text => text.startsWith("{"))
  if (line === undefined) return null
  try {
    const read: unknown = JSON.parse(line)
    const text: unknown = typeof read === "object" && read !== null ? Reflect.get(read, "url") : null
    if (typeof text !== "string") return null
    const url = new URL(text)
    const token = new URLSearchParams(url.hash.slice(1)).get("token")
    if (token === null || url.protocol !== "http:" || url.hostname !== "127.0.0.1") return null
    return { url: `${url.origin}/`, token }
  } catch {
    return null
  }
}
