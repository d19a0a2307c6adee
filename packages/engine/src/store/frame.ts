import { promisify } from "node:util"
import { constants, zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from "node:zlib"
import type { BlobId } from "@galley/core/state.ts"

/**
 * A content as it is stored: a skippable zstd frame (RFC 8878 §3.1.2, magic 0x184D2A50) holding the 32 bytes of the base's
 * hash, or nothing for a full one, and then one ordinary zstd frame. It says by itself how to read it, so a loose file is
 * readable without the database: `zstd -d` for a full one, `zstd -d -D BASE` where BASE is the base's content.
 */
export type Frame = Uint8Array

const magic = Uint8Array.of(0x50, 0x2a, 0x4d, 0x18)
const headLength = 8
const compressAsync = promisify(zstdCompress)
const decompressAsync = promisify(zstdDecompress)

/** Contents from this size on are packed off the event loop's thread. */
const asyncFrom = 256 * 1024
/** Largest window zstd's own command opens without being asked: 2^27 bytes. Base and content must fit, or there is no delta. */
const largestWindow = 27

/** Packs with `base` as dictionary where it pays, otherwise full. */
export async function pack(
  bytes: Uint8Array,
  base: { readonly id: BlobId; readonly bytes: Uint8Array } | null,
): Promise<{ readonly frame: Frame; readonly base: BlobId | null }> {
  if (base === null || windowFor(bytes.length + base.bytes.length) > largestWindow)
    return { frame: withHead(await compress(bytes, null), null), base: null }
  const delta = await compress(bytes, base.bytes)
  // Below an eighth of the content hardly any full frame of text is smaller: do not pay for trying.
  if (delta.length * 8 > bytes.length) {
    const full = await compress(bytes, null)
    if (delta.length > full.length * 0.8) return { frame: withHead(full, null), base: null }
  }
  return { frame: withHead(delta, base.id), base: base.id }
}

/** The base a frame needs; null for a full one, undefined where this is no frame. */
export function baseOf(frame: Frame): BlobId | null | undefined {
  if (frame.length < headLength || magic.some((byte, at) => frame[at] !== byte)) return undefined
  const length = new DataView(frame.buffer, frame.byteOffset).getUint32(4, true)
  if (length === 0) return null
  return length === 32 && frame.length >= headLength + 32
    ? Buffer.from(frame.subarray(headLength, headLength + 32)).toString("hex")
    : undefined
}

/** Unpacks; throws on damage. `size` bounds what it may grow to, so that a forged frame is no decompression bomb. */
export async function unpack(frame: Frame, base: Uint8Array | null, size: number): Promise<Uint8Array> {
  const body = frame.subarray(headLength + (base === null ? 0 : 32))
  const options = {
    params: { [constants.ZSTD_d_windowLogMax]: largestWindow },
    maxOutputLength: Math.max(size, 1),
    ...(base === null || base.length === 0 ? {} : { dictionary: base }),
  }
  const bytes = size < asyncFrom ? zstdDecompressSync(body, options) : await decompressAsync(body, options)
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
}

async function compress(bytes: Uint8Array, base: Uint8Array | null): Promise<Uint8Array> {
  const window = Math.min(windowFor(bytes.length + (base?.length ?? 0)), largestWindow)
  // Level 3 looks up 2^17 places; a base has more, and what falls out of the tables is not found again. Tried: an edit of 4 MB
  // makes 757 KB with the level's own tables and 0.4 KB with these. Beyond some 8 MB even they forget part of the base.
  // Up to 2 MB of both, where the level's own find all, larger ones only cost time (twice as much for a 200 KB file).
  const tables = base !== null && window > 21 ? Math.min(window - 1, 22) : null
  const options = {
    params: {
      [constants.ZSTD_c_compressionLevel]: 3,
      [constants.ZSTD_c_contentSizeFlag]: 1,
      [constants.ZSTD_c_windowLog]: window,
      ...(tables === null ? {} : { [constants.ZSTD_c_hashLog]: tables, [constants.ZSTD_c_chainLog]: tables }),
    },
    pledgedSrcSize: bytes.length,
    ...(base === null || base.length === 0 ? {} : { dictionary: base }),
  }
  return bytes.length < asyncFrom ? zstdCompressSync(bytes, options) : compressAsync(bytes, options)
}

function windowFor(length: number): number {
  return Math.max(Math.ceil(Math.log2(Math.max(length, 1))), 10)
}

function withHead(body: Uint8Array, base: BlobId | null): Frame {
  const head = Buffer.alloc(headLength)
  head.set(magic)
  head.writeUInt32LE(base === null ? 0 : 32, 4)
  return Buffer.concat([head, base === null ? Buffer.alloc(0) : Buffer.from(base, "hex"), body])
}
