/** What an archive tells of one member. */
export interface Member {
  /** Extended attributes or an access ACL beyond the mode. */
  readonly hasAny: boolean
  /** A default ACL, which new files inside get. */
  readonly givesAcl: boolean
}

const block = 512

/**
 * The members of a pax archive of GNU tar, in order; null if it is not one, or has no end. Contents are skipped.
 *
 * Attributes are in records of the extended header before the member (POSIX pax; keys of star: `SCHILY.xattr.`, `SCHILY.acl.`).
 */
export function attributedMembers(archive: Uint8Array): Member[] | null {
  const members: Member[] = []
  let keys: string[] = []
  for (let at = 0; at + block <= archive.length; ) {
    const header = Buffer.from(archive.buffer, archive.byteOffset + at, block)
    if (header.every(byte => byte === 0)) return members
    if (header.toString("latin1", 257, 262) !== "ustar") return null
    const size = sizeOf(header)
    const content = archive.subarray(at + block, at + block + size)
    const type = header.toString("latin1", 156, 157)
    at += block + Math.ceil(size / block) * block
    if (type === "x") {
      keys = keysOf(content)
      continue
    }
    if (type === "g") continue
    members.push({
      hasAny: keys.some(key => key.startsWith("SCHILY.xattr.") || key === "SCHILY.acl.access"),
      givesAcl: keys.includes("SCHILY.acl.default"),
    })
    keys = []
  }
  return null
}

/** Octal digits; or, for what they cannot hold, a binary number after a byte with the high bit. */
function sizeOf(header: Buffer): number {
  const field = header.subarray(124, 136)
  if (((field[0] ?? 0) & 0x80) === 0) return Number.parseInt(field.toString("latin1").replace(/[\0 ]/g, ""), 8) || 0
  return Number(field.readBigUInt64BE(4))
}

/** Records are `LENGTH KEY=VALUE\n`, the length counting all of it; values are bytes and may hold anything. */
function keysOf(content: Uint8Array): string[] {
  const keys: string[] = []
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.length)
  for (let at = 0; at < bytes.length; ) {
    const blank = bytes.indexOf(" ", at)
    const length = Number.parseInt(bytes.toString("latin1", at, blank), 10)
    if (blank < 0 || !(length > 0)) break
    const equals = bytes.indexOf("=", blank)
    keys.push(bytes.toString("latin1", blank + 1, equals))
    at += length
  }
  return keys
}
